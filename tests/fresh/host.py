"""What the fresh machine takes over from this one: the way to packages, and nothing else.

Which mirror, proxy, index and certificates lead to packages is this machine's own configuration.
It is read when the test runs, by the words of apt and pip themselves.
"""

from __future__ import annotations

import re
import subprocess
from configparser import ConfigParser
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.fresh.errors import NotHere

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "CERTIFICATES",
    "SUITE",
    "apt_settings",
    "constraint_files",
    "environment",
    "known_settings",
    "known_sources",
    "pip_files",
    "sources",
    "trusted",
]

SUITE: Final = "bookworm"
_SUITES: Final = (SUITE, f"{SUITE}-updates", f"{SUITE}-security")

CERTIFICATES: Final = "/usr/local/share/certificates-of-the-host.crt"
"""In the fresh root: a file of its own, since the package ca-certificates makes the usual one."""

_BUNDLE: Final = Path("/etc/ssl/certs/ca-certificates.crt")
_DEADLINE_S: Final = 60.0

_PASSED_ON: Final = re.compile(r"(https?|no|all|ftp)_proxy|PIP_.*|RPCRDMA_.*", re.IGNORECASE)
"""Environment variables that say how packages are reached, or how slow this machine is."""


def known_sources() -> str:
    """The lines of a sources.list for the suite, by this machine's apt.

    Raises:
        NotHere: there is no apt, or it knows no mirror of the suite.
    """
    words = "$(REPO_URI) $(RELEASE) $(COMPONENT)"
    return sources(_ask("apt-get", "indextargets", "--format", words, "Created-By: Packages"))


def known_settings(*, certificates: bool) -> str:
    """Proxy, retries and the like of this machine's apt, as lines of an apt.conf."""
    dump = _ask("apt-config", "dump", "--no-empty", "--format", '%F "%v";%n', "Acquire")
    return apt_settings(dump, certificates=certificates)


def trusted(variables: Mapping[str, str]) -> Path | None:
    """The file of the authorities that this machine trusts; None if it has none."""
    file = Path(variables.get("PIP_CERT") or _BUNDLE)
    return file if file.is_file() else None


def sources(listing: str) -> str:
    """From lines of URI, suite and component that apt reads, those of Debian's own archive.

    Raises:
        NotHere: there is none.
    """
    lines = []
    for line in listing.splitlines():
        uri, suite, component = line.split()
        if suite in _SUITES and component == "main" and re.match(r"https?:", uri):
            lines.append(f"deb {uri} {suite} main\n")
    if not any(line.split()[2] == SUITE for line in lines):
        raise NotHere(f"this machine's apt has no mirror of Debian {SUITE}: add one to its sources")
    return "".join(dict.fromkeys(lines))


def apt_settings(dump: str, *, certificates: bool) -> str:
    """A dump of apt's settings without the lists of indices, which are those of installed programs.

    Args:
        dump: lines of an apt.conf.
        certificates: whether the root has this machine's, in the file `CERTIFICATES`.
    """
    lines = [line for line in dump.splitlines() if not line.startswith("Acquire::IndexTargets")]
    if certificates:
        lines.append(f'Acquire::https::CaInfo "{CERTIFICATES}";')
    return "".join(f"{line}\n" for line in lines)


def pip_files(home: Path, there: str, variables: Mapping[str, str]) -> dict[Path, str]:
    """pip's configuration here, and where it belongs in the root (pip's user guide: pip.conf).

    Args:
        home: of whoever runs this.
        there: the home of whoever will run pip in the root.
        variables: of the environment here.
    """
    places = {
        Path("/etc/xdg/pip/pip.conf"): "/etc/xdg/pip/pip.conf",
        Path("/etc/pip.conf"): "/etc/pip.conf",
        home / ".pip/pip.conf": f"{there}/.pip/pip.conf",
        home / ".config/pip/pip.conf": f"{there}/.config/pip/pip.conf",
    }
    if named := variables.get("PIP_CONFIG_FILE"):
        places[Path(named)] = named
    return {file: place for file, place in places.items() if file.is_file()}


def constraint_files(files: Iterable[Path], variables: Mapping[str, str]) -> tuple[Path, ...]:
    """Files of versions that pip keeps to here: without one that it is told of, pip refuses to run.

    Args:
        files: pip's configuration here.
        variables: of the environment here.

    Returns:
        Those that are named by their whole path, which is good in the root, too.
    """
    named = variables.get("PIP_CONSTRAINT", "").split()
    for file in files:
        settings = ConfigParser(interpolation=None)
        settings.read(file, "utf-8")
        for section in settings.sections():
            named += settings.get(section, "constraint", fallback="").split()
    paths = (Path(name) for name in dict.fromkeys(named))
    return tuple(path for path in paths if path.is_absolute() and path.is_file())


def environment(variables: Mapping[str, str], *, certificates: bool) -> dict[str, str]:
    """That of a new login, with what says how packages are reached."""
    ours = {name: value for name, value in variables.items() if _PASSED_ON.fullmatch(name)}
    if certificates:
        ours["PIP_CERT"] = CERTIFICATES
    return {
        **ours,
        "LANG": "C.UTF-8",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "DEBIAN_FRONTEND": "noninteractive",
        "PYTHONUNBUFFERED": "1",
    }


def _ask(*command: str) -> str:
    try:
        said = subprocess.run(
            command, capture_output=True, text=True, timeout=_DEADLINE_S, check=True
        )
    except FileNotFoundError as error:
        raise NotHere(f"there is no {command[0]}: this needs a Debian or a derivative") from error
    except subprocess.CalledProcessError as error:
        raise NotHere(f"{command[0]} failed: {error.stderr.strip()}") from error
    return said.stdout
