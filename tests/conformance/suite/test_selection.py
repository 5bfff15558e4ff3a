"""What a selection includes, and which files it has read for that."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.suite.case import Case
from conformance.suite.selection import Selection, is_pattern, names

ONE = "rfc8166/4.5.1/does-this[2]"


def case(identity: str = ONE, *, destructive: bool = False) -> Case:
    requirements = ("rfc8166.3.3.1.grant-is-never-zero",)
    return Case(identity, "", requirements, "responder", (), (), destructive)


@pytest.mark.parametrize(
    ("name", "means"),
    [
        (ONE, True),
        ("rfc8166/4.5.1/does-this", True),
        ("rfc8166/4.5.1/does-this[*]", True),
        ("*does*", True),
        ("rfc8166/4.5.?/*", True),
        ("rfc8166/4.5.1/does-thi?", True),
        ("rfc8166/4.5.1/does", False),
        ("rfc8166/4.5.1/does-this[3]", False),
        ("rfc8166.4.5.1*", False),
    ],
)
def test_a_name_means_a_case_or_all_its_variants_or_what_is_spelled_so(
    name: str, means: bool
) -> None:
    assert names(name, ONE) is means


def test_brackets_are_no_pattern() -> None:
    assert not is_pattern(ONE)


@pytest.mark.parametrize(
    ("selection", "included"),
    [
        (Selection(), True),
        (Selection(section="4.4,4.5"), True),
        (Selection(section="4.4,4.6"), False),
        (Selection(document="bidir,rfc8166", section="4"), True),
        (Selection(cases=("bidir/*", "*this*")), True),
        (Selection(exclude=("*this*",)), False),
        (Selection(cases=(ONE,), exclude=("rfc8166/4.5.1/does-this",)), False),
        (Selection(role="requester"), False),
        (Selection(level="SHOULD"), False),
    ],
)
def test_options_restrict_one_another_and_values_add_up(
    selection: Selection, included: bool
) -> None:
    assert selection.includes(case()) is included


@pytest.mark.parametrize(
    ("selection", "included"),
    [
        (Selection(), False),
        (Selection(destructive=True), True),
        (Selection(cases=("rfc8166/4.5.1/does-this",)), True),
        (Selection(cases=("*this*",)), False),
    ],
)
def test_a_case_that_may_bring_a_device_down_is_named_or_asked_for(
    selection: Selection, included: bool
) -> None:
    assert selection.includes(case(destructive=True)) is included


@pytest.mark.parametrize(
    ("cases", "section", "read"),
    [
        ((), "", True),
        ((ONE,), "", True),
        (("rfc8166/4.5.1/*",), "", True),
        (("rfc8166/4*",), "", True),
        (("*",), "", True),
        (("*",), "4.6", False),
        (("rfc8166/4.6/*",), "", False),
        (("bidir*", "rfc8166/4.5.10/x"), "", False),
    ],
)
def test_a_file_that_cannot_hold_a_wanted_case_is_not_read(
    cases: tuple[str, ...], section: str, read: bool
) -> None:
    path = Path("rfc8166/responder/test_4_5_1_title.py")

    assert Selection(cases=cases, section=section).may_be_in(path) is read
