"""The snapshot of the mutants' matrix: which cases kill each mutant, and what else it trips.

`targets/mutants/kills.toml` is written by `rpcrdma dev matrix --write`, checked in,
and reviewed as a diff: a case that ceases to find a mutant, and a requirement that is blamed for
what another one says, show there.  The tests run the first killer of each mutant.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import targets.mutants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["KILLS", "Kill", "read_kills", "render", "write_kills"]

KILLS: Final = Path(targets.mutants.__file__).parent / "kills.toml"
"""The snapshot."""

_HEAD: Final = """\
# Which cases kill each mutant, and what else it trips.  Generated:
#
#     rpcrdma dev matrix --write [MUTANT ...]
#
# killers: cases whose verdict blames what the mutant breaks; of several parameters the first.
# trips: requirements that other cases blame.
"""


@dataclass(frozen=True, slots=True)
class Kill:
    """What the matrix says about one mutant.

    Attributes:
        slug: of the mutant.
        killers: cases that blame what it breaks, in the order in which they run; of a case with
            parameters the first that does.
        trips: the requirements that other cases blame, sorted.
    """

    slug: str
    killers: tuple[str, ...]
    trips: tuple[str, ...]


def read_kills(path: Path = KILLS) -> Mapping[str, Kill]:
    """The snapshot, by mutant; empty if there is none yet."""
    if not path.exists():
        return {}
    return {
        slug: Kill(
            slug,
            tuple(entry.get("killers", ())),
            tuple(entry.get("trips", ())),
        )
        for slug, entry in tomllib.loads(path.read_text(encoding="utf-8")).items()
    }


def write_kills(kills: Iterable[Kill], every: Iterable[str], path: Path = KILLS) -> None:
    """Write what is new into the snapshot.

    Args:
        kills: of the mutants that ran; of all others the entries stay.
        every: names of the mutants that there are; the entries of others go.
        path: of the snapshot.
    """
    kept = {**read_kills(path), **{kill.slug: kill for kill in kills}}
    wanted = set(every)
    path.write_text(render(kept[slug] for slug in sorted(kept) if slug in wanted), encoding="utf-8")


def render(kills: Iterable[Kill]) -> str:
    """The text of a snapshot."""
    return _HEAD + "".join("\n" + "\n".join(_lines(kill)) + "\n" for kill in kills)


def _lines(kill: Kill) -> Iterator[str]:
    yield f"[{kill.slug}]"
    for name, values in (("killers", kill.killers), ("trips", kill.trips)):
        if values:
            yield f"{name} = ["
            yield from (f"    {json.dumps(value)}," for value in values)
            yield "]"
