"""What a network may be told to do to datagrams, and the text in which that is written down.

    seed=7,loss=0.01,received.duplicate=0.02,sent.SEND_ONLY.3=drop,received.ACKNOWLEDGE.5-=drop

- `loss`, `duplicate`, `reorder`, `delay`, `corrupt`: how likely each datagram meets that, from 0 to
  1; in both directions, or with `sent.` or `received.` before it in one.
- `seconds`: how long a delayed one takes more.  A reordered one waits for the next.
- `DIRECTION.OPCODE.WHICH=ACT`: a rule.  It counts the packets of that opcode of the BTH, or all
  with `ANY`, from 1: `3`, `3-5`, or `5-` for all from the fifth on.  `drop` is what the likelihood
  calls loss; the other acts have the same names.
- `seed`: of all chances.  The same text and the same datagrams give the same faults.

Directions are those of the link that the faults are put before: what it sends, what it receives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import FabricError
from rpcrdma.roce.packet.bth import BthOpcode

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FaultRule", "FrameAct", "FrameDirection", "FrameFaults", "Likelihoods"]


class FrameDirection(Enum):
    """Which way a datagram goes, seen from the link."""

    SENT = "sent"
    RECEIVED = "received"


class FrameAct(Enum):
    """What is done to one datagram."""

    DROP = "drop"
    DUPLICATE = "duplicate"
    REORDER = "reorder"
    DELAY = "delay"
    CORRUPT = "corrupt"


@dataclass(frozen=True, slots=True)
class Likelihoods:
    """How likely a datagram of one direction meets each act, from 0 to 1."""

    loss: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    delay: float = 0.0
    corrupt: float = 0.0


_CHANCES: Final = tuple(entry.name for entry in fields(Likelihoods))
_ANY: Final = "ANY"
_WHICH: Final = re.compile(r"([1-9][0-9]{0,8})(-([1-9][0-9]{0,8})?)?")
_DEFAULT_SECONDS: Final = 0.005
_MOST_SECONDS: Final = 3600.0


@dataclass(frozen=True, slots=True)
class FaultRule:
    """An act for packets that are counted.

    Attributes:
        direction: in which they go.
        opcode: of the BTH; None for all.
        first, last: the first and the last such packet that meet the act, counted from 1; no
            last one is None.
        act: what they meet.
    """

    direction: FrameDirection
    opcode: BthOpcode | None
    first: int
    last: int | None
    act: FrameAct

    def __str__(self) -> str:
        opcode = _ANY if self.opcode is None else self.opcode.name
        which = str(self.first)
        if self.last != self.first:
            which += f"-{'' if self.last is None else self.last}"
        return f"{self.direction.value}.{opcode}.{which}={self.act.value}"

    def covers(self, number: int) -> bool:
        """Whether the packet of that number meets the act."""
        return self.first <= number and (self.last is None or number <= self.last)


@dataclass(frozen=True, slots=True)
class FrameFaults:
    """All that is to be done to the datagrams of a link.

    Attributes:
        seed: of the chances.
        sent, received: the chances of both directions.
        seconds: how much longer a delayed datagram takes.
        rules: what counted packets meet; where one applies, chance does not.
    """

    seed: int = 0
    sent: Likelihoods = field(default_factory=Likelihoods)
    received: Likelihoods = field(default_factory=Likelihoods)
    seconds: float = _DEFAULT_SECONDS
    rules: tuple[FaultRule, ...] = ()

    def likelihoods(self, direction: FrameDirection) -> Likelihoods:
        """Those of one direction."""
        return self.sent if direction is FrameDirection.SENT else self.received

    def __str__(self) -> str:
        return ",".join(self._items())

    def _items(self) -> Iterator[str]:
        if self.seed:
            yield f"seed={self.seed}"
        for chance in _CHANCES:
            sent, received = getattr(self.sent, chance), getattr(self.received, chance)
            if sent == received:
                if sent:
                    yield f"{chance}={sent!r}"
                continue
            yield f"sent.{chance}={sent!r}"
            yield f"received.{chance}={received!r}"
        if self.seconds != _DEFAULT_SECONDS:
            yield f"seconds={self.seconds!r}"
        for rule in self.rules:
            yield str(rule)

    @staticmethod
    def parse(text: str) -> FrameFaults:
        """Read the text form; what stands later counts, and no text is no fault.

        Raises:
            FabricError: the text is none; the message names the part.
        """
        reader = _Reader()
        for part in filter(None, (part.strip() for part in text.split(","))):
            key, sign, value = part.partition("=")
            try:
                reader.take(
                    [each.strip() for each in key.split(".")], value.strip() if sign else None
                )
            except ValueError as error:
                raise FabricError(f"faults {text!r}: in {part!r}, {error}") from error
        return reader.faults()


class _Reader:
    """Takes the parts of a text, and says what is wrong with one by ValueError."""

    def __init__(self) -> None:
        self._seed = 0
        self._seconds = _DEFAULT_SECONDS
        self._chances: dict[FrameDirection, dict[str, float]] = {
            each: {} for each in FrameDirection
        }
        self._rules: list[FaultRule] = []

    def take(self, keys: list[str], value: str | None) -> None:
        """One part: the key, split at its dots, and the value, if there was one."""
        if value is None:
            raise ValueError("an = is missing")
        match keys:
            case ["seed"]:
                self._seed = _number(value)
            case ["seconds"]:
                self._seconds = _real(value, _MOST_SECONDS)
            case [chance] if chance in _CHANCES:
                for chances in self._chances.values():
                    chances[chance] = _real(value, 1.0)
            case [direction, chance] if chance in _CHANCES:
                self._chances[_direction(direction)][chance] = _real(value, 1.0)
            case [direction, opcode, which]:
                self._rules.append(
                    FaultRule(_direction(direction), _opcode(opcode), *_which(which), _act(value))
                )
            case _:
                known = ", ".join(("seed", "seconds", *_CHANCES))
                raise ValueError(
                    f"{'.'.join(keys)!r} is none of {known}, and no DIRECTION.OPCODE.WHICH"
                )

    def faults(self) -> FrameFaults:
        """What was taken."""
        return FrameFaults(
            self._seed,
            Likelihoods(**self._chances[FrameDirection.SENT]),
            Likelihoods(**self._chances[FrameDirection.RECEIVED]),
            self._seconds,
            tuple(self._rules),
        )


def _number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise ValueError(f"{text!r} is no number without sign")
    return int(text)


def _real(text: str, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= most:  # neither does NaN
        raise ValueError(f"{text!r} is no number from 0 to {most:g}")
    return value


def _direction(text: str) -> FrameDirection:
    try:
        return FrameDirection(text)
    except ValueError:
        raise ValueError(f"{text!r} is neither sent nor received") from None


def _opcode(text: str) -> BthOpcode | None:
    if text == _ANY:
        return None
    try:
        return BthOpcode[text]
    except KeyError:
        known = ", ".join(entry.name for entry in BthOpcode)
        raise ValueError(f"{text!r} is neither {_ANY} nor one of {known}") from None


def _which(text: str) -> tuple[int, int | None]:
    found = _WHICH.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not like 3, 3-5 or 3-")
    first, dash, last = int(found[1]), found[2], found[3]
    if dash is None:
        return first, first
    if last is not None and int(last) < first:
        raise ValueError(f"{text!r} ends before it begins")
    return first, None if last is None else int(last)


def _act(text: str) -> FrameAct:
    try:
        return FrameAct(text)
    except ValueError:
        known = ", ".join(entry.value for entry in FrameAct)
        raise ValueError(f"{text!r} is none of {known}") from None
