from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import msgspec

from reports.baseline import Known
from reports.render.junit import write_junit

if TYPE_CHECKING:
    from pathlib import Path

    from reports.baseline import BaselineCheck
    from reports.record import RunRecord


def test_junit_counts_and_places_every_verdict(run: RunRecord, tmp_path: Path) -> None:
    write_junit(run, tmp_path / "junit.xml")
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert suite.attrib["tests"] == "7"
    assert suite.attrib["failures"] == "1"
    assert suite.attrib["errors"] == "2"
    assert suite.attrib["skipped"] == "2"
    children = {
        case.attrib["name"]: [child.tag for child in case] for case in suite.iter("testcase")
    }
    assert children == {
        "rfc8166/4.5.1/case[PASS]": [],
        "rfc8166/4.5.1/case[WARN]": ["system-out"],
        "rfc8166/4.5.1/case[FAIL]": ["failure"],
        "rfc8166/4.5.1/case[INCONC]": ["skipped"],
        "rfc8166/4.5.1/case[NA]": ["skipped"],
        "rfc8166/4.5.1/case[ERROR]": ["error"],
        "rfc8166/4.5.1/never-judged": ["error"],
    }


def test_junit_failure_tells_requirement_expectation_and_how_to_run_again(
    run: RunRecord, tmp_path: Path
) -> None:
    write_junit(run, tmp_path / "junit.xml")
    failure = ElementTree.parse(tmp_path / "junit.xml").getroot().find(".//failure")
    assert failure is not None
    assert failure.text is not None
    assert "violated: rfc8166.4.5.1.err-vers-range" in failure.text
    assert "not reached: rfc8166.4.5.err-xid" in failure.text
    assert "expected: ERR_VERS 1..1" in failure.text
    assert "run again: rpcrdma certify reference" in failure.text


def test_junit_skips_what_is_known_and_fails_what_the_baseline_does_not_say(
    run: RunRecord, check: BaselineCheck, tmp_path: Path
) -> None:
    write_junit(run, tmp_path / "junit.xml", check)
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    children = {
        case.attrib["name"]: [child.tag for child in case] for case in suite.iter("testcase")
    }
    assert children == {
        "rfc8166/4.5.1/case[PASS]": ["failure"],
        "rfc8166/4.5.1/case[WARN]": ["failure"],
        "rfc8166/4.5.1/case[FAIL]": ["skipped", "system-out"],
        "rfc8166/4.5.1/case[INCONC]": ["skipped"],
        "rfc8166/4.5.1/case[NA]": ["skipped"],
        "rfc8166/4.5.1/case[ERROR]": ["error"],
        "rfc8166/4.5.1/never-judged": ["error"],
        "rfc8166/4.5.1/gone": ["failure"],
    }
    assert {name: suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "8",
        "failures": "3",
        "errors": "2",
        "skipped": "3",
    }
    skipped = suite.find("testcase[@name='rfc8166/4.5.1/case[FAIL]']/skipped")
    assert skipped is not None
    assert skipped.attrib["message"] == (
        "known FAIL: F-1 It fails & nobody minds (known/findings.md#f-1)"
    )


def test_junit_has_notes_as_output_whatever_the_verdict(run: RunRecord, tmp_path: Path) -> None:
    noted = msgspec.structs.replace(
        run, cases=tuple(msgspec.structs.replace(case, notes=("Seen.",)) for case in run.cases)
    )
    write_junit(noted, tmp_path / "junit.xml")
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()

    assert suite.attrib["failures"] == "1"
    judged = list(suite.iter("testcase"))[:-1]
    assert [case.findall("system-out")[-1].text for case in judged] == ["note: Seen."] * 6


def test_junit_is_well_formed_whatever_a_baseline_says(
    run: RunRecord, check: BaselineCheck, tmp_path: Path
) -> None:
    known = {"rfc8166/4.5.1/case[FAIL]": Known("\ufffe\x1b", "")}

    write_junit(run, tmp_path / "junit.xml", replace(check, known=known))

    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    messages = [element.get("message", "") for element in suite.iter("skipped")]
    assert "known FAIL: \\ufffe\\x1b" in messages
