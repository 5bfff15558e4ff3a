"""What the host asks of the guest, and what the guest reports back: two small JSON files.

Host and guest share one folder, the *job*: `setup.json` goes in, `report.json` comes out, and
`console.log` and the logs of servers lie beside them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from targets.lab.errors import LabError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "NFS_RDMA_PORT",
    "GuestReport",
    "GuestSetup",
    "LabServer",
    "Network",
    "ServerKind",
    "Stage",
]

NFS_RDMA_PORT = 20049
"""Registered for NFS over RDMA (rfc8267 section 8)."""

_SETUP_FILE = "setup.json"
_REPORT_FILE = "report.json"


class ServerKind(Enum):
    """What serves inside the lab."""

    NFSD = "nfsd"  # the kernel's NFS server
    COMMAND = "command"  # a program that a profile names
    NONE = "none"  # only the network and the device


@dataclass(frozen=True, slots=True)
class Network:
    """One network interface that leads nowhere, and the Soft-RoCE device on it."""

    interface: str = "dummy0"
    address: str = "10.9.0.1"
    prefix: int = 24
    device: str = "rxe0"
    mtu: int = 4200  # room for RoCE's largest path MTU of 4096 octets and its headers


@dataclass(frozen=True, slots=True)
class LabServer:
    """What to start before the command, and where it is known to listen.

    Attributes:
        kind: what serves.
        command: that starts it; of ServerKind.COMMAND.
        port: where it listens.
        export: folder that it exports.
        ready_s: seconds in which it must listen.
        has_tree: whether the files of `rpcrdma.ulp.file_tree` are made in the export before a
            command starts; the kernel's server has them always.
    """

    kind: ServerKind = ServerKind.NFSD
    command: tuple[str, ...] = ()
    port: int = NFS_RDMA_PORT
    export: str = "/srv/export"
    ready_s: float = 30.0
    has_tree: bool = False


@dataclass(frozen=True, slots=True)
class GuestSetup:
    """Everything that the guest needs to know.

    Attributes:
        command: program and arguments to run when all is set up.
        folder: working directory of the command.
        environment: added to the guest's own.
        interactive: the command talks to a person; give it a terminal.
        trace: kernel trace events to record while the command runs, such as `rpcrdma:*`.
        shares: folders of the host that the profile has the guest write to.
    """

    command: tuple[str, ...]
    folder: str
    environment: dict[str, str] = field(default_factory=dict)
    network: Network = Network()
    server: LabServer = LabServer()
    interactive: bool = False
    trace: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()

    def write(self, job: Path) -> Path:
        """Put this into the job folder, and return the file."""
        text = json.dumps(asdict(self), default=lambda value: value.value, indent=1)
        file = job / _SETUP_FILE
        file.write_text(text, encoding="utf-8")
        return file

    @classmethod
    def read(cls, file: Path) -> GuestSetup:
        """What `write` wrote."""
        record = json.loads(file.read_text(encoding="utf-8"))
        server = record["server"]
        return cls(
            command=tuple(record["command"]),
            folder=record["folder"],
            environment=record["environment"],
            network=Network(**record["network"]),
            server=LabServer(
                kind=ServerKind(server["kind"]),
                command=tuple(server["command"]),
                port=server["port"],
                export=server["export"],
                ready_s=server["ready_s"],
                has_tree=server["has_tree"],
            ),
            interactive=record["interactive"],
            trace=tuple(record["trace"]),
            shares=tuple(record["shares"]),
        )


class Stage(Enum):
    """How far the guest got."""

    SETUP_FAILED = "setup failed"
    READY = "ready"  # the command runs, or the guest ended under it
    DONE = "done"


@dataclass(frozen=True, slots=True)
class GuestReport:
    """What the guest says of itself.

    Attributes:
        status: of the command, when it is done; 128 + n when signal n ended it.
        step, cause, remedy: of the step of the setup that failed.
        ready_s: seconds from the start of the guest's kernel to that of the command.
    """

    stage: Stage
    status: int | None = None
    step: str = ""
    cause: str = ""
    remedy: str = ""
    ready_s: float | None = None

    def write(self, job: Path) -> None:
        """Put this into the job folder at once, so that a reader never sees half of it."""
        partial = job / f"{_REPORT_FILE}.partial"
        text = json.dumps(asdict(self), default=lambda value: value.value)
        partial.write_text(text, encoding="utf-8")
        partial.replace(job / _REPORT_FILE)

    @classmethod
    def read(cls, job: Path) -> GuestReport | None:
        """The guest's last word; None when it never got to say one.

        Raises:
            LabError: the setup of the guest failed, with its step, cause and remedy.
        """
        file = job / _REPORT_FILE
        if not file.is_file():
            return None
        record = json.loads(file.read_text(encoding="utf-8"))
        report = cls(**{**record, "stage": Stage(record["stage"])})
        if report.stage is Stage.SETUP_FAILED:
            raise LabError(report.step, report.cause, report.remedy)
        return report
