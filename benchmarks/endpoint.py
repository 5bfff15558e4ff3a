"""The reference Requester beside bare pyverbs, in one interleaved run, against one peer.

    rpcrdma lab run -- python benchmarks/endpoint.py      # boots the lab where there is no device
    python benchmarks/endpoint.py --fabric loopback       # no device: beside the fabric itself

NULL: calls a second of the Requester, beside a ping-pong of the very same octets by pyverbs alone.
Both have the same peer, the NFS server at the address (in the lab the kernel's): it does the same
work for both, none of it in Python, so the difference is ours.

NULL, several at once: the same beside the same ping-pong, but the Requester uses credits that it
was granted and keeps more than one call in progress, as an NFS client does.  The two lines are not
to be mixed up: the first is what a call costs, the second how many calls a second go through.

READ: 64 KiB of a file of that server fetched by a Write chunk, with the memory registered, offered,
written by the server, invalidated and put back into the reply; beside it one bare RDMA Write of as
many octets into memory that stays registered: what the wire costs at the least.

Over verbs every round has a deadline, after which the process shows where it stands and ends: the
bare side blocks in C.  On loopback the reference Responder is in the same process, so the figure
tells what the processor spends for both ends, beside the fabric alone.
"""

from __future__ import annotations

import argparse
import faulthandler
import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bare import BarePingPong, BareWrite, Sink

from rpcrdma.endpoint.actions import ReplyReceived
from rpcrdma.endpoint.calling import Client
from rpcrdma.endpoint.serving import Server
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.trace import Trace
from rpcrdma.ulp import nfs4
from rpcrdma.ulp.bindings import ReplyExpectation
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.rpc import REPLY_MAXIMUM_LENGTH
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header
from targets.reference import responder_factory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpcrdma.fabric.base import Connection

DEADLINE: Final = 10.0
ROUND_DEADLINE: Final = 60.0
LENGTH: Final = 64 * 1024
FILE: Final = "size-65536"
DEPTH: Final = 8
NULL_REPLY: Final = ReplyExpectation(REPLY_MAXIMUM_LENGTH)


@dataclass
class Plan:
    """How much is measured."""

    rounds: int
    calls: int
    reads: int
    started: float = field(default_factory=time.perf_counter)

    def say(self, text: str) -> None:
        """One line of progress, and more time for the next step."""
        sys.stdout.write(f"{time.perf_counter() - self.started:7.1f} s  {text}\n")
        sys.stdout.flush()
        faulthandler.dump_traceback_later(ROUND_DEADLINE, exit=True)


def per_second(count: int, work: Callable[[], None]) -> float:
    """How often a second `work` is done."""
    start = time.perf_counter()
    for _ in range(count):
        work()
    return count / (time.perf_counter() - start)


def calling(client: Client) -> Callable[[], None]:
    """One NULL call by the Requester."""
    upper_layer = Nfs4Program(FileStore())
    payloads = null_payloads()

    def work() -> None:
        token = client.call(upper_layer, next(payloads), NULL_REPLY)
        client.complete(token, DEADLINE)

    return work


def calling_ahead(client: Client, depth: int) -> Callable[[], None]:
    """One NULL call completed while others, `depth` in all, are in progress."""
    upper_layer = Nfs4Program(FileStore())
    payloads = null_payloads()

    def work() -> None:
        while client.requester.allowance.outstanding < depth:
            client.call(upper_layer, next(payloads), NULL_REPLY)
        client.next_event(DEADLINE)

    return work


def null_payloads() -> Iterator[bytes]:
    """NULL calls with one XID after another.  Making one is cheap: another XID before the rest."""
    rest = nfs4.null(0)[4:]
    return (xid.to_bytes(4, "big") + rest for xid in range(1, 2**32))


def null_messages(requested: int) -> Iterator[bytes]:
    """The same calls as whole messages, which ask for the same credits."""
    header = encode_header(TransportHeader(0, 1, requested, RdmaMsg((), (), None)))[4:]
    return (payload[:4] + header + payload for payload in null_payloads())


def ping_pong(connection: Connection) -> Callable[[], None]:
    """The same messages by the fabric alone."""
    messages = null_messages(32)

    def work() -> None:
        connection.post_receive(1024)
        connection.post_send(next(messages))
        while not any(completion.data for completion in connection.poll(DEADLINE)):
            pass

    return work


