"""Runs sequences at a Requester in this process: its Calls are under way, the messages answer them.

The first Reply, before any message, grants credits for some of the Calls; the others wait for more.
The results that chunks carry are in the Requester's memory as soon as it has sent a Call, so that
a Reply with chunks can be right.  After all messages each Call gets its right Reply.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from conformance.explore.replies import right
from conformance.explore.requester_world import RequesterWorld
from fuzz.executor import Execution
from fuzz.remembering_tracker import RememberingTracker
from fuzz.snapshot import Kept
from fuzz.uncounted import uncounted
from rpcrdma.endpoint.core.actions import ReplyReceived
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.explore.requester_world import Sent
    from conformance.tester.server.reply import ReplyDraft
    from rpcrdma.endpoint.requester.requester import Requester

__all__ = ["CALLS", "GRANTED", "Reacted", "RequesterExecutor", "answer_to"]

_LAYER: Final = TestProgram()

GRANTED: Final = 4
"""Credits that the first Reply grants, and each right Reply at the end."""

CALLS: Final = (
    calls.fetch_two(1, 4200, 4, b"between"),
    calls.long_store(3, b"text" * 1050, b"data" * 1050),
    calls.long_reply(5, 4300, 2),
    calls.null(7),
    calls.echo(9, b"note"),
)
"""Each in its own form, in either version: with Write chunks, Read chunks, a Reply chunk, and two
without any."""

_FIRST: Final = calls.null(0x0F11_0000)
_LAST: Final = calls.null(0x600D_CA11)
_LAST_REPLY: Final = calls.expected_reply(_LAST)


@dataclass(frozen=True, slots=True)
class Reacted:
    """What became of one message, or of the end.

    Attributes:
        message: as much of it as the Receive holds; empty for the end, at which each Call gets its
            right Reply and the connection is lost.
        problems: rules that the Requester broke meanwhile, in words.
    """

    message: bytes
    problems: tuple[str, ...]


class RequesterExecutor:
    """Runs sequences; `connect` makes the Requester of each connection."""

    def __init__(self, connect: Callable[[], Requester]) -> None:
        self._line = Kept(lambda: _Line(connect()))

    def run(self, sequence: Sequence[bytes]) -> Execution[Reacted]:
        """Deliver the messages to a Requester as new; one after it hung up goes to another."""
        line = self._line.fresh()
        outcomes = []
        for sent in sequence:
            if line.world.closed:
                outcomes.append(Reacted(b"", line.end()))
                line = self._line.fresh()
            outcomes.append(line.deliver(sent))
        served = line.world.closed or line.serves()
        outcomes.append(Reacted(b"", line.end()))
        return Execution(tuple(outcomes), "" if served else "a good call got no right Reply")


class _Line:
    """One connection."""

    def __init__(self, role: Requester) -> None:
        self.world = RequesterWorld(role, _LAYER)
        self.world.tracker = RememberingTracker(self.world.tracker)
        self._receive = role.options.thresholds.reply
        self._sent = 0
        self._told = 0
        self._calls = [_FIRST]
        self.world.request(0, _FIRST)
        self._answer(self.world.sent[0])
        for payload in CALLS:
            self._request(payload)
        self._fill()

    def deliver(self, sent: bytes) -> Reacted:
        message = sent[: self._receive]
        self.world.receive(message)
        self._fill()
        return Reacted(message, self._problems())

    def serves(self) -> bool:
        """Give each Call its right Reply, a new one among them; whether that one was completed."""
        token = len(self._calls)
        self._request(_LAST)
        # An answer has others sent.  A Requester that never stops sending must not keep us here.
        for sent in islice(self.world.sent, 2 * token):
            if sent.token not in self.world.ended:
                self._answer(sent)
        return self.world.ended.get(token) == ReplyReceived(token, _LAST_REPLY)

    def end(self) -> tuple[str, ...]:
        """Lose the connection: each Call has ended, and all memory was taken back."""
        self.world.disconnect()
        open_calls, exposed = sorted(self.world.open_tokens), len(self.world.exposed)
        if open_calls:
            self.world.problems.append(f"calls {open_calls} do not end with the connection")
        if exposed:
            self.world.problems.append(f"{exposed} regions stay exposed after the connection")
        return self._problems()

    def _request(self, payload: bytes) -> None:
        self.world.request(len(self._calls), payload)
        self._calls.append(payload)

    def _answer(self, sent: Sent) -> None:
        draft = answer_to(sent.message, sent.unreduced, self._receive)
        self.world.place(draft.placements)
        self.world.receive(draft.octets)
        self._fill()

    def _fill(self) -> None:
        """Put the results of new Calls where they belong."""
        for sent in self.world.sent[self._sent :]:
            self.world.place(answer_to(sent.message, sent.unreduced, self._receive).placements)
        self._sent = len(self.world.sent)

    def _problems(self) -> tuple[str, ...]:
        told, self._told = self._told, len(self.world.problems)
        return tuple(self.world.problems[told:])


@lru_cache(maxsize=64)
def answer_to(message: bytes, unreduced: bytes, threshold: int) -> ReplyDraft:
    """The right Reply to a Call on the wire."""
    reply = calls.expected_reply(unreduced)
    return uncounted(right, message, unreduced, reply, _LAYER, GRANTED, threshold)
