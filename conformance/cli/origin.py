"""What made a run: the head of its record, so that a report can be trusted, and made again."""

from __future__ import annotations

import hashlib
import shlex
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from conformance.catalogue.interpretations import choice, load_interpretations
from conformance.cli.version import suite_version
from conformance.proof.kills import read_kills
from reports.compare import KERNEL_TREE
from reports.summary import counted
from targets.lab.build_tree import is_build_tree, tree_commit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from targets.profile import Profile

__all__ = ["origin", "proof", "tree_fact"]


def origin(profile: Profile, words: Sequence[str], selected: int) -> tuple[tuple[str, str], ...]:
    """Names and values for the record's facts.

    Args:
        profile: of the target.
        words: of the command line, after `rpcrdma`.
        selected: how many cases.
    """
    return (
        ("suite", suite_version()),
        ("command", shlex.join(("rpcrdma", *words))),
        ("selected", counted(selected, "case")),
        ("claims", _written(profile.claims)),
        ("readings", _readings(profile)),
        ("profile digest", _digest(profile)),
        ("device", _device(profile)),
        ("proof", proof()),
    )


def tree_fact(kernel: str) -> tuple[tuple[str, str], ...]:
    """What the sources of a kernel are, for the record's facts; nothing unless it is a build tree.

    Args:
        kernel: as it was named: release, image or build tree.
    """
    if not kernel or not is_build_tree(Path(kernel)):
        return ()
    return ((KERNEL_TREE, tree_commit(Path(kernel)) or "git knows nothing of it"),)


def _written(claims: msgspec.Struct) -> str:
    """`key = value`, as in a profile, for what is claimed and can be."""
    pairs = msgspec.to_builtins(claims).items()
    return "; ".join(f"{key} = {msgspec.json.encode(value).decode()}" for key, value in pairs)


def _readings(profile: Profile) -> str:
    """The reading in force of each interpretation among whose readings a profile may choose."""
    chosen = profile.extra.interpretations
    return ", ".join(
        f"{entry.id} = {choice(entry.id, chosen)}" + " (default)" * (entry.id not in chosen)
        for entry in load_interpretations().values()
        if entry.options
    )


def _digest(profile: Profile) -> str:
    """SHA-256 of what a profile says, whatever its comments and the order of its keys."""
    octets = msgspec.json.encode(profile, order="sorted")
    return f"sha256:{hashlib.sha256(octets).hexdigest()}"


def _device(profile: Profile) -> str:
    extra = profile.extra
    over = f" by {extra.device}" if extra.device else ""
    return f"{profile.adapter}, {extra.address} port {extra.port}{over}"


@cache
def proof() -> str:
    """How the suite itself was proven, by the snapshot of the matrix, which has every mutant."""
    kills = read_kills().values()
    killed = sum(bool(kill.killers) for kill in kills)
    return f"{killed} of {counted(len(kills), 'mutant')} killed"
