from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import msgspec
import pytest

from reports.baseline import Known
from reports.record import CaseRecord, Verdict
from reports.render.junit import junit_document

if TYPE_CHECKING:
    from reports.baseline import BaselineCheck
    from reports.record import RunRecord

# What junit-10.xsd of Jenkins' xUnit plugin takes: the members of an element, attributes that it
# must have, and those that it may have.
ELEMENTS: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"testsuite"}, set(), {"name", "time", "tests", "failures", "errors"}),
    "testsuite": (
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        {"name", "tests", "failures", "errors"},
        {
            *("group", "time", "skipped", "timestamp", "hostname", "id", "package", "file"),
            *("log", "url"),
        },
    ),
    "properties": ({"property"}, set(), set()),
    "property": (set(), {"name", "value"}, set()),
    "testcase": (
        {"skipped", "error", "failure", "system-out", "system-err"},
        {"name"},
        {"time", "classname", "group"},
    ),
    "failure": (set(), set(), {"type", "message"}),
    "error": (set(), set(), {"type", "message"}),
    "skipped": (set(), set(), {"type", "message"}),
    "system-out": (set(), set(), set()),
}
TIME = re.compile(r"\d{0,3}(,?\d{3})*(\.\d*)?|\d*(\.\d*)?")
TEXT = {"failure", "error", "skipped", "system-out", "system-err"}


def faults(element: ElementTree.Element) -> list[str]:
    """Where an element is not what the schema takes."""
    members, required, optional = ELEMENTS[element.tag]
    given = set(element.attrib)
    found = [f"{element.tag} lacks {name}" for name in required - given]
    found += [f"{element.tag} has {name}" for name in given - required - optional]
    found += [f"{element.tag} holds {child.tag}" for child in element if child.tag not in members]
    if element.tag in ("testsuites", "testsuite") and not TIME.fullmatch(element.get("time", "")):
        found.append(f"{element.tag} has the time {element.get('time')}")
    if element.tag not in TEXT and (element.text or "").strip():
        found.append(f"{element.tag} has text")
    return found + [fault for child in element if child.tag in members for fault in faults(child)]


def tags(root: ElementTree.Element) -> dict[str, list[str]]:
    return {case.attrib["name"]: [child.tag for child in case] for case in root.iter("testcase")}


def counts(element: ElementTree.Element) -> tuple[str, ...]:
    names = ("tests", "failures", "errors", "skipped")
    return tuple(element.attrib[name] for name in names if name in element.attrib)


def noted(run: RunRecord) -> RunRecord:
    cases = tuple(msgspec.structs.replace(case, notes=("Seen.",)) for case in run.cases)
    return msgspec.structs.replace(run, cases=cases)


def test_junit_is_what_jenkins_takes(run: RunRecord, check: BaselineCheck) -> None:
    empty = msgspec.structs.replace(
        run, cases=(), header=msgspec.structs.replace(run.header, planned=())
    )
    for document in (
        junit_document(run),
        junit_document(noted(run), check),
        junit_document(empty),
        junit_document(msgspec.structs.replace(run, footer=None)),
    ):
        assert faults(ElementTree.fromstring(document)) == []


@pytest.mark.parametrize(
    ("tag", "attribute", "fault"),
    [
        ("testsuites", "skipped", "testsuites has skipped"),
        ("testcase", "status", "testcase has status"),
    ],
)
def test_what_jenkins_does_not_take_is_seen(
    run: RunRecord, tag: str, attribute: str, fault: str
) -> None:
    root = ElementTree.fromstring(junit_document(run))
    next(root.iter(tag)).set(attribute, "1")
    assert fault in faults(root)


def test_junit_has_a_suite_for_each_section_with_its_own_counts(run: RunRecord) -> None:
    other = CaseRecord("bidir/4.1/case", "Title.", Verdict.PASS)
    document = junit_document(msgspec.structs.replace(run, cases=(*run.cases, other)))

    root = ElementTree.fromstring(document)

    assert counts(root) == ("8", "1", "2")
    assert {suite.attrib["name"]: counts(suite) for suite in root} == {
        "rfc8166 4.5.1": ("7", "1", "2", "2"),
        "bidir 4.1": ("1", "0", "0", "0"),
    }
    assert [len(suite.findall("properties")) for suite in root] == [1, 0]
    assert tags(root) == {
        "rfc8166/4.5.1/case[PASS]": [],
        "rfc8166/4.5.1/case[WARN]": ["system-out"],
        "rfc8166/4.5.1/case[FAIL]": ["failure"],
        "rfc8166/4.5.1/case[INCONC]": ["skipped"],
        "rfc8166/4.5.1/case[NA]": ["skipped"],
        "rfc8166/4.5.1/case[ERROR]": ["error"],
        "rfc8166/4.5.1/never-judged": ["error"],
        "bidir/4.1/case": [],
    }


def test_junit_failure_tells_requirement_expectation_and_how_to_run_again(run: RunRecord) -> None:
    failure = ElementTree.fromstring(junit_document(run)).find(".//failure")
    assert failure is not None
    assert failure.text is not None
    assert "violated: rfc8166.4.5.1.err-vers-range" in failure.text
    assert "not reached: rfc8166.4.5.err-xid" in failure.text
    assert "expected: ERR_VERS 1..1" in failure.text
    assert "run again: rpcrdma certify reference" in failure.text


def test_junit_skips_what_is_known_and_fails_what_the_baseline_does_not_say(
    run: RunRecord, check: BaselineCheck
) -> None:
    root = ElementTree.fromstring(junit_document(run, check))
    assert tags(root) == {
        "rfc8166/4.5.1/case[PASS]": ["failure"],
        "rfc8166/4.5.1/case[WARN]": ["failure"],
        "rfc8166/4.5.1/case[FAIL]": ["skipped", "system-out"],
        "rfc8166/4.5.1/case[INCONC]": ["skipped"],
        "rfc8166/4.5.1/case[NA]": ["skipped"],
        "rfc8166/4.5.1/case[ERROR]": ["error"],
        "rfc8166/4.5.1/never-judged": ["error"],
        "rfc8166/4.5.1/gone": ["failure"],
    }
    assert counts(root[0]) == ("8", "3", "2", "3")
    skipped = root.find("*/testcase[@name='rfc8166/4.5.1/case[FAIL]']/skipped")
    assert skipped is not None
    assert skipped.attrib["message"] == (
        "known FAIL: F-1 It fails & nobody minds (known/findings.md#f-1)"
    )


def test_junit_has_notes_as_output_whatever_the_verdict(run: RunRecord) -> None:
    root = ElementTree.fromstring(junit_document(noted(run)))

    assert root.attrib["failures"] == "1"
    judged = list(root.iter("testcase"))[:-1]
    assert [case.findall("system-out")[-1].text for case in judged] == ["note: Seen."] * 6


def test_junit_is_well_formed_whatever_a_baseline_says(
    run: RunRecord, check: BaselineCheck
) -> None:
    known = {"rfc8166/4.5.1/case[FAIL]": Known("\ufffe\x1b", "")}

    root = ElementTree.fromstring(junit_document(run, replace(check, known=known)))

    messages = [element.get("message", "") for element in root.iter("skipped")]
    assert "known FAIL: \\ufffe\\x1b" in messages
