"""A conformance statement as text and as a page: the same words in both."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from reports.printable import printable
from reports.render.templating import templates_of
from reports.summary import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reports.statement import Statement

__all__ = ["STATEMENTS", "statement_html", "statement_text"]

STATEMENTS: Final = ("statement.html", "statement.txt")
"""Names of the files in the folder of the run."""

COLUMNS: Final = ("met", "not met", "tolerated", "not tested", "not claimed")

MEANS: Final = (
    "A requirement is met if a case looked at it and none found it broken; tolerated, if it was not"
    " kept to the letter in a way that is only warned of; not tested, if no case could be brought"
    " about or another requirement was broken first; not claimed, if its cases need what the"
    " profile does not claim. A test shows the presence of faults, never their absence."
)

HOW: Final = (
    "SHA-256 of the lines that sha256sum prints of records.jsonl and of each file below evidence,"
    " sorted by name. `rpcrdma statement FOLDER --verify FILE` holds this statement against them."
)

_WIDTH: Final = 100
_IDS: Final = 3
"""Cases that are named for each violation."""


def statement_text(statement: Statement) -> str:
    """The statement in lines of at most 100 characters, but for facts that are longer."""
    title = f"Conformance statement: {statement.target}"
    return "\n".join(_lines(statement, title)) + "\n"


def statement_html(statement: Statement) -> str:
    """The statement as a page of its own, which needs nothing else."""
    page = templates_of("reports.render").get_template("statement.html.j2")
    return page.render(statement=statement, columns=COLUMNS, means=MEANS, how=HOW, shown=_IDS)


def _lines(statement: Statement, title: str) -> Iterator[str]:
    yield from (title, "=" * len(title), "", *_wrapped(statement.result), "")
    width = max(len(name) for name, _ in statement.facts)
    yield from (f"{name:{width}}  {printable(value)}" for name, value in statement.facts)
    yield from ("", "Requirements by document and level", "")
    yield f"{'document':10} {'level':12}" + "".join(f"{name:>14}" for name in COLUMNS)
    for document, level, count in statement.tallies:
        numbers = (count.met, count.unmet, count.tolerated, count.untested, count.unclaimed)
        yield f"{document:10} {level:12}" + "".join(f"{one:14}" for one in numbers)
    yield from ("", *_wrapped(MEANS), "", "Not met or not followed", "")
    for violation in statement.violations:
        citation = violation.citation
        yield f"{violation.verdict.value} {citation.id} ({citation.level})"
        yield from _wrapped(citation.text, "    ")
        yield from (f"    {case}" for case in violation.cases[:_IDS])
        if len(violation.cases) > _IDS:
            yield f"    and {counted(len(violation.cases) - _IDS, 'case')} more"
    if not statement.violations:
        yield "nothing"
    yield from ("", "Readings on which verdicts rest (rpcrdma/spec/INTERPRETATIONS.md)", "")
    yield from (f"{one}  {name}" for one, name in statement.readings)
    if not statement.readings:
        yield "none"
    yield from ("", "Not tested", "")
    for group in statement.not_tested:
        yield from _wrapped(f"{group.what}: {printable(group.why)}")
    if not statement.not_tested:
        yield "nothing"
    yield from ("", f"Evidence of {counted(statement.files, 'file')}", "", statement.digest)
    yield from _wrapped(HOW)


def _wrapped(text: str, indent: str = "") -> Iterable[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent or "    ")
