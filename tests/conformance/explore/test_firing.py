"""The reference Responder against messages good and broken; broken Responders are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from typing_extensions import override

from conformance.explore.firing import Fired, fire_all
from conformance.explore.recipes import Breach, Shot
from conformance.explore.sequences import SEQUENCES
from conformance.explore.shots import BREACHES, CALLS
from conformance.tester.client.harness import Harness
from fuzz.planted import AnswersTwice
from reports.record import Verdict
from rpcrdma.endpoint.core.actions import Disconnect
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header
from targets.reference.server import ReferenceTarget
from targets.reference.server_parts import Parts
from targets.registry import find_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.faults import Fault
    from rpcrdma.wire import FixedWords


TWICE = Parts(responder=AnswersTwice)
SERVED = 1
"""The fence behind the message that is refused."""


@pytest.fixture(scope="module")
def reference() -> Iterator[Harness]:
    harness = Harness(find_target("reference"))
    yield harness
    harness.close()


@given(SEQUENCES)
def test_responder_keeps_the_rules_whatever_it_gets(reference: Harness, shots: list[Shot]) -> None:
    assert fire_all(reference, shots) == ()


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("form", ["short", "reduced", "long", "long-reduced"])
def test_every_good_call_is_served(reference: Harness, call: str, form: str, version: int) -> None:
    fired: list[Fired] = []
    for offer in ("needed", "write", "both"):
        shot = Shot(call, 1500, 700, form, offer, 2, version=version)
        fire_all(reference, [shot], fired.append)

    names = (("RDMA_MSG", "RDMA_NOMSG"), ("RDMA2_MSG", "RDMA2_NOMSG"))[version - 1]
    assert [item.verdict for item in fired] == [Verdict.PASS] * 3
    assert all(item.outcomes[0].startswith(names) for item in fired)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("kind", [kind for kind in BREACHES if kind != "none"])
def test_every_breach_changes_the_message(reference: Harness, kind: str, version: int) -> None:
    """Else it would test nothing under another name."""
    fired: list[Fired] = []
    for place in range(8):
        breach = Breach(kind, place, 77 + place)
        shot = Shot("store", 1500, 0, "reduced", "both", 2, breach, version)
        fire_all(reference, [shot], fired.append)

    assert all("instead of" in item.what for item in fired)


@pytest.mark.parametrize(
    ("mutant", "shot", "requirement"),
    [
        ("grants-zero", Shot(), "rfc8166.3.3.1.grant-is-never-zero"),
        (
            "omits-err-vers-range",
            Shot(breach=Breach("fixed-word", 0, 2)),
            "rfc8166.4.5.1.err-vers-range",
        ),
        (
            "writes-at-wrong-offset",
            Shot("fetch", 1500, 0, "short", "write"),
            "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
        ),
        (
            "says-that-replies-are-calls",
            Shot("small", version=2),
            "v2.4.2.2.direction-is-the-msg-type",
        ),
        (
            "drops-bad-headers-in-two",
            Shot(breach=Breach("direction", 2, 7), version=2),
            "v2.4.2.3.bad-call-gets-bad-header",
        ),
        (
            "passes-over-unknown-operations",
            Shot(breach=Breach("option", 0, 2), version=2),
            "v2.3.1.unsupported-operation-is-answered",
        ),
        (
            "serves-procedure-two",
            Shot(breach=Breach("fixed-word", 2, 2), version=2),
            "v2.4.2.3.old-procedures-are-gone",
        ),
    ],
)
def test_firing_names_what_a_responder_breaks(mutant: str, shot: Shot, requirement: str) -> None:
    harness = Harness(find_target(f"mutant:{mutant}"))
    # D-40: whoever takes backward Replies may drop a header that it cannot decode.
    changed(harness, backward=False)
    try:
        failed = fire_all(harness, [shot])
    finally:
        harness.close()

    assert requirement in {name for item in failed for name in item.violated}


def test_a_device_without_version_two_refuses_all_of_it(reference: Harness) -> None:
    claims = msgspec.structs.replace(reference.profile.claims, versions=(1,))
    profile = msgspec.structs.replace(reference.profile, claims=claims)
    harness = Harness(ReferenceTarget(profile))
    fired: list[Fired] = []
    try:
        failed = fire_all(harness, [Shot(version=2)], fired.append)
    finally:
        harness.close()

    assert failed == ()
    assert fired[0].allowed == ("ERR_VERS",)
    assert "range 1..1" in fired[0].outcomes[0]


def changed(harness: Harness, **claims: object) -> Harness:
    """The same device with other claims."""
    new = msgspec.structs.replace(harness.profile.claims, **claims)
    harness.profile = msgspec.structs.replace(harness.profile, claims=new)
    return harness


def test_a_message_longer_than_a_receive_is_cut_and_not_held_against_the_device() -> None:
    harness = Harness(find_target("reference"))
    fired: list[Fired] = []
    try:
        failed = fire_all(harness, [bytes(27), bytes(9000)], fired.append)
    finally:
        harness.close()

    assert failed == ()
    assert [len(item.octets) for item in fired] == [27, 4096]
    assert fired[1].what == (
        "9000 octets, cut to 4096 octets, all that the device claims to receive"
    )


def test_a_device_that_bears_one_connection_is_fired_at_in_both_versions() -> None:
    harness = changed(Harness(find_target("reference")), connections=1)
    fired: list[Fired] = []
    try:
        failed = fire_all(harness, [Shot(), Shot(version=2), Shot()], fired.append)
    finally:
        harness.close()

    assert failed == ()
    assert [item.verdict for item in fired] == [Verdict.PASS] * 3


def test_second_answers_are_found() -> None:
    harness = Harness(ReferenceTarget(find_target("reference").profile, parts=TWICE))
    try:
        (failed, *_) = fire_all(harness, [Shot("fetch", 700, 0, "short", "write")])
    finally:
        harness.close()

    assert failed.reason.startswith("2 answers to 1 messages of XID")


class EndsLateAfterAnError(Responder):
    """Ends the connection some messages behind its error, as a server of several threads does."""

    left: int | None = None

    @override
    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        self.left = SERVED
        return super().send_error(words, fault)

    @override
    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        if self.left == 0:
            return [Disconnect("an error was answered")]
        self.left = self.left and self.left - 1
        return super()._judge(message, words)


@pytest.mark.parametrize("behind", [(), (Shot(),)])
def test_the_end_behind_an_error_is_not_held_against_the_next(behind: tuple[Shot, ...]) -> None:
    late = Parts(responder=EndsLateAfterAnError)
    harness = Harness(ReferenceTarget(find_target("reference").profile, parts=late))
    refused = Shot(breach=Breach("fixed-word", 0, 0))
    fired: list[Fired] = []
    try:
        assert fire_all(harness, [refused, *behind], fired.append) == ()
    finally:
        harness.close()

    assert fired[0].outcomes[0].startswith("ERR_VERS")
    assert [item.verdict for item in fired] == [Verdict.PASS] * (1 + len(behind))


def test_a_call_that_is_held_owes_no_answer() -> None:
    harness = Harness(find_target("reference"))
    header = encode_header(TransportHeader(0x77, 1, 8, RdmaMsg((), (), None)))
    try:
        assert fire_all(harness, [header + calls.hold(0x77, 3)]) == ()
    finally:
        harness.close()
