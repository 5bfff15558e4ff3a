from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from reports.record import Citation, Verdict
from reports.render.statement import statement_html, statement_text
from reports.statement import NotTested, Statement, Violation
from reports.totals import MetCount

CASES = tuple(f"rfc8166/4.5.1/case-{number}" for number in range(5))
STATEMENT = Statement(
    target="mine",
    result="mine does not meet 1 of 3 binding requirements tested.",
    facts=(("suite", "0.1.0"), ("claims", "roles = <b>")),
    tallies=(("rfc8166", "MUST", MetCount("rfc8166 MUST", met=2, unmet=1)),),
    violations=(
        Violation(
            Citation("rfc8166.4.5.1.range", "MUST", "rfc8166", "4.5.1", "The range & more."),
            Verdict.FAIL,
            CASES,
        ),
    ),
    readings=(("D-11", "The version in an error message"),),
    not_tested=(NotTested("2 cases", "N/A: not claimed\x1b[31m", ("a", "b")),),
    digest="sha256:00ff",
    files=7,
)


class Words(HTMLParser):
    """The text of a page, and the tags that are open at its end."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def page_words(statement: Statement) -> str:
    words = Words(statement_html(statement))
    assert words.open == []
    return " ".join(words.text.split())


@pytest.mark.parametrize(
    "words",
    [
        "Conformance statement: mine",
        "mine does not meet 1 of 3 binding requirements tested.",
        "roles = <b>",
        "rfc8166.4.5.1.range",
        "The range & more.",
        "D-11",
        "The version in an error message",
        "2 cases: N/A: not claimed",
        "sha256:00ff",
        "7 files",
    ],
)
def test_page_and_text_say_the_same(words: str) -> None:
    assert words in " ".join(statement_text(STATEMENT).split())
    assert words in page_words(STATEMENT)


def test_text_names_some_cases_and_counts_the_rest() -> None:
    text = statement_text(STATEMENT)
    assert CASES[2] in text
    assert CASES[3] not in text
    assert "and 2 cases more" in text


def test_page_names_every_case() -> None:
    assert all(case in page_words(STATEMENT) for case in CASES)


def test_figures_stand_below_their_columns() -> None:
    lines = statement_text(STATEMENT).splitlines()
    head = next(line for line in lines if line.startswith("document"))
    row = next(line for line in lines if line.startswith("rfc8166 "))
    ends = {name: head.index(name) + len(name) for name in ("met", "not met")}
    assert (row[ends["met"] - 1], row[ends["not met"] - 1]) == ("2", "1")


def test_what_there_is_not_is_said() -> None:
    nothing = replace(STATEMENT, violations=(), readings=(), not_tested=())
    assert statement_text(nothing).count("\nnothing\n") == 2
    assert "\nnone\n" in statement_text(nothing)
    assert page_words(nothing).count(" nothing ") == 2


def test_what_a_device_said_is_data() -> None:
    assert "\x1b" not in statement_text(STATEMENT)
