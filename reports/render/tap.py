"""TAP 14 and KTAP: a line for each case, with the cases of a section as its subtests.

TAP 14  testanything.org, "TAP 14 specification"
KTAP    Documentation/dev-tools/ktap.rst of the Linux kernel, version 1

Both say `ok` or `not ok`; a deviation that a baseline knows is `# TODO` in TAP and `# XFAIL` in
KTAP, what has no record or says nothing of the device is `# ERROR` in KTAP.  Why a case is not as
it should be follows its line as YAML in TAP, and precedes it as comments in KTAP.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from reports.printable import printable_line
from reports.render.ci_case import CiCase, CiResult, by_section, ci_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reports.baseline import BaselineCheck
    from reports.record import RunRecord

__all__ = ["ktap_document", "tap_document"]

_TAP_INDENT: Final = "    "
_KTAP_INDENT: Final = "  "

_KTAP_DIRECTIVES: Final = {
    CiResult.PASSED: "",
    CiResult.FAILED: "",
    CiResult.SKIPPED: "SKIP",
    CiResult.KNOWN: "XFAIL",
    CiResult.ERROR: "ERROR",
}


def tap_document(run: RunRecord, check: BaselineCheck | None = None) -> str:
    """The run in TAP 14, with what a baseline says of it."""
    sections = by_section(ci_cases(run, check))
    lines = ["TAP version 14", f"1..{len(sections)}"]
    for number, (section, group) in enumerate(sections.items(), 1):
        lines.append(f"# Subtest: {section}")
        inner = [f"1..{len(group)}"]
        for place, case in enumerate(group, 1):
            inner += _tap_case(place, case)
        lines += (_TAP_INDENT + line for line in inner)
        skipped = " # SKIP no case of it was judged" if _all_skipped(group) else ""
        lines.append(f"{_word(group)} {number} - {_escaped(section)}{skipped}")
    return _text(lines)


def ktap_document(run: RunRecord, check: BaselineCheck | None = None) -> str:
    """The run in KTAP, with what a baseline says of it."""
    sections = by_section(ci_cases(run, check))
    lines = ["KTAP version 1", f"1..{len(sections)}"]
    for number, (section, group) in enumerate(sections.items(), 1):
        inner = ["KTAP version 1", f"# Subtest: {section}", f"1..{len(group)}"]
        for place, case in enumerate(group, 1):
            inner += _ktap_case(place, case)
        lines += (_KTAP_INDENT + line for line in inner)
        skipped = " # SKIP no case of it was judged" if _all_skipped(group) else ""
        lines.append(f"{_word(group)} {number} {_unmarked(section)}{skipped}")
    return _text(lines)


def _tap_case(number: int, case: CiCase) -> Iterator[str]:
    good = case.result.good and case.result is not CiResult.KNOWN
    line = f"{'ok' if good else 'not ok'} {number} - {_escaped(case.id)}"
    why = _escaped(case.message)
    if case.result is CiResult.SKIPPED:
        yield f"{line} # SKIP {case.verdict}: {why}"
    elif case.result is CiResult.KNOWN:
        yield f"{line} # TODO {why}"
    else:
        yield line
    if case.explanation or case.notes or (case.message and not good):
        yield from _yaml(case)


def _yaml(case: CiCase) -> Iterator[str]:
    """What there is to say, as YAML whose every text is written as in JSON: nothing escapes it.

    Texts of several lines are one scalar: the reader of Perl's harness takes an item of a list that
    begins with a word and a colon for a mapping, quoted or not.
    """
    texts = {
        "message": case.message,
        "verdict": case.verdict,
        "explanation": "\n".join(case.explanation),
        "notes": "\n".join(case.notes),
    }
    yield "  ---"
    yield from (f"  {name}: {json.dumps(text)}" for name, text in texts.items() if text)
    yield "  ..."


def _ktap_case(number: int, case: CiCase) -> Iterator[str]:
    told = case.explanation or ((case.message,) if not case.result.good else ())
    if case.same_as:
        told = (case.message, *told)
    if case.result is CiResult.PASSED and told:
        told = (f"{case.verdict}:", *told)
    for text in (*told, *(f"note: {note}" for note in case.notes)):
        yield f"# {_unmarked(text)}"
    line = f"{'ok' if case.result.good else 'not ok'} {number} {_unmarked(case.id)}"
    directive = _KTAP_DIRECTIVES[case.result]
    why = f"{case.verdict}: " if case.result is CiResult.SKIPPED else ""
    yield f"{line} # {directive} {why}{_unmarked(case.message)}" if directive else line


def _word(group: tuple[CiCase, ...]) -> str:
    return "ok" if all(case.result.good for case in group) else "not ok"


def _all_skipped(group: tuple[CiCase, ...]) -> bool:
    return all(case.result is CiResult.SKIPPED for case in group)


def _escaped(text: str) -> str:
    """One line in which a number sign begins no directive (TAP 14, "Escaping")."""
    return re.sub(r"([\\#])", r"\\\1", printable_line(text))


def _unmarked(text: str) -> str:
    """One line without number signs, for which KTAP has no escape."""
    return printable_line(text).replace("#", "No.")


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
