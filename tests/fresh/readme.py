"""What the README and the doctor tell a newcomer to type, taken from their own words."""

from __future__ import annotations

import re
import shlex
from typing import Final

from tests.fresh.errors import StepFailed

__all__ = [
    "already_there",
    "doctors_command",
    "packages_of",
    "published_folder",
    "readme_command",
]

_BLOCK: Final = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COMMENT: Final = re.compile(r"\s+#\s.*")
_BASELINE: Final = re.compile(r"\]\(([^()]*)/baseline\.toml\)")
_DOCTORS_WORDS: Final = "Install what is missing (as root):"


def readme_command(text: str, start: str) -> str:
    """The README's one command that is `start`, or else begins with it.

    Raises:
        StepFailed: there is none, or there are several.
    """
    lines = [line for block in _BLOCK.findall(text) for line in block.splitlines()]
    commands = list(dict.fromkeys(_COMMENT.sub("", line) for line in lines))
    if start in commands:
        return start
    found = [command for command in commands if command.startswith(start)]
    if len(found) != 1:
        raise StepFailed(f"the README has {len(found)} commands that begin with {start!r}")
    return found[0]


def published_folder(text: str) -> str:
    """The folder of the baselines to which the README links.

    Raises:
        StepFailed: there is no such link, or there are several folders.
    """
    found = set(_BASELINE.findall(text))
    if len(found) != 1:
        raise StepFailed(f"the README links to {len(found)} folders with a baseline.toml")
    return str(found.pop())


def doctors_command(said: str) -> str:
    """The command that `rpcrdma lab doctor` printed.

    Raises:
        StepFailed: it printed none.
    """
    lines = [line.strip() for line in said.splitlines()]
    if _DOCTORS_WORDS not in lines[:-1]:
        raise StepFailed("the doctor named no command that installs what is missing")
    return lines[lines.index(_DOCTORS_WORDS) + 1]


def packages_of(command: str) -> tuple[str, ...]:
    """The Debian packages that a shell command installs.

    Raises:
        StepFailed: it installs none.
    """
    for part in command.split("&&"):
        words = shlex.split(part)
        if words[:2] == ["apt-get", "install"]:
            return tuple(word for word in words[2:] if not word.startswith("-"))
    raise StepFailed(f"this installs no package: {command}")


def already_there(packages: tuple[str, ...], installed: str) -> tuple[str, ...]:
    """Which of `packages` dpkg lists as installed, in lines of status and name."""
    present = {line.split()[1] for line in installed.splitlines() if line.startswith("ii ")}
    return tuple(package for package in packages if package in present)
