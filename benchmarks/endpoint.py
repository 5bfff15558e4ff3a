"""The reference Requester beside bare pyverbs, in one interleaved run, against one peer.

    rpcrdma lab run -- python benchmarks/endpoint.py      # boots the lab where there is no device
    python benchmarks/endpoint.py --fabric loopback       # no device: beside the fabric itself

NULL: calls a second of the Requester, beside a ping-pong of the very same octets by pyverbs alone.
Both have the same peer, the NFS server at the address (in the lab the kernel's): it does the same
work for both, none of it in Python, so the difference is ours.  Both have as many Receives posted.
The ping-pong is made of librdmacm's own calls, which look for the reply, ask to be notified, look
again, and sleep.  There are three lines, since much depends on how a side waits:

    NULL             the Requester as it is: it looks some times before it does all that
    NULL, sleeping   the Requester made to wait as the ping-pong does
    NULL, looking    the Requester as it is, and a ping-pong that looks as often as it does, with a
                     completion queue of its own: it never sleeps, and nothing hides what Python
                     costs

NULL, several at once: the same beside the ping-pong by librdmacm's calls, but the Requester uses
credits that it was granted and keeps more than one call in progress, as an NFS client does.  That
line is not to be mixed up with the others: those are what a call costs, this is how many calls a
second go through.

READ: 64 KiB of a file of that server fetched by a Write chunk, with the memory registered, offered,
written by the server, invalidated and put back into the reply; beside it one bare RDMA Write of as
many octets into memory that stays registered: what the wire costs at the least.

How it is measured.  A virtual machine without an accelerator is no steady thing: its speed changes
within seconds by what the host does.  So the rounds are short (some 10 ms) and many, and the two
sides take turns in the order A B, B A, A B; the figure is the median of the ratios of neighbouring
rounds, and between which two ratios half of them lie is printed with it.  The garbage collector is
off for both, and the first round of each is not counted.

The process is kept on the last processor, and in the lab the threads of the kernel's server on the
others, for both sides alike: as if the server were another machine.  Where the scheduler puts them
when it may choose is what made whole runs differ by a third.  When they share the processor of a
caller that sleeps, the answer takes no waking of an idle processor (in the virtual machine a third
of the time of a call), and what is then measured is that.

Over verbs every step has a deadline, after which the process shows where it stands and ends: the
bare side blocks in C.  On loopback the reference Responder is in the same process, so the figure
tells what the processor spends for both ends, beside the fabric alone.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import os
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bare import BarePingPong, BareWrite, LookingPingPong, Sink

from rpcrdma.endpoint.core.actions import ReplyReceived
from rpcrdma.endpoint.ends.calling import Client
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.segments import one_segment
from rpcrdma.fabric.trace import Trace
from rpcrdma.ulp import nfs4
from rpcrdma.ulp.bindings import ReplyExpectation
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.rpc import REPLY_MAXIMUM_LENGTH
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header
from targets.lab.guest import INSIDE
from targets.reference.server_parts import responder_factory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpcrdma.fabric.base import Connection

DEADLINE: Final = 10.0
STEP_DEADLINE: Final = 60.0
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
        faulthandler.dump_traceback_later(STEP_DEADLINE, exit=True)


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
        connection.post_receive(one_segment(1024))
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
    """One line: medians, and the median of the ratios of neighbouring rounds with its spread."""
    ratios = [one / other for one, other in zip(ours, bare, strict=True)]
    lower, ratio, upper = statistics.quantiles(ratios, n=4)
    medians = f"{statistics.median(ours):.0f}/s, bare {statistics.median(bare):.0f}/s"
    plan.say(f"{name}: {medians}: {ratio:.1%} (half of the rounds {lower:.1%} to {upper:.1%})")


def compare(
    plan: Plan, name: str, count: int, ours: Callable[[], None], bare: Callable[[], None]
) -> None:
    """Take turns, so that whatever else the machine does meets both."""
    for side in (ours, bare):
        per_second(count, side)  # the first round of each is not like the others
    rates: tuple[list[float], list[float]] = ([], [])
    for number in range(plan.rounds):
        # Each goes first every other time.
        for which in ((0, 1), (1, 0))[number % 2]:
            rates[which].append(per_second(count, (ours, bare)[which]))
    show(plan, name, *rates)


def settle_down() -> None:
    """Keep this process on the last processor, the server on others, the garbage collector off."""
    processors = os.sched_getaffinity(0)
    ours = {max(processors)}
    os.sched_setaffinity(0, ours)
    if INSIDE in os.environ and processors - ours:
        for name in Path("/proc").glob("[0-9]*/comm"):
            if name.read_text(encoding="utf-8").strip() == "nfsd":
                os.sched_setaffinity(int(name.parent.name), processors - ours)
    gc.collect()
    gc.freeze()
    gc.disable()


def on_loopback(plan: Plan) -> None:
    """Both ends in this process, which pays for both."""
    network = LoopbackNetwork()
    device, fabric = network.fabric("dut"), network.fabric("tester")
    server = Server(device, Address("dut", 20049), responder_factory())
    device.attach(server.step)
    with device, fabric:
        parameters = ConnectionParameters(initial_receives=(one_segment(1024),) * 8)
        bare = fabric.connect(server.address, parameters, DEADLINE)
        client = Client(fabric, server.address, DEADLINE)
        settle_down()
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
        receives = client.requester.options.credits
        bare = BarePingPong(address, null_messages(receives), receives)
        looking = LookingPingPong(address, null_messages(receives), receives, fabric.looks)
        plan.say("connected by pyverbs alone")
        settle_down()
        compare(plan, "NULL", plan.calls, calling(client), bare)
        compare(plan, "NULL, looking", plan.calls, calling(client), looking)
        looking.close()
        looks, fabric.looks = fabric.looks, 0
        compare(plan, "NULL, sleeping", plan.calls, calling(client), bare)
        fabric.looks = looks
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
    parser.add_argument("--rounds", type=int, default=100, help="of each side (%(default)s)")
    parser.add_argument("--calls", type=int, default=20, help="in a NULL round (%(default)s)")
    parser.add_argument("--reads", type=int, default=1, help="in a READ round (%(default)s)")
    chosen = parser.parse_args()
    plan = Plan(chosen.rounds, chosen.calls, chosen.reads)
    if chosen.fabric == "loopback":
        on_loopback(plan)
    else:
        on_verbs(plan, Address(chosen.address, chosen.port))
    faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main()
