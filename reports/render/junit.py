"""JUnit XML, as CI servers read it: a test suite for each section, a test case for each case.

It is what Jenkins' xUnit plugin takes (junit-10.xsd): `testsuites` holds suites and nothing else,
each of which counts its cases.  What made the run stands as properties in the first suite.
`reports.render.ci_case` says what becomes of which verdict.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from reports.printable import printable
from reports.render.ci_case import CiCase, CiResult, by_section, ci_cases
from reports.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reports.baseline import BaselineCheck
    from reports.record import RunRecord

__all__ = ["junit_document"]

_TAGS: Final = {
    CiResult.FAILED: "failure",
    CiResult.ERROR: "error",
    CiResult.SKIPPED: "skipped",
    CiResult.KNOWN: "skipped",
}

_COUNTS: Final = {
    "failures": (CiResult.FAILED,),
    "errors": (CiResult.ERROR,),
    "skipped": (CiResult.SKIPPED, CiResult.KNOWN),
}
"""Attribute of a suite -> what it counts."""


def junit_document(run: RunRecord, check: BaselineCheck | None = None) -> bytes:
    """The document, with what a baseline says of the run."""
    found = ci_cases(run, check)
    seconds = f"{run.footer.duration if run.footer else 0.0:.3f}"
    name = f"rpcrdma.{run.header.target}"
    # The schema has no count of what was skipped for the whole.
    total = {key: value for key, value in _counted(found).items() if key != "skipped"}
    root = ElementTree.Element("testsuites", {"name": name, "time": seconds, **total})
    sections = by_section(found) or {name: ()}
    for section, group in sections.items():
        _add_suite(root, section, group, run.header.started)
    _add_facts(root[0], run, check)
    ElementTree.indent(root)
    page = io.BytesIO()
    ElementTree.ElementTree(root).write(page, encoding="utf-8", xml_declaration=True)
    return page.getvalue()


def _add_suite(
    root: ElementTree.Element, section: str, group: tuple[CiCase, ...], started: str
) -> None:
    seconds = f"{sum(case.duration or 0.0 for case in group):.3f}"
    attributes = {"name": section.replace("/", " "), "timestamp": started, "time": seconds}
    suite = ElementTree.SubElement(root, "testsuite", {**attributes, **_counted(group)})
    for case in group:
        _add_case(suite, case)


def _add_facts(suite: ElementTree.Element, run: RunRecord, check: BaselineCheck | None) -> None:
    facts = [("fabric", run.header.fabric), *run.header.facts]
    if check:
        facts.append(("baseline", check.file))
    facts += [("not reached", result.citation.id) for result in summarise(run).not_reached]
    properties = ElementTree.Element("properties")
    for name, value in facts:
        ElementTree.SubElement(properties, "property", name=name, value=printable(value))
    suite.insert(0, properties)


def _add_case(suite: ElementTree.Element, case: CiCase) -> None:
    # Document and section, in the dotted form by which CI servers group.
    attributes = {"classname": case.section.replace("/", "."), "name": case.id}
    if case.duration is not None:
        attributes["time"] = f"{case.duration:.3f}"
    element = ElementTree.SubElement(suite, "testcase", attributes)
    explanation = "\n".join(case.explanation)
    match case.result:
        case CiResult.FAILED | CiResult.ERROR:
            tag = _TAGS[case.result]
            told = ElementTree.SubElement(element, tag, message=case.message)
            told.text = explanation or None
        case CiResult.SKIPPED:
            message = f"{case.verdict}: {case.message}"
            ElementTree.SubElement(element, "skipped", message=message)
        case CiResult.KNOWN:
            ElementTree.SubElement(element, "skipped", message=case.message)
            ElementTree.SubElement(element, "system-out").text = explanation
        case CiResult.PASSED if explanation:
            output = ElementTree.SubElement(element, "system-out")
            output.text = f"{case.verdict}: {explanation}"
        case CiResult.PASSED:
            pass
    if case.notes:
        notes = "\n".join(f"note: {note}" for note in case.notes)
        ElementTree.SubElement(element, "system-out").text = notes


def _counted(group: Iterable[CiCase]) -> dict[str, str]:
    kinds = [case.result for case in group]
    counts = {key: sum(kind in kept for kind in kinds) for key, kept in _COUNTS.items()}
    return {name: str(count) for name, count in {"tests": len(kinds), **counts}.items()}
