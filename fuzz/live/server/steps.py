"""Inputs for a server: messages, and between them steps, which are anything but a message.

An input is a sequence (`fuzz.sequence`) of items.  A step is the word `step`, a kind and two
numbers, in ASCII; any other item is a message, as in the inputs of `v1-responder`.  No handle, XID
or length of a connection is in a step, so that an input can be run at any server, at any time.

A kept finding has items as lines of text, which people can read and change:

    connect 7 0
    hurry 1 0
    message 0000000100000001...
    withdraw 0 0
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from fuzz.live.fresh_xids import with_fresh_xids
from fuzz.live.move import Move

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "KINDS",
    "WAY",
    "encode_step",
    "has_steps",
    "item_of",
    "line_of",
    "renamed",
    "step_of",
]

WAY: Final = "live-server"
"""What a kept finding says that has steps (`conformance.explore.finding`)."""

KINDS: Final = (
    "call",
    "breach",
    "hurry",
    "wait",
    "flood",
    "connect",
    "switch",
    "close",
    "vanish",
    "withdraw",
    "rights",
    "foreign",
    "invalidate",
    "reach",
    "oversize",
    "starve",
    "feed",
    "announce",
    "provoke",
    "answers",
    "answer",
    "leave",
    "reply",
)
"""Of steps; `fuzz.live.server.moves` has a function for each."""

_MESSAGE: Final = "message"
_STEP: Final = re.compile(rb"step ([a-z]{3,12}) ([0-9]{1,10}) ([0-9]{1,10})")
_LINE: Final = re.compile(r"([a-z]+)(?: +([0-9]{1,10}))?(?: +([0-9]{1,10}))? *")
_OCTETS: Final = re.compile(rf"{_MESSAGE}(?: +((?:[0-9a-fA-F]{{2}})*))? *")


def encode_step(move: Move) -> bytes:
    """A step as an item of a sequence."""
    return f"step {move.kind} {move.place} {move.value}".encode("ascii")


def step_of(item: bytes) -> Move | None:
    """The step that an item is; None if it is a message."""
    found = _STEP.fullmatch(item)
    if found is None or (kind := found[1].decode("ascii")) not in KINDS:
        return None
    return Move(kind, int(found[2]), int(found[3]))


def has_steps(items: Iterable[bytes]) -> bool:
    """Whether a sequence is more than messages."""
    return any(step_of(item) is not None for item in items)


def renamed(items: Sequence[bytes], xids: Iterator[int]) -> list[bytes]:
    """The items, each message under an XID that none before had; see `with_fresh_xids`.

    Args:
        items: in order.
        xids: gives one after the other.
    """
    messages = iter(with_fresh_xids([one for one in items if step_of(one) is None], xids))
    return [one if step_of(one) is not None else next(messages) for one in items]


def line_of(item: bytes) -> str:
    """An item as a line of text."""
    step = step_of(item)
    return f"{_MESSAGE} {item.hex()}" if step is None else f"{step.kind} {step.place} {step.value}"


def item_of(line: str) -> bytes:
    """The item that a line of text is.

    Raises:
        BadInput: it is none.
    """
    if octets := _OCTETS.fullmatch(line):
        return bytes.fromhex(octets[1] or "")
    found = _LINE.fullmatch(line)
    if found is None or found[1] not in KINDS:
        raise BadInput(
            f"`{line[:40]}` is no step to a server: give `{_MESSAGE}` and octets in hexadecimal, or"
            f" one of {', '.join(KINDS)} and two numbers"
        )
    return encode_step(Move(found[1], int(found[2] or 0), int(found[3] or 0)))
