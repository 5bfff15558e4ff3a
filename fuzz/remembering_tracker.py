"""The oracle's view of a Requester, which says at once what it has said before.

Most messages of a sequence stand in many others, and many change nothing that the oracle knows.
What it knows never changes in place: of the same things, told by their identity, it says the same.
And whatever way it came to know the same, one object stands for that: after a message that nobody
sent before, what follows is known again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from typing_extensions import override

from conformance.oracle.requester.reaction import expected_reaction
from conformance.oracle.requester.tracker import RequesterTracker
from fuzz.uncounted import uncounted

if TYPE_CHECKING:
    from conformance.oracle.requester.expectation import Contents, ReactionExpectation
    from conformance.oracle.requester.state import OutstandingCall, RequesterState
    from conformance.oracle.verdict import BrokenRule
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire import RdmaSegment

__all__ = ["RememberingTracker"]

_MOST: Final = 8192
"""Answers of a kind that are remembered; with more, all are forgotten."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

_WORD: Final = 4

_Looked: TypeAlias = "tuple[tuple[tuple[RdmaSegment, ...], bytes | None], ...]"


@dataclass(frozen=True, slots=True)
class _Judged:
    """What was said of a Call; `before` keeps its state's id from being used again."""

    before: RequesterState
    broken: tuple[BrokenRule, ...]
    after: RequesterState


@dataclass(frozen=True, slots=True)
class _Expected:
    """What was said of a Reply, by what it depends on, and what the memory held that it named."""

    call: OutstandingCall | None
    asked: frozenset[int]
    layer: UpperLayer | None
    looked: _Looked
    expectation: ReactionExpectation


@dataclass(frozen=True, slots=True)
class _Moved:
    """What an expectation made of a state."""

    before: RequesterState
    expectation: ReactionExpectation
    after: RequesterState


# Not in the tracker: a snapshot of it must not make it forget.
_JUDGED: Final[dict[tuple[int, bytes, bytes | None, int], _Judged]] = {}
_EXPECTED: Final[dict[tuple[bytes, int, int, int, bool], _Expected]] = {}
_MOVED: Final[dict[tuple[int, int, bytes], _Moved]] = {}
_STATES: Final[dict[tuple[object, ...], list[RequesterState]]] = {}
"""States that were met, by a part of each that can be hashed."""


class RememberingTracker(RequesterTracker):
    """A tracker of one connection; what is remembered is everybody's."""

    def __init__(self, tracker: RequesterTracker) -> None:
        """Go on where another tracker is."""
        vars(self).update(vars(tracker))

    @override
    def judge(
        self, message: bytes, unreduced: bytes | None, sends: int = 1
    ) -> tuple[BrokenRule, ...]:
        before = self.state
        key = (id(before), message, unreduced, sends)
        known = _JUDGED.get(key)
        if known is None:
            broken = uncounted(super().judge, message, unreduced, sends)
            self.state = _first_of_its_like(self.state)
            known = _remember(_JUDGED, key, _Judged(before, broken, self.state))
        self.state = known.after
        return known.broken

    @override
    def answered(self, message: bytes, contents: Contents | None = None) -> ReactionExpectation:
        if contents is None or not self._sending.is_whole(message):
            return uncounted(super().answered, message, contents)
        before, expectation = self.state, self._expected(message, contents)
        key = (id(before), id(expectation), message)
        known = _MOVED.get(key)
        if known is None:
            uncounted(self._answered, message, expectation)
            self.state = _first_of_its_like(self.state)
            known = _remember(_MOVED, key, _Moved(before, expectation, self.state))
        self.state = known.after
        return expectation

    def _expected(self, message: bytes, contents: Contents) -> ReactionExpectation:
        """What `expected_reaction` says, which asks the state for what is in the key alone."""
        state = self.state
        call = state.call(int.from_bytes(message[:_WORD], "big"))
        asked, layer = state.asked_xids, state.upper_layer
        key = (message, id(call), id(asked), id(layer), state.serves_two)
        known = _EXPECTED.get(key)
        if known is None or any(contents(place) != held for place, held in known.looked):
            looked: list[tuple[tuple[RdmaSegment, ...], bytes | None]] = []

            def look(segments: tuple[RdmaSegment, ...]) -> bytes | None:
                looked.append((segments, contents(segments)))
                return looked[-1][1]

            expectation = uncounted(expected_reaction, message, state, look)
            known = _Expected(call, asked, layer, tuple(looked), expectation)
            _remember(_EXPECTED, key, known)
        return known.expectation


def _first_of_its_like(state: RequesterState) -> RequesterState:
    """The state that equals this one in everything, if there was one."""
    calls = tuple((call.xid, call.doubtful) for call in state.outstanding)
    key = (calls, state.views, state.requested, state.versions, state.lengths)
    alike = _STATES.get(key) or _remember(_STATES, key, [])
    known = next((one for one in alike if one == state), None)
    if known is None:
        alike.append(state)
    return known or state


def _remember(everything: dict[_Key, _Value], key: _Key, value: _Value) -> _Value:
    if len(everything) >= _MOST:
        everything.clear()
    everything[key] = value
    return value
