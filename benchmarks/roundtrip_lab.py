"""What operations take between two Soft-RoCE devices with real delay between them.

    python benchmarks/roundtrip_lab.py --delay 5 10 20 --rounds 20

`roundtrips.py` runs this in the lab's guest.  Requester and Responder are processes of their own on
the two ends of a wire (`targets.lab.pair`), and so is whoever sends back the bare Sends by which
the round-trip time is measured.  A line of the output is a `Sample` as JSON, or tells of a round.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import sys
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec
from roundtrip_ends import DEADLINE, TimedClient, make_server
from roundtrip_rows import ROWS

from rpcrdma.errors import DeadlineExceeded, DeviceUnavailable, FabricError
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.completion import Opcode
from rpcrdma.fabric.segments import one_segment
from rpcrdma.fabric.trace import Trace
from targets.fabrics import open_fabric
from targets.lab.errors import LabError
from targets.lab.pair import ENDS, delay_pair, make_pair

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from multiprocessing.connection import Connection as Pipe

    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.fabric.base import Connection, Fabric

    Tell = Callable[[Address], None]
    Serve = Callable[[Fabric, Tell], None]

__all__ = ["PingPong", "Sample"]

REQUESTER, RESPONDER = (end.address for end in ENDS)

START_DEADLINE: Final = 60.0
"""Seconds until a process must listen: in a guest without KVM they take their time."""

FOR_EVER: Final = 1e5
"""Seconds that one waits for the Requester, which ends this process when it is done."""

MESSAGE: Final = bytes(64)
"""What bare Sends carry; about as much as a NULL call."""


class Sample(msgspec.Struct, frozen=True):
    """One operation, and right before it one round trip.

    Attributes:
        row: its name.
        delay_ms: milliseconds that the wire takes longer, in either direction.
        seconds: from the Call until the Requester holds the Reply.
        round_trip: seconds from a bare Send until its answer.
    """

    row: str
    delay_ms: float
    seconds: float
    round_trip: float


class PingPong:
    """Bare Sends to `answer_sends`, and back."""

    def __init__(self, fabric: Fabric, address: Address) -> None:
        self._connection = fabric.connect(address, ConnectionParameters(), DEADLINE)
        self._now = fabric.clock.now

    def time(self) -> float:
        """Seconds that one takes there and back.

        Raises:
            DeadlineExceeded: it was not answered.
        """
        begin = self._now()
        self._connection.post_receive(one_segment(len(MESSAGE)))
        self._connection.post_send(MESSAGE)
        while not _received(self._connection, DEADLINE):
            if self._now() > begin + DEADLINE:
                raise DeadlineExceeded(f"a bare Send was not answered within {DEADLINE:.0f} s")
        return self._now() - begin


def _received(connection: Connection, timeout: float) -> bool:
    done = connection.poll(timeout)
    return any(one.opcode is Opcode.RECEIVE and one.ok for one in done)


def answer_sends(fabric: Fabric, tell: Tell) -> None:
    """Answer every Send of one peer by another."""
    listener = fabric.listen(Address(RESPONDER, 0))
    tell(listener.address)
    request = listener.accept(FOR_EVER)
    if request is None:
        return
    connection = request.accept(ConnectionParameters(), DEADLINE)
    connection.post_receive(one_segment(len(MESSAGE)))
    while connection.connected:
        if _received(connection, FOR_EVER):
            connection.post_receive(one_segment(len(MESSAGE)))
            connection.post_send(MESSAGE)


def serve_calls(reductions: Reductions, fabric: Fabric, tell: Tell) -> None:
    """Serve the clients that reduce round trips like this."""
    server = make_server(fabric, Address(RESPONDER, 0), reductions)
    tell(server.address)
    server.serve(lambda: True)


@contextmanager
def responding(serve: Serve) -> Iterator[Address]:
    """A process at the other end of the wire meanwhile; the address is where it listens."""
    # A fork is quick where starting Python takes seconds; no device must be open yet.
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_respond, args=(serve, theirs), daemon=True)
    process.start()
    theirs.close()  # so that its end is that of the pipe
    try:
        yield _told(ours)
    finally:
        process.kill()
        process.join(DEADLINE)


def _told(pipe: Pipe) -> Address:
    if not pipe.poll(START_DEADLINE):
        raise DeadlineExceeded(f"nobody listens at the other end after {START_DEADLINE:.0f} s")
    try:
        address: Address = pipe.recv()
    except EOFError as error:
        raise DeviceUnavailable("what would listen at the other end has ended") from error
    return address


def _respond(serve: Serve, pipe: Pipe) -> None:
    with open_fabric("verbs", RESPONDER) as fabric:
        fabric.trace = Trace(keep=False)
        serve(fabric, pipe.send)


def measure(delays: Sequence[float]) -> Generator[list[Sample], None, None]:
    """Rounds without end: all rows under no delay, and under each; the first is like no other.

    Args:
        delays: milliseconds, in either direction.

    Raises:
        LabError: there is no such wire.
        FabricError: something did not come back.
    """
    make_pair()
    delay_pair(0)
    with ExitStack() as stack:
        enter = stack.enter_context
        echo = enter(responding(answer_sends))
        addresses = {
            each: enter(responding(partial(serve_calls, each)))
            for each in dict.fromkeys(row.reductions for row in ROWS)
        }
        fabric = enter(open_fabric("verbs", REQUESTER))
        fabric.trace = Trace(keep=False)
        bare = PingPong(fabric, echo)
        clients = {each: TimedClient(fabric, address, each) for each, address in addresses.items()}
        gc.collect()
        gc.freeze()
        gc.disable()
        while True:
            samples = []
            for delay in (0.0, *delays):
                delay_pair(delay / 1000)
                bare.time()  # as the packets before it may be under way still
                for row in ROWS:
                    round_trip = bare.time()
                    seconds = clients[row.reductions].time(row.operation)
                    samples.append(Sample(row.name, delay, seconds, round_trip))
            yield samples


def main() -> None:
    """Measure, and print each sample."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--delay", type=float, nargs="+", required=True, metavar="MILLISECONDS")
    parser.add_argument("--rounds", type=int, required=True)
    chosen = parser.parse_args()
    try:
        with closing(measure(chosen.delay)) as rounds:
            next(rounds)
            for number, samples in enumerate(islice(rounds, chosen.rounds), 1):
                for sample in samples:
                    print(msgspec.json.encode(sample).decode())
                print(f"round {number} of {chosen.rounds}", flush=True)
    except (LabError, FabricError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
