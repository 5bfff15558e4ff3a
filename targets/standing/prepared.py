"""What the agent sets up in its guest, keeps running, and knows of it."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError
from targets.lab.logs import SERVER_LOG
from targets.lab.nfsd import begin_nfsd, finish_nfsd, restart_nfsd, stop_nfsd
from targets.lab.rxe import add_device, set_up_interface
from targets.lab.setup import ServerKind
from targets.lab.step import run_step
from targets.standing.setup import EXPORT_COPY, SERVER_LOGS

if TYPE_CHECKING:
    from targets.lab.server import StartedServer
    from targets.standing.lines import Said
    from targets.standing.setup import StandingSetup
    from targets.usage import Usage

__all__ = ["PreparedGuest", "find_interfaces"]

_DRIVER: Final = Path("/sys/bus/virtio/drivers/virtio_net")
_LOG: Final = Path("/dev/kmsg")
_RECORD: Final = 8192
"""Octets: the longest record that the kernel hands out."""

_FIRST_PROCESS: Final = 1


class PreparedGuest:
    """The guest as it was set up."""

    def __init__(self, setup: StandingSetup, log: Path = _LOG) -> None:
        self.setup = setup
        self._running = ExitStack()
        self._server: StartedServer | None = None
        self._failure: LabError | None = None
        self._ready_s = 0.0
        self._log = os.open(log, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        self._lines: list[str] = []

    def prepare(self) -> None:
        """Set up network, device and server; what fails is told when somebody asks."""
        try:
            self._prepare()
        except LabError as error:
            self._failure = error
        self._ready_s = _uptime()

    def describe(self) -> Said:
        """When the guest was ready.

        Raises:
            LabError: a step of the setup failed.
        """
        if self._failure is not None:
            raise self._failure
        return {"ready_s": self._ready_s}

    def restart(self) -> None:
        """End the server, whatever it does, and start it anew.

        Raises:
            LabError: a step failed, or the server is none that can be started here.
        """
        match self.setup.server.kind:
            case ServerKind.NFSD:
                restart_nfsd(self.setup.server.port, len(self.setup.networks))
            case ServerKind.COMMAND:
                self._running.close()
                self._start_command()
            case _:
                raise LabError("starting the server again", "the guest has none")

    def renew(self) -> None:
        """As `restart`, with the exported files as they were at first.

        Raises:
            LabError: a step failed.
        """
        server = self.setup.server
        if server.kind is ServerKind.COMMAND and server.has_tree:
            self._running.close()
            self._make_export()
            self._start_command()
            return
        if server.kind is not ServerKind.NFSD:
            self.restart()
            return
        stop_nfsd()
        run_step("emptying the export", ["sh", "-c", 'rm -rf "$0"/*', server.export])
        self._fill(Path(server.export))
        restart_nfsd(server.port, len(self.setup.networks))

    def log_after(self, line: int) -> list[str]:
        """What the kernel has logged, from the line of that number on."""
        while record := self._next_record():
            # The kernel's Documentation/ABI/testing/dev-kmsg: `level,number,time,flags;text`.
            self._lines.append(record.partition(";")[2].partition("\n")[0])
        return self._lines[line:]

    def _prepare(self) -> None:
        if os.getpid() != _FIRST_PROCESS:
            raise LabError("setting up the guest", "this is no guest", "use `rpcrdma lab up`")
        networks = [
            replace(network, interface=interface)
            for network, interface in zip(self.setup.networks, find_interfaces(), strict=True)
        ]
        for network in networks:
            set_up_interface(network)
        if self.setup.server.kind is ServerKind.NFSD:
            with begin_nfsd(self.setup.server, len(networks)) as threads:
                for network in networks:
                    add_device(network)
                finish_nfsd(self.setup.server, threads, self._fill)
            return
        for network in networks:
            add_device(network)
        if self.setup.server.kind is ServerKind.COMMAND:
            if self.setup.server.has_tree:
                self._make_export()
            self._start_command()

    def _make_export(self) -> None:
        from targets.lab.export_disk import mount_export  # only where it is wanted

        export = Path(self.setup.server.export)
        mount_export(export, self.setup.resources.shares)
        self._fill(export)

    def _start_command(self) -> None:
        # Only where it is wanted: each module that is imported costs.
        from targets.lab.server import running_server

        os.environ.update(self.setup.environment)
        server = running_server(self.setup.server, Path(SERVER_LOGS) / SERVER_LOG)
        self._server = self._running.enter_context(server)

    def ended(self) -> str:
        """How the profile's server ended; empty while it runs, or if there is none."""
        return "" if self._server is None else self._server.alive()

    def usage(self) -> Usage:
        """What the profile's server holds, if there is one, and the kernel."""
        from targets.lab.held import held  # only where it is wanted

        return held() if self._server is None else self._server.usage()

    def _fill(self, export: Path) -> None:
        # Over what cases have changed; a link's target is not what is written to.
        run_step(
            "filling the export",
            ["cp", "-a", "--remove-destination", f"{EXPORT_COPY}/.", str(export)],
        )

    def _next_record(self) -> str:
        while True:
            try:
                return os.read(self._log, _RECORD).decode("utf-8", errors="replace")
            except BrokenPipeError:
                continue  # records were overwritten before we came: the next read is after them
            except BlockingIOError:
                return ""


def find_interfaces(driver: Path = _DRIVER) -> list[str]:
    """The names of the guest's virtio interfaces, whatever they are, in the order of their links.

    Raises:
        LabError: there is none.
    """
    stations = {
        path: (path / "address").read_text("ascii") for path in driver.glob("virtio*/net/*")
    }
    if not stations:
        raise LabError("setting up the network", "the guest has no virtio interface")
    return [path.name for path in sorted(stations, key=stations.__getitem__)]


def _uptime() -> float:
    return float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
