"""Findings that stay: `rpcrdma fuzz keep` adds one, and the tests run all of them again.

A finding of a harness is put before the reference by that harness.  One of `rpcrdma explore`, which
may have been made at another device, is sent to the reference and judged as it was there, and the
turns of a live campaign against a client are taken at the reference's client, the steps of one
against a server at the reference.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from conformance.explore.finding import keep, load
from conformance.explore.replay import replay
from conformance.tester.client.harness import Harness
from fuzz.engine import problem_with
from fuzz.live.causes import problems_of
from fuzz.live.client.recipes import WAY
from fuzz.live.client.replaying import replay_turns
from fuzz.live.server import steps
from fuzz.live.server.replaying import items_of, replay_steps
from fuzz.registry import find_harness
from targets.registry import find_any_target, find_target

if TYPE_CHECKING:
    from conformance.explore.finding import Finding

__all__ = ["REGRESSIONS", "kept", "problem_of", "stay"]

REGRESSIONS: Final = Path(__file__).with_name("regressions")
"""Where the suite's own are."""


def kept(folder: Path = REGRESSIONS) -> tuple[Path, ...]:
    """The findings in a folder, by their names."""
    return tuple(sorted(folder.glob("*.json")))


def stay(path: Path, folder: Path = REGRESSIONS) -> tuple[Path, Finding]:
    """Put a finding into a folder; returns the new file, one and the same for the same sequence.

    Raises:
        BadInput: it is no finding of a harness, or of `rpcrdma explore`.
        OSError: it cannot be read, or written.
    """
    finding = load(path)
    if not finding.way:
        raise BadInput(
            f"{path} is bare octets, which no harness is named for; keep the file that"
            " `rpcrdma fuzz` or `rpcrdma explore` has made of them"
        )
    if finding.way == steps.WAY:
        items_of(finding)
    elif not (finding.shots or finding.steps or finding.way == WAY):
        find_harness(finding.way)
    return keep(folder, finding), finding


def problem_of(finding: Finding) -> str:
    """What the reference still does wrong with it; empty if nothing.

    Raises:
        BadInput: there is no such harness any more, or it takes what this machine lacks.
    """
    if finding.shots or finding.steps:
        harness = Harness(find_target("reference"))
        try:
            return "; ".join(replay(harness, finding))
        finally:
            harness.close()
    if finding.way == WAY:
        client = find_any_target("reference-client")
        return "; ".join(problems_of(replay_turns(client, finding, destructive=True)))
    if finding.way == steps.WAY:
        server = find_target("reference")
        return "; ".join(problems_of(replay_steps(server, finding, destructive=True)))
    fuzzed = find_harness(finding.way)
    fuzzed.prepare()
    return problem_with(fuzzed.check, finding.octets, fuzzed.reference())
