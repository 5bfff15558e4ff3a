"""A campaign's report: one file for people, one for programs, and the blocks as lines of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from fuzz.live.findings import MESSAGES
from fuzz.live.reach import ModuleReach, ReachSample, reach_of, write_blocks
from reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from fuzz.live.campaign import LivePulse
    from fuzz.live.coverage import Block
    from fuzz.live.findings import KeptFinding

__all__ = ["LiveReport"]

_LINES: Final = 12
"""Of the table over time."""

_NAMES: Final = 40
"""Functions that are named, at most."""


@dataclass(frozen=True, slots=True)
class LiveReport:
    """All that is to be told of a campaign.

    Attributes:
        target: name of the profile.  kernel: release, empty if unknown.
        seed: of the campaign.
        pulse: how far it came.
        findings: what was found.
        blocks: that were reached.
        functions: all that there are.
        scenarios: blocks that the scripted scenarios reach; None if nobody has looked.
        avoided: classes of messages that were kept back after they brought the device down.
        unit: what inputs consist of, and what was done with it.
    """

    target: str
    kernel: str
    seed: int
    pulse: LivePulse
    findings: Collection[KeptFinding]
    blocks: frozenset[Block]
    functions: Collection[tuple[str, str]]
    scenarios: frozenset[Block] | None = None
    avoided: Collection[str] = ()
    unit: str = MESSAGES.unit

    def write(self, folder: Path) -> Path:
        """Write `report.md`, `report.json` and `blocks.txt`; returns the first.

        Raises:
            OSError: they cannot be written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        write_blocks(folder / "blocks.txt", self.blocks)
        record = msgspec.json.format(msgspec.json.encode(self._record()), indent=1)
        (folder / "report.json").write_bytes(record + b"\n")
        file = folder / "report.md"
        file.write_text(self.text(), encoding="utf-8")
        return file

    def text(self) -> str:
        """The report for people."""
        parts = [self._head(), *self._modules(), *self._over_time(), *self._found()]
        return "\n".join(parts) + "\n"

    def _record(self) -> dict[str, object]:
        pulse = self.pulse
        return {
            "target": self.target,
            "kernel": self.kernel,
            "seed": self.seed,
            "seconds": round(pulse.seconds, 1),
            "inputs": pulse.inputs,
            "messages": pulse.messages,
            "kept_back": pulse.kept_back,
            "rate": round(pulse.rate, 1),
            "corpus": pulse.corpus,
            "starts": pulse.deaths,
            "stopped": pulse.stopped,
            "avoided": sorted(self.avoided),
            "modules": reach_of(self.blocks, self.functions),
            "scenarios": None if self.scenarios is None else reach_of(self.scenarios),
            "samples": pulse.samples,
            "findings": [
                {
                    "broken": found.cause.broken,
                    "detail": printable(found.cause.detail),
                    "file": found.file.name,
                    "seconds": round(found.seconds, 1),
                    "inputs": found.count,
                    "shown_again": found.shown_again,
                }
                for found in self.findings
            ],
        }

    def _head(self) -> str:
        pulse = self.pulse
        kernel = f", Linux {self.kernel}" if self.kernel else ""
        lines = [
            f"# Live fuzzing of {self.target}{kernel}",
            "",
            f"{pulse.seconds:.0f} s from seed {self.seed}: {pulse}.",
            f"{pulse.messages} {self.unit}, {pulse.kept_back} kept back that may do harm.",
        ]
        if self.avoided:
            lines.append(f"After a death, also: {'; '.join(sorted(self.avoided))}.")
        if pulse.stopped:
            lines.append(f"It ended early: {pulse.stopped}.")
        return "\n".join([*lines, ""])

    def _modules(self) -> list[str]:
        reached = reach_of(self.blocks, self.functions)
        if not reached:
            return []
        scripted = reach_of(self.scenarios or ())
        has_both = self.scenarios is not None
        lines = [
            "| module | blocks | functions | of"
            + (" | scenarios | only here | only there |" if has_both else " |"),
            "|---|---|---|---" + ("|---|---|---|" if has_both else "|"),
        ]
        for module, reach in reached.items():
            line = (
                f"| {module} | {reach.blocks} | {reach.functions} | {reach.all_functions or ''} |"
            )
            if self.scenarios is not None:
                by_cases = scripted.get(module, ModuleReach(0, 0))
                here = sum(one.module == module for one in self.blocks - self.scenarios)
                there = sum(one.module == module for one in self.scenarios - self.blocks)
                line += f" {by_cases.blocks} in {by_cases.functions} | {here} | {there} |"
            lines.append(line)
        lines.append("")
        if self.scenarios is not None:
            lines += self._only_here(self.scenarios)
        return lines

    def _only_here(self, scenarios: frozenset[Block]) -> list[str]:
        ours, theirs = _functions(self.blocks), _functions(scenarios)
        return [
            f"Functions that no scenario enters: {_listed(ours - theirs)}.",
            "",
            f"Functions that the scenarios enter, and this did not: {_listed(theirs - ours)}.",
            "",
        ]

    def _over_time(self) -> list[str]:
        samples = self.pulse.samples
        modules = sorted({module for sample in samples for module in sample.modules})
        if not modules:
            return []
        step = max(1, -(-len(samples) // _LINES))
        chosen = [*samples[:-1:step], samples[-1]]
        return [
            "| seconds | inputs | " + " | ".join(f"blocks of {name}" for name in modules) + " |",
            "|---" * (2 + len(modules)) + "|",
            *(_line(sample, modules) for sample in chosen),
            "",
        ]

    def _found(self) -> list[str]:
        lines = []
        for found in self.findings:
            times = "once" if found.count == 1 else f"{found.count} times"
            doubt = "" if found.shown_again else "; the file was not seen to do it again"
            when = f"after {found.seconds:.0f} s, {times}{doubt}"
            lines.append(
                f"- {', '.join(found.cause.broken)} ({when}): {printable(found.cause.detail)}"
            )
            lines.append(f"  `rpcrdma replay {found.file} {self.target}`")
        return lines or ["Nothing was found to be wrong."]


def _functions(blocks: frozenset[Block]) -> set[tuple[str, str]]:
    return {(block.module, block.function) for block in blocks}


def _listed(functions: set[tuple[str, str]]) -> str:
    names = [f"`{function}` ({module})" for module, function in sorted(functions)]
    more = len(names) - _NAMES
    return (", ".join(names[:_NAMES]) or "none") + (f" and {more} more" if more > 0 else "")


def _line(sample: ReachSample, modules: list[str]) -> str:
    counts = (str(sample.modules.get(name, ModuleReach(0, 0)).blocks) for name in modules)
    return f"| {sample.seconds:.0f} | {sample.inputs} | {' | '.join(counts)} |"
