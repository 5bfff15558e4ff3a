"""Every requirement as a page: what it says, which cases look at it, which mutants prove them.

There is one page for each chapter of each document, `reference/requirements/rfc8166-4.md`, and an
index with the numbers.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.catalogue.entries import Testability, load_catalogue
from conformance.proof.kills import read_kills
from conformance.suite.runner import collect_cases
from targets.mutants.base import mutants

if TYPE_CHECKING:
    from conformance.catalogue.entries import Document, Requirement
    from conformance.proof.kills import Kill
    from targets.mutants.base import Mutant

__all__ = ["FOLDER", "requirement_pages"]

FOLDER: Final = "reference/requirements"

_READ_AT: Final = {
    "rfc8166": "https://www.rfc-editor.org/rfc/rfc8166",
    "bidir": "https://datatracker.ietf.org/doc/html/draft-ietf-nfsv4-rpcrdma-bidirection-01",
    "v2": "https://datatracker.ietf.org/doc/html/draft-cel-nfsv4-rpcrdma-version-two-01",
    "xcharext": "https://datatracker.ietf.org/doc/html/draft-dnoveck-nfsv4-rpcrdma-xcharext-03",
    "rtrext": "https://datatracker.ietf.org/doc/html/draft-dnoveck-nfsv4-rpcrdma-rtrext-01",
}
"""Where the documents themselves are."""

_HEAD: Final = """\
# Requirements

All that the documents demand, in our own words, with the cases that look at it and the mutants by
which these cases are proved. A mutant is the reference endpoint with one behaviour broken
([Concepts](../../concepts.md)). Made of the catalogue and of the cases when the site is built;
`rpcrdma explain ID` says more of each.

| document | requirements | seen on the wire | with cases | mutants |
|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class _Proof:
    """Requirement -> titles of its cases by id without parameters; requirement -> its mutants."""

    cases: dict[str, dict[str, str]]
    mutants: dict[str, list[Mutant]]
    kills: dict[str, Kill]


def requirement_pages() -> dict[str, str]:
    """Page of the site -> Markdown."""
    proof = _proof()
    index = [_HEAD]
    pages: dict[str, str] = {f"{FOLDER}/index.md": ""}
    chapters = ["\n"]
    for document in load_catalogue().documents:
        index.append(_row(document, proof))
        by_chapter: dict[str, list[Requirement]] = defaultdict(list)
        for entry in document.requirement:
            by_chapter[entry.section.partition(".")[0]].append(entry)
        for chapter, entries in by_chapter.items():
            name = f"{document.document}-{chapter}.md"
            title = f"{document.document}, chapter {chapter}"
            chapters.append(f"- [{title}]({name}): {len(entries)}\n")
            parts = [f"# {title}\n\n{document.title}\n"]
            parts += (_entry(entry, proof) for entry in entries)
            pages[f"{FOLDER}/{name}"] = "\n".join(parts)
    pages[f"{FOLDER}/index.md"] = "".join((*index, *chapters))
    return pages


def _proof() -> _Proof:
    cases: dict[str, dict[str, str]] = defaultdict(dict)
    for case in collect_cases():
        for requirement in case.requirements:
            cases[requirement].setdefault(case.id.partition("[")[0], case.title)
    breaking: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants():
        breaking[mutant.breaks].append(mutant)
    return _Proof(cases, breaking, dict(read_kills()))


def _row(document: Document, proof: _Proof) -> str:
    entries = document.requirement
    wire = [entry for entry in entries if entry.test is Testability.WIRE]
    with_cases = [entry for entry in wire if entry.id in proof.cases]
    count = sum(len(proof.mutants.get(entry.id, ())) for entry in entries)
    title = f"{document.document}: {document.title}"
    return f"| {title} | {len(entries)} | {len(wire)} | {len(with_cases)} | {count} |\n"


def _entry(entry: Requirement, proof: _Proof) -> str:
    link = f"[section {entry.section}]({_READ_AT[entry.document]}#section-{entry.section})"
    lines = [
        f"## {entry.id} {{#{entry.id}}}",
        "",
        f"**{entry.level.value}**, binds: {entry.role.value}, {link}",
        "",
        f"> {entry.text}",
        "",
    ]
    if entry.test is not Testability.WIRE:
        lines += [f"Not tested ({entry.test.value}): {entry.reason}", ""]
    if entry.needed:
        lines += [f"Binds all the same: {entry.needed}", ""]
    for role, reason in entry.unseen.items():
        lines += [f"Not seen of a {role.value}: {reason}", ""]
    if entry.interpretations:
        links = ", ".join(f"[{one}](../readings.md#{one})" for one in entry.interpretations)
        lines += [f"Read by: {links}", ""]
    if cases := proof.cases.get(entry.id):
        lines += ["Cases:", ""]
        lines += [f"- `{case}`: {title}" for case, title in cases.items()]
        lines.append("")
    if broken := proof.mutants.get(entry.id):
        lines += ["Mutants, each with the first case that finds it:", ""]
        for mutant in broken:
            killers = proof.kills[mutant.slug].killers if mutant.slug in proof.kills else ()
            by = f" Found by `{killers[0]}`." if killers else " Found by none."
            lines.append(f"- `mutant:{mutant.slug}`: {mutant.deviation}{by}")
        lines.append("")
    return "\n".join(lines)
