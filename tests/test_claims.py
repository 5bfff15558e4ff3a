"""Every claim of a profile is heeded: with another value, something else is sent or judged.

A claim without an entry in `DIFFERENCES` fails, and so does an entry whose two values make no
difference.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.explore.recipes import Shot
from conformance.explore.shots import build_shot
from conformance.oracle.memory import ExposedRegions
from conformance.oracle.responder.expected import expected
from conformance.oracle.responder.state import state_of
from conformance.suite.parallel import check_workers
from conformance.suite.rigs import close_rigs, open_rigs
from conformance.suite.runner import judge
from conformance.suite.selection import Selection
from conformance.tester.claimed import device_of
from conformance.tester.client.harness import Harness
from conformance.tester.server.harness import ClientHarness
from reports.record import Verdict
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import (
    RdmaMsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
)
from targets.base import ActKind, TargetError, Unsupported
from targets.profile import Binding, Claims
from targets.reference.client import ReferenceClientTarget
from targets.reference.server import ReferenceTarget
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from targets.profile import Profile

FETCH = calls.fetch(7, 2000)
SEGMENT = RdmaSegment(5, 1000, 0)


def verdict(case: str) -> Callable[[Profile], object]:
    """Of one case."""

    def look(profile: Profile) -> object:
        is_server = "responder" in profile.claims.roles
        kind = ReferenceTarget if is_server else ReferenceClientTarget
        (record, *_) = judge(kind(profile), Selection(cases=(case,)))
        assert record.verdict in (Verdict.PASS, Verdict.NA)
        return record.verdict

    return look


def allowed(
    payload: bytes,
    reads: tuple[ReadSegment, ...] = (),
    writes: tuple[WriteChunk, ...] = (),
) -> Callable[[Profile], object]:
    """What the oracle lets the device do with a Call."""

    def look(profile: Profile) -> object:
        state = state_of(device_of(profile), TestProgram(), ExposedRegions())
        message = encode_header(TransportHeader(7, 1, 8, RdmaMsg(reads, writes, None))) + payload
        return [str(item) for item in expected(message, state).allowed]

    return look


def roles(profile: Profile) -> object:
    """In which the device is tested."""
    try:
        rigs = open_rigs(ReferenceTarget(profile))
    except TargetError:
        return None
    close_rigs(rigs)
    return set(rigs)


def sent(profile: Profile) -> object:
    """The length of a call of 1500 octets as `explore` sends it."""
    harness = Harness(ReferenceTarget(profile))
    try:
        return len(build_shot(Shot("long-call", 1500), harness.connect()).octets)
    finally:
        harness.close()


def two_processes(profile: Profile) -> object:
    """Whether two may test it."""
    try:
        check_workers(ReferenceTarget(profile), 2)
    except TargetError:
        return False
    return True


def told(profile: Profile) -> object:
    """Whether a client of NFS is told to make calls under RPCSEC_GSS."""
    profile = msgspec.structs.replace(profile, binding=Binding.NFS3)
    harness = ClientHarness(ReferenceClientTarget(profile))
    try:
        with suppress(TargetError):  # it is told, though it has not been prepared
            harness.client.begin(ActKind.EXCHANGE_PRIVACY, 100)
    except Unsupported:
        return False
    finally:
        harness.close()
    return True


@dataclass(frozen=True)
class Difference:
    """Two values of a claim, and where the difference shows."""

    values: tuple[object, object]
    look: Callable[[Profile], object]
    target: str = "reference"


ONE_OF_TWO = "v2/2.3/responder-sends-a-reply-of-up-to-4096-octets-inline[4096-octets]"
CALLS_BACK = "bidir/2.2.3/server-waits-until-the-client-says-that-it-is-prepared"
CANCELS = "rfc8166/4.4.1/requester-takes-back-the-memory-of-a-cancelled-call[read]"
READS = (ReadSegment(4, SEGMENT), ReadSegment(8, SEGMENT))
WRITES = (WriteChunk((SEGMENT,)), WriteChunk((SEGMENT,)))

DIFFERENCES: Mapping[str, Difference] = {
    "roles": Difference((("responder",), ("requester",)), roles),
    "versions": Difference(((1, 2), (1,)), verdict(ONE_OF_TWO)),
    "max_segments": Difference((2, 1), allowed(FETCH, writes=(WriteChunk((SEGMENT, SEGMENT)),))),
    "max_read_chunks": Difference((2, 1), allowed(FETCH, reads=READS)),
    "max_write_chunks": Difference((2, 1), allowed(FETCH, writes=WRITES)),
    "call_inline_threshold": Difference((1024, 4096), sent),
    "reply_inline_threshold": Difference((1024, 4096), allowed(FETCH)),
    "connections": Difference((8, 7), verdict("rfc8166/2.2.2/responder-serves-many-connections")),
    "concurrent_testers": Difference((True, False), two_processes),
    "backward": Difference((True, False), verdict(CALLS_BACK)),
    "operations": Difference(
        (("reqprop",), ()), verdict("xcharext/3.2/server-invalidates-nothing-unasked")
    ),
    "cancels": Difference((True, False), verdict(CANCELS), "reference-client"),
    "kerberos": Difference((True, False), told, "reference-client"),
}
"""By the claim; nothing else of the profile is changed."""


@pytest.mark.parametrize("claim", Claims.__struct_fields__)
def test_a_claim_makes_a_difference(claim: str) -> None:
    assert claim in DIFFERENCES, f"nothing heeds the claim `{claim}`"
    difference = DIFFERENCES[claim]
    profile = find_profile(difference.target)

    def claiming(value: object) -> object:
        claims = msgspec.structs.replace(profile.claims, **{claim: value})
        return difference.look(msgspec.structs.replace(profile, claims=claims))

    one, other = difference.values
    assert claiming(one) != claiming(other)


def test_no_difference_is_kept_of_a_claim_that_is_gone() -> None:
    assert set(DIFFERENCES) <= set(Claims.__struct_fields__)
