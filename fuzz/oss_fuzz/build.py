"""Writes what the build script of OSS-Fuzz compiles and copies (`.clusterfuzzlite/build.sh`).

    python -m fuzz.oss_fuzz.build WORK OUT

WORK gets a program for each harness, `v1_header_fuzzer.py`; OUT what goes beside its executable:
`v1_header_fuzzer_seed_corpus.zip`, `v1_header_fuzzer.dict` and `v1_header_fuzzer.options`.

A harness that compares with code in another language has no target: it compiles that on the machine
that fuzzes, where OSS-Fuzz has no compiler.
"""

from __future__ import annotations

import argparse
import sys
import zipfile
from pathlib import Path
from typing import Final

from fuzz.registry import corpus_of, dictionary_of, find_harness, harness_names

__all__ = ["build", "main", "target_name"]

_PROGRAM: Final = '''\
"""Fuzz target: {title}."""

from fuzz.harnesses.{module} import HARNESS
from fuzz.oss_fuzz.target import run

run(HARNESS)
'''

_OPTIONS: Final = "[libfuzzer]\nmax_len = 8192\n"
"""Twice the largest inline threshold in use, as in a campaign."""

_TIME: Final = (1980, 1, 1, 0, 0, 0)
"""Of each file in an archive, so that the same seeds make the same archive."""


def target_name(harness: str) -> str:
    """The name of the program of a harness: by its end OSS-Fuzz knows it."""
    return f"{harness.replace('-', '_')}_fuzzer"


def build(work: Path, out: Path) -> tuple[str, ...]:
    """Write everything; the names of the targets.

    Args:
        work: folder of the programs; is made.
        out: folder of what goes beside them; is made.

    Raises:
        OSError: it cannot be written.
    """
    for folder in (work, out):
        folder.mkdir(parents=True, exist_ok=True)
    names = []
    for harness in harness_names():
        found = find_harness(harness)
        if found.corpus:
            continue
        name = target_name(harness)
        text = _PROGRAM.format(title=found.title, module=harness.replace("-", "_"))
        (work / f"{name}.py").write_text(text, "utf-8")
        _zip(corpus_of(harness), out / f"{name}_seed_corpus.zip")
        (out / f"{name}.dict").write_bytes(dictionary_of(found).read_bytes())
        (out / f"{name}.options").write_text(_OPTIONS, "utf-8")
        names.append(name)
    return tuple(names)


def _zip(corpus: Path, archive: Path) -> None:
    with zipfile.ZipFile(archive, "w") as opened:
        for path in sorted(corpus.iterdir()):
            entry = zipfile.ZipInfo(path.name, _TIME)
            opened.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)


def main(arguments: list[str]) -> None:
    """Write everything, and print the names."""
    parser = argparse.ArgumentParser(
        prog="python -m fuzz.oss_fuzz.build",
        description="Write fuzz targets without arguments, their seeds and their dictionaries.",
        epilog="example: python -m fuzz.oss_fuzz.build $WORK/targets $OUT",
    )
    parser.add_argument("work", type=Path, metavar="WORK", help="folder for the programs")
    parser.add_argument("out", type=Path, metavar="OUT", help="folder for what goes beside them")
    options = parser.parse_args(arguments)
    sys.stdout.writelines(f"{name}\n" for name in build(options.work, options.out))


if __name__ == "__main__":
    main(sys.argv[1:])
