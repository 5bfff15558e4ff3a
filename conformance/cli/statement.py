"""`rpcrdma statement`: what a finished run says of a device, to be shown to others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from conformance.catalogue.entries import Testability, load_catalogue
from conformance.catalogue.interpretations import load_interpretations
from conformance.suite.runner import RECORDS, collect_cases
from reports.evidence_digest import evidence_digest, evidence_files
from reports.render.aside import write_aside
from reports.render.statement import STATEMENTS, statement_html, statement_text
from reports.statement import NoStatement, NotTested, Statement, statement_of
from reports.stream import read_run
from reports.summary import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from conformance.suite.case import Case
    from reports.record import RunRecord

__all__ = ["add_parser", "run", "unseen_by", "unselected_by"]

_DIFFERENT: Final = 1

_WHY: Final = {
    Testability.INTERNAL: "they bind an implementation within, where no message shows it",
    Testability.UNTESTABLE: "they bind nobody whom a case could look at, or take what no suite can"
    " bring about",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `statement` to the command line."""
    parser = subparsers.add_parser(
        "statement",
        help="state what a finished run says of a device",
        description=(
            "Write a conformance statement, as a page and as text, into the folder of a run: what"
            " was tested, under which claims and readings, by which version of the suite, when, the"
            " result for each document and level, what was not tested and why, and the digest of"
            " the evidence. A run that was cut short or judged nothing gets none."
        ),
        epilog=(
            "exit status: 0 written, or the same; 1 --verify found a difference; 2 there is no"
            " statement. example: rpcrdma statement results"
        ),
    )
    parser.add_argument("run_folder", metavar="RUN", type=Path, help="folder that certify wrote")
    parser.add_argument(
        "--verify",
        type=Path,
        metavar="FILE",
        help="write nothing; see whether this statement, page or text, is that of the run",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """State, or verify a statement; returns the exit status.

    Raises:
        BadInput: nothing can be stated of the run.
        OSError: a file cannot be read or written.
    """
    folder: Path = arguments.run_folder
    record = read_run(folder / RECORDS)
    try:
        statement = _statement(folder, record)
    except NoStatement as reason:
        raise BadInput(f"no statement of `{folder}`: {reason}") from reason
    if arguments.verify:
        return _verify(statement, arguments.verify, folder)
    texts = statement_html(statement), statement_text(statement)
    for name, text in zip(STATEMENTS, texts, strict=True):
        write_aside(folder / name, text.encode())
        print(folder / name)
    print(statement.result)
    return 0


def _statement(folder: Path, record: RunRecord) -> Statement:
    titles = {entry.id: entry.title for entry in load_interpretations().values()}
    return statement_of(
        record,
        evidence_digest(folder, RECORDS),
        len(evidence_files(folder, RECORDS)),
        titles=titles,
        unselected=unselected_by(record),
        unseen=tuple(unseen_by(record)),
    )


def _verify(statement: Statement, file: Path, folder: Path) -> int:
    given = file.read_text(encoding="utf-8", errors="replace")
    if statement.digest not in given:
        print(f"{file}: its evidence is not what `{folder}` holds: that is {statement.digest}")
        return _DIFFERENT
    if given not in (statement_html(statement), statement_text(statement)):
        print(
            f"{file}: the evidence is that of `{folder}`, but the words are not those that this"
            " version of the suite states of it"
        )
        return _DIFFERENT
    print(f"{file}: the statement of `{folder}`, and its evidence")
    return 0


def unselected_by(record: RunRecord) -> tuple[str, ...]:
    """The cases for the roles of a run's device that it was not asked for, but for destructive."""
    return tuple(case.id for case in _left_out(record) if not case.destructive)


def unseen_by(record: RunRecord) -> Iterator[NotTested]:
    """Destructive cases that were left out, and requirements that no case of a run looks at."""
    harmful = tuple(case.id for case in _left_out(record) if case.destructive)
    if harmful:
        why = "they may bring a device down, and --destructive had not been given"
        yield NotTested(counted(len(harmful), "case"), why, harmful)
    roles = _roles(record)
    cited = {citation.id for case in record.cases for citation in case.citations}
    seen = tuple(
        entry.id
        for entry in load_catalogue()
        if entry.id not in cited and {role.value for role in entry.seen_of} & roles
    )
    if seen:
        yield _requirements(seen, "no case of this run looks at them")
    for test, why in _WHY.items():
        yield _requirements(tuple(one.id for one in load_catalogue() if one.test is test), why)


def _left_out(record: RunRecord) -> list[Case]:
    planned, roles = set(record.header.planned), _roles(record)
    return [case for case in collect_cases() if case.role in roles and case.id not in planned]


def _requirements(ids: tuple[str, ...], why: str) -> NotTested:
    return NotTested(counted(len(ids), "requirement"), why, ids)


def _roles(record: RunRecord) -> set[str]:
    planned = set(record.header.planned)
    return {case.role for case in collect_cases() if case.id in planned}
