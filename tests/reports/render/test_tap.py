from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import msgspec

from reports.record import CaseRecord, Verdict
from reports.render.tap import ktap_document, tap_document

if TYPE_CHECKING:
    from reports.baseline import BaselineCheck
    from reports.record import RunRecord

RESULT = re.compile(
    r"^(?P<word>not ok|ok) (?P<number>\d+) (?:- )?(?P<name>\S+)(?: # (?P<why>.*))?$"
)


def results(document: str, indent: str) -> list[tuple[str, str, str]]:
    """Word, name and directive of each line of a case, which are numbered as the plan says."""
    lines = [
        line.removeprefix(indent)
        for line in document.splitlines()
        if line.startswith(indent) and not line.startswith(f"{indent} ")
    ]
    plan = next(int(line[3:]) for line in lines if line.startswith("1.."))
    found = [match for line in lines if (match := RESULT.match(line))]
    assert [int(match["number"]) for match in found] == list(range(1, plan + 1))
    return [
        (match["word"], match["name"].rpartition("/")[2], (match["why"] or "").partition(" ")[0])
        for match in found
    ]


def test_tap_has_a_line_for_each_case_as_subtests_of_its_section(run: RunRecord) -> None:
    document = tap_document(run)

    assert document.startswith("TAP version 14\n1..1\n# Subtest: rfc8166/4.5.1\n    1..7\n")
    assert document.endswith("\nnot ok 1 - rfc8166/4.5.1\n")
    assert results(document, "    ") == [
        ("ok", "case[PASS]", ""),
        ("ok", "case[WARN]", ""),
        ("not ok", "case[FAIL]", ""),
        ("ok", "case[INCONC]", "SKIP"),
        ("ok", "case[NA]", "SKIP"),
        ("not ok", "case[ERROR]", ""),
        ("not ok", "never-judged", ""),
    ]


def test_ktap_tells_errors_from_failures(run: RunRecord) -> None:
    document = ktap_document(run)

    assert document.startswith("KTAP version 1\n1..1\n  KTAP version 1\n  # Subtest: rfc8166/4.5.1")
    assert document.endswith("\nnot ok 1 rfc8166/4.5.1\n")
    assert results(document, "  ")[5:] == [
        ("not ok", "case[ERROR]", "ERROR"),
        ("not ok", "never-judged", "ERROR"),
    ]


def test_what_is_known_is_expected_to_fail(run: RunRecord, check: BaselineCheck) -> None:
    assert results(tap_document(run, check), "    ")[2] == ("not ok", "case[FAIL]", "TODO")
    assert results(ktap_document(run, check), "  ")[2] == ("ok", "case[FAIL]", "XFAIL")


def test_section_of_which_nothing_was_judged_is_skipped(run: RunRecord) -> None:
    case = CaseRecord("bidir/4.1/case", "Title.", Verdict.NA, "Not claimed.")
    header = msgspec.structs.replace(run.header, planned=(case.id,))
    skipped = msgspec.structs.replace(run, cases=(case,), header=header)

    assert "\nok 1 - bidir/4.1 # SKIP" in tap_document(skipped)
    assert "\nok 1 bidir/4.1 # SKIP" in ktap_document(skipped)


def test_diagnosis_of_tap_is_yaml_that_no_text_escapes(run: RunRecord) -> None:
    evil = msgspec.structs.replace(run.cases[2], reason='a "quote\n  ...\nnot ok 1 - forged # TODO')
    document = tap_document(msgspec.structs.replace(run, cases=(evil,)))

    line = next(line for line in document.splitlines() if "message:" in line)
    assert json.loads(line.partition("message: ")[2]) == evil.reason
    markers = [line for line in document.splitlines() if line in ("      ---", "      ...")]
    assert markers == ["      ---", "      ..."] * 7
    assert "forged" not in [name for _, name, _ in results(document, "    ")]


def test_number_sign_in_a_text_begins_no_directive(run: RunRecord) -> None:
    skipped = msgspec.structs.replace(run.cases[3], reason="call #2 \\ # TODO never")
    evil = msgspec.structs.replace(run, cases=(skipped,))

    assert "# SKIP INCONC: call \\#2 \\\\ \\# TODO never" in tap_document(evil)
    assert "# SKIP INCONC: call No.2 \\ No. TODO never" in ktap_document(evil)


def test_ktap_comments_precede_the_line_they_are_about(run: RunRecord) -> None:
    lines = ktap_document(run).splitlines()
    at = next(number for number, line in enumerate(lines) if "not ok 3 " in line)
    assert lines[at - 1] == ("  # run again: rpcrdma certify reference --case 'rfc8166/4.5.1/case'")
