from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from reports.pages.background import NO_BACKGROUND, Background, DocumentAddress
from reports.pages.links import page_names, section_address, seen_from


def test_a_page_is_named_after_its_case() -> None:
    names = page_names(["rfc8166/4.5/responder-answers[two words]"])
    assert list(names.values()) == ["rfc8166-4.5-responder-answers-two-words.html"]


def test_names_that_would_be_one_are_told_apart() -> None:
    first, second = page_names(["d/1/x[a b]", "d/1/x[a-b]"]).values()
    assert first == "d-1-x-a-b.html"
    assert second.startswith("d-1-x-a-b-")


@given(st.lists(st.text(max_size=300), unique=True))
def test_every_case_has_a_file_of_its_own_that_any_file_system_takes(cases: list[str]) -> None:
    names = list(page_names(cases).values())
    assert len({name.lower() for name in names}) == len(cases)
    assert all(len(name) <= 255 and not set(name) & set("/\\:[] ") for name in names)


def test_a_section_is_an_anchor_of_the_documents_text() -> None:
    known = Background(documents={"d": DocumentAddress("D", "https://rfc.test/d")})
    assert section_address(known, "d", "4.5.1") == "https://rfc.test/d#section-4.5.1"
    assert section_address(known, "d", "A.2") == "https://rfc.test/d#appendix-A.2"
    assert section_address(NO_BACKGROUND, "d", "4") == ""


def test_paths_go_from_the_page_and_addresses_stay() -> None:
    folder = Path("out/report")
    assert seen_from(folder, "known/a.md#x") == "../../known/a.md#x"
    assert seen_from(folder, "https://example.org/1") == "https://example.org/1"


def test_no_path_looks_like_an_address() -> None:
    assert seen_from(Path("out"), Path("out/mutant:x y/a.html")) == "mutant%3Ax%20y/a.html"
