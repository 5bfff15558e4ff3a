"""Recipes: what is drawn, shrunk, kept in a file and run again, as plain data.

Numbers in a recipe are taken modulo what there is, so that any list of recipes can be run and cut.
What is made of them stands elsewhere: of a `Shot` in `conformance.explore.shots`, of a `CallRecipe`
in `conformance.explore.calls`, of a `Step` in `conformance.explore.exchange`.
"""

from __future__ import annotations

import msgspec

__all__ = ["Breach", "CallRecipe", "Shot", "Step"]


class Breach(msgspec.Struct, frozen=True):
    """What is broken: a key of `BREACHES`, which item, and the value put there."""

    kind: str = "none"
    place: int = 0
    value: int = 0


class Shot(msgspec.Struct, frozen=True):
    """One message.

    Attributes:
        call: a key of `CALLS`.  first, second: octets of its items.
        form: of the call: `short`, `reduced`, `long`, `long-reduced`.
        offer: for the Reply: `needed`, `write`, `reply`, `both`, `nothing`.
        cut: into how many segments chunks are cut.
        breach: what is broken.
        version: 1 or 2.
    """

    call: str = "null"
    first: int = 0
    second: int = 0
    form: str = "short"
    offer: str = "needed"
    cut: int = 1
    breach: Breach = Breach()
    version: int = 1


class CallRecipe(msgspec.Struct, frozen=True):
    """One Call.

    Attributes:
        kind: procedure, a key of `KINDS`.
        first: octets of its first item.  second: of its second, where it has two.
    """

    kind: str
    first: int = 0
    second: int = 0


class Step(msgspec.Struct, frozen=True):
    """One thing done.

    Attributes:
        kind: a method of `Exchange` without its underscore.
        line: of which connection.
        number: what else is to be chosen.
        call: for `call`.
    """

    kind: str
    line: int = 0
    number: int = 0
    call: CallRecipe = CallRecipe("null")
