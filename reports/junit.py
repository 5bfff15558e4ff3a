"""JUnit XML, as CI servers read it: one test case for each case of the run.

FAIL becomes a failure, ERROR and cases without a record become errors, INCONC and N/A are skipped
with their reason; WARN passes with the reason as its output: a SHOULD does not fail a build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from reports.record import CaseRecord, RunRecord, Verdict
from reports.summary import summarise

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_junit"]


def write_junit(run: RunRecord, path: Path) -> None:
    """Write the run to `path`."""
    summary = summarise(run)
    counts = summary.counts
    suite = ElementTree.Element(
        "testsuite",
        name=f"rpcrdma.{run.header.target}",
        timestamp=run.header.started,
        tests=str(summary.total + len(summary.missing)),
        failures=str(counts[Verdict.FAIL]),
        errors=str(counts[Verdict.ERROR] + len(summary.missing)),
        skipped=str(counts[Verdict.INCONC] + counts[Verdict.NA]),
        time=f"{run.footer.duration if run.footer else 0.0:.3f}",
    )
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (("fabric", run.header.fabric), *run.header.facts):
        ElementTree.SubElement(properties, "property", name=name, value=_printable(value))
    for case in run.cases:
        _add_case(suite, case)
    for case_id in summary.missing:
        element = ElementTree.SubElement(suite, "testcase", classname=_class(case_id), name=case_id)
        ElementTree.SubElement(element, "error", message="no record: the run was cut short")
    tree = ElementTree.ElementTree(suite)
    ElementTree.indent(tree)
    tree.write(path, encoding="utf-8", xml_declaration=True)


def _add_case(suite: ElementTree.Element, case: CaseRecord) -> None:
    element = ElementTree.SubElement(
        suite,
        "testcase",
        classname=_class(case.id),
        name=case.id,
        time=f"{case.duration:.3f}",
    )
    message = _printable(case.reason or case.title)
    match case.verdict:
        case Verdict.FAIL:
            failure = ElementTree.SubElement(element, "failure", message=message)
            failure.text = _printable(_explanation(case))
        case Verdict.ERROR:
            error = ElementTree.SubElement(element, "error", message=message)
            error.text = _printable(_explanation(case))
        case Verdict.INCONC | Verdict.NA:
            skipped = f"{case.verdict.value}: {message}"
            ElementTree.SubElement(element, "skipped", message=skipped)
        case Verdict.WARN:
            output = ElementTree.SubElement(element, "system-out")
            output.text = _printable(f"WARN: {_explanation(case)}")
        case Verdict.PASS:
            pass


def _explanation(case: CaseRecord) -> str:
    lines = [case.reason]
    lines += [f"violated: {requirement}" for requirement in case.violated]
    lines += [f"expected: {outcome}" for outcome in case.expected]
    lines += [f"actual: {case.actual}", f"run again: {case.rerun}"]
    return "\n".join(lines)


def _class(case_id: str) -> str:
    """Document and section, in the dotted form by which CI servers group."""
    return ".".join(case_id.split("/")[:2])


def _printable(text: str) -> str:
    """Without the characters that XML 1.0 cannot carry."""
    return "".join(c if c in "\t\n\r" or ord(c) >= 0x20 else "�" for c in text)
