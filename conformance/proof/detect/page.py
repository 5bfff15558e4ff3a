"""The page `results/detection/README.md`: how many of the faults were found, and which were not."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from conformance.proof.detect.explained import EXPLAINED, NO_DEFECT, WhyMissed
from conformance.proof.detect.results import FOUND, Fate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from conformance.proof.detect.explained import Explanation
    from conformance.proof.detect.results import Head, Tried

__all__ = [
    "FOLDER",
    "PAGE",
    "RECORD",
    "contradicted",
    "not_found",
    "open_faults",
    "rate",
    "render",
    "seen_rate",
    "summary",
]

FOLDER: Final = EXPLAINED.parent
PAGE: Final = FOLDER / "README.md"
RECORD: Final = FOLDER / "faults.jsonl"

_NOT_FOUND: Final = (Fate.UNREACHED, Fate.UNDECIDED, Fate.SURVIVED)

_COLUMNS: Final = (
    ("faults", "that were tried"),
    ("named", "found by a verdict on what the device did, which names a statement"),
    (
        "by life",
        "found by death, silence or refusal to serve, and in 60 more cases by nothing else",
    ),
    ("hung", "the device never returned"),
    ("undecided", "no verdict, but cases that are decided for the reference were not"),
    ("unreached", "no case executes the place"),
    ("survived", "every case that executes the place says what it says of the reference"),
    ("explained", "of the last three, those in which there is nothing to find"),
)

_HEAD: Final = """\
# Detection

How many faults the suite finds that nobody has chosen: they are made by machine out of the
reference endpoint's own source, `rpcrdma/endpoint`, a comparison, a number, a condition or a
statement at a time. `rpcrdma dev detect --write` makes this page, and no word of it is changed by
hand; `CONTRIBUTING.md` says how it works.

A mutant of `targets/mutants` is written to break a statement. Most of these faults break none: they
change what no peer can see, or what the documents leave open. Whatever was not found is listed.
What there is nothing to find in is explained (`explained.toml`) and left out of the rate; what
nobody has looked at yet counts as not found.

