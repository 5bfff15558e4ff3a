"""The sentence splitter, on small texts."""

from __future__ import annotations

import pytest

from conformance.catalogue.sentences import Sentence, fingerprint, split_sentences

TEXT = """\
A Title that belongs to no section.  It MUST be left out.

   1.  Contents . . . . . 1

1.  Framing

   A sender MUST frame.  A re-
   ceiver MAY not care (it has one buffer).  "Quoted" words start
   a sentence, section 3.2 does not

Somebody                     Standards Track                    [Page 1]
\f
RFC 9999                     A Protocol                        June 2017

   end one.

1.1.  Lists

   Rules:

   o  the first SHOULD NOT be missed;

   o  the second is
      harmless

   <CODE BEGINS>
   const MUST = 1;
   <CODE ENDS>

   /// enum { MAY = 1 };
      Left                 Right
        |   MUST arrow      |
"""


def test_sentences_carry_their_section_and_squeezed_text() -> None:
    assert split_sentences(TEXT) == (
        Sentence("1", "A sender MUST frame."),
        Sentence("1", "A re-ceiver MAY not care (it has one buffer)."),
        Sentence("1", '"Quoted" words start a sentence, section 3.2 does not end one.'),
        Sentence("1.1", "Rules:"),
        Sentence("1.1", "the first SHOULD NOT be missed;"),
        Sentence("1.1", "the second is harmless"),
        Sentence("1.1", "Left Right"),
    )


def test_a_marked_down_copy_gives_the_sentences_of_the_text() -> None:
    """One blank after a section's number, hyphens before bullets, names between accents."""
    text = "1.  One\n\n   The xid MUST stay:\n\n   o  so far\n\n   o  so good\n"
    copy = "1.\tOne\t3\n\n1. One\n\nThe `xid` MUST stay:\n\n- o so far\n\n- o so good\n"

    assert split_sentences(copy) == split_sentences(text)
    assert fingerprint("The `xid`.") == fingerprint("The xid.")


def test_refilled_text_gives_the_same_sentences() -> None:
    wide = "1.  One\n\n   A RPC-over-RDMA header MUST be short.  Yes.\n"
    narrow = "1.  One\n\n   A RPC-over-\n   RDMA header\n   MUST be short.\n   Yes.\n"

    assert split_sentences(narrow) == split_sentences(wide)


def test_page_break_behind_a_full_stop_ends_the_paragraph() -> None:
    text = "1.  One\n\n   First.\n\nA. Uthor    [Page 9]\n\n   second begins small.\n"

    assert [sentence.text for sentence in split_sentences(text)] == [
        "First.",
        "second begins small.",
    ]


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("It MUST NOT and SHOULD.", {"MUST NOT", "SHOULD"}),
        ("It is REQUIRED; it SHALL NOT.", {"MUST", "MUST NOT"}),
        ("NOT RECOMMENDED, RECOMMENDED, OPTIONAL", {"SHOULD NOT", "SHOULD", "MAY"}),
        ("It must, may and should; MUSTARD.", set()),
        ('The key words "MUST", "MAY" are to be interpreted as described in BCP 14.', set()),
    ],
)
def test_levels_are_those_of_the_capital_keywords(text: str, levels: set[str]) -> None:
    assert Sentence("1", text).levels == levels


def test_fingerprint_ignores_white_space_only() -> None:
    assert fingerprint("A  b\n c.") == fingerprint("A b c.")
    assert fingerprint("A b c.") != fingerprint("A b c")
