"""Each verification against a device that is right, and against one wrong in one way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk, ErrVers, Silent
from conformance.oracle.responder.error_rules import VERSION_ECHOED, XID_ECHOED
from conformance.oracle.responder.reply_rules import PAYLOAD_XID
from conformance.tester.case import Deviation
from conformance.tester.client import build, mutate
from conformance.tester.client.harness import Harness
from rpcrdma import wire
from rpcrdma.ulp import rpc
from rpcrdma.wire._generated_nfs3 import Status
from tests.conformance.miniatures import MiniatureTarget, good, hanging_up, mute

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

    Behaviour = Callable[[bytes], list[bytes] | None]

BAD_PROCEDURE = 77


def connect(behave: Behaviour) -> Peer:
    return Harness(MiniatureTarget(behave)).connect()


def is_bad(message: bytes) -> bool:
    return message[12:16] == BAD_PROCEDURE.to_bytes(4)


def error(message: bytes, *, xid: int = 0, version: int = 1, credit: int = 4) -> bytes:
    number = xid or int.from_bytes(message[:4])
    body = wire.RdmaError(wire.ErrChunk())
    return wire.encode_header(wire.TransportHeader(number, version, credit, body))


def refusing(message: bytes) -> list[bytes]:
    return [error(message)] if is_bad(message) else good(message)


def dropping(message: bytes) -> list[bytes]:
    return [] if is_bad(message) else good(message)


def closing(message: bytes) -> list[bytes] | None:
    return None if is_bad(message) else good(message)


class Overtaken:
    """Keeps the answer to a bad message until a good one has been answered."""

    def __init__(self) -> None:
        self._kept: list[bytes] = []

    def __call__(self, message: bytes) -> list[bytes]:
        if is_bad(message):
            self._kept.append(error(message))
            return []
        answers = good(message) + self._kept
        self._kept = []
        return answers


def send_bad(peer: Peer) -> Call:
    call = mutate.procedure(build.null_call(peer), BAD_PROCEDURE)
    peer.send(call)
    return call


def test_expect_returns_the_allowed_outcome() -> None:
    peer = connect(refusing)

    assert isinstance(verify.expect(peer, send_bad(peer), ErrChunk), ErrChunk)


def test_expect_warns_of_a_tolerated_outcome() -> None:
    peer = connect(dropping)

    verify.expect(peer, send_bad(peer), ErrChunk, tolerated=(Silent,), breaks="rfc8166.x")

    (warned,) = peer.case.warnings
    assert warned.ids == ("rfc8166.x",)
    assert "is recommended" in warned.detail


@pytest.mark.parametrize(
    ("changes", "broken"),
    [({"xid": 9}, XID_ECHOED), ({"version": 2}, VERSION_ECHOED)],
)
def test_expect_wants_errors_to_say_what_they_answer(changes: dict[str, int], broken: str) -> None:
    peer = connect(lambda message: [error(message, **changes)])

    with pytest.raises(Deviation) as caught:
        verify.expect(peer, send_bad(peer), ErrChunk)

    assert caught.value.breaks == (broken,)


@pytest.mark.parametrize(
    ("body", "broken"),
    [
        (wire.RdmaDone(), "done"),
        (wire.RdmaMsgp(4, 4, (), (), None), "msgp"),
    ],
)
def test_obsolete_procedures_are_wrong_whatever_was_asked(body: wire.Body, broken: str) -> None:
    message = wire.encode_header(wire.TransportHeader(1, 1, 4, body))
    peer = connect(lambda _: [message])

    with pytest.raises(Deviation) as caught:
        verify.expect(peer, send_bad(peer), ErrChunk, breaks="rfc8166.x")

    section = {"msgp": "4.6.1", "done": "4.6.2"}[broken]
    assert caught.value.breaks == (
        f"rfc8166.{section}.{broken}-is-not-sent",
        f"rfc8166.4.2.4.{broken}-is-reserved",
    )


def test_discarded_accepts_silence() -> None:
    peer = connect(dropping)

    assert verify.discarded(peer, send_bad(peer)) is None


@pytest.mark.parametrize("behave", [refusing, Overtaken()])
def test_discarded_accepts_an_alternative_before_and_after_the_good_answer(
    behave: Behaviour,
) -> None:
    peer = connect(behave)

    assert isinstance(verify.discarded(peer, send_bad(peer), ErrChunk), ErrChunk)


@pytest.mark.parametrize("behave", [refusing, Overtaken()])
def test_discarded_refuses_any_answer_that_is_no_alternative(behave: Behaviour) -> None:
    peer = connect(behave)

    with pytest.raises(Deviation, match="was not discarded: ERR_CHUNK"):
        verify.discarded(peer, send_bad(peer), ErrVers)


def test_discarded_refuses_a_second_alternative() -> None:
    peer = connect(lambda m: [error(m), error(m)] if is_bad(m) else good(m))

    with pytest.raises(Deviation, match="was not discarded: ERR_CHUNK"):
        verify.discarded(peer, send_bad(peer), ErrChunk)


def test_discarded_warns_of_a_tolerated_end() -> None:
    peer = connect(closing)

    outcome = verify.discarded(peer, send_bad(peer), tolerated=(Disconnected,))

    assert isinstance(outcome, Disconnected)
    assert len(peer.case.warnings) == 1


def test_discarded_refuses_a_device_that_serves_no_more() -> None:
    peer = connect(mute)

    with pytest.raises(Deviation, match="was not discarded: nothing within"):
        verify.discarded(peer, send_bad(peer))


def test_served_wants_the_right_results() -> None:
    peer = connect(lambda message: good(message[:-4] + b"oops"))
    call = build.small_call(peer)
    peer.send(call)

    with pytest.raises(Deviation, match=r"octet \d+ of the unreduced reply is 0x6f, not 0x6e"):
        verify.served(peer, call)


def test_reply_of_refuses_another_xid_in_the_rpc_message() -> None:
    def answer(message: bytes) -> list[bytes]:
        (reply,) = good(message)
        return [reply[:28] + (7).to_bytes(4) + reply[32:]]

    peer = connect(answer)
    call = build.small_call(peer)
    peer.send(call)

    with pytest.raises(Deviation) as caught:
        verify.served(peer, call)

    assert caught.value.breaks == (PAYLOAD_XID,)


def test_garbage_args_wants_that_status() -> None:
    peer = connect(good)
    call = build.short(peer, peer.workload.garbage())
    peer.send(call)

    assert verify.garbage_args(peer, call).rpc.outcome is rpc.RpcOutcome.GARBAGE_ARGS

    call = build.null_call(peer)
    peer.send(call)
    with pytest.raises(Deviation, match="the RPC's status is"):
        verify.garbage_args(peer, call)


def test_each_takes_answers_in_any_order() -> None:
    peer = connect(Overtaken())
    bad, fine = send_bad(peer), build.null_call(peer)
    peer.send(fine)

    verify.each(peer, (bad, ErrChunk), (fine, Answered))


def test_each_refuses_an_answer_of_another_kind() -> None:
    peer = connect(refusing)
    bad = send_bad(peer)

    with pytest.raises(Deviation, match="answers none of the calls as it must: ERR_CHUNK"):
        verify.each(peer, (bad, ErrVers))


def test_each_refuses_the_end_of_the_connection() -> None:
    peer = connect(hanging_up)
    bad = send_bad(peer)

    with pytest.raises(Deviation, match="the connection ended"):
        verify.each(peer, (bad, ErrChunk))


def test_equal_and_that_name_what_is_broken() -> None:
    with pytest.raises(Deviation, match=r"^x is 1, not 2\.$") as caught:
        verify.equal(1, 2, "x", breaks="a")
    assert caught.value.breaks == ("a",)

    with pytest.raises(Deviation, match=r"^z came; required: y\.$") as caught:
        verify.that(condition=False, sentence="y", actual="z came")
    assert (caught.value.expected, caught.value.actual) == (("y",), "z came")


def test_what_is_compared_is_told_in_the_words_of_the_documents() -> None:
    with pytest.raises(Deviation, match=r"is NFS3ERR_IO \(5\), not NFS3_OK \(0\)\.$"):
        verify.equal(Status.NFS3ERR_IO, Status.NFS3_OK, "the status")
    with pytest.raises(Deviation, match=r"^5 octets 0102030405; required: y\.$"):
        verify.that(condition=False, sentence="y", actual=bytes((1, 2, 3, 4, 5)))


def test_recommended_warns_and_goes_on() -> None:
    peer = connect(good)

    verify.recommended(peer, condition=True, sentence="all is well", actual="it is")
    verify.recommended(peer, condition=False, sentence="x is so", actual="y", breaks="a")

    (warned,) = peer.case.warnings
    assert warned.detail == "y; recommended: x is so."
    assert warned.ids == ("a",)


def test_whatever_is_expected_results_are_looked_at() -> None:
    """A Reply that says that all went well, and has other results, passes in no case."""

    def cutting(message: bytes) -> list[bytes]:
        return [answer + bytes(4) for answer in good(message)]

    peer = connect(cutting)
    call = build.null_call(peer)

    peer.send(call)

    with pytest.raises(Deviation, match="was served wrongly") as caught:
        verify.expect(peer, call, ErrChunk, Answered)
    assert caught.value.breaks == ("rfc8166.6.1.reassembly-gives-a-valid-stream",)


def test_results_of_what_was_changed_are_not_known() -> None:
    peer = connect(lambda message: [answer + bytes(4) for answer in good(message)])
    call = mutate.credits(build.null_call(peer), 9)

    peer.send(call)

    assert isinstance(verify.expect(peer, call, Answered), Answered)


def test_what_is_not_executed_is_garbage_args() -> None:
    peer = connect(good)
    call = build.null_call(peer)
    peer.send(call)
    answer = verify.awaited(peer, call, Answered)

    with pytest.raises(Deviation, match="the Call is not executed"):
        verify.not_executed(peer, call, answer)
    with pytest.raises(Deviation, match="has a whole header"):
        verify.not_executed(peer, call, replace(answer, payload=answer.payload[:16]))
