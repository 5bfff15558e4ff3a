"""What the pages of a report tell beside the run: documents, readings, mutants, other devices."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.catalogue.entries import load_catalogue
from conformance.catalogue.interpretations import load_interpretations
from conformance.proof.kills import read_kills
from conformance.suite.runner import collect_cases
from reports.baseline import load_baseline, resolved_link
from reports.pages.background import (
    Background,
    DeviceFinding,
    DocumentAddress,
    FoundMutant,
    KnownDevice,
    ReadingText,
)
from targets.mutants.base import PREFIX, mutants
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.catalogue.entries import Document

__all__ = ["background"]

_RESULTS: Final = Path(__file__).parents[2] / "results"
"""What is known of devices: a folder beside the packages, also where they are installed."""

_RFC: Final = "https://www.rfc-editor.org/rfc"
_DRAFT: Final = "https://datatracker.ietf.org/doc/html"

_SOUND: Final = "passes, or is not applicable: the tests of the suite itself hold it to that"
_NO_DEVIATION: Final = "no deviation is known"


@cache
def background() -> Background:
    """Everything that is known, read once.

    Raises:
        CatalogueError: a file of the catalogue cannot be used.
        BaselineError: neither can a published baseline.
    """
    catalogue = load_catalogue()
    return Background(
        documents={
            one.document: DocumentAddress(one.title, _address(one)) for one in catalogue.documents
        },
        bound={entry.id: entry.role.value for entry in catalogue},
        readings={
            name: ReadingText(
                entry.title,
                entry.where,
                entry.conflict,
                entry.adopted,
                entry.why,
                entry.effect,
                entry.options,
            )
            for name, entry in load_interpretations().items()
        },
        mutants=_mutants(),
        roles={case.id: case.role for case in collect_cases()},
        devices=(
            KnownDevice("reference", "responder", {}, _SOUND),
            KnownDevice("reference-client", "requester", {}, _SOUND),
            *_published(),
        ),
    )


def _address(document: Document) -> str:
    name = document.source.removesuffix(".txt") or document.document
    return f"{_DRAFT if name.startswith('draft-') else _RFC}/{name}"


def _mutants() -> dict[str, tuple[FoundMutant, ...]]:
    """Those that a case finds, by the case's id without parameters."""
    kills = read_kills()
    found: dict[str, list[FoundMutant]] = {}
    for mutant in mutants():
        shown = FoundMutant(f"{PREFIX}{mutant.slug}", mutant.deviation, mutant.breaks)
        killers = kills[mutant.slug].killers if mutant.slug in kills else ()
        for case in dict.fromkeys(killer.partition("[")[0] for killer in killers):
            found.setdefault(case, []).append(shown)
    return {case: tuple(members) for case, members in found.items()}


def _published() -> Iterator[KnownDevice]:
    """The devices with a published baseline, a kernel after the other."""
    for file in sorted(_RESULTS.glob("linux-*/baseline*.toml")):
        kernel = file.parent.name.removeprefix("linux-")
        baseline = load_baseline(file)
        findings: dict[str, tuple[DeviceFinding, ...]] = {}
        for finding, case in baseline.entries(kernel):
            told = DeviceFinding(
                case.verdict, finding.why, resolved_link(finding.link, file), case.sometimes
            )
            findings[case.id] = (*findings.get(case.id, ()), told)
        for role in find_profile(baseline.target).claims.roles:
            name = f"{baseline.target}, Linux {kernel}"
            yield KnownDevice(name, role, findings, _NO_DEVIATION)
