"""Runs inputs of the harnesses once under coverage.py, in a process of its own.

    python -m fuzz.reach.measure REPORT HARNESS=FOLDER ...
    python -m fuzz.reach.measure --one-by-one REPORT HARNESS=FOLDER ...

The process is its own because the lines that an import executes count, too, so that nothing of the
library may be loaded before.  What judges is not counted (`fuzz.uncounted`).  The report is JSON:
coverage.py's own, or with `--one-by-one` the branches that each input takes.

A harness that begins with the corpus of another runs the same code beside something in another
language, so it is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import pkgutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from conformance.bad_input import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from coverage import Coverage

__all__ = ["ROOT", "main", "measure", "measure_each", "own_corpora"]

ROOT: Final = Path(__file__).parents[2]
"""The folder in which the packages are."""

_MEASURED: Final = ("rpcrdma.wire", "rpcrdma.endpoint")

_LIMIT_S: Final = 900
"""For all corpora together, on a machine that does other things as well."""


def own_corpora() -> dict[str, Path]:
    """Harness -> its corpus, of those that have one of their own."""
    from fuzz.registry import corpus_of, find_harness, harness_names

    return {name: corpus_of(name) for name in harness_names() if not find_harness(name).corpus}


def measure(corpora: Mapping[str, Path]) -> Mapping[str, Any]:
    """Run each input of each corpus; the `files` of coverage.py's report.

    Raises:
        BadInput: coverage.py is missing, or a corpus cannot be run.
    """
    files: Mapping[str, Any] = _in_a_process(corpora, one_by_one=False)["files"]
    return files


def measure_each(corpora: Mapping[str, Path]) -> Mapping[str, frozenset[int]]:
    """Path of each input -> the branches that it takes, by numbers that this call gives them.

    Raises:
        BadInput: coverage.py is missing, or a corpus cannot be run.
    """
    taken = _in_a_process(corpora, one_by_one=True)
    return {path: frozenset(branches) for path, branches in taken.items()}


def main(arguments: list[str]) -> None:
    """Measure, and write the report."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.reach.measure", description=__doc__)
    parser.add_argument("--one-by-one", action="store_true")
    parser.add_argument("report", type=Path)
    parser.add_argument("corpora", nargs="+")
    options = parser.parse_args(arguments)
    from coverage import Coverage  # an extra that only this process needs

    coverage = Coverage(
        data_file=None,
        branch=True,
        config_file=False,
        include=[f"{ROOT}/{name.replace('.', '/')}/*" for name in _MEASURED],
    )
    coverage.start()
    pairs = (pair.partition("=") for pair in options.corpora)
    arcs = _Arcs(coverage)
    for path in _run({name: Path(folder) for name, _, folder in pairs}):
        if options.one_by_one:
            arcs.begin(str(path))
    coverage.stop()
    if options.one_by_one:
        arcs.begin("")
        options.report.write_text(json.dumps(arcs.taken), "utf-8")
        return
    _report(coverage, options.report)


def _run(corpora: Mapping[str, Path]) -> Iterator[Path]:
    """Run the harnesses; gives each input before it is run."""
    from fuzz.engine import judge
    from fuzz.invariant import BrokenInvariant
    from fuzz.registry import find_harness

    for package in _MEASURED:  # so that a module that nothing imports counts as not reached
        for module in pkgutil.walk_packages(
            importlib.import_module(package).__path__, f"{package}."
        ):
            importlib.import_module(module.name)
    for name, folder in corpora.items():
        harness = find_harness(name)
        subject = harness.reference()
        for path in sorted(folder.iterdir()):
            yield path
            with contextlib.suppress(BrokenInvariant):  # which the tests of the corpus tell
                judge(harness.check, path.read_bytes(), subject)


def _report(coverage: Coverage, report: Path) -> None:
    # It tells how many per cent, and nobody asked.
    with contextlib.redirect_stdout(None):
        coverage.json_report(outfile=str(report))


class _Arcs:
    """Which arcs each input takes, by numbers.

    Attributes:
        taken: input -> the numbers.
    """

    def __init__(self, coverage: Coverage) -> None:
        # What coverage.py tells of its contexts it reads file by file from a database: minutes for
        # a thousand inputs.
        collector: Any = coverage._collector  # noqa: SLF001
        self._data: dict[str, set[Any]] = collector.data
        self._numbers: dict[tuple[str, Any], int] = {}
        self._name = ""
        self.taken: dict[str, list[int]] = {}

    def begin(self, name: str) -> None:
        """The input before is done; what comes now belongs to another."""
        if self._name:
            numbers = self._numbers
            self.taken[self._name] = [
                numbers.setdefault((file, arc), len(numbers))
                for file, arcs in self._data.items()
                for arc in arcs
            ]
        self._data.clear()
        self._name = name


def _in_a_process(corpora: Mapping[str, Path], *, one_by_one: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="rpcrdma-reach-") as scratch:
        report = Path(scratch) / "report.json"
        command = [
            *(sys.executable, "-m", "fuzz.reach.measure"),
            *(["--one-by-one"] if one_by_one else []),
            str(report),
            *(f"{name}={folder.resolve()}" for name, folder in corpora.items()),
        ]
        try:
            ran = subprocess.run(
                command, cwd=ROOT, capture_output=True, text=True, timeout=_LIMIT_S, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise BadInput(
                f"the corpora are not measured within {_LIMIT_S} s: one of their inputs does not"
                " end, or the machine is busy; run it again when it is not"
            ) from error
        if ran.returncode:
            raise BadInput(f"the corpora cannot be measured: {_reason(ran.stderr)}")
        found: dict[str, Any] = json.loads(report.read_text("utf-8"))
        return found


def _reason(said: str) -> str:
    last = said.strip().splitlines()[-1] if said.strip() else "it said nothing"
    return f"{last}; pip install -e '.[fuzz]' brings coverage.py" if "coverage" in last else last


if __name__ == "__main__":
    main(sys.argv[1:])
