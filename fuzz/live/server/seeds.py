"""Sequences with steps that a campaign against a server begins with: each thing, done by itself.

What the mutator makes of them is several things at once.
"""

from __future__ import annotations

from itertools import count, product
from typing import TYPE_CHECKING, Final

from conformance.tester.private_data import FORMS
from fuzz.live.move import Move
from fuzz.live.server.callbacks import ANSWERS
from fuzz.live.server.steps import KINDS, encode_step
from fuzz.sequence import join

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["step_kinds", "step_seeds"]

_ONLY_BY_REQUEST: Final = frozenset({"starve", "feed"})
_BACKWARD: Final = frozenset({"announce", "provoke", "answers", "answer", "leave"})

_CALLS, _SHAPES, _OFFERS, _CUTS = 13, 4, 5, 3
"""Of `call`: procedures, forms, offers, and ways to cut chunks (`fuzz.live.server.moves`)."""

_OCTETS: Final = (37, 9001, 65000)

_READ: Final = Move("call", 3 + _CALLS, 9001)
"""What stores 9002 octets, which the server reads."""

_LONG: Final = Move("call", 8 + 2 * _CALLS, 9001)
"""A Long Call."""

_WRITE: Final = Move("call", 2 + _CALLS * _SHAPES, 9001)
"""What fetches 9002 octets into a Write chunk."""

_LONG_REPLY: Final = Move("call", 9 + 2 * _CALLS * _SHAPES, 3000)

_HURRY: Final = Move("hurry", 7)
_WAIT: Final = Move("wait")
_NULL: Final = Move("call")


def step_kinds(*, destructive: bool, backward: bool) -> tuple[str, ...]:
    """The kinds of steps of a campaign.

    Args:
        destructive: also those that may bring a server down.
        backward: also those that need one that calls back.
    """
    left = (frozenset() if destructive else _ONLY_BY_REQUEST) | (
        frozenset() if backward else _BACKWARD
    )
    return tuple(kind for kind in KINDS if kind not in left)


def step_seeds(*, destructive: bool, backward: bool) -> tuple[bytes, ...]:
    """The sequences.

    Args:
        destructive: also what may bring a server down.
        backward: also what needs one that calls back.
    """
    kinds = step_kinds(destructive=destructive, backward=backward)
    sequences: list[list[Move]] = [
        *_of_calls(),
        *_of_connections(),
        *_of_memory(),
        *_of_credits(),
        *_of_callbacks(),
    ]
    return tuple(
        join([encode_step(move) for move in moves])
        for moves in sequences
        if all(move.kind in kinds for move in moves)
    )


def _of_calls() -> Iterable[list[Move]]:
    numbers = count()
    for call, shape in product(range(_CALLS), range(_SHAPES)):
        offers = [
            call + _CALLS * (shape + _SHAPES * (offer + _OFFERS * (next(numbers) % _CUTS)))
            for offer in range(_OFFERS)
        ]
        yield [Move("call", place, _OCTETS[next(numbers) % len(_OCTETS)]) for place in offers]
    for kind in range(12):
        yield [Move("breach", kind + 12 * call, 65 * kind) for call in range(4)]


def _of_connections() -> Iterable[list[Move]]:
    for form in range(len(FORMS)):
        yield [Move("connect", form), _NULL, _WRITE]
        yield [Move("connect", form + len(FORMS), form), Move("close")]
    for call in (_NULL, _READ, _LONG, _WRITE, _LONG_REPLY):
        for end in ("close", "vanish"):
            yield [_HURRY, call, call, Move(end), _NULL]
        yield [Move("connect"), call, Move("switch"), call, Move("close"), call]
        yield [call, Move("invalidate", 0, 0x1111), call]
        yield [Move("hurry"), call, Move("oversize"), _WAIT]
    yield [Move("reach", 1, 0x1111), _NULL]
    yield [Move("reply", 8, 1), _NULL]


def _of_memory() -> Iterable[list[Move]]:
    for call in (_READ, _LONG, _WRITE, _LONG_REPLY):
        yield [Move("hurry"), call, Move("withdraw"), _WAIT, _NULL]
        yield [_HURRY, call, call, Move("withdraw", 1), _WAIT, _NULL]
        for place in range(8):
            yield [Move("rights", place, place), call]
        yield [Move("connect"), Move("foreign"), Move("foreign", 1), call]


def _of_credits() -> Iterable[list[Move]]:
    for number in range(8):
        yield [_NULL, Move("flood", 0, number), _NULL]
        yield [_READ, Move("flood", number % 2, number)]
        yield [_WRITE, Move("flood", 2, number), Move("close")]
        yield [Move("breach", number, 65), Move("flood", 4, 5)]
        yield [Move("starve"), _NULL, Move("flood", 0, number), Move("feed", 3), _WAIT]


def _of_callbacks() -> Iterable[list[Move]]:
    announced = [Move("announce"), Move("provoke"), _WAIT]
    yield announced
    for place in range(len(ANSWERS)):
        for value in (0, 1):
            answers = Move("answers", place, value)
            yield [Move("announce"), answers, Move("provoke", place), _WAIT, Move("answer"), _NULL]
    for end in ("close", "vanish"):
        yield [Move("announce"), Move("answers", 1), Move("provoke", 1), Move(end), _NULL]
        yield [*announced, Move(end), Move("announce"), Move("provoke"), _WAIT]
    for before in ([], [Move("close")], [Move("answers", 1), Move("provoke", 1)]):
        yield [*announced, *before, Move("leave"), _NULL, *announced, Move("leave")]
    yield [Move("announce"), Move("connect"), Move("announce"), Move("provoke", 2), _WAIT]
