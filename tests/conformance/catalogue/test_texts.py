"""The shipped catalogue against the texts of the documents.

With RPCRDMA_SPECS naming a folder that holds their texts, the shipped catalogue is checked
against the documents; without it the same checks run on a small document made here.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from conformance.catalogue.entries import (
    Document,
    Level,
    Requirement,
    Role,
    Testability,
    load_catalogue,
)
from conformance.catalogue.sentences import Sentence, fingerprint, read_sentences
from conformance.catalogue.texts import (
    hardened_sentences,
    uncovered_sentences,
    unknown_fingerprints,
)

CATALOGUE = load_catalogue()

SENTENCES = (
    Sentence("3.1", "A sender MUST knock and MAY sing."),
    Sentence("3.1", "Doors are made of wood."),
    Sentence("3.2", "A receiver SHOULD listen."),
)


def entry(
    slug: str = "3.1.knock",
    level: Level = Level.MUST,
    fingerprint: str = SENTENCES[0].fingerprint,
) -> Requirement:
    return Requirement(
        id=f"doc.{slug}",
        level=level,
        role=Role.SENDER,
        text="Senders knock.",
        fingerprint=fingerprint,
        test=Testability.WIRE,
    )


def known_sentences(document: Document) -> tuple[tuple[Requirement, ...], tuple[Sentence, ...]]:
    """A document's entries and sentences, or those made here when no text is at hand."""
    folder = os.environ.get("RPCRDMA_SPECS")
    if folder is None:
        return small_catalogue(), SENTENCES
    text = document.source or f"{document.document}.txt"
    return document.requirement, read_sentences(Path(folder) / text)


def small_catalogue() -> tuple[Requirement, ...]:
    return (
        entry(),
        entry("3.1.sing", level=Level.MAY),
        entry("3.2.listen", level=Level.SHOULD, fingerprint=SENTENCES[2].fingerprint),
    )


@pytest.mark.parametrize("document", CATALOGUE.documents, ids=lambda part: str(part.document))
def test_fingerprints_are_those_of_sentences_in_the_named_section(document: Document) -> None:
    requirements, sentences = known_sentences(document)

    assert unknown_fingerprints(requirements, sentences) == ()


@pytest.mark.parametrize("document", CATALOGUE.documents, ids=lambda part: str(part.document))
def test_every_sentence_with_a_keyword_has_an_entry_of_that_level(document: Document) -> None:
    requirements, sentences = known_sentences(document)

    assert uncovered_sentences(requirements, sentences) == ()


@pytest.mark.parametrize("document", CATALOGUE.documents, ids=lambda part: str(part.document))
def test_no_device_fails_over_a_sentence_that_does_not_bind(document: Document) -> None:
    requirements, sentences = known_sentences(document)

    assert hardened_sentences(requirements, sentences) == ()


SOFT = {
    "Senders should knock.": True,
    "Senders should not shout.": True,
    "A door must be open, and should be oiled.": False,
    "Senders can knock.": True,
    "Doors are usually open.": True,
    "Senders cannot know who can hear.": False,
    "Doors are made of wood.": False,
}


@pytest.mark.parametrize("text", SOFT)
def test_a_rule_on_a_sentence_that_does_not_bind_is_reported(text: str) -> None:
    rule = entry(level=Level.RULE, fingerprint=fingerprint(text))
    marks = ({"advisory": True}, {"permits": True}, {"needed": "Nobody else does."})
    marked = [msgspec.structs.replace(rule, **mark) for mark in marks]

    found = hardened_sentences([rule, *marked], [Sentence("3.1", text)])

    assert found == ((rule,) if SOFT[text] else ())


@pytest.mark.parametrize("document", CATALOGUE.documents, ids=lambda part: str(part.document))
def test_no_paraphrase_is_the_documents_wording(document: Document) -> None:
    requirements, sentences = known_sentences(document)
    words = {sentence.fingerprint for sentence in sentences}

    assert [item.id for item in requirements if fingerprint(item.text) in words] == []


def test_missing_keyword_is_reported() -> None:
    without_may = (small_catalogue()[0], small_catalogue()[2])

    assert uncovered_sentences(without_may, SENTENCES) == (SENTENCES[0],)


def test_fingerprint_in_another_section_is_reported() -> None:
    moved = entry("3.2.knock")

    assert unknown_fingerprints((moved, entry()), SENTENCES) == (moved,)


def test_a_restored_entry_is_not_looked_for_in_the_text() -> None:
    lost = entry("3.1.hum", fingerprint=fingerprint("Senders hum."))

    assert unknown_fingerprints([lost], SENTENCES) == (lost,)
    assert unknown_fingerprints([msgspec.structs.replace(lost, restored=True)], SENTENCES) == ()
