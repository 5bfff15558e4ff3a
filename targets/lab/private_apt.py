"""An apt of our own, which sees the suites of Debian that it is told of.

    apt = PrivateApt(folder, "fetching a kernel")
    apt.write([source("deb", mirrors(apt.step).plain, "trixie")])
    apt.run("apt-get", "update")

What apt itself knows of this machine is neither read nor changed: lists and archives are kept in a
folder of ours.  Only the addresses of the mirrors are those that the machine has, and apt checks
signatures and digests as ever.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Mirrors", "PrivateApt", "call", "last_line", "mirrors", "source"]

_DEADLINE_S: Final = 900.0
"""Of one program: lists are some 30 MB, a kernel some 120 MB."""
_KEYRING: Final = "/usr/share/keyrings/debian-archive-keyring.gpg"

_NAMES: Final = ("bullseye", "bookworm", "trixie")
_ROLES: Final = ("stable", "oldstable")
_PLAIN: Final = (*_NAMES, *_ROLES, "testing", "unstable", "sid")
_BESIDE: Final = ("-updates", "-backports")
_SECURITY: Final = "-security"


@dataclass(frozen=True, slots=True)
class Mirrors:
    """Addresses of Debian's archives, as this machine's own sources have them.

    Attributes:
        plain: of the suites.
        security: of their security updates; empty if the machine has none.
    """

    plain: str
    security: str


class PrivateApt:
    """One apt, with lists and sources in a folder.

    Attributes:
        step: what it is used for, to a person.
    """

    def __init__(self, folder: Path, step: str) -> None:
        """Use a folder.

        Args:
            folder: it is made when sources are written.
            step: what it is used for, to a person.
        """
        self._folder = folder
        self.step = step

    def write(self, sources: Iterable[str]) -> None:
        """Set the lines of `sources.list`; see `source`."""
        for name in ("lists/partial", "cache/archives/partial"):
            (self._folder / name).mkdir(parents=True, exist_ok=True)
        (self._folder / "sources.list").write_text("".join(f"{one}\n" for one in sources))
        self._configuration.write_text(
            f'Dir::Etc::sourcelist "{self._folder}/sources.list";\n'
            'Dir::Etc::sourceparts "/dev/null";\n'
            f'Dir::State::lists "{self._folder}/lists";\n'
            'Dir::State::status "/dev/null";\n'
            f'Dir::Cache "{self._folder}/cache";\n'
            'Acquire::Languages "none";\n'
            'APT::Architecture "amd64";\n'
            # Of root, apt would ask another user to fetch, who may not write to this folder.
            'APT::Sandbox::User "";\n'
            "#clear APT::Update::Post-Invoke;\n"
            "#clear APT::Update::Post-Invoke-Success;\n"
        )

    def run(self, *words: str, check: bool = True, folder: Path | None = None) -> str:
        """Run a program of apt's; as `call`."""
        variables = {"APT_CONFIG": str(self._configuration)}
        return call(self.step, words, check=check, folder=folder, variables=variables)

    @property
    def _configuration(self) -> Path:
        return self._folder / "apt.conf"


def source(kind: str, address: str, suite: str) -> str:
    """A line of `sources.list`, for amd64 and Debian's own part.

    Args:
        kind: `deb`, or `deb-src`.
        address: of the mirror.
        suite: as the mirror calls it.
    """
    signed = f" signed-by={_KEYRING}" if os.path.exists(_KEYRING) else ""  # noqa: PTH110 - a text
    return f"{kind} [arch=amd64{signed}] {address} {suite} main"


def mirrors(step: str) -> Mirrors:
    """The mirrors that this machine uses.

    Args:
        step: what they are wanted for, to a person.

    Raises:
        LabError: there is no apt, or it has no mirror of Debian.
    """
    form = "$(REPO_URI)|$(RELEASE)"
    here = call(step, ("apt-get", "indextargets", "--format", form, "Created-By: Packages"))
    pairs = (line.partition("|") for line in here.splitlines())
    known = {suite: address for address, _, suite in pairs}
    beside = tuple(name + end for name in _NAMES for end in _BESIDE)
    plain = _first(known, (*_PLAIN, *beside))
    if not plain:
        raise LabError(
            step,
            "this machine's apt has no mirror of Debian",
            "add one to its sources and run `apt-get update`",
        )
    return Mirrors(plain, _first(known, tuple(name + _SECURITY for name in (*_NAMES, *_ROLES))))


def call(
    step: str,
    words: tuple[str, ...],
    *,
    check: bool = True,
    folder: Path | None = None,
    variables: dict[str, str] | None = None,
) -> str:
    """Run a program of the package manager; what it printed, errors included.

    Args:
        step: what it is for, to a person.
        words: program and arguments.
        check: whether it must succeed.
        folder: in which it works.
        variables: of its environment, beside those that there are.

    Raises:
        LabError: it is missing, failed, or did not end in time.
    """
    environment = os.environ | {"LC_ALL": "C"} | (variables or {})
    try:
        ended = subprocess.run(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_DEADLINE_S,
            check=False,
        )
    except FileNotFoundError as error:
        cause = f"there is no program {words[0]} here"
        raise LabError(step, cause, "do it on Debian or Ubuntu") from error
    except subprocess.TimeoutExpired as error:
        raise LabError(step, f"{words[0]} did not end within {_DEADLINE_S:.0f} s") from error
    if check and ended.returncode != 0:
        cause = f"{' '.join(words[:2])} ended with {ended.returncode}: {last_line(ended.stdout)}"
        raise LabError(step, cause)
    return ended.stdout


def last_line(text: str) -> str:
    """What a program said last; its last error, if it told one."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("E:")]
    return (errors or lines or ["it said nothing"])[-1]


def _first(known: dict[str, str], suites: tuple[str, ...]) -> str:
    return next((known[suite] for suite in suites if suite in known), "")
