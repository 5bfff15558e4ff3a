"""The pages that are made of the code have all of it."""

from __future__ import annotations

import re

from conformance.catalogue.entries import load_catalogue
from conformance.cli.main import OWN
from conformance.proof.kills import read_kills
from documentation.pages import PICTURES, ROOT, made_pages
from documentation.requirements import FOLDER

PAGES = made_pages()
REQUIREMENTS = "\n".join(text for page, text in PAGES.items() if page.startswith(FOLDER))


def test_every_requirement_has_a_place_of_its_own() -> None:
    anchors = re.findall(r"^## \S+ \{#(\S+)\}$", REQUIREMENTS, re.MULTILINE)
    assert sorted(anchors) == sorted(entry.id for entry in load_catalogue())


def test_every_mutant_stands_below_what_it_breaks() -> None:
    shown = re.findall(r"^- `mutant:([\w-]+)`", REQUIREMENTS, re.MULTILINE)
    assert sorted(shown) == sorted(read_kills())
    assert "Found by none" not in REQUIREMENTS


def test_a_requirement_has_text_cases_mutants_and_readings() -> None:
    (page,) = (text for text in PAGES.values() if "{#rfc8166.4.5.1.err-vers-range}" in text)
    entry = page.partition("{#rfc8166.4.5.1.err-vers-range}")[2].partition("\n## ")[0]
    assert "#section-4.5.1)" in entry
    assert "- `rfc8166/4.5.1/responder-answers-" in entry
    assert "Found by `rfc8166/" in entry
    assert "(../readings.md#D-" in REQUIREMENTS


def test_every_command_has_its_help() -> None:
    page = PAGES["reference/commands.md"]
    headings = set(re.findall(r"^#+ (rpcrdma .*)$", page, re.MULTILINE))
    assert {f"rpcrdma {name}" for name in OWN} <= headings
    assert {"rpcrdma lab config", "rpcrdma dev xdr generate", "rpcrdma fuzz"} <= headings
    assert page.count("\nusage: ") + page.count("```text\nusage: ") >= len(headings)


def test_every_reading_has_its_number_for_an_anchor() -> None:
    page = PAGES["reference/readings.md"]
    named = set(re.findall(r"\(\.\./readings\.md#([\w-]+)\)", REQUIREMENTS))
    assert named <= set(re.findall(r"\{#([DV]-\d+)\}", page))
    assert len(named) > 50


def test_fixtures_and_decorator_are_there() -> None:
    page = PAGES["reference/fixtures.md"]
    for words in ("| `peer` |", "| `service_two` |", "@requirement(*ids, role='responder'"):
        assert words in page


def test_pictures_of_the_findings_are_there() -> None:
    assert PICTURES
    assert all((ROOT / place).is_file() for place in PICTURES)
