"""The reference client in a process of its own: both ends of its standard streams.

The tester's end is `ProcessClientSession`; `main` is the process.  It is told what to do, and says
how it went, by a JSON object in each line:

    {"id": 0, "connect": "10.9.0.1:20049"}                   be a new client of this server
    {"id": 1, "act": "read", "length": 4096, "count": 1}     do this
    {"id": 1, "abandon": true}                               wait for it no longer
    {"type": "report", "id": 1, "state": "done", "detail": "", "digest": "..."}
    {"type": "ended", "status": 0}                           the client is no more

The report with id 0 tells how connecting went.  Each client is a fork of the process, so that it
knows nothing of an earlier one (`targets.reference.lives`).  The process ends with its standard
input.
"""

from __future__ import annotations

import argparse
import importlib
import os
import selectors
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import msgspec

from rpcrdma.errors import FabricError
from rpcrdma.fabric.trace import Trace
from targets.base import Act, ActKind, ActResult, ActState, TargetError
from targets.endings import words_of_end
from targets.fabrics import BETWEEN, open_fabric
from targets.reference.acts import ACTS
from targets.reference.client_parts import CLIENT, ClientParts, make_client
from targets.reference.device_process import STOP_DEADLINE, parse_address, process_of, stop_process
from targets.reference.lives import END_OF_LIFE, Ended, live
from targets.usage import usage_of_process

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Address, Fabric
    from targets.base import RunningAct
    from targets.usage import Usage

__all__ = ["ClientOrder", "InputLines", "ProcessClientSession", "Report", "main", "serve"]

_CONNECT_TIMEOUT: Final = 15.0
"""Seconds that one try to connect may take: in a busy machine without KVM a handshake takes two."""

IDLE: Final = 0.01
"""Seconds that the process waits for something to happen."""

_AT_ONCE: Final = 65536

_IMPORTED_BEFORE: Final = {
    "roce": "rpcrdma.roce.fabric",
    "verbs": "rpcrdma.fabric.verbs_connection",
}
"""What each client would otherwise import anew after it was forked."""


class ClientOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the process is told: to connect somewhere, to do an act, or to abandon one."""

    id: int
    connect: str = ""
    act: str = ""
    length: int = 0
    count: int = 1
    offset: int = 0
    abandon: bool = False


class Report(msgspec.Struct, frozen=True, tag="report"):
    """How an act ended."""

    id: int
    state: ActState
    detail: str = ""
    digest: str = ""


class InputLines:
    """Complete lines of a stream, as they come; reading never blocks."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._descriptor = stream.fileno()
        os.set_blocking(self._descriptor, False)
        self._rest = b""
        self.ended = False

    def take(self) -> list[bytes]:
        """The lines that have come since the last time."""
        while not self.ended:
            try:
                octets = os.read(self._descriptor, _AT_ONCE)
            except BlockingIOError:
                break
            self.ended = not octets
            self._rest += octets
        *lines, self._rest = self._rest.split(b"\n")
        return [line for line in lines if line]

    def wait(self, timeout: float) -> None:
        """Wait until there may be something."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._descriptor, selectors.EVENT_READ)
            selector.select(timeout)


class _Remote:
    """An act under way in the process (see `targets.base.RunningAct`)."""

    def __init__(self, session: ProcessClientSession, number: int) -> None:
        self._session = session
        self._number = number

    def poll(self) -> ActResult | None:
        """What the process has reported."""
        return self._session.result_of(self._number)

    def abandon(self) -> None:
        """Tell the process."""
        self._session.order(ClientOrder(self._number, abandon=True))


class ProcessClientSession:
    """The tester's end (see `targets.base.ClientSession`)."""

    acts: frozenset[ActKind] = ACTS

    def __init__(
        self,
        fabric: Fabric,
        listen_address: Address,
        replaced: str = "",
        *,
        options: tuple[str, ...] = (),
        is_called: bool = True,
        versions: tuple[int, ...] = (1,),
    ) -> None:
        self.listen_address = listen_address
        self.fabric = fabric
        self._replaced = replaced
        self._options = options
        self._is_called = is_called
        self._versions = versions
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: InputLines | None = None
        self._results: dict[int, ActResult] = {}
        self._orders = 0
        self._ended: Ended | None = Ended(0)

    def command(self) -> list[str]:
        """What is run to be a client."""
        command = [sys.executable, "-m", *process_of("client", self._replaced)]
        command += [*self._options, "--versions", *map(str, self._versions)]
        return command if self._is_called else [*command, "--forward-only"]

    def prepare(self, address: Address) -> RunningAct:
        """Have a new client connect; the process stays what it is, if it is still there."""
        self._end_client()
        if self._process is None:
            # Unbuffered: what a process that is gone did not take must not come up when it is
            # closed.
            process = subprocess.Popen(
                self.command(), bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            if process.stdout is None:
                raise TargetError("the process has no output")
            self._process, self._lines = process, InputLines(process.stdout)
        self._results.clear()
        self._orders = 0
        self._ended = None
        self.order(ClientOrder(0, connect=str(address)))
        return _Remote(self, 0)

    def begin(self, act: Act) -> RunningAct:
        """Tell the process to do something.

        Raises:
            TargetError: there is no process.
        """
        if self._process is None:
            raise TargetError("the client has not been told where to connect; prepare it first")
        self._orders += 1
        self.order(
            ClientOrder(
                self._orders,
                act=act.kind.value,
                length=act.length,
                count=act.count,
                offset=act.offset,
            )
        )
        return _Remote(self, self._orders)

    def order(self, order: ClientOrder) -> None:
        """Send one line; a process that is gone will be noticed by `alive`."""
        if self._process is None or self._process.stdin is None:
            return
        try:
            self._process.stdin.write(msgspec.json.encode(order) + b"\n")
        except BrokenPipeError:
            return

    def result_of(self, number: int) -> ActResult | None:
        """What has been reported of an act; that the client ended is a result, too."""
        died = self.alive()
        if number not in self._results and died is not None:
            return ActResult(ActState.FAILED, died)
        return self._results.get(number)

    def alive(self) -> str | None:
        """How the client ended, if it did."""
        if self._process is None:
            return None
        self._hear()
        status = self._process.poll() if self._ended is None else self._ended.status
        return None if status is None else f"the process {words_of_end(status)}"

    def usage(self) -> Usage | None:
        """What the client holds, which is the process's fork; None between two clients."""
        if self._process is None:
            return None
        first = self._process.pid
        try:
            # proc(5): the processes that this thread has made, and that have not been waited for.
            forks = Path(f"/proc/{first}/task/{first}/children").read_text("ascii").split()
        except OSError:
            return None
        return usage_of_process(int(forks[0])) if forks else None

    def _hear(self) -> None:
        """Take what has been said."""
        for line in self._lines.take() if self._lines is not None else ():
            said = msgspec.json.decode(line, type=Report | Ended)
            if isinstance(said, Ended):
                self._ended = said
            else:
                result = ActResult(said.state, said.detail, digest=said.digest)
                self._results[said.id] = result

    def restart(self) -> None:
        """End the process; `prepare` starts a new one."""
        self._stop()

    def close(self) -> None:
        """End the process and release the fabric."""
        self._stop()
        self.fabric.close()

    def _end_client(self) -> None:
        """End the client; if the process has anything against that, it ends, too."""
        if self._process is None or self._lines is None:
            return
        if self._process.poll() is None and self._ended is None:
            self._process.send_signal(END_OF_LIFE)
            deadline = time.monotonic() + STOP_DEADLINE
            while self.alive() is None and (left := deadline - time.monotonic()) > 0:
                self._lines.wait(left)
        if self._ended is None or self._process.poll() is not None:
            self._stop()

    def _stop(self) -> None:
        if self._process is not None:
            stop_process(self._process)
            self._process = self._lines = None


def serve(
    fabric: Fabric,
    address: Address,
    parts: ClientParts,
    orders: InputLines,
    output: IO[bytes],
    versions: tuple[int, ...] = (1,),
) -> None:
    """Be the client until the orders end."""
    client, application = make_client(fabric, address, parts, versions, _CONNECT_TIMEOUT)
    running: dict[int, RunningAct] = {0: application.connect()}
    try:
        while not orders.ended:
            for line in orders.take():
                order = msgspec.json.decode(line, type=ClientOrder)
                if not order.abandon:
                    act = Act(ActKind(order.act), order.length, order.count, order.offset)
                    running[order.id] = application.begin(act)
                elif order.id in running:
                    running[order.id].abandon()
            if not client.wait(IDLE if client.connected else 0.0) and not client.connected:
                orders.wait(IDLE)
            application.collect()
            for number, act_under_way in tuple(running.items()):
                result = act_under_way.poll()
                if result is not None:
                    del running[number]
                    report = Report(number, result.state, result.detail, result.digest)
                    output.write(msgspec.json.encode(report) + b"\n")
                    output.flush()
    finally:
        client.close()


def main(arguments: list[str] | None = None, parts: ClientParts = CLIENT) -> int:
    """Be a client, as often as is ordered, until standard input ends."""
    parser = argparse.ArgumentParser(
        prog="python -m targets.reference.client_process", description=__doc__
    )
    parser.add_argument("--forward-only", action="store_true", help="take no backward Calls")
    parser.add_argument("--fabric", choices=BETWEEN, default="verbs")
    parser.add_argument("--own", default="", help="own address; empty: that of the server")
    parser.add_argument("--versions", type=int, nargs="+", default=(1,), help="to be spoken")
    chosen = parser.parse_args(arguments)
    parts = replace(parts, is_called=not chosen.forward_only)
    with suppress(ImportError):  # the client will tell, in words
        importlib.import_module(_IMPORTED_BEFORE[chosen.fabric])

    def begins(line: bytes) -> Callable[[], int] | None:
        order = msgspec.json.decode(line, type=ClientOrder)
        if not order.connect:
            return None
        address = parse_address(order.connect)
        return partial(_be, chosen.fabric, chosen.own, address, parts, tuple(chosen.versions))

    live(begins, sys.stdin.fileno(), sys.stdout.buffer)
    return 0


def _be(
    kind: str, own: str, address: Address, parts: ClientParts, versions: tuple[int, ...]
) -> int:
    """Be the client of one server; what the process ends with."""
    try:
        with open_fabric(kind, own or address.host, checks=True) as fabric:
            fabric.trace = Trace(keep=False)  # the tester's side is the one that is read
            serve(fabric, address, parts, InputLines(sys.stdin.buffer), sys.stdout.buffer, versions)
    except FabricError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
