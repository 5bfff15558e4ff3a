"""A run's guests that are none: they are ready at once, and die when a test says so."""

from __future__ import annotations

import itertools
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rpcrdma.ulp.rpc import accepted
from rpcrdma.wire import _generated_mount3 as wire
from targets.lab.errors import LabError
from targets.standing.machine import MachineFiles
from targets.usage import Resource, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HANDLE = b"the root"


@dataclass
class FakeCalls:
    """What a program served in the guest is to its server: its port."""

    port: int

    def close(self) -> None: ...


@dataclass
class FakeClient:
    """Lets nothing begin."""

    failure: str = ""
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def begin(self, _verb: str, **_parts: object) -> None:
        if self.failure:
            raise LabError("talking to the guest", self.failure)

    def pump(self) -> None: ...


@dataclass
class FakeAgent:
    """Notes what it is asked for."""

    mounted: wire.MountResult
    client: FakeClient = field(default_factory=FakeClient)
    asked: list[str] = field(default_factory=list)
    stuck: str = ""
    end: str = ""

    def ended(self) -> str:
        if self.stuck:
            raise LabError("asking the guest", self.stuck)
        return self.end

    def meanwhile(self, act: Callable[[], None]) -> None:
        act()

    def restart(self, _ready_s: float = 0.0) -> None:
        self.asked.append("restart")
        if self.stuck:
            raise LabError("stopping nfsd", self.stuck)

    def renew(self, _ready_s: float = 0.0) -> None:
        self.asked.append("renew")
        if self.stuck:
            raise LabError("emptying the export", self.stuck)

    def usage(self) -> Usage:
        if self.stuck:
            raise LabError("asking the guest", self.stuck)
        return Usage(((Resource.PINNED, 4096),))

    def serve_calls(
        self, address: str, _execute: object, port: int = 0, *, routed: bool = False
    ) -> FakeCalls:
        self.asked.append(f"serve {address}:{port}{' routed' if routed else ''}")
        return FakeCalls(port or 4711)

    def exchange(self, address: str, port: int, call: bytes, seconds: float) -> bytes:
        self.asked.append(f"{address}:{port}")
        assert seconds > 0
        return accepted(int.from_bytes(call[:4], "big"), wire.encode_mount_result(self.mounted))


@dataclass
class FakeGuest:
    """Is ready at once, or never."""

    folder: Path
    agent: FakeAgent
    failure: str = ""
    death: str | None = None

    @property
    def files(self) -> MachineFiles:
        return MachineFiles(self.folder)

    def await_ready(self) -> None:
        if self.failure:
            raise LabError("booting the lab", self.failure)

    def alive(self) -> str | None:
        return self.death

    def log(self) -> str:
        return f"console of {self.folder.name}"


@dataclass
class FakeRunGuest:
    """Has further guests for those that die."""

    current: FakeGuest
    others: list[FakeGuest]
    replaced: list[str] = field(default_factory=list)

    def replace(self, how: str) -> FakeGuest:
        self.replaced.append(how)
        if not self.others:
            raise LabError("booting the lab", "the guest did not start")
        self.current = self.others.pop(0)
        return self.current


@contextmanager
def two_guests() -> Iterator[FakeRunGuest]:
    """A guest and one that can take its place; their sockets have short paths, as real ones do."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        guests = [
            FakeGuest(Path(folder), FakeAgent(wire.MountDone(HANDLE, (1,))))
            for folder in (first, second)
        ]
        yield FakeRunGuest(guests[0], guests[1:])
