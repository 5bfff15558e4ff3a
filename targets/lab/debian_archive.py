"""Debian's kernel packages, by apt with a configuration of its own.

What apt itself knows of this machine is neither read nor changed: the lists of the suites below are
kept in a folder of ours.  Only the addresses of the mirrors are those that the machine has.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["DebianArchive", "KernelPackage", "call", "choose"]

SUITES: Final = (
    "bullseye",
    "bookworm",
    "bookworm-updates",
    "bookworm-backports",
    "trixie",
    "trixie-updates",
    "trixie-backports",
)
SECURITY_SUITES: Final = ("bullseye-security", "bookworm-security", "trixie-security")

_STEP: Final = "fetching a kernel"
_DEADLINE_S: Final = 900.0
"""Of one program: lists are some 30 MB, a kernel some 120 MB."""
_KEYRING: Final = "/usr/share/keyrings/debian-archive-keyring.gpg"

# A release as it is in a package's name: of the flavours (rt, cloud) and the packages without
# content that follow the newest (linux-image-6.1-amd64), none.
_PACKAGE: Final = re.compile(r"linux-image-(\d+\.\d+\.\d+(?:\+[\w.]+|-[\w.]+)-amd64)")
_PARTS: Final = ("linux-base-", "linux-binary-", "linux-modules-")
"""Beginnings of the packages into which Debian splits a kernel from 6.18 on."""


@dataclass(frozen=True, slots=True)
class KernelPackage:
    """One kernel that there is: its release, the version of its package, and the suite."""

    release: str
    version: str
    suite: str

    @property
    def name(self) -> str:
        """Of the package."""
        return f"linux-image-{self.release}"

    @property
    def age(self) -> tuple[int, ...]:
        """A sort key: 6.12 is newer than 6.1, and 6.1.170-3 than 6.1.170-1."""
        return tuple(int(number) for number in re.findall(r"\d+", self.version))


def choose(wanted: str, packages: Iterable[KernelPackage], suites: str = "") -> KernelPackage:
    """The kernel that a name means.

    Args:
        wanted: a line (`6.12`), which is its newest; `LINE@oldest`; `newest`; a release, or the
            version of a package.
        packages: that there are.
        suites: a sentence about those that could not be reached, for the error.

    Raises:
        LabError: no package is meant.
    """
    known = sorted(packages, key=lambda one: one.age)
    line, _, which = wanted.partition("@")
    for one in reversed(known):
        if wanted in ("newest", one.release, one.version, one.name):
            return one
    of_line = [one for one in known if re.match(rf"{re.escape(line)}(?!\d)", one.version)]
    if of_line and re.fullmatch(r"\d+(\.\d+)+", line) and which in ("", "newest", "oldest"):
        return of_line[0 if which == "oldest" else -1]
    lines = dict.fromkeys(".".join(map(str, one.age[:2])) for one in known)
    there = f"there are {', '.join(lines)}" if lines else "there is no kernel at all"
    raise LabError(
        _STEP,
        f"no package of Debian is a kernel {wanted!r}: {there}{suites}",
        "`rpcrdma lab kernel --list` tells each",
    )


class DebianArchive:
    """Debian's suites, as one apt of our own sees them."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, in which apt keeps its lists.

        Args:
            folder: it is made.
        """
        self._folder = folder
        self.missing: tuple[str, ...] = ()
        """Suites that could not be had when the lists were fetched."""

    def update(self) -> None:
        """Fetch the lists of all suites; a suite that is not there costs only itself.

        Raises:
            LabError: there is no apt, the machine has no mirror of Debian, or no list came.
        """
        (self._folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (self._folder / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
        sources = _sources()
        (self._folder / "sources.list").write_text("".join(f"{one}\n" for one in sources))
        self._configuration.write_text(self._settings())
        said = self._apt("apt-get", "update", check=False)
        self.missing = tuple(
            suite
            for suite in (*SUITES, *SECURITY_SUITES)
            if re.search(rf"^[EW]: .*\s{suite}[\s/].*", said, re.MULTILINE)
        )
        if not self.packages():
            raise LabError(_STEP, f"apt got no list of packages: {_last_line(said)}")

    def packages(self) -> tuple[KernelPackage, ...]:
        """Every kernel that there is, oldest first; of a release its newest package.

        Raises:
            LabError: apt fails, or there is none.
        """
        names = self._apt("apt-cache", "pkgnames", "linux-image-").split()
        wanted = [name for name in names if _PACKAGE.fullmatch(name)]
        if not wanted:
            return ()
        found: dict[str, KernelPackage] = {}
        for line in self._apt("apt-cache", "madison", *wanted).splitlines():
            name, version, where, *_ = (*(part.strip() for part in line.split("|")), "", "")
            match = _PACKAGE.fullmatch(name)
            words = where.split()
            if match is None or len(words) < 2:
                continue
            one = KernelPackage(match[1], version, words[1].partition("/")[0])
            if one.release not in found or found[one.release].age < one.age:
                found[one.release] = one
        return tuple(sorted(found.values(), key=lambda one: one.age))

    def download(self, package: KernelPackage, folder: Path) -> list[Path]:
        """Fetch a kernel's package, and those into which it is split.

        Args:
            package: which.
            folder: to which the files go; it has none of that kind.

        Raises:
            LabError: one is not to be had.
        """
        depends = self._apt("apt-cache", "depends", "--important", package.name)
        named = re.findall(r"Depends: <?([^\s>]+)", depends)
        parts = [name for name in named if name in {f"{part}{package.release}" for part in _PARTS}]
        self._apt("apt-get", "download", package.name, *parts, folder=folder)
        return sorted(folder.glob("*.deb"))

    @property
    def _configuration(self) -> Path:
        return self._folder / "apt.conf"

    def _settings(self) -> str:
        return (
            f'Dir::Etc::sourcelist "{self._folder}/sources.list";\n'
            'Dir::Etc::sourceparts "/dev/null";\n'
            f'Dir::State::lists "{self._folder}/lists";\n'
            'Dir::State::status "/dev/null";\n'
            f'Dir::Cache "{self._folder}/cache";\n'
            'Acquire::Languages "none";\n'
            'APT::Architecture "amd64";\n'
            'APT::Sandbox::User "";\n'
            "#clear APT::Update::Post-Invoke;\n"
            "#clear APT::Update::Post-Invoke-Success;\n"
        )

    def _apt(self, *words: str, check: bool = True, folder: Path | None = None) -> str:
        return call(
            words, check=check, folder=folder, variables={"APT_CONFIG": str(self._configuration)}
        )


def call(
    words: tuple[str, ...],
    *,
    check: bool = True,
    folder: Path | None = None,
    variables: dict[str, str] | None = None,
) -> str:
    """Run a program of the package manager; what it printed, errors included.

    Args:
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
        remedy = "fetch kernels on Debian or Ubuntu, or name an image with --kernel"
        raise LabError(_STEP, f"there is no program {words[0]} here", remedy) from error
    except subprocess.TimeoutExpired as error:
        raise LabError(_STEP, f"{words[0]} did not end within {_DEADLINE_S:.0f} s") from error
    if check and ended.returncode != 0:
        raise LabError(
            _STEP,
            f"{' '.join(words[:2])} ended with {ended.returncode}: {_last_line(ended.stdout)}",
        )
    return ended.stdout


