"""Inputs for a server made of inputs: messages by structure, steps by kind and number.

A sequence of messages alone stays one half of the time, so that it can become an input of
`v1-responder` that reaches something.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

import msgspec

from fuzz.live.move import Move
from fuzz.live.server.steps import encode_step, has_steps, step_of
from fuzz.sequence import MOST_MESSAGES, PREFIX, join, split
from fuzz.structure.headers import V1_SEQUENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fuzz.structure.mutator import Raw

__all__ = ["StepMutator"]

_MOST_ITEMS: Final = 24
"""Of a sequence that has steps: each may take as long as a device is waited for."""

_NUMBERS: Final = (0, 1, 2, 3, 4, 7, 8, 64, 100, 1000, 1024, 4096, 9001, 65536, 2**31, 2**32 - 1)
_PLACES: Final = 1024


class StepMutator:
    """Makes inputs of inputs (see `fuzz.structure.mutator.Mutator`)."""

    def __init__(self, kinds: Sequence[str]) -> None:
        """Use what there is.

        Args:
            kinds: of steps that may be taken.
        """
        self._kinds = kinds
        self._ways: tuple[Callable[[list[bytes], Random], None], ...] = (
            self._insert,
            self._insert,
            self._change,
            self._change,
            self._drop,
            self._repeat,
            self._swap,
        )

    def mutate(self, octets: bytes, maximum: int, seed: int, raw: Raw) -> bytes:
        """An input changed in one way."""
        draw = Random(seed)  # noqa: S311  # reproducible on purpose
        items = split(octets)
        has_any = has_steps(items)
        if not has_any and (not items or draw.randrange(2)):
            return V1_SEQUENCE.mutate(octets, maximum, draw.getrandbits(32), raw)
        if draw.randrange(3) == 0 and self._other_message(items, draw, raw):
            return _fitting(items, maximum, octets)
        draw.choice(self._ways)(items, draw)
        return _fitting(items, maximum, octets)

    def cross(self, first: bytes, second: bytes, maximum: int, seed: int, raw: Raw) -> bytes:
        """The first input with a run of items of the second: in it, or in place of some."""
        draw = Random(seed)  # noqa: S311  # reproducible on purpose
        items, others = split(first), split(second)
        has_any = has_steps(items) or has_steps(others)
        if not has_any and draw.randrange(2):
            return V1_SEQUENCE.cross(first, second, maximum, draw.getrandbits(32), raw)
        if not items or not others or draw.randrange(2):
            return self.mutate(first, maximum, draw.getrandbits(32), raw)
        place, start = draw.randint(0, len(items)), draw.randrange(len(others))
        taken = others[start : start + draw.choice((1, 2, 3, len(others)))]
        kept = draw.choice((place, place + len(taken)))
        return _fitting(items[:place] + taken + items[kept:], maximum, first)

    # -- ways; each changes the list that it is given

    def _insert(self, items: list[bytes], draw: Random) -> None:
        items.insert(draw.randint(0, len(items)), encode_step(self._step(draw)))

    def _change(self, items: list[bytes], draw: Random) -> None:
        """One number of a step, or its kind."""
        places = [(at, step) for at, item in enumerate(items) if (step := step_of(item))]
        if not places:
            self._insert(items, draw)
            return
        at, step = draw.choice(places)
        name = draw.choice(("place", "place", "value", "value", "kind"))
        if name == "kind":
            made = msgspec.structs.replace(step, kind=draw.choice(self._kinds))
        else:
            old: int = getattr(step, name)
            new = draw.choice((old + 1, max(old - 1, 0), draw.randrange(_PLACES), _number(draw)))
            made = msgspec.structs.replace(step, **{name: min(new, 2**32 - 1)})
        items[at] = encode_step(made)

    def _drop(self, items: list[bytes], draw: Random) -> None:
        if len(items) > 1:
            del items[draw.randrange(len(items))]

    def _repeat(self, items: list[bytes], draw: Random) -> None:
        """An item once more, at once or later."""
        at = draw.randrange(len(items))
        items.insert(draw.randint(at + 1, len(items)), items[at])

    def _swap(self, items: list[bytes], draw: Random) -> None:
        one, other = draw.randrange(len(items)), draw.randrange(len(items))
        items[one], items[other] = items[other], items[one]

    def _other_message(self, items: list[bytes], draw: Random, raw: Raw) -> bool:
        """Change one message by its structure; whether there is any."""
        places = [at for at, item in enumerate(items) if step_of(item) is None]
        if not places:
            return False
        at = draw.choice(places)
        whole = join([items[at]])
        items[at : at + 1] = split(V1_SEQUENCE.mutate(whole, 4096, draw.getrandbits(32), raw))
        return True

    def _step(self, draw: Random) -> Move:
        return Move(draw.choice(self._kinds), draw.randrange(_PLACES), _number(draw))


def _number(draw: Random) -> int:
    return draw.choice((draw.choice(_NUMBERS), draw.randrange(256), draw.getrandbits(32)))


def _fitting(items: list[bytes], maximum: int, otherwise: bytes) -> bytes:
    """The sequence as far as whole items fit; what it was made of, if none does."""
    kept: list[bytes] = []
    room = maximum
    for item in items[: _MOST_ITEMS if has_steps(items) else MOST_MESSAGES]:
        room -= PREFIX + len(item)
        if room < 0:
            break
        kept.append(item)
    return join(kept) or otherwise
