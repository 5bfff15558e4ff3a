"""xcharext section 3.1, Receive Buffer Size: what a device promises of its own Receives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.options import verify as verify_options
from conformance.options.changes import AT_ONCE, granted, raised, require_change, rounds
from conformance.options.due import begun
from conformance.options.server import OptionServer
from conformance.options.tester import both_ends
from conformance.options.verify import until
from conformance.oracle.sizes import THRESHOLD_TWO
from conformance.oracle.told_length import told_length
from rpcrdma.wire.operations import ConnProp, RespProp, UpdProp
from rpcrdma.wire.optional import UnknownOption
from rpcrdma.wire.properties import PROP_RBSIZ
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.v2 import ErrBadHeader
from targets.base import ActKind, Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.options.tester import OptionTester
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

THERE = "xcharext.3.1.receives-as-large-as-announced"
AFTER_OLD = "xcharext.3.1.raise-told-after-the-old-receives"
DONE = "xcharext.4.3.done-is-done"
OTHER = "xcharext.4.3.other-value-is-in-effect"
AFTER_ANSWER = "xcharext.3.1.reduction-after-the-peer-knows"
ON_REQUEST = "xcharext.3.1.reduction-only-on-request"
AT_LEAST = "v2.2.3.receives-hold-4096-octets"
BY_OWN_SIZE = "xcharext.3.1.reply-chunk-by-the-own-size"
NO_HARM = "xcharext.3.unrequested-change-does-no-harm"
HOLDS = "xcharext.4.4.update-tells-what-has-changed"

LONG = 16384
"""Octets of the Receives that a device is asked for."""


def _refuse_announcement(tester: OptionTester) -> None:
    """Say that what the device has announced cannot be read; it may do nothing about that."""
    found = begun(tester, ConnProp)
    if found is None:
        raise Unsupported("the device has announced nothing")
    tester.refuse(found, ErrBadHeader())


USELESS: Final[Mapping[str, Callable[[OptionTester], object]]] = {
    "scrap": lambda tester: tester.runt(12),
    "runt": lambda tester: tester.runt(24),
    "unknown-operation": lambda tester: tester.send(UnknownOption(77, b"")),
    "stray-answer": lambda tester: tester.send(RespProp((), (), ()), MessageType.REPLY),
    "announcement": lambda tester: tester.send(UpdProp(())),
    "error": _refuse_announcement,
}
"""Messages that are no RPCs, each of which costs the device a Receive."""


@both_ends(THERE)
def test_receives_are_as_large_as_announced(tester: OptionTester) -> None:
    """Messages of just the announced size are taken, as many as there are credits for."""
    tester.call()
    size = verify_options.told_size(tester)

    tester.deliver(size, AT_ONCE, breaks=(THERE,))

    tester.call((THERE,))


@both_ends(DONE, OTHER, AFTER_OLD, THERE, interpretations=("D-145",))
@pytest.mark.parametrize("octets", [8192, 16384, 2**32 - 1])
def test_granted_size_holds_at_once(tester: OptionTester, octets: int) -> None:
    """The size that is done, or another one that is told, is that of every posted Receive."""
    broken = (DONE, OTHER, AFTER_OLD, THERE)

    _, size = granted(tester, octets)

    if size > 65536:
        raise Unsupported(f"the tester has no message of {size} octets")
    tester.deliver(size, AT_ONCE, breaks=broken)
    tester.call(broken)


@both_ends(HOLDS, AFTER_OLD, interpretations=("D-145",))
def test_size_that_is_told_later_holds_then(tester: OptionTester) -> None:
    """When an UPDPROP tells the rest of a raise, every posted Receive has that size."""
    verify_options.claims(tester, "updprop")
    before = len(tester.heard)
    granted(tester, 16384)

    found = until(tester, UpdProp, before, (AFTER_OLD,))

    if found is None or not isinstance(found.option, UpdProp):
        raise Unsupported("the device tells nothing later")
    size = told_length(found.option.optupdpr_now) or 0
    tester.deliver(size, AT_ONCE, breaks=(HOLDS, AFTER_OLD))
    tester.call((HOLDS, AFTER_OLD))


@both_ends(HOLDS, THERE, AFTER_OLD, interpretations=("D-53", "D-145"))
@pytest.mark.parametrize("kind", USELESS)
def test_receives_stay_as_large_after_what_is_no_rpc(tester: OptionTester, kind: str) -> None:
    """After a raise messages come that are no RPCs; those of the new size are still taken."""
    size = raised(tester, LONG, (AFTER_OLD,))

    for _ in range(3):
        USELESS[kind](tester)
        tester.call((HOLDS, THERE))

    for _ in rounds(tester):
        tester.deliver(size, AT_ONCE, breaks=(HOLDS, THERE))


@both_ends(HOLDS, DONE, OTHER, AFTER_OLD, THERE, interpretations=("D-145",))
def test_raise_after_a_raise_holds_when_it_is_told(tester: OptionTester) -> None:
    """Twice a larger size is asked for: every posted Receive has what is told, at any moment."""
    broken = (DONE, OTHER, AFTER_OLD, HOLDS, THERE)
    for octets in (8192, 16384):
        before = len(tester.heard)
        _, size = granted(tester, octets)
        tester.deliver(size, AT_ONCE, breaks=broken)

        until(tester, UpdProp, before, (AFTER_OLD,))

        tester.deliver(verify_options.told_size(tester), AT_ONCE, breaks=broken)
    tester.call(broken)


@both_ends(HOLDS, NO_HARM, AFTER_OLD, interpretations=("D-143", "D-145"))
def test_change_of_its_own_holds_when_it_is_told(tester: OptionTester) -> None:
    """A device that raises its size takes the old one all the time, and the new one when told."""
    verify_options.claims(tester, "updprop")
    require_change(tester, PROP_RBSIZ)
    size = verify_options.told_size(tester)
    before = len(tester.heard)
    tester.change_size(4 * size, (NO_HARM,))
    tester.deliver(size, AT_ONCE, breaks=(NO_HARM,))

    found = until(tester, UpdProp, before, (NO_HARM,))

    if found is None:
        verify_options.announced(tester)  # who has announced nothing may have nothing to change
    verify.that(
        found is not None, "the change is told", actual="no ROPT_UPDPROP came", breaks=(HOLDS,)
    )
    tester.deliver(verify_options.told_size(tester), AT_ONCE, breaks=(HOLDS, AFTER_OLD))
    tester.call((HOLDS,))


@both_ends(AFTER_ANSWER, THERE, interpretations=("D-143", "D-145"))
@pytest.mark.parametrize("octets", [200, 512, 1024, 2048])
def test_receives_are_no_smaller_than_the_answer_to_a_request(
    tester: OptionTester, octets: int
) -> None:
    """Messages of the size that holds by the answer are taken, whatever smaller one was asked for.

    Within the size that was asked for they are before, as its sender must keep them (D-143).
    """
    tester.call()

    _, size = granted(tester, octets)

    for _ in rounds(tester):
        tester.deliver(size, AT_ONCE, breaks=(AFTER_ANSWER, THERE))


@both_ends(AFTER_ANSWER, NO_HARM, interpretations=("D-143", "D-145"))
def test_receives_do_not_shrink_before_the_peer_is_told(tester: OptionTester) -> None:
    """Told to make its Receives smaller, a device takes messages of the size that it has told."""
    tester.call()

    tester.change_size(verify_options.told_size(tester) // 2)

    for _ in rounds(tester):
        size = verify_options.told_size(tester)
        tester.deliver(size, AT_ONCE, breaks=(AFTER_ANSWER, NO_HARM))


@both_ends(ON_REQUEST, interpretations=("D-143",))
def test_size_is_not_reduced_without_a_request(tester: OptionTester) -> None:
    """Neither of itself nor when it is told to change does a device tell a smaller size.

    Whatever it tells, it takes what every receiver must take.
    """
    tester.call()
    size = verify_options.told_size(tester)

    tester.change_size(size // 2)

    for _ in range(3):
        tester.call()
    told = verify_options.told_size(tester)
    if told < size:
        reason = f"The device tells {told} octets, and has told {size}."
        tester.case.let_pass(reason, (ON_REQUEST,))
    for _ in rounds(tester):
        tester.deliver(max(told, THRESHOLD_TWO), AT_ONCE, breaks=(AT_LEAST, ON_REQUEST))


@requirement(BY_OWN_SIZE, role="requester", needs=("operations",), interpretations=("D-142",))
def test_client_offers_a_reply_chunk_by_its_own_size(
    service_two: Service, client: ActingClient
) -> None:
    """A client whose Receives were made shorter offers a Reply chunk, or takes more all the same.

    What is not more than every receiver must take may come without a chunk.
    """
    tester = OptionServer.of(service_two, client)
    _, size = granted(tester, 1024)
    if size > 1024:
        raise Unsupported("the client does not make its Receives shorter")
    for _ in range(verify_options.calls_that_use_up_receives(tester)):
        tester.call()  # until no longer Receive is left

    act = client.begin(ActKind.LONG_REPLY, 2000)
    call = service_two.next_call()

    if call.reply_chunk is None:
        service_two.case.remark(f"The client has told {size} octets, and offers no Reply chunk.")
        size = THRESHOLD_TWO
    for one, draft in service_two.replies.drafts(call, tester.line, {}, service_two.grant, size):
        service_two.reply(one, draft)
    done = service_two.serve_until(act)
    verify.calls.stands(tester.line, "a Reply of less than 4096 octets", (BY_OWN_SIZE,))
    verify.calls.done(done, (BY_OWN_SIZE,))
