"""Whatever a device sends is shown as text."""

from __future__ import annotations

from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.printable import LONGEST_LINE, printable, printable_line
from reports.record import CaseRecord, Exchange, Verdict


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202etxt", "\\u202etxt"),
        ("\ufffe\uffff", "\\ufffe\\uffff"),
        ("\ud800", "\\ud800"),
        ("a\rb", "a\\x0db"),
        ("two\nlines\tand ünïcödé 中", "two\nlines\tand ünïcödé 中"),
    ],
)
def test_what_would_not_be_shown_is_written_as_its_number(sent: str, shown: str) -> None:
    assert printable(sent) == shown


@given(st.text(st.characters(), max_size=50))
def test_any_text_can_be_carried_by_utf_8_json_and_xml(text: str) -> None:
    shown = printable(text)

    assert msgspec.json.decode(msgspec.json.encode(shown)) == shown
    element = ElementTree.Element("a")
    element.text = shown
    assert (ElementTree.fromstring(ElementTree.tostring(element)).text or "") == shown


def test_a_megabyte_as_a_name_is_cut_and_says_so() -> None:
    shown = printable("ok\n" + "n" * 1_000_000)

    assert shown == f"ok\n{'n' * LONGEST_LINE}... ({1_000_000 - LONGEST_LINE} characters more)"


def test_every_text_of_a_record_is_reached() -> None:
    case = CaseRecord(
        "a/1/b",
        "T",
        Verdict.FAIL,
        reason="\x1b",
        expected=("\x1b",),
        notes=("\x1b",),
        exchanges=(Exchange(0.0, 1, "received", "\x1b", "\x1b"),),
    )

    assert b"\\u001b" in msgspec.json.encode(case)
    assert b"\\u001b" not in msgspec.json.encode(printable(case))
    assert printable(case).exchanges[0].summary == "\\x1b"


def test_a_sentence_stays_in_its_line() -> None:
    assert printable_line("one\n two\x1b") == "one two\\x1b"
