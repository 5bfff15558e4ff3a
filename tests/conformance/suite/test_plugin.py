"""The plugin's way from collected functions to cases, in the suite that is shipped."""

from __future__ import annotations

import re

import pytest

from conformance.catalogue.entries import load_catalogue
from conformance.suite.plugin import Plugin, SuiteError
from conformance.suite.runner import collect_cases

CASES = collect_cases()


def test_every_id_is_document_section_and_slug() -> None:
    shape = re.compile(r"[a-z]+\d*/\d+(\.\d+)*/[a-z0-9]+(-[a-z0-9]+)*(\[[^\[\]]+\])?")

    assert [case.id for case in CASES if not shape.fullmatch(case.id)] == []


def test_every_case_has_a_sentence_for_a_title() -> None:
    assert [case.id for case in CASES if not case.title.endswith(".")] == []


def test_every_case_cites_something_that_binds_its_role() -> None:
    catalogue = load_catalogue()
    strange = [
        case.id
        for case in CASES
        if not any(
            case.role in {role.value for role in catalogue[requirement].binds}
            for requirement in case.requirements
        )
    ]

    assert strange == []


def test_a_plugin_without_a_target_collects_but_does_not_run() -> None:
    plugin = Plugin(load_catalogue(), lambda case: True)

    with pytest.raises(SuiteError, match="no target is running; use `rpcrdma certify`"):
        next(plugin.pytest_runtest_protocol(None, None))  # type: ignore[arg-type]  # not looked at
