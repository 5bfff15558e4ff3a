"""Whether the catalogue and the text of a document agree.

uncovered_sentences(document.requirement, read_sentences(path))   # nothing was forgotten
unknown_fingerprints(document.requirement, read_sentences(path))  # nothing was made up
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.catalogue.entries import Requirement
    from conformance.catalogue.sentences import Sentence

__all__ = ["uncovered_sentences", "unknown_fingerprints"]


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
