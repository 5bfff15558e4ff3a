"""JUnit XML, as CI servers read it: one test case for each case of the run.

FAIL becomes a failure, ERROR and cases without a record become errors, INCONC and N/A are skipped
with their reason; WARN passes with the reason as its output: a SHOULD does not fail a build.
Notes are output as well, whatever the verdict.

With a baseline, a deviation that is as it says is skipped, with why it is known and the link;
whatever else it disagrees with becomes a failure (of a case of its own where the run has none).
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from reports.printable import printable
from reports.record import CaseRecord, RunRecord, Verdict
from reports.render.aside import write_aside
from reports.summary import ground, summarise

if TYPE_CHECKING:
    from pathlib import Path

    from reports.baseline import BaselineCheck, Known

__all__ = ["write_junit"]


def write_junit(run: RunRecord, path: Path, check: BaselineCheck | None = None) -> None:
    """Write the run to `path`."""
    suite = ElementTree.Element(
        "testsuite",
        name=f"rpcrdma.{run.header.target}",
        timestamp=run.header.started,
        time=f"{run.footer.duration if run.footer else 0.0:.3f}",
    )
    facts = [("fabric", run.header.fabric), *run.header.facts]
    if check:
        facts.append(("baseline", check.file))
    unreached = (result.citation.id for result in summarise(run).not_reached)
    facts += [("not reached", requirement) for requirement in unreached]
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in facts:
        ElementTree.SubElement(properties, "property", name=name, value=printable(value))
    for case in run.cases:
        _add_case(suite, case, check)
    for case_id in summarise(run).missing:
        message = "no record: the run was cut short"
        ElementTree.SubElement(_case(suite, case_id), "error", message=message)
    _add_unjudged(suite, run, check)
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(suite.findall("testcase"))))
    tree = ElementTree.ElementTree(suite)
    ElementTree.indent(tree)
    page = io.BytesIO()
    tree.write(page, encoding="utf-8", xml_declaration=True)
    write_aside(path, page.getvalue())


def _add_case(suite: ElementTree.Element, case: CaseRecord, check: BaselineCheck | None) -> None:
    element = _case(suite, case.id, f"{case.duration:.3f}")
    known = check.known.get(case.id) if check else None
    problem = check.problem_with(case.id) if check else ""
    if known:
        _add_known(element, case, known)
    elif problem:
        tag = "error" if case.verdict is Verdict.ERROR else "failure"
        message = printable(" ".join(filter(None, (problem, case.reason))))
        ElementTree.SubElement(element, tag, message=message).text = printable(_explanation(case))
    else:
        _add_verdict(element, case)
    _add_notes(element, case)


def _add_notes(element: ElementTree.Element, case: CaseRecord) -> None:
    """What breaks nothing, as output."""
    if case.notes:
        output = ElementTree.SubElement(element, "system-out")
        output.text = printable("\n".join(f"note: {note}" for note in case.notes))


def _add_known(element: ElementTree.Element, case: CaseRecord, known: Known) -> None:
    link = f" ({known.link})" if known.link else ""
    message = printable(f"known {case.verdict.value}: {known.why}{link}")
    ElementTree.SubElement(element, "skipped", message=message)
    ElementTree.SubElement(element, "system-out").text = printable(_explanation(case))


def _add_verdict(element: ElementTree.Element, case: CaseRecord) -> None:
    """What the verdict alone says."""
    message = printable(case.reason or case.title)
    match case.verdict:
        case Verdict.FAIL:
            failure = ElementTree.SubElement(element, "failure", message=message)
            failure.text = printable(_explanation(case))
        case Verdict.ERROR:
            error = ElementTree.SubElement(element, "error", message=message)
            error.text = printable(_explanation(case))
        case Verdict.INCONC | Verdict.NA:
            skipped = f"{case.verdict.value}: {message}"
            ElementTree.SubElement(element, "skipped", message=skipped)
        case Verdict.WARN:
            output = ElementTree.SubElement(element, "system-out")
            output.text = printable(f"WARN: {_explanation(case)}")
        case Verdict.PASS:
            pass


def _add_unjudged(suite: ElementTree.Element, run: RunRecord, check: BaselineCheck | None) -> None:
    """Entries of the baseline for which the run has no case."""
    judged = {case.id for case in run.cases}
    for problem in check.problems if check else ():
        if problem.case not in judged:
            message = printable(problem.sentence)
            ElementTree.SubElement(_case(suite, problem.case), "failure", message=message)


def _case(suite: ElementTree.Element, identity: str, time: str = "") -> ElementTree.Element:
    attributes = {"classname": _class(identity), "name": identity}
    if time:
        attributes["time"] = time
    return ElementTree.SubElement(suite, "testcase", attributes)


def _explanation(case: CaseRecord) -> str:
    lines = [case.reason]
    lines += [f"violated: {requirement}" for requirement in case.violated]
    lines += [f"rests on: {resting}" for resting in (ground(case),) if resting]
    lines += [f"not reached: {requirement}" for requirement in case.not_reached]
    lines += [f"expected: {outcome}" for outcome in case.expected]
    lines += [f"actual: {case.actual}", f"run again: {case.rerun}"]
    return "\n".join(lines)


def _class(case_id: str) -> str:
    """Document and section, in the dotted form by which CI servers group."""
    return ".".join(case_id.split("/")[:2])
