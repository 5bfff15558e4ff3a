"""The words of the catalogue are those of its files, and of reports."""

from __future__ import annotations

from conformance.catalogue.vocabulary import Level, Role, Testability


def test_keywords_are_those_of_bcp_14() -> None:
    words = {"MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"}

    assert {level.value for level in Level} == words | {"RULE"}


def test_words_of_files_are_in_lower_case() -> None:
    for word in (*Role, *Testability):
        assert word.value == word.name.lower()