Of what was not found, each case that executes the place is held against the reference's: what was
sent either way, RDMA operations, the ends of connections, and what a client's application was
given. XIDs and handles are numbered as they appear, from 0xeeee0001; times are not compared, nor
are the few cases in which the reference itself shows another thing each time.
"""


def render(head: Head, tried: Sequence[Tried], explained: Mapping[str, Explanation]) -> str:
    """The text of the page."""
    return "\n".join(_lines(head, tried, explained)) + "\n"


def rate(tried: Iterable[Tried], explained: Mapping[str, Explanation]) -> tuple[int, int]:
    """How many were found, of how many in which there is something to find."""
    found = of = 0
    for one in tried:
        if one.outcome in FOUND:
            found += 1
            of += 1
        elif not _is_no_defect(one, explained):
            of += 1
    return found, of


def seen_rate(tried: Iterable[Tried], explained: Mapping[str, Explanation]) -> tuple[int, int]:
    """The same of those that were found, or show in a case."""
    return rate((one for one in tried if one.outcome in FOUND or one.seen), explained)


def contradicted(tried: Iterable[Tried], explained: Mapping[str, Explanation]) -> tuple[Tried, ...]:
    """Those that are explained as the same endpoint, or as out of reach, and show in a case."""
    return tuple(
        one
        for one in tried
        if one.seen
        and (known := explained.get(one.fingerprint)) is not None
        and known.kind in (WhyMissed.EQUIVALENT, WhyMissed.UNREACHABLE)
    )


def not_found(tried: Iterable[Tried], explained: Mapping[str, Explanation]) -> tuple[Tried, ...]:
    """Those that were not found, and in which there may be something to find."""
    return tuple(
        one for one in tried if one.outcome in _NOT_FOUND and not _is_no_defect(one, explained)
    )


def open_faults(tried: Iterable[Tried], explained: Mapping[str, Explanation]) -> tuple[Tried, ...]:
    """Those that were not found and that nobody has explained."""
    return tuple(
        one for one in tried if one.outcome in _NOT_FOUND and one.fingerprint not in explained
    )


def summary(tried: Sequence[Tried], explained: Mapping[str, Explanation]) -> str:
    """One sentence."""
    found, of = rate(tried, explained)
    named = sum(one.outcome is Fate.NAMED for one in tried)
    left = len(tried) - of
    return (
        f"{len(tried)} faults: {found} found, {named} of them by a verdict that names a statement;"
        f" {left} in which there is nothing to find; {_percent(found, of)} of the rest found,"
        f" {_percent(named, of)} named{_of_seen(tried, explained)}"
    )


def _of_seen(tried: Sequence[Tried], explained: Mapping[str, Explanation]) -> str:
    """The rate of those that show; nothing where that was not looked at."""
    if all(one.seen is None for one in tried):
        return ""
    return f"; of those that change what a case shows, {_percent(*seen_rate(tried, explained))}"


def _lines(
    head: Head, tried: Sequence[Tried], explained: Mapping[str, Explanation]
) -> Iterator[str]:
    yield _HEAD
    yield (
        f"Measured at commit {head.commit}: a sample of {len(tried)} of {head.faults} faults in"
        f" `{head.under}`, spread over its modules, drawn with seed {head.seed}. Each was judged by"
        " the cases that execute its place, as `reference` and as `reference-client`, on loopback."
    )
    yield f"\n**{summary(tried, explained)}.**\n"
    yield from _table(tried, explained)
    yield "\n## By operator\n"
    yield from _operators(tried, explained)
    yield from _missed(tried, explained)


def _table(tried: Sequence[Tried], explained: Mapping[str, Explanation]) -> Iterator[str]:
    yield from (f"- {name}: {meaning};" for name, meaning in _COLUMNS)
    yield "- rate: found, of those that are not explained.\n"
    yield f"| module | {' | '.join(name for name, _ in _COLUMNS)} | rate |"
    yield "| --- |" + " ---: |" * (len(_COLUMNS) + 1)
    by_module: dict[str, list[Tried]] = defaultdict(list)
    for one in tried:
        by_module[one.module.removeprefix("rpcrdma.")].append(one)
    for module, own in sorted(by_module.items()):
        yield _row(f"`{module}`", own, explained)
    yield _row("all", tried, explained)


def _row(name: str, tried: Sequence[Tried], explained: Mapping[str, Explanation]) -> str:
    counted = Counter(one.outcome for one in tried)
    numbers = [len(tried), *(counted[outcome] for outcome in Fate)]
    numbers.append(
        sum(one.outcome in _NOT_FOUND and _is_no_defect(one, explained) for one in tried)
    )
    return f"| {name} | {' | '.join(map(str, numbers))} | {_percent(*rate(tried, explained))} |"


def _operators(tried: Sequence[Tried], explained: Mapping[str, Explanation]) -> Iterator[str]:
    yield "| operator | faults | found | nothing to find | rate |"
    yield "| --- |" + " ---: |" * 4
    for operator in sorted({one.operator for one in tried}):
        own = [one for one in tried if one.operator == operator]
        found, of = rate(own, explained)
        left = len(own) - of
        yield f"| {operator} | {len(own)} | {found} | {left} | {_percent(found, of)} |"


def _missed(tried: Sequence[Tried], explained: Mapping[str, Explanation]) -> Iterator[str]:
    missed = [one for one in tried if one.outcome in _NOT_FOUND]
    groups: dict[str, list[Tried]] = defaultdict(list)
    for one in missed:
        known = explained.get(one.fingerprint)
        groups[_open(one) if known is None else known.kind.value].append(one)
    titles = {
        "seen": "Changes what is sent, no verdict",
        "missing-case": "Defects that a case should find",
        "silent": "Changes nothing in any case",
        "open": "Not looked at yet",
        "lawful": "Lawful",
        "unreachable": "Out of reach of any peer",
        "equivalent": "The same endpoint",
    }
    for kind, title in titles.items():
        if groups[kind]:
            yield f"\n## {title}: {len(groups[kind])}\n"
            yield from (_told(one, explained) for one in groups[kind])


def _open(one: Tried) -> str:
    """The group of what nobody has explained."""
    if one.seen is None:
        return "open"
    return "seen" if one.seen else "silent"


def _told(one: Tried, explained: Mapping[str, Explanation]) -> str:
    place = f"`{one.id.removeprefix('rpcrdma.')}`, {one.function or 'the module'}"
    known = explained.get(one.fingerprint)
    why = "" if known is None else f" {' '.join(known.why.split())}"
    return f"- {place} ({one.outcome.value}, {one.fingerprint}): {one.what}.{why}{_shows(one)}"


def _shows(one: Tried) -> str:
    """Where it shows, and how."""
    if not one.seen:
        return ""
    more = one.seen - len(one.seen_in)
    cases = ", ".join(f"`{case}`" for case in one.seen_in) + (f" and {more} more" if more else "")
    return f" Shows in {cases}: {one.difference}."


def _is_no_defect(one: Tried, explained: Mapping[str, Explanation]) -> bool:
    known = explained.get(one.fingerprint)
    return known is not None and known.kind in NO_DEFECT


def _percent(part: int, of: int) -> str:
    return f"{100 * part / of:.0f} %" if of else "-"
