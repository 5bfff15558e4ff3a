"""What a rule is called in a version: the one answer of `inherits.toml`.

    v2 section 1      What is not changed is done as in Version One (D-61)
    v2 section 4.2.3  Transport Errors

    statement("rfc8166.4.5.error-xid-echoed", 2)     "v2.4.2.3.error-echoes-the-xid"
    statements(("rfc8166.3.4.6.segments-returned",), 1)      the same ids

The judges know a rule by the id under which a document states it first, and ask here for the id
under which it binds whoever sent a message.
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING, Final

from conformance.catalogue.entries import INHERITS, CatalogueError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["GOES_ON", "load_inheritance", "statement", "statements"]

GOES_ON: Final = "v2.1.version-one-rules-go-on"
"""What Version Two says of every rule for which it has no words of its own."""

_TWO: Final = 2
_OWN: Final = ("v2.", "xcharext.", "rtrext.")
"""What the ids of the documents about Version Two itself begin with."""


@cache
def load_inheritance(path: Path = INHERITS) -> Mapping[str, str]:
    """Rule -> the statement of Version Two that says it.

    Raises:
        CatalogueError: the table cannot be read, or gives a rule two answers.
    """
    try:
        groups: dict[str, list[str]] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise CatalogueError(path, "", str(error), "mend the table") from error
    found: dict[str, str] = {}
    for two, rules in groups.items():
        for rule in rules:
            if rule in found:
                problem = f"stands under {found[rule]} and {two}"
                raise CatalogueError(path, rule, problem, "leave it where it fits best")
            found[rule] = two
    return found


def statement(rule: str, version: int) -> str:
    """The id under which a rule binds whoever sends a message of a version.

    Args:
        rule: id of a statement in whichever document.
        version: rdma_vers of the message; every one but two is judged by the ids of Version One.

    Raises:
        LookupError: it is judged in Version Two, and `inherits.toml` does not say by which id.
    """
    if version != _TWO or rule.startswith(_OWN):
        return rule
    try:
        return load_inheritance()[rule]
    except KeyError:
        raise LookupError(f"{INHERITS.name} does not say what {rule} is in Version Two") from None


def statements(rules: Iterable[str], version: int) -> tuple[str, ...]:
    """The same of several rules, each id once, in their order.

    A rule that just goes on keeps its own id after the general one, which alone says nothing.
    """
    found: list[str] = []
    for rule in rules:
        two = statement(rule, version)
        found += (two, rule) if two == GOES_ON else (two,)
    return tuple(dict.fromkeys(found))
