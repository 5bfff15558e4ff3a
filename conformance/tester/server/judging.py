"""Judges every message of a client on its arrival, by the specification's oracle.

One `RequesterTracker` follows each connection; what is known of one client (calls that were refused
for good) goes along from connection to connection.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.oracle.marks import seen_message
from conformance.oracle.requester.following import follow
from conformance.oracle.requester.groups import judge_broken, unfinished
from conformance.tester.server.served import ServedAct, may_complete

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from conformance.oracle.device import Device
    from conformance.oracle.requester.expectation import ReactionExpectation
    from conformance.oracle.requester.state import RequesterState
    from conformance.oracle.requester.tracker import RequesterTracker
    from conformance.oracle.verdict import BrokenRule
    from conformance.tester.server.line import Line
    from conformance.tester.server.received import ReceivedCall
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire.transmission import BrokenGroup
    from targets.base import ActResult

__all__ = ["Judging"]


class Judging:
    """What the client's messages break in one case.

    Attributes:
        violations: of all messages so far.
        served: acts that have ended, each with what was sent meanwhile.
    """

    def __init__(self, device: Device) -> None:
        self.violations: list[BrokenRule] = []
        self.served: list[ServedAct] = []
        self._begin_act()
        self._answered_last = False
        self._device = device
        self._trackers: dict[Line, RequesterTracker] = {}
        self._refused: frozenset[bytes] = frozenset()

    def forget(self, kept: Collection[Line]) -> None:
        """Begin a case with some connections of the last one."""
        self.violations = []
        self.served = []
        self._begin_act()
        self._refused = frozenset()
        self._trackers = {line: self._trackers[line] for line in kept}

    def open(
        self,
        line: Line,
        program: UpperLayer,
        thresholds: tuple[int, int],
        *,
        serves_two: bool = False,
    ) -> None:
        """Follow a new connection, whose inline thresholds are those of calls and of replies."""
        tracker = follow(
            self._device,
            program,
            call_threshold=thresholds[0],
            reply_threshold=thresholds[1],
            serves_two=serves_two,
        )
        self._refused |= self._refused_so_far()
        tracker.state = replace(tracker.state, refused=self._refused)
        self._trackers[line] = tracker

    def state_of(self, line: Line) -> RequesterState:
        """What is known of the client on a connection."""
        return self._trackers[line].state

    def received(self, line: Line, call: ReceivedCall) -> None:
        """A message has arrived; it is told which rules it breaks."""
        tracker = self._trackers[line]
        if call.group is None:
            broken = tracker.judge(call.octets, call.unreduced, call.sends)
        else:
            broken = tracker.judge_group(call.group, call.unreduced)
        call.broken = tuple(replace(rule, seen=call.seen) for rule in broken)
        self.violations += call.broken
        if self._ended and call.xid not in self._ended:
            self._went_on = True

    def received_broken(self, group: BrokenGroup) -> None:
        """Transmissions have arrived that will never be a message."""
        self.violations.append(judge_broken(group))

    def gave_up(self, lines: Iterable[Line]) -> None:
        """Nothing else has come, though something should have."""
        self.violations += [unfinished(line.unfinished) for line in lines if line.unfinished]

    def received_option(self, line: Line, octets: bytes) -> None:
        """A message of Version Two that is no call has arrived."""
        broken = self._trackers[line].judge_option(octets)
        self.violations += [replace(rule, seen=seen_message(octets)) for rule in broken]

    def sending(self, line: Line, octets: bytes) -> None:
        """Octets are about to be sent."""
        expectation = self._trackers[line].answered(octets, line.placed.contents)
        self._sent.append(expectation)
        self._answered_last = expectation.xid is not None and expectation.must_end
        if expectation.xid is not None and not may_complete(expectation):
            self._ended.add(expectation.xid)

    def ended(self, result: ActResult) -> ServedAct:
        """An act has ended: what was sent since the one before has led to that."""
        served = ServedAct(
            result.state,
            result.detail,
            result.data,
            result.digest,
            tuple(self._sent),
            self._went_on,
        )
        self.served.append(served)
        self._begin_act()
        return served

    def done(self) -> None:
        """The client's only act is done: what was sent last has been seen if that is an answer."""
        waiting = any(tracker.state.outstanding for tracker in self._trackers.values())
        if self._answered_last and not waiting:
            self.settled()

    def settled(self) -> None:
        """Whatever was sent has been seen by the client."""
        for tracker in self._trackers.values():
            tracker.settled()

    def _begin_act(self) -> None:
        """Know nothing yet of what leads to the end of the next act."""
        self._sent: list[ReactionExpectation] = []
        self._ended: set[int] = set()
        self._went_on = False

    def _refused_so_far(self) -> frozenset[bytes]:
        return frozenset().union(*(one.state.refused for one in self._trackers.values()))
