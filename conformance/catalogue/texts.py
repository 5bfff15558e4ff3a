"""Whether the catalogue and the text of a document agree.

uncovered_sentences(document.requirement, read_sentences(path))   # nothing was forgotten
unknown_fingerprints(document.requirement, read_sentences(path))  # nothing was made up
hardened_sentences(document.requirement, read_sentences(path))    # nothing binds for want of a look
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from conformance.catalogue.entries import Level, Testability

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.catalogue.entries import Requirement
    from conformance.catalogue.sentences import Sentence

__all__ = ["hardened_sentences", "uncovered_sentences", "unknown_fingerprints"]

_ADVISES: Final = re.compile(r"\bshould\b")
_DEMANDS: Final = re.compile(r"\bmust\b", re.IGNORECASE)
_PERMITS: Final = re.compile(r"\b(?:may|can|might|could|typically|usually|generally|often)\b")
_BINDS: Final = re.compile(
    r"\b(?:must|shall|no|not|cannot|never|only|requires?|required|needs?|respects?|limited"
    r"|restricted)\b",
    re.IGNORECASE,
)


def uncovered_sentences(
    requirements: Iterable[Requirement], sentences: Iterable[Sentence]
) -> tuple[Sentence, ...]:
    """The sentences with an upper-case keyword of which no entry has that level."""
    levels: dict[str, set[str]] = {}
    for entry in requirements:
        levels.setdefault(entry.fingerprint, set()).add(entry.level.value)
    return tuple(
        sentence
        for sentence in sentences
        if sentence.levels - levels.get(sentence.fingerprint, set())
    )


def unknown_fingerprints(
    requirements: Iterable[Requirement], sentences: Iterable[Sentence]
) -> tuple[Requirement, ...]:
    """The entries whose sentence does not stand in the section that their id names.

    Those whose sentence the text has lost are not looked for.
    """
    known = {(sentence.section, sentence.fingerprint) for sentence in sentences}
    return tuple(
        entry
        for entry in requirements
        if not entry.restored and (entry.section, entry.fingerprint) not in known
    )


def hardened_sentences(
    requirements: Iterable[Requirement], sentences: Iterable[Sentence]
) -> tuple[Requirement, ...]:
    """The entries by which a device fails over a sentence that by its words does not bind.

    A lower-case "should" makes an advisory rule, a "may" or a description a permission; whatever
    is a rule all the same says why the two ends need it (`Requirement.needed`).
    """
    texts = {sentence.fingerprint: sentence.text for sentence in sentences}
    return tuple(
        entry
        for entry in requirements
        if entry.level is Level.RULE
        and entry.test is Testability.WIRE
        and not (entry.advisory or entry.permits or entry.needed)
        and _is_soft(texts.get(entry.fingerprint, ""))
    )


def _is_soft(text: str) -> bool:
    advises = _ADVISES.search(text) and not _DEMANDS.search(text)
    permits = _PERMITS.search(text) and not _BINDS.search(text)
    return bool(advises or permits)
