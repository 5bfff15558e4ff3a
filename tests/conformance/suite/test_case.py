"""A case is named after its file and function, and selected by that name alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.suite.case import Case, case_id, refuse_duplicates
from conformance.suite.fixtures import SuiteError


def case(identity: str, *, destructive: bool = False, again: str = "") -> Case:
    return Case(identity, "It.", ("one",), "responder", (), (), destructive, again=again)


def test_a_case_is_named_after_document_section_and_function() -> None:
    path = Path("rfc8166/responder/test_4_5_1_header_version_mismatch.py")

    assert case_id(path, "test_does_this", "2") == "rfc8166/4.5.1/does-this[2]"


def test_a_file_without_a_section_has_no_cases() -> None:
    with pytest.raises(SuiteError, match="name it test_<section>_<title>"):
        case_id(Path("rfc8166/responder/test_title.py"), "test_x")


def test_two_cases_cannot_have_one_name() -> None:
    with pytest.raises(SuiteError, match="case a/1/x exists twice: one and two"):
        refuse_duplicates({"one": case("a/1/x"), "two": case("a/1/x")})


def test_a_case_is_not_selected_by_the_name_of_another() -> None:
    refuse_duplicates({"one": case("a/1/x[1]"), "two": case("a/1/x[2]")})
    with pytest.raises(SuiteError, match=r"case a/1/x cannot be selected without a/1/x\[1\]"):
        refuse_duplicates({"one": case("a/1/x[1]"), "two": case("a/1/x")})


def test_a_case_is_run_again_by_its_name_or_by_what_selects_it() -> None:
    assert case("a/1/x").command("t") == "rpcrdma certify t --case 'a/1/x'"
    found = case("a/1/x", destructive=True, again="--document a --section 1")
    assert found.command("t") == "rpcrdma certify t --document a --section 1 --destructive"
