"""The register of interpretations: how the suite reads what the documents leave in doubt.

`rpcrdma/spec/interpretations.toml` is the register; `INTERPRETATIONS.md` beside it is the same for
people, rendered by `rpcrdma dev interpretations`, with a note on what later drafts of Version Two
changed (`later_drafts.toml`).  A target profile chooses between readings in its table
`[extra.interpretations]`, by id: `D-12 = "err-chunk"`.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.bad_input import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "LATER_DRAFTS",
    "PAGE",
    "REGISTER",
    "Change",
    "Interpretation",
    "check_choices",
    "choice",
    "load_changes",
    "load_interpretations",
    "render",
]

_FOLDER: Final = Path(__file__).parents[2] / "rpcrdma" / "spec"
REGISTER: Final = _FOLDER / "interpretations.toml"
LATER_DRAFTS: Final = _FOLDER / "later_drafts.toml"
PAGE: Final = _FOLDER / "INTERPRETATIONS.md"

_HEAD: Final = """\
# Interpretations

Where the documents contradict themselves or each other, or leave open what a verdict needs: what
conflicts, what we adopt and why, and what it means for a verdict. A verdict that rests on an entry
names it. Where readings are listed, a target profile may choose one in its table
`[extra.interpretations]` (`D-12 = "err-chunk"`); the first is the default. Numbers are stable and
not consecutive.

The last part, [Later drafts of Version Two](#later-drafts-of-version-two), says which text a
verdict on Version Two rests on.

Rendered from `interpretations.toml` and `later_drafts.toml` by
`rpcrdma dev interpretations`; edit those files.
"""

_NOTE: Final = """\
## Later drafts of Version Two

"Version Two" is, in this suite and in its reports, draft-cel-nfsv4-rpcrdma-version-two-01 of June
2016 with draft-dnoveck-nfsv4-rpcrdma-xcharext-03, which was written for it. The work went on for
years in drafts that are called cel-02 to cel-09 and ietf-00 to ietf-07 below, the last of 2022, and
none became an RFC. All of them carry version number 2 and cannot be told apart on the wire before
something goes wrong. An implementation of a later draft therefore fails here by its first Call, and
its verdicts say nothing about that draft; what it has in common with the texts tested here is the
first row. Where a later text settles what an interpretation above had to decide, the row names it:
such a verdict stands for the earlier text only.

| subject | tested here | later | interpretations |
|---|---|---|---|
"""


class Interpretation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of the register.

    Attributes:
        id: `D-10`; stable.
        title: one line, for reports.
        where: documents and sections.
        conflict: what contradicts or is missing.
        adopted: our reading.
        why: the reason for it.
        effect: what it means for verdicts.
        options: readings among which a profile may choose, default first; empty if it may not.
    """

    id: str
    title: str
    where: str
    conflict: str
    adopted: str
    why: str
    effect: str
    options: tuple[str, ...] = ()

    @property
    def default(self) -> str:
        """The reading in force unless a profile says otherwise; empty if there is no choice."""
        return self.options[0] if self.options else ""


class Change(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What became of one subject in later drafts of Version Two.

    Attributes:
        subject: what it is about.
        here: what the texts tested here say.
        later: what became of it, and in which draft.
        concerns: the interpretations that a later text settles or makes void.
    """

    subject: str
    here: str
    later: str
    concerns: tuple[str, ...] = ()


class _LaterDrafts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    change: tuple[Change, ...]


class _Register(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    interpretation: tuple[Interpretation, ...]


@cache
def load_interpretations() -> Mapping[str, Interpretation]:
    """The register, by id."""
    register = msgspec.convert(tomllib.loads(REGISTER.read_text()), _Register)
    return {entry.id: entry for entry in register.interpretation}


def load_changes() -> tuple[Change, ...]:
    """What later drafts of Version Two changed, in the order of the page."""
    return msgspec.convert(tomllib.loads(LATER_DRAFTS.read_text()), _LaterDrafts).change


def choice(interpretation_id: str, chosen: Mapping[str, str]) -> str:
    """The reading in force.

    Args:
        interpretation_id: an entry that has options.
        chosen: what the target's profile chose, by id.

    Raises:
        BadInput: the profile chose what is not among the options; the message lists them.
    """
    entry = load_interpretations()[interpretation_id]
    reading = chosen.get(interpretation_id, entry.default)
    if reading not in entry.options:
        options = ", ".join(entry.options) or "none: no profile may choose here"
        raise BadInput(
            f"the profile's {interpretation_id} = {reading!r} is no known reading;"
            f" there are {options}"
        )
    return reading


def check_choices(chosen: Mapping[str, str]) -> None:
    """See that a profile chooses only what there is to choose.

    Raises:
        BadInput: it names an unknown entry or an unknown reading.
    """
    register = load_interpretations()
    for identity in chosen:
        if identity not in register:
            raise BadInput(
                f"the profile's `extra.interpretations` names `{identity}`, which is no entry of"
                " INTERPRETATIONS.md; remove it or mend its number"
            )
        choice(identity, chosen)


def render(register: Iterable[Interpretation], changes: Iterable[Change]) -> str:
    """The register and the note on later drafts as Markdown."""
    parts = [_HEAD]
    for entry in register:
        lines = [
            f"## {entry.id}  {entry.title}\n",
            f"- **Where:** {entry.where}",
            f"- **Conflict:** {entry.conflict}",
            f"- **Adopted:** {entry.adopted}",
            f"- **Why:** {entry.why}",
            f"- **Verdicts:** {entry.effect}",
        ]
        if entry.options:
            readings = ", ".join(f"`{option}`" for option in entry.options)
            lines.append(f"- **A profile may choose:** {readings}")
        parts.append("\n".join(lines) + "\n")
    rows = (
        f"| {change.subject} | {change.here} | {change.later} | {', '.join(change.concerns)} |\n"
        for change in changes
    )
    parts.append(_NOTE + "".join(rows))
    return "\n".join(parts)
