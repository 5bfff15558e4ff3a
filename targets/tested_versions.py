"""Which versions of a foreign program were tested with this project, and whether one is among them.

pip installs what pyproject.toml asks for, but a person may have another version, or the system's.
The ranges stand in pyproject.toml alone; pip has put them into the metadata of this distribution,
where they are read.  A bare checkout has no metadata: nothing is known of a version there, and
nothing is held against it.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib import metadata
from typing import Final

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

__all__ = ["ATHERIS", "VIRTME_NG", "Dependency", "our_requirements"]

_OURS: Final = "rpcrdma-conformance"


def our_requirements() -> tuple[str, ...]:
    """What this distribution requires, in its own words; nothing for a bare checkout."""
    try:
        return tuple(metadata.requires(_OURS) or ())
    except metadata.PackageNotFoundError:
        return ()


@dataclass(frozen=True, slots=True)
class Dependency:
    """A foreign distribution that one of our extras brings.

    Attributes:
        name: of the distribution, as pip knows it.
        extra: of ours.
    """

    name: str
    extra: str

    def installed(self) -> str | None:
        """The version that this Python would import; None if there is none."""
        try:
            return metadata.version(self.name)
        except metadata.PackageNotFoundError:
            return None

    def tested(self) -> str | None:
        """The range that was tested with this version of Python, such as `>=1.41,<1.43`.

        None if no version was, or nothing is known.
        """
        for requirement in map(Requirement, our_requirements()):
            if canonicalize_name(requirement.name) != self.name:
                continue
            if requirement.marker is None or requirement.marker.evaluate({"extra": self.extra}):
                return ",".join(sorted(map(str, requirement.specifier), reverse=True))
        return None

    def objection(self, version: str) -> str:
        """Why nothing is promised with this version; empty if it was tested, or nothing is known.

        Args:
            version: in its own words; one that is no version was not tested.
        """
        tested = self.tested()
        if tested is None or _is_within(version, tested):
            return ""
        return f"{self.name} {version} is not among the versions that were tested ({tested})"

    def remedy(self) -> str:
        """The command that brings a tested version, or that there is none for this Python."""
        if our_requirements() and self.tested() is None:
            return f"no version of {self.name} was tested with Python {platform.python_version()}"
        return f"pip install '{_OURS}[{self.extra}]'"


VIRTME_NG: Final = Dependency("virtme-ng", "lab")
ATHERIS: Final = Dependency("atheris", "fuzz")


def _is_within(version: str, tested: str) -> bool:
    try:
        number = Version(version)
    except InvalidVersion:
        return False
    return SpecifierSet(tested).contains(number, prereleases=True)
