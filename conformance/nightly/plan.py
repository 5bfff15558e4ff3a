"""Which stages a night has: of the project itself, or of the targets that a person names.

Shares are of the time that is left when a stage's turn comes.  What ends by itself stands first,
and has plenty; what works for as long as it may stands last, and divides the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import NothingSelected
from conformance.nightly.stage import NightStage, StageKind
from reports.baseline import load_baseline, read_baseline
from targets.lab.errors import LabError
from targets.lab.kernel import select_kernel
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from targets.profile import Profile

__all__ = ["NightWish", "plan"]

_ROOT: Final = Path(__file__).parents[2]
"""Of a checkout, which alone has tests and published baselines."""

_KERNEL_TARGETS: Final = ("linux-server", "linux-client")
_REFERENCES: Final = ("reference", "reference-client")
_OTHERS: Final = ("nfs-ganesha",)
"""Folders of `targets/examples` whose device somebody else has written."""

_EXAMPLES: Final = "300"
"""Of each property: three times what a test has by day."""

_BOOT: Final = 120.0
"""Seconds for a guest without KVM on a busy machine, and for making findings smaller."""
_COUNTED_BOOT: Final = 240.0
"""The same for a guest whose blocks are counted, which is slower, and for trying the seeds."""
_IMPORTS: Final = 30.0
"""Seconds for starting a command, and for ending it."""
_CORPUS: Final = 60.0
"""Seconds for reading a corpus, before which no time counts for a fuzzer."""


@dataclass(frozen=True, slots=True)
class NightWish:
    """What a person asks for.

    Attributes:
        targets: names or profiles; none for the project itself.
        kernels: releases, images or build trees for the lab; none for its usual one.
        baselines: files of known deviations, each for one target.
        only: patterns of stages' names; none for all.
        without: patterns of those that are left out.
    """

    targets: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    baselines: tuple[Path, ...] = ()
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


def plan(wish: NightWish, root: Path = _ROOT) -> tuple[NightStage, ...]:
    """The stages, in order.

    Args:
        wish: what is asked for.
        root: of the checkout, if this is one.

    Raises:
        NothingSelected: no stage has such a name.
        BaselineError: a baseline cannot be used.
        TargetError, ProfileError: a target cannot be.
    """
    known = {load_baseline(path).target: path for path in wish.baselines}
    found = _of_targets(wish, known) if wish.targets else _of_project(wish, known, root)
    chosen = tuple(
        stage
        for stage in found
        if (not wish.only or _matches(stage, wish.only)) and not _matches(stage, wish.without)
    )
    if not chosen:
        names = ", ".join(stage.name for stage in found)
        raise NothingSelected(f"no stage is selected; there are: {names}")
    return chosen


def _matches(stage: NightStage, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(stage.name, pattern) for pattern in patterns)


def _of_project(wish: NightWish, known: dict[str, Path], root: Path) -> list[NightStage]:
    stages = [_certify(name, "", known.get(name)) for name in _REFERENCES]
    if (root / "pyproject.toml").is_file():
        stages.append(_property_tests(root))
    explored = [_explore("reference", "", "calls"), _explore("reference", "", "exchanges")]
    live = []
    for kernel in wish.kernels or ("",):
        for name in _KERNEL_TARGETS:
            baseline = known.get(name) or _published(name, kernel, root)
            certified = _certify(name, kernel, baseline)
            stages.append(replace(certified, wanted=bool(kernel)))
            live.append(replace(_live(name, kernel), wanted=bool(kernel)))
        explored.append(_explore("linux-server", kernel, "calls"))
    stages += _of_others(known, root)
    return [*stages, *explored, *live, *map(_fuzz, _harnesses())]


def _of_others(known: dict[str, Path], root: Path) -> list[NightStage]:
    """Servers of other people's that this project has profiles for; a checkout alone has them.

    Where such a server was not built, the stage says so and is not run.
    """
    stages = []
    for other in _OTHERS:
        files = sorted((root / "results").glob(f"{other}-*/baseline*.toml"))
        for profile in sorted((root / "targets" / "examples" / other).glob("profile*.toml")):
            # `profile.toml` is the one that the folder is named for; others are named by theirs.
            name = other + profile.stem.removeprefix("profile")
            certified = _certify(str(profile), "", known.get(name) or _baseline_of(name, files))
            stages.append(replace(certified, name=_named("certify", name, "")))
    return stages


def _of_targets(wish: NightWish, known: dict[str, Path]) -> list[NightStage]:
    stages: list[NightStage] = []
    rest: list[NightStage] = []
    for word in wish.targets:
        profile = find_profile(word)
        for kernel in (wish.kernels if profile.lab else ()) or ("",):
            stages.append(_certify(word, kernel, known.get(profile.name), profile))
            if "responder" in profile.claims.roles:
                rest.append(_explore(word, kernel, "calls", profile))
            rest.append(_live(word, kernel, profile))
    return [replace(stage, wanted=True) for stage in (*stages, *rest)]


def _certify(
    target: str, kernel: str, baseline: Path | None, profile: Profile | None = None
) -> NightStage:
    words = ["rpcrdma", "certify", target, "--output", "{folder}/run", "--time-limit", "{minutes}"]
    words += ["--kernel", kernel] * bool(kernel)
    words += ["--baseline", str(baseline)] if baseline else []
    guest = profile.lab is not None if profile else target not in _REFERENCES
    return NightStage(
        _named("certify", target, kernel),
        tuple(words),
        StageKind.RUN,
        share=6.0,
        least=60.0,
        extra=_BOOT if guest else _IMPORTS,
        by_baseline=baseline is not None,
    )


def _property_tests(root: Path) -> NightStage:
    """With fresh seeds, in another order each night, for as long as its share lasts."""
    words = ("pytest", "--rootdir", str(root), "-c", str(root / "pyproject.toml"))
    chosen = ("-m", "hypothesis and not long", "-o", "faulthandler_timeout=0")
    drawn = ("--hypothesis-seed={seed}", "--shuffle={seed}")
    whatever = ("-q", "--continue-on-collection-errors")
    left = ("-p", "no:cacheprovider", "--junitxml={folder}/junit.xml", str(root / "tests"))
    return NightStage(
        "property-tests",
        (*words, *chosen, *drawn, *whatever, *left),
        StageKind.TESTS,
        share=6.0,
        least=60.0,
        extra=_IMPORTS,
        ends_by_signal=True,
        environment=(("HYPOTHESIS_PROFILE", "night"), ("HYPOTHESIS_EXAMPLES", _EXAMPLES)),
    )


def _explore(target: str, kernel: str, way: str, profile: Profile | None = None) -> NightStage:
    words = ["rpcrdma", "explore", target, "--way", way, "--time", "{seconds}", "--seed", "{seed}"]
    words += ["--output", "{folder}/findings"]
    words += ["--kernel", kernel] * bool(kernel)
    guest = profile.lab is not None if profile else target != "reference"
    return NightStage(
        _named(f"explore-{way}", target, kernel),
        tuple(words),
        StageKind.FINDINGS,
        share=2.0,
        extra=_BOOT if guest else _IMPORTS,
        of_device=target != "reference",
    )


def _live(target: str, kernel: str, profile: Profile | None = None) -> NightStage:
    name = _named("live", target, kernel)
    place = f"{{kept}}/{name}"
    words = ["rpcrdma", "fuzz", "--live", target, "--time", "{seconds}", "--seed", "{seed}"]
    words += ["--output", place]
    words += ["--kernel", kernel] * bool(kernel)
    return NightStage(
        name,
        tuple(words),
        StageKind.LIVE,
        share=2.0,
        extra=_COUNTED_BOOT if profile is None or profile.lab else _IMPORTS,
        of_device=True,
        taken=(f"{place}/findings", f"{place}/report.json"),
    )


def _fuzz(harness: str) -> NightStage:
    words = ("rpcrdma", "fuzz", harness, "--time", "{seconds}", "--seed", "{seed}")
    kept = ("--findings", "{folder}/findings", "--corpus", "{kept}/corpus")
    return NightStage(
        f"fuzz-{harness}", (*words, *kept), StageKind.FINDINGS, share=1.0, extra=_CORPUS
    )


def _harnesses() -> tuple[str, ...]:
    """Names of the fuzz harnesses, which are those of their files; none is imported for it.

    The layer that they are in stands above this one, and a release may be without it.
    """
    spec = find_spec("fuzz")
    folders = spec.submodule_search_locations if spec else None
    files = Path(folders[0], "harnesses").glob("*.py") if folders else ()
    return tuple(sorted(f.stem.replace("_", "-") for f in files if f.stem != "__init__"))


def _published(target: str, kernel: str, root: Path) -> Path | None:
    """The baseline that this project has published for a target and a kernel, or the kernel's line.

    One for the release itself (`linux-6.1.0-47`) comes first.
    """
    try:
        release = select_kernel(kernel or None).release
    except LabError:
        return None  # the stage will say so itself
    line = ".".join(re.findall(r"\d+", release)[:2])
    places = (root / "results" / f"linux-{name}" for name in (release.rpartition("-")[0], line))
    return _baseline_of(
        target, [file for at in places for file in sorted(at.glob("baseline*.toml"))]
    )


def _baseline_of(target: str, files: Sequence[Path]) -> Path | None:
    return next((file for file in files if read_baseline(file).target == target), None)


def _named(what: str, target: str, kernel: str) -> str:
    """A name that a folder can have, the same each night."""
    stem = Path(target).stem if target.endswith(".toml") else target
    # Of a path the last part that tells kernels apart: an image's name, or a build tree's.
    of = Path(kernel).name.removeprefix("vmlinuz-")
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", "-".join(filter(None, (what, stem, of))))
