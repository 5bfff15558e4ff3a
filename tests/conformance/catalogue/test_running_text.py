"""Copies that were filled as running text get their headings and paragraphs back."""

from __future__ import annotations

from conformance.catalogue.running_text import running_lines
from conformance.catalogue.sentences import Sentence, split_sentences

CONTENTS = """\
A Protocol Abstract It knocks. Table of Contents 1. Framing . . . . . . . . . . . . 3 1.1. Sizes
of Frames . . . . . . . . . 3 2. Codes . . . . . . . . . . . . . . . . . 4 2.1. Not Written . .
. . . . . . 5 3. Safety . . . . . 5
"""


def sentences(text: str) -> list[tuple[str, str]]:
    return [(one.section, one.text) for one in split_sentences(CONTENTS + text)]


def test_headings_are_found_wherever_they_stand() -> None:
    text = """
1. Framing

1.1. Sizes of Frames A frame is short. 2.
Codes There are two. 3. Safety Beware.
"""
    assert sentences(text) == [
        ("1.1", "A frame is short."),
        ("2", "There are two."),
        ("3", "Beware."),
    ]


def test_a_number_without_the_title_is_no_heading() -> None:
    text = "\n1. Framing It is as in Section\n\n1.1. Senders knock.\n2. Codes None.\n"

    assert sentences(text)[-1] == ("2", "None.")
    assert {section for section, _ in sentences(text)} == {"1", "2"}


def test_items_of_lists_are_told_apart() -> None:
    text = """
1. Framing A frame has: o a head o a
    tail
  o The body. 2. Codes The following goes wrong, see Table 4. In it: 1. Knocking. 2. Singing
"""
    assert [text for _, text in sentences(text)] == [
        "A frame has:",
        "a head",
        "a tail",
        "The body.",
        "The following goes wrong, see Table 4.",
        "In it:",
        "1.",
        "Knocking.",
        "2.",
        "Singing",
    ]


def test_code_and_tables_are_left_out() -> None:
    text = """
1. Framing The message is this:
    const uint32 KNOCK = 1;
    struct knock { uint32 kn_loud; };
    enum loud { LOW = 1 }
    union where switch(loud which) case LOW: void; }; The field kn_loud says
    union or not. +-----+------+ | MUST | SHOULD | +-----+------+ Table 1 All is said.
"""
    assert [text for _, text in sentences(text)] == [
        "The message is this:",
        "The field kn_loud says union or not.",
        "All is said.",
    ]


def test_the_xdr_to_be_extracted_is_left_out_whatever_prefix_it_lost() -> None:
    text = """
2. Codes They are these.
/// /*
  o MUST knock.
/// */
    const uint32 KNOCK = 1;
/// 3. Safety Beware.
"""
    assert sentences(text) == [("2", "They are these."), ("3", "Beware.")]


def test_hyphens_of_lines_that_are_no_more_are_closed() -> None:
    text = "\n1. Framing A multi- part message is send- or chunk-\nbased.\n"

    assert sentences(text) == [("1", "A multi-part message is send- or chunk-based.")]


def test_a_text_that_has_its_lines_is_not_changed() -> None:
    text = "Table of Contents\n\n   1. Framing . . . . 3\n   2. Codes . . . . . 4\n\n1. Framing\n"

    assert running_lines(text) == text
    assert split_sentences(f"{text}\n   Yes.\n") == (Sentence("1", "Yes."),)
