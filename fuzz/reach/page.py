"""The page `results/fuzzing/corpora.md`: what the kept corpora reach, and why not the rest."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from fuzz.reach.explained import EXPLAINED, Why, explanation_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fuzz.reach.branches import ReachedModule, Unreached
    from fuzz.reach.explained import WhyUnreached

__all__ = ["PAGE", "render", "summary", "unexplained"]

PAGE: Final = EXPLAINED.with_name("corpora.md")
"""The page."""

_HEAD: Final = """\
# What the corpora reach

Each input of each corpus in `fuzz/corpus` is run once by its harness, under coverage.py with
branches. A branch is one way on from a line that has several. What only judges, such as the
specification's oracle, does not count. `rpcrdma dev corpora --write` makes this page, and no word
of it is changed by hand; the explanations are those of `explained.toml` beside it.
"""

_TITLES: Final = {
    Why.OPEN: "An input could come there, and none does yet",
    Why.ELSEWHERE: "Not for inputs: the tests of the part reach it",
    Why.UNREACHABLE: "Out of reach of any input",
}


def render(
    modules: Sequence[ReachedModule], inputs: Mapping[str, int], explained: Sequence[WhyUnreached]
) -> str:
    """The text of the page.

    Args:
        modules: what was measured.
        inputs: harness -> how many there are.
        explained: why branches are not taken.
    """
    return "\n".join(_lines(modules, inputs, explained)) + "\n"


def summary(modules: Iterable[ReachedModule], explained: Sequence[WhyUnreached]) -> tuple[str, ...]:
    """One line for each package, generated codecs apart."""
    groups: dict[str, list[ReachedModule]] = {}
    for module in modules:
        kind = "generated codecs" if module.is_generated else "the rest"
        name = f"rpcrdma/{module.package}"
        groups.setdefault(f"{name}, {kind}" if module.package == "wire" else name, []).append(
            module
        )
    return tuple(f"{name}: {_told(own, explained)}" for name, own in sorted(groups.items()))


def unexplained(
    modules: Iterable[ReachedModule], explained: Sequence[WhyUnreached]
) -> tuple[Unreached, ...]:
    """The branches that are neither taken nor explained."""
    return tuple(
        branch
        for module in modules
        for branch in module.unreached
        if explanation_of(branch, explained) is None
    )


def _told(modules: Sequence[ReachedModule], explained: Sequence[WhyUnreached]) -> str:
    branches = sum(module.branches for module in modules)
    taken = sum(module.taken for module in modules)
    left = len(unexplained(modules, explained))
    return (
        f"{taken} of {branches} branches ({_percent(taken, branches)}),"
        f" {branches - taken - left} explained, {left} not"
    )


def _lines(
    modules: Sequence[ReachedModule], inputs: Mapping[str, int], explained: Sequence[WhyUnreached]
) -> Iterator[str]:
    yield _HEAD
    yield from (f"- {line}" for line in summary(modules, explained))
    yield "\n| corpus | inputs |\n| --- | ---: |"
    yield from (f"| {name} | {count} |" for name, count in sorted(inputs.items()))
    yield "\n| module | statements | executed | branches | taken | | explained |"
    yield "| --- |" + " ---: |" * 6
    for module in modules:
        if module.branches:
            yield _row(module, explained)
    yield from _reasons(modules, explained)
    left = unexplained(modules, explained)
    if left:
        yield f"\n## Explained by nobody: {len(left)}\n"
        yield from _listed(left)


def _row(module: ReachedModule, explained: Sequence[WhyUnreached]) -> str:
    known = len(module.unreached) - len(unexplained([module], explained))
    return (
        f"| `{module.name}` | {module.statements} | {module.executed} | {module.branches} |"
        f" {module.taken} | {_percent(module.taken, module.branches)} | {known} |"
    )


def _reasons(modules: Sequence[ReachedModule], explained: Sequence[WhyUnreached]) -> Iterator[str]:
    of: dict[WhyUnreached, list[Unreached]] = {one: [] for one in explained}
    for module in modules:
        for branch in module.unreached:
            if (known := explanation_of(branch, explained)) is not None:
                of[known].append(branch)
    for kind, title in _TITLES.items():
        own = {one: branches for one, branches in of.items() if one.kind is kind}
        if own:
            yield f"\n## {title}: {sum(map(len, own.values()))}\n"
            for one, branches in own.items():
                place = f"`{one.where}`" + (f", `{one.line}`" if one.line else "")
                yield f"- {place} ({len(branches)}): {one.why}"


def _listed(branches: Iterable[Unreached]) -> Iterator[str]:
    counted = Counter(branches)
    for branch, times in counted.items():
        way = f"to `{branch.onward}`" if branch.came else "never reached"
        often = f" ({times} times)" if times > 1 else ""
        yield f"- `{branch.where}`: `{branch.line}`, {way}{often}"


def _percent(part: int, of: int) -> str:
    return f"{100 * part / of:.1f} %" if of else "-"
