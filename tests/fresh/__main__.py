"""The README's commands on a fresh machine: `tox -e fresh`, or `python -m tests.fresh FOLDER`.

Every machine that this project is developed on has, by accident, what the lab needs.  So this makes
a minimal Debian 12 that has nothing, and types into it what a newcomer reads in the README and in
the doctor's answer.  The status is 1 if a promise does not hold, 2 if this machine cannot try.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.fresh.debian_root import DebianRoot, emptied, home_of, must_be_possible
from tests.fresh.errors import NotHere, StepFailed
from tests.fresh.host import (
    CERTIFICATES,
    SUITE,
    constraint_files,
    environment,
    known_settings,
    known_sources,
    pip_files,
    trusted,
)
from tests.fresh.newcomer import USER, Newcomer

if TYPE_CHECKING:
    from types import FrameType

_REPOSITORY: Final = Path(__file__).resolve().parents[2]
_BARE: Final = "srv/rpcrdma-conformance.git"
_MAKE_S: Final = 900.0
_GIT_S: Final = 120.0


def main() -> int:
    """Make the machine, be the newcomer, take the machine away."""
    parser = argparse.ArgumentParser(prog="python -m tests.fresh", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the machine is made and taken away again")
    folder: Path = parser.parse_args().folder.resolve()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)  # so that the machine is taken away
    begin = time.monotonic()
    try:
        must_be_possible(os.geteuid())
        folder.mkdir(parents=True, exist_ok=True)
        with emptied(folder / "debian") as place:
            root = make_root(place)
            readme = put_repository(place / _BARE)
            # git takes nothing from a repository of somebody else's.
            root.run(f"chown -R {USER} /{_BARE}", _GIT_S)
            Newcomer(root, readme, f"/{_BARE}").go()
    except (NotHere, StepFailed) as error:
        show(f"fresh: {error}")
        return 2 if isinstance(error, NotHere) else 1
    show(f"fresh: all that the README promises holds ({time.monotonic() - begin:.0f} s)")
    return 0


def make_root(place: Path) -> DebianRoot:
    """A minimal Debian that knows the way to packages.

    Raises:
        NotHere: this machine's apt has no mirror.
        StepFailed: it could not be made.
    """
    certificates = trusted(os.environ)
    variables = environment(os.environ, certificates=certificates is not None)
    root = DebianRoot(place, variables, show)
    sources, settings = place.with_name("sources.list"), place.with_name("apt.conf")
    sources.write_text(known_sources(), "utf-8")
    settings.write_text(known_settings(certificates=certificates is not None), "utf-8")
    show(f"== a minimal Debian {SUITE}")
    root.make(SUITE, sources, settings, _MAKE_S)
    if certificates:
        root.write(CERTIFICATES, certificates.read_bytes())
    root.add_user(USER)
    settings_of_pip = pip_files(Path.home(), home_of(USER), os.environ)
    for file, there in settings_of_pip.items():
        root.write(there, file.read_bytes())
    for file in constraint_files(settings_of_pip, os.environ):
        root.write(str(file), file.read_bytes())
    for name in ("/etc/resolv.conf", "/etc/hosts"):
        root.write(name, Path(name).read_bytes())
    return root


def put_repository(place: Path) -> str:
    """What is committed, as a repository that is cloned without the network; its README's text.

    Raises:
        NotHere: git refuses.
    """
    # By the file protocol: a work tree, or a clone that is shallow itself, will do.
    _git("clone", "--quiet", "--depth", "1", "--bare", f"file://{_REPOSITORY}", str(place))
    commit = _git("-C", str(place), "log", "-1", "--format=%h %s")
    show(f"what is committed: {commit.strip()}")
    return _git("-C", str(place), "show", "HEAD:README.md")


def show(line: str) -> None:
    """Print at once: this is what a person, or a log, sees of the progress."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _git(*words: str) -> str:
    try:
        told = subprocess.run(
            ["git", *words], capture_output=True, text=True, check=True, timeout=_GIT_S
        )
    except subprocess.CalledProcessError as error:
        raise NotHere(f"git {words[0]} failed: {error.stderr.strip()}") from error
    return told.stdout


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
