"""Debian's kernel packages, by an apt of our own; see `targets.lab.private_apt`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError
from targets.lab.private_apt import PrivateApt, last_line, mirrors, source

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["STEP", "DebianArchive", "KernelPackage", "choose"]

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

STEP: Final = "fetching a kernel"
"""What all this is for, to a person."""

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
        STEP,
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
        self._apt = PrivateApt(folder, STEP)
        self.missing: tuple[str, ...] = ()
        """Suites that could not be had when the lists were fetched."""

    def update(self) -> None:
        """Fetch the lists of all suites; a suite that is not there costs only itself.

        Raises:
            LabError: there is no apt, the machine has no mirror of Debian, or no list came.
        """
        here = mirrors(STEP)
        sources = [source("deb", here.plain, suite) for suite in SUITES]
        if here.security:
            sources += [source("deb", here.security, suite) for suite in SECURITY_SUITES]
        self._apt.write(sources)
        said = self._apt.run("apt-get", "update", check=False)
        self.missing = tuple(
            suite
            for suite in (*SUITES, *SECURITY_SUITES)
            if re.search(rf"^[EW]: .*\s{suite}[\s/].*", said, re.MULTILINE)
        )
        if not self.packages():
            raise LabError(STEP, f"apt got no list of packages: {last_line(said)}")

    def packages(self) -> tuple[KernelPackage, ...]:
        """Every kernel that there is, oldest first; of a release its newest package.

        Raises:
            LabError: apt fails, or there is none.
        """
        names = self._apt.run("apt-cache", "pkgnames", "linux-image-").split()
        wanted = [name for name in names if _PACKAGE.fullmatch(name)]
        if not wanted:
            return ()
        found: dict[str, KernelPackage] = {}
        for line in self._apt.run("apt-cache", "madison", *wanted).splitlines():
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
        depends = self._apt.run("apt-cache", "depends", "--important", package.name)
        named = re.findall(r"Depends: <?([^\s>]+)", depends)
        parts = [name for name in named if name in {f"{part}{package.release}" for part in _PARTS}]
        self._apt.run("apt-get", "download", package.name, *parts, folder=folder)
        return sorted(folder.glob("*.deb"))
