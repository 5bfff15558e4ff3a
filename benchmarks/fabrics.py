"""The fabrics side by side in one interleaved run: what they carry, and what that costs us.

    python benchmarks/fabrics.py                              # loopback, switch, roce, verbs
    python benchmarks/fabrics.py --fabrics roce --suite       # and the whole suite
    python benchmarks/fabrics.py --fabrics roce --address 192.0.2.1:20049

| fabric | the other end |
|---|---|
| `loopback`, `switch` | the reference server in this process, in virtual time |
| `roce`, `verbs` | the reference server in a process of its own on this host |
| with `--address` | an NFSv4 server elsewhere with the suite's export, such as the kernel's |

A fabric that cannot be opened here is left out, with a line that says why.

    connect            a connection is made; its end is not measured
    NULL               one call after another
    NULL, 16 at once   as many calls in progress as credits allow, 16 at most
    NULL, recorded     in turn, with the trace and (switch, roce) the frames that a case keeps
    READ 64, 256 KiB   of a file by a Write chunk, memory registered and invalidated each time
    WRITE 64, 256 KiB  by a Read chunk, likewise; what that server's disk takes is in it
    suite              `rpcrdma certify reference` of one section, start to end; `--suite`: of all

How it is measured.  The rounds are short (some 10 ms) and many, and the fabrics take turns in
them, each going first as often as the others; figures are medians over the rounds, with the
quartiles in brackets, so that whatever else the machine does meets all alike.  The garbage
collector is off, nothing but the recorded row keeps a trace, and the first round of each is not
counted.

"Own time" is that of the processor in this process (`time.process_time`) for each operation.  On
`loopback` and `switch` it pays for both ends, on the others for the tester's alone: the other
process, the kernel's work for it, and waiting are not in it.  Of the suite it is that of `certify`
and its children, hence of both ends everywhere, Python's start included.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import ReplyReceived
from rpcrdma.endpoint.ends.calling import Client
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.errors import FabricError
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.trace import Trace
from rpcrdma.ulp import nfs4
from rpcrdma.ulp.bindings import ReplyExpectation
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.file_tree import PLAIN, WRITABLE
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.rpc import REPLY_MAXIMUM_LENGTH
from targets.base import TargetError
from targets.fabrics import FABRICS, IN_PROCESS, fabric_towards
from targets.in_process import make_network
from targets.reference.device_process import parse_address
from targets.reference.server import ProcessSession
from targets.reference.server_parts import server_factory

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Fabric

DEADLINE: Final = 10.0
HERE: Final = Address("127.0.0.1", 20049)
DEPTH: Final = 16
KIB: Final = 1024
SIZES: Final = (64, 256)
NULL_REPLY: Final = ReplyExpectation(REPLY_MAXIMUM_LENGTH)
SECTION: Final = "4.5"


@dataclass
class Figures:
    """What the rounds of one row on one fabric gave, per operation: seconds, and own time."""

    seconds: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)


class Column:
    """A fabric with a server, and the operations to be measured on it."""

    def __init__(self, name: str, fabric: Fabric, address: Address) -> None:
        self.name = name
        self._fabric = fabric
        self._address = address
        self._made: list[Client] = []
        self._xid = 0
        self._upper_layer = Nfs4Program(FileStore())
        self._fabric.trace = Trace(keep=False)
        self._client = Client(fabric, address, DEADLINE)
        self._null = nfs4.null(0)[4:]

    def connect(self) -> Callable[[], None]:
        """Make one more connection; `tidy` ends them."""

        def work() -> None:
            self._made.append(Client(self._fabric, self._address, DEADLINE))

        return work

    def null(self) -> Callable[[], None]:
        """One NULL call."""

        def work() -> None:
            self._client.complete(self._call(self._null, NULL_REPLY), DEADLINE)

        return work

    def null_ahead(self) -> Callable[[], None]:
        """One NULL call completed while others are in progress."""
        requester = self._client.requester

        def work() -> None:
            while requester.allowance.outstanding < DEPTH:
                self._call(self._null, NULL_REPLY)
            self._client.next_event(DEADLINE)

        return work

    def null_recorded(self) -> Callable[[], None]:
        """One NULL call in a trace that is kept until the round is over."""
        work = self.null()

        def recorded() -> None:
            if not self._fabric.trace.keep:
                self._fabric.trace = Trace()
            work()

        return recorded

    def read(self, length: int) -> Callable[[], None]:
        """The first octets of a file."""
        call = nfs4.compound(0, *nfs4.at(PLAIN.name), nfs4.read(0, length))[4:]

        def work() -> None:
            if len(self._execute(call)) < length:
                raise RuntimeError(f"the server did not return {length} octets of {PLAIN.name}")

        return work

    def write(self, length: int) -> Callable[[], None]:
        """Octets into the file that may be written to."""
        call = nfs4.compound(0, *nfs4.at(WRITABLE.name), nfs4.write(0, bytes(length)))[4:]

        def work() -> None:
            result = nfs4.parse(self._execute(call))
            if result.status:
                raise RuntimeError(f"WRITE of {length} octets: {result.status.name}")

        return work

    def tidy(self) -> None:
        """Leave nothing of a round to the next one."""
        while self._client.requester.allowance.outstanding:
            self._client.next_event(DEADLINE)
        for client in self._made:
            client.close()
        self._made.clear()
        self._fabric.trace = Trace(keep=False)

    def _execute(self, rest: bytes) -> bytes:
        event = self._client.complete(self._call(rest, None), DEADLINE)
        if not isinstance(event, ReplyReceived):
            raise TypeError(f"no reply: {event}")
        return event.payload

    def _call(self, rest: bytes, expectation: ReplyExpectation | None) -> int:
        self._xid += 1
        return self._client.call(
            self._upper_layer, self._xid.to_bytes(4, "big") + rest, expectation
        )


@dataclass(frozen=True, slots=True)
class Row:
    """What is done, how often in a round, and how many octets of a file that carries."""

    name: str
    count: int
    prepare: Callable[[Column], Callable[[], None]]
    octets: int = 0


def reading(length: int) -> Callable[[Column], Callable[[], None]]:
    """READ of so many octets on any fabric."""
    return lambda column: column.read(length)


def writing(length: int) -> Callable[[Column], Callable[[], None]]:
    """WRITE of so many octets on any fabric."""
    return lambda column: column.write(length)


def rows() -> list[Row]:
    """All but the suite."""
    return [
        Row("connect", 4, Column.connect),
        Row("NULL", 40, Column.null),
        Row(f"NULL, {DEPTH} at once", 80, Column.null_ahead),
        Row("NULL, recorded", 40, Column.null_recorded),
        *(Row(f"READ {size} KiB", 4, reading(size * KIB), size * KIB) for size in SIZES),
        *(Row(f"WRITE {size} KiB", 4, writing(size * KIB), size * KIB) for size in SIZES),
    ]


def measure_round(row: Row, column: Column, work: Callable[[], None], figures: Figures) -> None:
    """One round."""
    own, start = time.process_time(), time.perf_counter()
    for _ in range(row.count):
        work()
    seconds, spent = time.perf_counter() - start, time.process_time() - own
    column.tidy()
    figures.seconds.append(seconds / row.count)
    figures.own.append(spent / row.count)


def measure(row: Row, columns: list[Column], rounds: int) -> list[Figures]:
    """All fabrics in turn, each going first as often as the others."""
    works = [row.prepare(column) for column in columns]
    for column, work in zip(columns, works, strict=True):
        measure_round(row, column, work, Figures())  # the first one is not like the others
    found = [Figures() for _ in columns]
    for number in range(rounds):
        for index in range(len(columns)):
            which = (number + index) % len(columns)
            measure_round(row, columns[which], works[which], found[which])
    return found


def spread(values: list[float], scale: float, digits: int) -> str:
    """The median, and the quartiles in brackets."""
    median = statistics.median(values)
    quarters = statistics.quantiles(values, n=4) if len(values) > 1 else [median] * 3
    low, high = (value * scale for value in (quarters[0], quarters[2]))
    return f"{median * scale:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def show(row: Row, columns: list[Column], found: list[Figures]) -> None:
    """One line for each fabric."""
    for column, figures in zip(columns, found, strict=True):
        rates = [1 / seconds for seconds in figures.seconds]
        speed = f"{row.octets * statistics.median(rates) / 1e6:.0f} MB/s" if row.octets else ""
        own = f"{spread(figures.own, 1e6, 0)} us"
        print(f"{row.name:17} {column.name:9} {spread(rates, 1, 0):>26}/s {speed:>9}  {own}")
    sys.stdout.flush()


def certify(name: str, section: str) -> tuple[float, float]:
    """Seconds, and seconds of the processor, of one run of the suite."""
    command = [sys.executable, "-m", "conformance.cli.main", "certify", "reference"]
    command += ["--fabric", name, *(("--section", section) if section else ())]
    with tempfile.TemporaryDirectory() as folder:
        before, start = os.times(), time.perf_counter()
        subprocess.run(
            [*command, "--output", folder], check=True, stdout=subprocess.DEVNULL, timeout=3600
        )
        seconds, after = time.perf_counter() - start, os.times()
    own = after.children_user - before.children_user
    return seconds, own + after.children_system - before.children_system


def measure_suite(names: list[str], section: str, rounds: int) -> None:
    """Runs of `certify`, in turn, and a line for each fabric."""
    found = {name: Figures() for name in names}
    for number in range(rounds):
        for index in range(len(names)):
            name = names[(number + index) % len(names)]
            seconds, own = certify(name, section)
            found[name].seconds.append(seconds)
            found[name].own.append(own)
    for name, figures in found.items():
        what = f"suite, {section}" if section else "suite"
        seconds_of_all, own_of_all = spread(figures.seconds, 1, 1), spread(figures.own, 1, 1)
        print(f"{what:17} {name:9} {seconds_of_all:>26} s {'':9}  {own_of_all} s")
        sys.stdout.flush()


def open_column(name: str, address: Address | None, stack: ExitStack) -> Column:
    """The fabric with its server, closed by `stack`.

    Raises:
        FabricError: it cannot be opened, or nobody answers.
        TargetError: the server did not start.
        ImportError: pyverbs is not installed.
    """
    if name in IN_PROCESS:
        network = make_network(name)
        device = stack.enter_context(network.fabric("dut"))
        device.trace = Trace(keep=False)
        where = Address(network.host("dut", HERE.host), HERE.port)
        server = Server(device, where, server_factory())
        stack.callback(server.close)
        device.attach(server.step)
        return Column(name, stack.enter_context(network.fabric("tester")), server.address)
    if address is not None:
        return Column(name, stack.enter_context(fabric_towards(name, address.host)), address)
    session = ProcessSession(name, HERE, "")
    stack.callback(session.close)
    return Column(name, session.fabric, session.address)


def open_columns(names: list[str], address: Address | None, stack: ExitStack) -> list[Column]:
    """Those that can be opened here."""
    columns = []
    for name in names:
        try:
            columns.append(open_column(name, address, stack))
        except (FabricError, TargetError, ImportError) as error:
            print(f"{name} is left out: {error}")
    return columns


def conditions() -> str:
    """What else the figures depend on."""
    load = " ".join(f"{each:.2f}" for each in os.getloadavg())
    python = ".".join(map(str, sys.version_info[:3]))
    return f"Python {python}, {os.cpu_count()} processors, load {load}"


def main() -> None:
    """Measure, and print a line for each row and fabric."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--fabrics", nargs="+", choices=FABRICS, default=list(FABRICS), metavar="FABRIC",
        help=f"of {', '.join(FABRICS)} (all)",
    )  # fmt: skip
    parser.add_argument(
        "--address", type=parse_address, metavar="HOST:PORT", help="of a server elsewhere"
    )
    parser.add_argument("--rounds", type=int, default=50, help="of each row (%(default)s)")
    parser.add_argument("--section", default=SECTION, help="of the suite's row (%(default)s)")
    parser.add_argument("--suite", action="store_true", help="the whole suite, too")
    parser.add_argument("--suite-rounds", type=int, default=3, help="(%(default)s)")
    chosen = parser.parse_args()
    print(conditions())
    with ExitStack() as stack:
        columns = open_columns(chosen.fabrics, chosen.address, stack)
        print(f"{'':17} {'fabric':9} {'median (quartiles)':>28} {'':9}  own time")
        gc.collect()
        gc.freeze()
        gc.disable()
        for row in rows():
            show(row, columns, measure(row, columns, chosen.rounds))
            gc.collect()
    names = [column.name for column in columns]
    if chosen.address is not None:  # of a server elsewhere, the suite has its own profile
        names = [name for name in names if name in IN_PROCESS]
    for section in (chosen.section, "") if chosen.suite else (chosen.section,):
        measure_suite(names, section, chosen.suite_rounds)
    print(conditions())


if __name__ == "__main__":
    main()
