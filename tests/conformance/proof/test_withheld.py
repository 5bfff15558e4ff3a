"""What a release is without: the list, and how pages are edited by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from conformance.proof.withheld import (
    WITHHELD,
    PagePart,
    Said,
    Taken,
    Withheld,
    read_withheld,
    without_part,
)

if TYPE_CHECKING:
    from pathlib import Path

PAGE = """\
# Findings

## 1. One

How.

### More of it

## 2. Two

- first,
  and its second line
- second
| a | b |
| c | d |
"""


def part(begins: str, instead: str = "") -> PagePart:
    return PagePart("1", "page.md", "it tells", "soon", begins, instead)


def test_a_part_below_a_heading_ends_at_the_next_of_its_level() -> None:
    text = without_part(PAGE, part("## 1.", "## 1. Something\n\n"))
    assert text.startswith("# Findings\n\n## 1. Something\n\n## 2. Two\n")


@pytest.mark.parametrize(
    ("begins", "gone"), [("- first", "- first,\n  and its second line\n"), ("| a", "| a | b |\n")]
)
def test_an_item_or_a_row_goes_with_its_indented_lines(begins: str, gone: str) -> None:
    assert without_part(PAGE, part(begins)) == PAGE.replace(gone, "")


@pytest.mark.parametrize("begins", ["## 3.", "## "])
def test_a_part_must_be_there_once(begins: str) -> None:
    with pytest.raises(BadInput, match=r"lines of page.md begin with"):
        without_part(PAGE, part(begins))


def test_takes_files_and_what_is_in_folders_and_itself() -> None:
    taken = (Taken("1", "a/one.py", "", ""), Taken("1", "b/", "", ""))
    withheld = Withheld(taken=taken)

    assert [
        path
        for path in ("a/one.py", "a/one.pyi", "b/c/d.py", WITHHELD, "bb")
        if withheld.takes(path)
    ] == [
        "a/one.py",
        "b/c/d.py",
        WITHHELD,
    ]
    withheld.check(("a/one.py", "b/c/d.py"))
    with pytest.raises(BadInput, match=r"a/one\.py is not there"):
        withheld.check(("b/c/d.py",))


def test_edits_the_page_of_a_part_and_words_wherever_they_stand() -> None:
    said = Said("1", "Two", "it tells", "soon", "A thing")
    withheld = Withheld(part=(part("## 1."),), said=(said,))

    assert "## 1." not in withheld.edited("page.md", PAGE)
    assert "## 1." in withheld.edited("other.md", PAGE)
    assert "## 2. A thing" in withheld.edited("other.md", PAGE)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[taken]]\nfinding = '1'\n", "missing required field `path`"),
        ("[[taken]]\nfile = 'a'\n", "unknown field `file`"),
        ("[[", "Expected"),
    ],
)
def test_a_list_that_is_not_in_form_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / WITHHELD).write_text(text)
    with pytest.raises(BadInput, match=f"^{WITHHELD}: .*{problem}|^{WITHHELD}: "):
        read_withheld(tmp_path)


def test_a_release_has_no_list(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="it is a release"):
        read_withheld(tmp_path)