def reading(client: Client) -> Callable[[], None]:
    """64 KiB of a file by a Write chunk."""
    upper_layer = Nfs4Program(FileStore())
    xids = iter(range(1, 2**32))
    operations = (*nfs4.at(FILE), nfs4.read(0, LENGTH))

    def work() -> None:
        token = client.call(upper_layer, nfs4.compound(next(xids), *operations))
        event = client.complete(token, DEADLINE)
        if not isinstance(event, ReplyReceived) or len(event.payload) < LENGTH:
            raise RuntimeError(f"the server did not return {LENGTH} octets of {FILE}")

    return work


def show(plan: Plan, name: str, ours: list[float], bare: list[float]) -> None:
    """One line: medians, and the median of the ratios of neighbouring rounds."""
    ratio = statistics.median(one / other for one, other in zip(ours, bare, strict=True))
    medians = f"{statistics.median(ours):.0f}/s, bare {statistics.median(bare):.0f}/s"
    plan.say(f"{name}: {medians}: {ratio:.1%}")


def compare(
    plan: Plan, name: str, count: int, ours: Callable[[], None], bare: Callable[[], None]
) -> None:
    """Take turns, so that whatever else the machine does meets both."""
    rates: tuple[list[float], list[float]] = ([], [])
    for number in range(plan.rounds):
        # Each goes first every other time.
        for which in ((0, 1), (1, 0))[number % 2]:
            rates[which].append(per_second(count, (ours, bare)[which]))
        plan.say(f"{name} round {number + 1}: {rates[0][-1]:.0f}/s, bare {rates[1][-1]:.0f}/s")
    show(plan, name, *rates)


def on_loopback(plan: Plan) -> None:
    """Both ends in this process, which pays for both."""
    network = LoopbackNetwork()
    device, fabric = network.fabric("dut"), network.fabric("tester")
    server = Server(device, Address("dut", 20049), responder_factory())
    device.attach(server.step)
    with device, fabric:
        parameters = ConnectionParameters(initial_receives=(1024,) * 8)
        bare = fabric.connect(server.address, parameters, DEADLINE)
        client = Client(fabric, server.address, DEADLINE)
        compare(plan, "NULL", plan.calls, calling(client), ping_pong(bare))


def on_verbs(plan: Plan, address: Address) -> None:
    """NULL and READ, both against the server at the address."""
    from rpcrdma.fabric.verbs import VerbsFabric  # only here is a device needed

    plan.say("starting the sink of the bare Writes")
    sink = Sink(address.host, LENGTH)
    with VerbsFabric(address.host) as fabric:
        fabric.trace = Trace(keep=False)  # nobody reads it; the bare side has none, either
        client = Client(fabric, address, DEADLINE)
        plan.say(f"connected to {address}")
        bare = BarePingPong(address, null_messages(client.requester.options.credits))
        plan.say("connected by pyverbs alone")
        compare(plan, "NULL", plan.calls, calling(client), bare)
        ahead = Client(fabric, address, DEADLINE)
        calling(ahead)()  # the first reply brings the credits
        compare(plan, f"NULL, {DEPTH} at once", plan.calls, calling_ahead(ahead, DEPTH), bare)
        ahead.close()
        bare.close()
        write = BareWrite(sink)
        plan.say("connected to the sink")
        compare(plan, "READ 64 KiB", plan.reads, reading(client), write)
        write.close()
        client.close()
    sink.close()


def main() -> None:
    """Run what the fabric allows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fabric", choices=("verbs", "loopback"), default="verbs")
    parser.add_argument("--address", default="10.9.0.1", help="of the server (%(default)s)")
    parser.add_argument("--port", type=int, default=20049, help="of the server (%(default)s)")
    parser.add_argument("--rounds", type=int, default=9, help="of each side (%(default)s)")
    parser.add_argument("--calls", type=int, default=200, help="in a NULL round (%(default)s)")
    parser.add_argument("--reads", type=int, default=20, help="in a READ round (%(default)s)")
    chosen = parser.parse_args()
    plan = Plan(chosen.rounds, chosen.calls, chosen.reads)
    if chosen.fabric == "loopback":
        on_loopback(plan)
    else:
        on_verbs(plan, Address(chosen.address, chosen.port))
    faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main()
