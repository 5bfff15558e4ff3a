"""What the standing guest is told before it starts: a JSON file in its first file system."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from targets.lab.resources import USUAL, Resources
from targets.lab.setup import LabServer, Network, ServerKind

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ACTS_FOLDER", "AGENT_PORT", "EXPORT_COPY", "SETUP_FILE", "StandingSetup"]

AGENT_PORT: Final = "rpcrdma.agent"
"""The name by which the guest finds the agent's port."""

SETUP_FILE: Final = "/run/rpcrdma/setup.json"
"""Where the agent finds what it is told."""

ACTS_FOLDER: Final = "/run/rpcrdma/acts"
"""Where a tester's files are in the guest; they go when it goes."""

EXPORT_COPY: Final = "/run/rpcrdma/export"
"""Where the guest keeps the exported files as they were."""


@dataclass(frozen=True, slots=True)
class StandingSetup:
    """Everything that the agent needs to know.

    Attributes:
        server: what serves in the guest.
        networks: one for each tester, its address and device in the guest; the interfaces are the
            virtio ones in the order of the machine's command, whatever their names.
        environment: added to that of every program that the agent starts.
        stays: the guest stays when its tester goes; otherwise it ends then.
        resources: what the guest is given.
    """

    server: LabServer = field(default_factory=LabServer)
    networks: tuple[Network, ...] = (Network(interface=""),)
    environment: dict[str, str] = field(default_factory=dict)
    stays: bool = False
    resources: Resources = USUAL

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        record = asdict(self)
        record["networks"] = list(record["networks"])
        record["server"] |= {"kind": self.server.kind.value, "command": list(self.server.command)}
        given = self.resources
        record["resources"] |= {"parameters": [*given.parameters], "shares": [*given.shares]}
        return record

    @classmethod
    def read(cls, file: Path) -> StandingSetup:
        """A record that was written to a file."""
        return cls.from_record(json.loads(file.read_text(encoding="utf-8")))

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> StandingSetup:
        """What `record` gave."""
        server = dict(record["server"])
        server |= {"kind": ServerKind(server["kind"]), "command": tuple(server["command"])}
        given = dict(record["resources"])
        given |= {key: tuple(given[key]) for key in ("parameters", "shares")}
        return cls(
            LabServer(**server),
            tuple(Network(**network) for network in record["networks"]),
            record["environment"],
            record["stays"],
            Resources(**given),
        )
