"""`rpcrdma fuzz --live PROFILE`: fuzz a running device, guided by what its code shows."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console

from conformance.bad_input import BadInput
from conformance.tester.case import Inconclusive
from fuzz.live.campaign import LiveCampaign
from fuzz.live.corpus import EMPTY, LiveCorpus
from fuzz.live.counted_guest import CountedGuest
from fuzz.live.coverage import NoCoverage
from fuzz.live.findings import LiveFindings
from fuzz.live.ftrace import TracedFunctions
from fuzz.live.reach import read_blocks, write_blocks
from fuzz.live.report import LiveReport
from fuzz.live.rigs import live_rig
from fuzz.live.scenarios import blocks_of_scenarios
from targets.guest_device import guest_target
from targets.lab.place import RunPlace, place_of
from targets.placed import placed
from targets.registry import find_any_target, find_profile
from targets.standing.setup_of import setup_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from fuzz.live.coverage import Block, BlockCoverage
    from reports.record import CaseRecord
    from targets.base import ClientTarget, Target
    from targets.profile import Profile
    from targets.standing.run_guest import GuestEnd

__all__ = ["run_live"]

_SCENARIOS: Final = "scenarios.txt"


def run_live(arguments: argparse.Namespace) -> int:
    """Fuzz, or have the scenarios run; returns the exit status."""
    profile = find_profile(arguments.live)
    find_any_target(arguments.live, arguments.fabric)  # refused now, not after a boot
    folder: Path = arguments.output or Path(f"live-{profile.name}")
    with _device(arguments, profile) as (device, coverage, kernel):
        if arguments.scenarios:
            return _measure(device, coverage, folder)
        return _fuzz(arguments, folder, device, coverage, kernel)


@contextmanager
def _device(
    arguments: argparse.Namespace, profile: Profile
) -> Iterator[tuple[Target | ClientTarget, BlockCoverage, str]]:
    """The device, what counts its blocks, and the release of its kernel if that is known."""
    place = place_of(profile, arguments.fabric)
    if place is RunPlace.ALL_IN_GUEST:
        raise BadInput("--live has the tester outside of the guest; drop --fabric verbs")
    if arguments.ftrace and place is not RunPlace.HERE:
        raise BadInput(
            "--ftrace looks at this machine's kernel, and the device's runs elsewhere; drop it"
        )
    with ExitStack() as stack:
        if place is RunPlace.DEVICE_IN_GUEST and not arguments.no_blocks:
            kernel = arguments.kernel or (profile.lab.kernel if profile.lab else "")
            modules = frozenset(arguments.modules.split(","))
            counted = CountedGuest(setup_of(profile), kernel or None, modules, _say)
            stack.enter_context(counted)
            device = guest_target(profile, counted.guest)
            yield device, counted.coverage, counted.guest.release
            return
        target = find_any_target(arguments.live, arguments.fabric)
        at_place, facts = stack.enter_context(placed(target, place, arguments.kernel, _say))
        coverage: BlockCoverage = NoCoverage()
        if arguments.ftrace:
            modules = frozenset(arguments.modules.split(","))
            coverage = stack.enter_context(TracedFunctions(modules))
        yield at_place, coverage, dict(facts).get("kernel", "")


def _say(end: GuestEnd) -> None:
    print(end, flush=True)


def _fuzz(
    arguments: argparse.Namespace,
    folder: Path,
    device: Target | ClientTarget,
    coverage: BlockCoverage,
    kernel: str,
) -> int:
    seed: int = arguments.seed or int.from_bytes(os.urandom(3))
    scenarios = _scenarios(folder / _SCENARIOS)
    try:
        with live_rig(device, destructive=arguments.destructive) as rig:
            executor = rig.executor
            corpus = LiveCorpus(folder / "corpus", rig.mutator, seed)
            if arguments.empty and corpus.found:
                raise BadInput(f"{folder / 'corpus'} is not empty; name another folder by --output")
            own = _own_folder(folder)
            findings = LiveFindings(executor, own / "findings", rig.form, device.name, seed)
            campaign = LiveCampaign(executor, coverage, corpus, findings)
            seeds = (EMPTY,) if arguments.empty else (*corpus.found, *rig.seeds())
            with Console().status(f"fuzzing {device.name} from seed {seed}") as status:
                pulse = campaign.run(
                    seeds, arguments.time, lambda pulse: status.update(f"{device.name}: {pulse}")
                )
    except Inconclusive as error:
        raise BadInput(f"{device.name}: {error}") from error
    report = LiveReport(
        device.name,
        kernel,
        seed,
        pulse,
        tuple(findings.kept.values()),
        frozenset(campaign.known),
        coverage.functions(),
        scenarios,
        executor.avoided,
        rig.form.unit,
    )
    file = report.write(own)
    print(report.text())
    print(f"report: {file}")
    return int(bool(findings.kept or pulse.stopped))


def _own_folder(folder: Path) -> Path:
    """Make a folder for one campaign beside the corpus, which all of them share."""
    for number in count(1):
        own = folder / f"campaign-{number}"
        with suppress(FileExistsError):
            own.mkdir(parents=True)
            return own
    raise AssertionError("there is always another number")


def _scenarios(file: Path) -> frozenset[Block] | None:
    """The blocks that the scenarios reach, if that was looked at.

    Raises:
        BadInput: the file holds something else.
    """
    try:
        return read_blocks(file) if file.exists() else None
    except ValueError as error:
        raise BadInput(f"{file} is no list of blocks: {error}") from error


def _measure(device: Target | ClientTarget, coverage: BlockCoverage, folder: Path) -> int:
    with Console().status(f"judging {device.name} by the scenarios") as status:

        def judged(case: CaseRecord, planned: int) -> None:
            status.update(f"{device.name}: {case.id}, of {planned}")

        blocks = blocks_of_scenarios(device, coverage, folder / "scenarios", judged)
    write_blocks(folder / _SCENARIOS, blocks)
    print(f"{len(blocks)} blocks: {folder / _SCENARIOS}")
    return 0