def _sources() -> list[str]:
    """Lines for apt: all suites, from the mirrors that this machine uses."""
    form = "$(REPO_URI)|$(RELEASE)"
    here = call(("apt-get", "indextargets", "--format", form, "Created-By: Packages"))
    pairs = (line.partition("|") for line in here.splitlines())
    mirrors = {suite: address for address, _, suite in pairs}
    plain = _mirror(mirrors, (*SUITES, "stable", "oldstable", "testing", "unstable", "sid"))
    security = _mirror(mirrors, (*SECURITY_SUITES, "stable-security", "oldstable-security"))
    if not plain:
        raise LabError(
            _STEP,
            "this machine's apt has no mirror of Debian",
            "add one to its sources, or name an image with --kernel",
        )
    signed = f" signed-by={_KEYRING}" if os.path.exists(_KEYRING) else ""  # noqa: PTH110 - a text
    lines = [f"deb [arch=amd64{signed}] {plain} {suite} main" for suite in SUITES]
    if security:
        lines += [f"deb [arch=amd64{signed}] {security} {suite} main" for suite in SECURITY_SUITES]
    return lines


def _mirror(mirrors: dict[str, str], suites: tuple[str, ...]) -> str:
    return next((mirrors[suite] for suite in suites if suite in mirrors), "")


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("E:")]
    return (errors or lines or ["it said nothing"])[-1]
