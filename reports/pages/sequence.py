"""The exchange of a case as a sequence diagram: two lifelines, an arrow for each step.

A step that is a message leads to the message, decoded.  What a page can hold is bounded: beyond
that, messages are left to the capture, those with a mark last of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reports.pages.decoded import DecodedMessage, decoded_message

if TYPE_CHECKING:
    from reports.record import CaseRecord, Exchange

__all__ = ["Sequence", "SequenceStep", "sequence"]

ROOM: Final = 8_000
"""Lines, of fields and of octets, that the decoded messages of a page have together: each is some
sixty octets of markup, so the page stays far below a megabyte."""

_STEPS: Final = 1_000
"""Steps of a diagram; a case that exchanges more is a flood, told by its beginning and end."""

_FIRST: Final = 3
"""Messages with a mark that stand before the diagram; one tells most, and a page needs a top."""

_TO_TESTER: Final = "left"
_TO_DEVICE: Final = "right"


@dataclass(frozen=True, slots=True)
class SequenceStep:
    """One step.

    Attributes:
        number: within the case, from 1.
        exchange: what happened.
        heading: `left` towards the tester, `right` towards the device, or nothing: an event at one
            end, or of neither.
        message: decoded; None for what is no message, and where the page has no room for it.
        marked: whether a field of the message is what is wrong.
    """

    number: int
    exchange: Exchange
    heading: str
    message: DecodedMessage | None
    marked: bool

    @property
    def label(self) -> str:
        """What stands on the arrow: the summary, but for the credits, which the page sets apart."""
        if self.exchange.credits is None:
            return self.exchange.summary
        return self.exchange.summary.replace(f"credits {self.exchange.credits}, ", "")


@dataclass(frozen=True, slots=True)
class Sequence:
    """The steps of a case.

    Attributes:
        steps: those that are shown.
        skipped: how many are not, between the first and the last half of the others.
        undecoded: how many messages are shown as a step alone.
    """

    steps: tuple[SequenceStep, ...] = ()
    skipped: int = 0
    undecoded: int = 0

    @property
    def guilty(self) -> tuple[SequenceStep, ...]:
        """The messages that a reader wants to see before all others."""
        return tuple(step for step in self.steps if step.marked and step.message)[:_FIRST]

    @property
    def others(self) -> tuple[SequenceStep, ...]:
        """The other messages that are decoded."""
        return tuple(step for step in self.steps if step.message and step not in self.guilty)

    @property
    def half(self) -> int:
        """After how many steps the skipped ones come."""
        return len(self.steps) // 2


def sequence(case: CaseRecord) -> Sequence:
    """What the page of a case shows of its exchanges."""
    numbered = list(enumerate(case.exchanges, 1))
    skipped = max(len(numbered) - _STEPS, 0)
    if skipped:
        numbered = numbered[: _STEPS // 2] + numbered[-_STEPS // 2 :]
    messages = [(number, step) for number, step in numbered if step.octets and _is_message(step)]
    chosen: dict[int, DecodedMessage] = {}
    room = ROOM
    for number, step in sorted(messages, key=lambda one: not _is_marked(one[1])):
        message = decoded_message(step)
        if message.lines <= room:
            chosen[number] = message
            room -= message.lines
    steps = tuple(
        SequenceStep(number, step, _heading(step), chosen.get(number), _is_marked(step))
        for number, step in numbered
    )
    return Sequence(steps, skipped, len(messages) - len(chosen))


def _is_message(step: Exchange) -> bool:
    return step.direction in ("sent", "received")


def _is_marked(step: Exchange) -> bool:
    return any(field.mark for field in step.fields)


def _heading(step: Exchange) -> str:
    """Whither an arrow points; what one end does to its own state is no arrow."""
    if step.kind in _AT_ONE_END:
        return ""
    return {"tester": _TO_DEVICE, "device": _TO_TESTER}.get(step.by, "")


_AT_ONE_END: Final = ("register", "invalidate", "post Receive", "failure")
"""What the trace calls events of which the other end sees nothing."""
