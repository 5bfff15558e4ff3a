"""The blocks that the suite's own cases reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.suite.selection import Selection
from fuzz.live.coverage import Block
from fuzz.live.scenarios import DEFAULT, blocks_of_scenarios
from targets.registry import find_target

if TYPE_CHECKING:
    from pathlib import Path

CASE = "rfc8166/4.5.1/responder-answers-an-unsupported-version-with-its-own-range"


class Looked:
    """Coverage that counts how often it was looked at."""

    def __init__(self) -> None:
        self.begun = 0

    def begin(self) -> None:
        self.begun += 1

    def since(self) -> frozenset[Block]:
        return frozenset()

    def reached(self) -> frozenset[Block]:
        return frozenset({Block("rpcrdma", "send", self.begun)})

    def functions(self) -> tuple[tuple[str, str], ...]:
        return ()


def test_the_cases_run_and_blocks_are_looked_at_after_each(tmp_path: Path) -> None:
    judged: list[str] = []
    coverage = Looked()
    blocks = blocks_of_scenarios(
        find_target("reference"),
        coverage,
        tmp_path,
        lambda case, _planned: judged.append(case.id),
        Selection(cases=(CASE,)),
    )
    assert len(judged) == coverage.begun > 0
    assert blocks == {Block("rpcrdma", "send", coverage.begun)}
    assert not DEFAULT.destructive
