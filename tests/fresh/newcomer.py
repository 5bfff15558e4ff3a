"""A newcomer types what the README and the doctor say, and looks at what comes of it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from tests.fresh.errors import StepFailed
from tests.fresh.readme import (
    already_there,
    doctors_command,
    packages_of,
    published_folder,
    readme_command,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["USER", "Machine", "Newcomer", "judge_report"]

USER: Final = "newcomer"
"""Who is root only where the README and the doctor say so."""

_CLONE: Final = f"/home/{USER}/rpcrdma-conformance"
_LACKS: Final = 2
"""Exit status of a doctor who misses something."""

_ALL_THERE: Final = "The lab has all it needs."
_STATUS: Final = "${db:Status-Abbrev} ${Package}\\n"
"""dpkg-query's words for one line of a package: `ii` stands for an installed one."""

_DEADLINE_S: Final = 1200.0
"""For each step: the longest installs 200 MB, or boots an emulated machine, on one that is busy."""

_SECTIONS: Final = (
    ("linux-server", "4.5.1", "baseline.toml"),
    ("linux-client", "4.5", "baseline-client.toml"),
)
"""Target, a section that is short and has a known deviation, and the baseline that knows it."""


class Machine(Protocol):
    """What a newcomer sits at: `tests.fresh.debian_root.DebianRoot`."""

    @property
    def show(self) -> Callable[[str], None]:
        """Takes lines for whoever watches."""

    def run(self, script: str, deadline_s: float, user: str = "root") -> tuple[int, str]:
        """Run a shell script as some user; its exit status, and what it printed."""

    def read(self, place: str) -> bytes:
        """The content of a file."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """Somebody at a fresh machine.

    Attributes:
        machine: this one.
        readme: the README's text.
        repository: what is cloned, by its path there.
    """

    machine: Machine
    readme: str
    repository: str

    def go(self) -> None:
        """Type it all.

        Raises:
            StepFailed: something is not as the README and the doctor promise.
        """
        self._type_as_root(readme_command(self.readme, "apt-get update"))
        self._type(f"git clone --quiet {self.repository} {_CLONE}", folder="/")
        self._type(readme_command(self.readme, "python3 -m venv"))
        self._type_inside(readme_command(self.readme, "rpcrdma certify reference"))
        self._follow_the_doctor(readme_command(self.readme, "rpcrdma lab doctor"))
        for target, section, baseline in _SECTIONS:
            self._certify(
                readme_command(self.readme, f"rpcrdma certify {target}"), section, baseline
            )

    def _follow_the_doctor(self, doctor: str) -> None:
        said = self._type_inside(doctor, status=_LACKS)
        command = doctors_command(said)
        packages = packages_of(command)
        asked = f"dpkg-query --show --showformat '{_STATUS}' {' '.join(packages)} || true"
        _, installed = self.machine.run(asked, _DEADLINE_S)
        if there := already_there(packages, installed):
            raise StepFailed(f"the doctor misses what is installed: {', '.join(there)}")
        self.machine.show(f"none of these is installed: {' '.join(packages)}")
        self._type_as_root(command)
        if _ALL_THERE not in self._type_inside(doctor).splitlines():
            raise StepFailed("the doctor is not content after its own command")

    def _certify(self, command: str, section: str, baseline: str) -> None:
        """One section, with the verdicts that the published baseline knows."""
        output = f"/home/{USER}/results-{section}"
        known = f"{published_folder(self.readme)}/{baseline}"
        self._type_inside(f"{command} --section {section} --baseline {known} --output {output}")
        judge_report(self.machine.read(f"{output}/report.json"))

    def _type_inside(self, command: str, status: int = 0) -> str:
        """In the environment that the README makes."""
        return self._type(command, status, before=". .venv/bin/activate; ")

    def _type_as_root(self, command: str) -> str:
        return self._type(command, folder="/", user="root")

    def _type(
        self,
        command: str,
        status: int = 0,
        folder: str = _CLONE,
        before: str = "",
        user: str = USER,
    ) -> str:
        prompt = "#" if user == "root" else "$"
        self.machine.show(f"\n== {prompt} {command}")
        begin = time.monotonic()
        ended, said = self.machine.run(f"cd {folder}; {before}{command}", _DEADLINE_S, user)
        self.machine.show(f"== status {ended} after {time.monotonic() - begin:.0f} s")
        if ended != status:
            raise StepFailed(f"{command}: status {ended}, not {status}")
        return said


def judge_report(octets: bytes) -> None:
    """See that a run judged something, knew a deviation, and met no other.

    Raises:
        StepFailed: it did not.
    """
    report = json.loads(octets)
    counts = {verdict: count for verdict, count in report["counts"].items() if count}
    known, problems = report["baseline"]["known"], report["baseline"]["problems"]
    if not counts.get("PASS") or counts.get("ERROR") or not known or problems:
        raise StepFailed(f"verdicts are not as in the baseline: {counts}, {problems}")
