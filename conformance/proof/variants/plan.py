"""Which cases a variant is judged by, where not all of them can be run.

Over packets a case takes a second of the machine's time, and there are some thousands for each of
some hundred variants.  A variant is judged by those that its choice concerns, and by a sample.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from conformance.catalogue.entries import load_catalogue
from conformance.catalogue.interpretations import load_interpretations
from conformance.proof.detect.reach import spread
from conformance.suite.runner import collect_cases
from targets.registry import find_profile
from targets.variants.base import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conformance.suite.case import Case
    from targets.variants.base import Variant

__all__ = ["MOST_CONCERNED", "chosen_cases", "documents_about"]

MOST_CONCERNED: Final = 40
"""Cases about the statement or the reading that leaves the choice: of some there are hundreds."""


def documents_about(one: Variant, *, all_of_them: bool = False) -> str:
    """The documents in which the choice of a variant can show.

    Args:
        one: the variant.
        all_of_them: where there is time for them.

    Returns:
        Short names with commas between them; empty: all.
    """
    if one.documents and not all_of_them:
        return one.documents
    readings = {reading.id: reading.where for reading in load_interpretations().values()}
    if readings.get(one.allowed_by, one.allowed_by).startswith("rtrext"):
        return "rtrext"
    # What has to do with properties is Version Two's alone; all of the rest goes on in it.
    if one.sees_to_properties:
        return "v2,xcharext"
    # A third of all cases is about groups, where few of the older choices show.
    shows = all_of_them or any(begin.startswith("rtrext/") for begin, _ in one.leaves_open)
    return "" if shows else "rfc8166,bidir,v2,xcharext"


def chosen_cases(one: Variant, sample: int, seed: int) -> tuple[str, ...]:
    """Ids of the cases by which a variant is judged, in the order of the suite.

    These are cases about what leaves the choice, and of the others a sample that is spread over the
    sections; of what the choice leaves open there is one case of each kind.

    Args:
        one: the variant.
        sample: how many of the others.
        seed: of the sample.
    """
    role = find_profile(f"{PREFIX}{one.slug}").claims.roles[0]
    documents = documents_about(one).split(",")
    within = [case for case in collect_cases() if case.role == role and _is_from(case, documents)]
    closed = [case for case in within if not one.explanation(case.id)]
    concerned = spread_at_random((case.id for case in closed if _cites(case, one)), seed)
    left_open = (
        next((case.id for case in within if case.id.startswith(begin)), "")
        for begin, _ in one.leaves_open
    )
    chosen = {*concerned[:MOST_CONCERNED], *left_open}
    others = (case.id for case in closed if case.id not in chosen)
    chosen.update(spread_at_random(others, seed)[:sample])
    return tuple(case.id for case in within if case.id in chosen)


def spread_at_random(cases: Iterable[str], seed: int) -> tuple[str, ...]:
    """Cases shuffled, and then one of each section in turn."""
    shuffled = sorted(cases)
    random.Random(seed).shuffle(shuffled)  # noqa: S311  # draws a sample, guards no secret
    return spread(shuffled)


def _is_from(case: Case, documents: Sequence[str]) -> bool:
    return documents == [""] or case.id.partition("/")[0] in documents


def _cites(case: Case, one: Variant) -> bool:
    """Whether a case is about the statement or the reading that leaves the choice."""
    if one.allowed_by in (*case.requirements, *case.interpretations):
        return True
    catalogue = load_catalogue()
    return any(one.allowed_by in catalogue[cited].interpretations for cited in case.requirements)
