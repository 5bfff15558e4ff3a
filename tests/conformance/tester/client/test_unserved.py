"""What a Responder does not serve: no message of these is one that must be executed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.oracle.outcome import Answered, ErrChunk, ErrVers, InvalidOption, Silent
from conformance.oracle.responder.expected import expected
from conformance.tester.client import unserved
from conformance.tester.client.harness import Harness
from targets.profile import SHIPPED, load_profile
from targets.reference.server import ReferenceTarget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.oracle.outcome import Outcome

PLAIN: dict[str, type[Outcome]] = {
    "unknown-version": ErrVers,
    "unknown-procedure": ErrChunk,
    "no-lists": ErrChunk,
    "garbage": Answered,
    "msgp": ErrChunk,
    "done": Silent,
    "err-chunk": Silent,
    "bad-error": Silent,
    "runt": Silent,
    "reply": Silent,
    "unknown-operation": InvalidOption,
    "announcement": Silent,
}
"""What the documents ask for most plainly, of some."""


@pytest.fixture
def harness() -> Iterator[Harness]:
    harness = Harness(ReferenceTarget(load_profile(SHIPPED / "reference.toml"), "loopback"))
    yield harness
    harness.close()


@pytest.mark.parametrize(
    ("version", "kind"),
    [*((1, kind) for kind in unserved.ONE), *((2, kind) for kind in unserved.TWO)],
)
def test_each_has_the_fault_of_its_name(harness: Harness, version: int, kind: str) -> None:
    peer = harness.connect(version=version)
    table = unserved.ONE if version == 1 else unserved.TWO

    message = table[kind](peer)

    found = expected(message.octets, peer.state)
    assert found.allowed[0].kind.outcome is PLAIN.get(kind, found.allowed[0].kind.outcome)
    assert message.octets[:4] == message.xid.to_bytes(4)


def test_no_two_have_one_xid(harness: Harness) -> None:
    peer = harness.connect()

    xids = [make(peer).xid for make in unserved.ONE.values() for _ in range(2)]

    assert len(set(xids)) == len(xids)
