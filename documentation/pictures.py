"""The pictures of the report's pages in `docs/pictures`, made of runs that are there.

    rpcrdma report RUN... --output all
    python -m documentation.pictures all docs/pictures

Several runs: the first of them in which something failed is shown by itself, too.  Needs Debian's
chromium; nothing is asked of a network.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput
from reports.pages.links import FIRST_PAGE, FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Picture", "main", "pictures_of", "take"]

_BROWSER: Final = "chromium"
_DEADLINE_S: Final = 120.0
_FAILING: Final = re.compile(
    r'<article class="cause FAIL">(?:(?!</article>).)*?href="(report/[^"#]+\.html)"', re.DOTALL
)
"""What is told of a cause, and the first case that it leads to."""


_MARK: Final = '<tr class="guilty"'
"""How the page of a case has a field that is wrong."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture.

    Attributes:
        name: of the file, without its ending.
        page: that it shows, from the top.
        width: of the window, in pixels.  height: of the picture.
    """

    name: str
    page: Path
    width: int
    height: int


def pictures_of(report: Path) -> tuple[Picture, ...]:
    """What is shown of a report over several runs.

    Args:
        report: folder that `rpcrdma report RUN... --output` has written.

    Raises:
        BadInput: it is none, or nothing failed in any run.
    """
    if not (report / FIRST_PAGE).is_file():
        raise BadInput(f"{report} has no {FIRST_PAGE}; make it by `rpcrdma report RUN... --output`")
    run, case = _failing(report)
    return (
        Picture("runs", report / FIRST_PAGE, 1280, 900),
        Picture("matrix", report / FOLDER / "requirements-rfc8166.html", 1500, 900),
        Picture("run", run, 1100, 1000),
        Picture("case", case, 1100, 1400),
    )


def _failing(report: Path) -> tuple[Path, Path]:
    """The first page of a run in which a case failed, and that of a case with a field marked.

    Where no field of any is marked, that of the first case.
    """
    for run in sorted(report.glob(f"*/{FIRST_PAGE}")):
        found = [run.parent / page for page in _FAILING.findall(run.read_text(encoding="utf-8"))]
        if found:
            return run, next((case for case in found if _is_marked(case)), found[0])
    raise BadInput(f"in no run of {report} anything failed; add a run of a mutant")


def _is_marked(case: Path) -> bool:
    return _MARK in case.read_text(encoding="utf-8")


def take(picture: Picture, folder: Path) -> Path:
    """Have the browser open the page and write the picture.

    Raises:
        BadInput: there is no browser.
        CalledProcessError: it failed.  TimeoutExpired: it did not end.
    """
    program = shutil.which(_BROWSER)
    if program is None:
        raise BadInput(f"no {_BROWSER} here; apt-get install {_BROWSER}")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{picture.name}.png"
    with tempfile.TemporaryDirectory(prefix="rpcrdma-pictures-") as home:
        subprocess.run(
            [
                program,
                "--headless",
                "--disable-gpu",
                "--hide-scrollbars",
                # Chromium's own sandbox wants a user that is not root.
                *(["--no-sandbox"] if os.geteuid() == 0 else []),
                f"--user-data-dir={home}",
                f"--window-size={picture.width},{picture.height}",
                f"--screenshot={file.resolve()}",
                picture.page.resolve().as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=_DEADLINE_S,
        )
    return file


def main(arguments: Sequence[str] | None = None) -> int:
    """Take all pictures; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m documentation.pictures", description=__doc__)
    parser.add_argument("report", type=Path, help="folder that `rpcrdma report` wrote of runs")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parsed = parser.parse_args(arguments)
    try:
        for picture in pictures_of(parsed.report):
            sys.stdout.write(f"{take(picture, parsed.folder)}\n")
    except BadInput as error:
        sys.stderr.write(f"pictures: {error}\n")
        return error.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
