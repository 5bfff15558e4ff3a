"""A copy of the project without what is withheld, in which everything else goes on working.

    rpcrdma dev release FOLDER

The tracked files are copied but for those of `withheld.toml`, and pages and lists are edited as
that says.  What depends on what is left out follows by itself: the snapshot of the mutants' matrix
and the baselines name only cases that the copy has.  The copy is then searched for what it must not
have: the name of a case, or of a mutant, that was left out.  It has no history.

What is left out is told from what the copy has when it is asked, in a process of its own; so a copy
that cannot be imported is no release.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.bad_input import BadInput
from conformance.proof.kills import KILLS, Kill, read_kills, render
from conformance.proof.withheld import read_withheld

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from conformance.proof.withheld import Withheld

__all__ = ["ROOT", "Contents", "add_arguments", "make_release", "run", "tracked", "trimmed"]

ROOT: Final = Path(__file__).parents[2]

_ASK: Final = "from conformance.proof.release import Contents; print(Contents.here().told())"

_ID: Final = re.compile(r'^id = "(.*)"$', re.MULTILINE)
"""The case that an entry of a baseline is about."""


class Contents(msgspec.Struct, frozen=True):
    """What a copy of the project has.

    Attributes:
        cases: their ids.  beside: ids of what is found between them.
        mutants: names, and the classes that these are made of.
    """

    cases: frozenset[str]
    beside: frozenset[str]
    mutants: dict[str, str]

    @classmethod
    def here(cls) -> Contents:
        """Of the project that this module is a part of."""
        from conformance.suite.runner import collect_cases, known_ids
        from targets.mutants.base import mutants

        cases = frozenset(case.id for case in collect_cases())
        classes = {one.slug: _class_name(one.slug) for one in mutants()}
        return cls(cases, known_ids() - cases, classes)

    def told(self) -> str:
        """In one line, for another process."""
        return msgspec.json.encode(self).decode()

    def names_beyond(self, other: Contents) -> frozenset[str]:
        """What a text must not have that tells nothing of what this has and the other has not.

        The names of functions, with hyphens and underscores, and those of mutants.
        """
        slugs = {_function(case) for case in self.cases} - {_function(case) for case in other.cases}
        gone = self.mutants.keys() - other.mutants.keys()
        names = slugs | {slug.replace("-", "_") for slug in slugs}
        return frozenset(names | gone | {self.mutants[slug] for slug in gone})


def _function(case: str) -> str:
    return case.partition("[")[0].rpartition("/")[2]


def _class_name(slug: str) -> str:
    return "".join(word.capitalize() for word in slug.split("-"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `run` takes to a command line."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a new one, or an empty one")


def run(options: argparse.Namespace) -> int:
    """Make a release, and print what it is without.

    Raises:
        BadInput: it cannot be made; the message says why.
    """
    withheld = read_withheld(ROOT)
    left_out = make_release(ROOT, options.folder, withheld)
    sys.stdout.writelines(f"left out: {path}\n" for path in left_out)
    sys.stdout.write(
        f"{options.folder} is a release, without {len(left_out)} files and its history\n"
    )
    return 0


def tracked(root: Path) -> tuple[str, ...]:
    """The files of a project that git knows, from its root.

    Raises:
        BadInput: it is no working tree of git.
    """
    command = ["git", "-C", str(root), "ls-files", "-z"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadInput(f"{root} is no working tree of git: {error}") from error
    return tuple(filter(None, done.stdout.split("\0")))


def make_release(root: Path, folder: Path, withheld: Withheld) -> tuple[str, ...]:
    """Copy a project without what is withheld.

    Args:
        root: of the project.
        folder: where the copy goes.
        withheld: its list.

    Returns:
        The files that were left out.

    Raises:
        BadInput: the folder has something in it, the list does not fit the project, the copy cannot
            be imported, a mutant of it has no case any more, or it names what was left out.
    """
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty; name a new folder")
    paths = tracked(root)
    withheld.check(paths)
    _copy(root, folder, [path for path in paths if not withheld.takes(path)], withheld)
    whole, left = _ask(root), _ask(folder)
    _trim_kills(folder, left)
    for path in sorted((folder / "results").glob("*/baseline*.toml")):
        path.write_text(trimmed(path.read_text(encoding="utf-8"), left), encoding="utf-8")
    if found := sorted(_telling(folder, whole.names_beyond(left))):
        raise BadInput(
            f"the copy still names what is withheld: {'; '.join(found)}; add that to the list"
        )
    return tuple(path for path in paths if withheld.takes(path))


def _copy(root: Path, folder: Path, paths: Iterable[str], withheld: Withheld) -> None:
    for path in paths:
        source, place = root / path, folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        octets = source.read_bytes()
        if source.suffix in (".md", ".toml", ".jsonl", ".html"):
            octets = withheld.edited(path, octets.decode("utf-8")).encode("utf-8")
        place.write_bytes(octets)
        place.chmod(source.stat().st_mode)


def _ask(root: Path) -> Contents:
    """What a copy of the project has, by its own account."""
    surroundings = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _ASK],
        check=False,
        env=surroundings,
        cwd=root,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word of it"])[-1]
        raise BadInput(f"what is in {root} cannot be used: {last}")
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=Contents)


def _trim_kills(folder: Path, left: Contents) -> None:
    """Leave out of the snapshot of the mutants' matrix what the copy does not have."""
    place = folder / KILLS.relative_to(ROOT)
    kept = [
        Kill(kill.slug, tuple(case for case in kill.killers if case in left.cases), kill.trips)
        for kill in read_kills(place).values()
        if kill.slug in left.mutants
    ]
    alive = [kill.slug for kill in kept if not kill.killers]
    if alive:
        raise BadInput(
            f"no case is left that kills {', '.join(alive)}: withhold the mutants as well"
        )
    place.write_text(render(kept), encoding="utf-8")


def trimmed(baseline: str, left: Contents) -> str:
    """The text of a baseline without the cases that the copy does not have.

    Args:
        baseline: as `rpcrdma baseline` draws it up, with an empty line before each entry.
        left: what the copy has.
    """
    head, *entries = baseline.split("\n\n")
    kept: list[str] = []
    for entry in entries:
        found = _ID.search(entry) if entry.startswith("[[finding.case]]") else None
        if found is None or found[1] in left.cases | left.beside:
            kept.append(entry)
    # A finding that no case is left of.
    last = [*kept[1:], "[[finding]]"]
    kept = [
        one
        for one, then in zip(kept, last, strict=True)
        if not (one.startswith("[[finding]]") and then.startswith("[[finding]]"))
    ]
    return "\n\n".join((head, *(one.rstrip("\n") for one in kept))) + "\n"


def _telling(folder: Path, names: frozenset[str]) -> Iterator[str]:
    """The files of a copy that have one of these names, and which."""
    if not names:
        return
    found = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))
    for path in sorted(folder.rglob("*")):
        if path.is_file() and (hit := found.search(path.read_bytes().decode("utf-8", "replace"))):
            yield f"{path.relative_to(folder)} has `{hit[0]}`"
