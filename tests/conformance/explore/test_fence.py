"""What answers a message is told by what follows it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import pytest

from conformance.explore.fence import FencedPeer
from conformance.oracle.outcome import (
    Disconnected,
    Outcome,
    Silent,
    answered_xid,
    read_outcome,
)
from conformance.tester.client import build, fence
from rpcrdma.wire import ErrChunk, RdmaError, TransportHeader, encode_header

if TYPE_CHECKING:
    from collections.abc import Callable

FENCE = 99
GARBAGE = read_outcome(b"garbage that is no header")


class ScriptedPeer:
    """Receives what it is told to, and notes how long it waited for each."""

    class _Profile:
        grace = 0.2
        deadline = 5.0

    profile = _Profile()

    def __init__(self, *outcomes: Outcome, granted: int = 8) -> None:
        self.granted = granted
        self.waited: list[float] = []
        self.sent: list[object] = []
        self._outcomes = deque(outcomes)

    def send(self, message: object) -> None:
        self.sent.append(message)

    def receive(self, timeout: float) -> Outcome:
        self.waited.append(timeout)
        return self._outcomes.popleft() if self._outcomes else Silent(timeout)


class Null:
    xid = FENCE


def answer(xid: int) -> Outcome:
    return read_outcome(encode_header(TransportHeader(xid, 1, 8, RdmaError(ErrChunk()))))


@pytest.fixture
def fenced(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[FencedPeer, Any]]:
    monkeypatch.setattr(build, "null_call", lambda _peer: Null())
    assert fence.build is build

    def make(*outcomes: Outcome, granted: int = 8) -> tuple[FencedPeer, Any]:
        peer: Any = ScriptedPeer(*outcomes, granted=granted)
        return FencedPeer(peer), peer

    return make


def test_answer_before_that_of_the_fence_is_the_messages(fenced: Any) -> None:  # noqa: ANN401
    line, peer = fenced(answer(7), answer(FENCE))

    assert [answered_xid(item) for item in line.exchange(b"", 7, may_be_silent=True)] == [7]
    assert peer.waited == [5.0, 5.0]


def test_answer_of_the_fence_alone_leaves_the_grace_period(fenced: Any) -> None:  # noqa: ANN401
    line, peer = fenced(answer(FENCE))

    assert line.exchange(b"", 7, may_be_silent=True) == [Silent(0.2)]
    assert peer.waited == [5.0, 0.2]


def test_answer_that_is_due_may_be_overtaken_by_that_of_the_fence(fenced: Any) -> None:  # noqa: ANN401
    line, peer = fenced(answer(FENCE), answer(7))

    assert [answered_xid(item) for item in line.exchange(b"", 7, may_be_silent=False)] == [7]
    assert peer.waited == [5.0, 5.0]


def test_late_answer_to_another_message_is_not_this_ones(fenced: Any) -> None:  # noqa: ANN401
    line, _ = fenced(answer(6), answer(7), answer(FENCE))

    assert [answered_xid(item) for item in line.exchange(b"", 7, may_be_silent=False)] == [7]
    assert line.surplus() == ""


def test_second_answer_is_counted_whenever_it_comes(fenced: Any) -> None:  # noqa: ANN401
    line, _ = fenced(answer(7), answer(FENCE), answer(7), answer(8), answer(FENCE))
    line.exchange(b"", 7, may_be_silent=False)
    assert line.surplus() == ""
    line.exchange(b"", 8, may_be_silent=False)

    assert line.surplus() == "2 answers to 1 messages of XID 0x00000007"
    assert line.surplus() == ""


def test_garbage_instead_of_an_answer_is_what_came(fenced: Any) -> None:  # noqa: ANN401
    line, _ = fenced(GARBAGE, answer(FENCE))

    assert line.exchange(b"", 7, may_be_silent=True) == [GARBAGE]


def test_end_of_the_connection_is_an_outcome(fenced: Any) -> None:  # noqa: ANN401
    line, peer = fenced(Disconnected("by the peer"))

    assert line.exchange(b"", 7, may_be_silent=True) == [Disconnected("by the peer")]
    assert peer.waited == [5.0]


def test_no_fence_is_sent_beyond_the_grant(fenced: Any) -> None:  # noqa: ANN401
    line, peer = fenced(granted=1)

    assert line.exchange(b"one", 7, may_be_silent=True) == [Silent(0.2)]
    assert peer.sent == [b"one"]


def test_device_that_never_stops_answering_is_seen_through(fenced: Any) -> None:  # noqa: ANN401
    line, _ = fenced(*[answer(6)] * 200)

    assert isinstance(line.exchange(b"", 7, may_be_silent=True)[0], Silent)
