"""The reference Requester beside the bare fabric, in one interleaved run, against one peer.

    python benchmarks/endpoint.py [--fabric verbs|loopback] [--address ADDRESS] [--port PORT]

NULL: calls a second of the Requester, beside a ping-pong of the very same octets: posting, polling
and reposting by pyverbs alone, with a device, and by the fabric, on loopback.  READ: 64 KiB fetched
by a Write chunk from the reference Responder beside one bare RDMA Write of as many octets (with
a device only: on loopback a Write costs nothing but a copy).

Over verbs the peer of NULL is whatever serves at the address (default: the NFS server of the lab);
on loopback it is the reference Responder in the same process, so the figure tells what the
processor spends for both ends.
"""

from __future__ import annotations

import argparse
import statistics
import threading
import time
from typing import TYPE_CHECKING

from rpcrdma.endpoint.calling import Client
from rpcrdma.endpoint.serving import Server
from rpcrdma.fabric.base import Access, Address, Connection, ConnectionParameters, Fabric
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.ulp import nfs4, testprog_calls
from rpcrdma.ulp.bindings import ReplyExpectation
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.nfs4_store import FileStore
from rpcrdma.ulp.rpc import REPLY_MAXIMUM_LENGTH
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header
from targets.reference import ProcessSession, responder_factory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpcrdma.ulp.bindings import UpperLayer

DEADLINE = 10.0
ROUNDS = 9
CALLS = 300
READS = 30
LENGTH = 64 * 1024
NULL_REPLY = ReplyExpectation(REPLY_MAXIMUM_LENGTH)


def per_second(count: int, work: Callable[[], None]) -> float:
    """How often a second `work` is done."""
    start = time.perf_counter()
    for _ in range(count):
        work()
    return count / (time.perf_counter() - start)


def calling(client: Client, upper_layer: UpperLayer) -> Callable[[], None]:
    """One NULL call by the Requester."""
    payloads = null_payloads(1)

    def work() -> None:
        token = client.call(upper_layer, next(payloads), NULL_REPLY)
        client.complete(token, DEADLINE)

    return work


def null_payloads(first: int) -> Iterator[bytes]:
    """NULL calls with one XID after another, made beforehand: both sides send the same octets."""
    yield from [nfs4.null(first + index) for index in range(ROUNDS * CALLS + 1)]


def null_messages(first: int) -> Iterator[bytes]:
    """The same calls as whole messages."""
    body = RdmaMsg((), (), None)
    for index, payload in enumerate(null_payloads(first)):
        yield encode_header(TransportHeader(first + index, 1, 32, body)) + payload


def ping_pong(connection: Connection) -> Callable[[], None]:
    """The same messages by the fabric alone."""
    messages = iter(list(null_messages(1)))

    def work() -> None:
        connection.post_receive(1024)
        connection.post_send(next(messages))
        while not any(completion.data for completion in connection.poll(DEADLINE)):
            pass

    return work


def reading(client: Client) -> Callable[[], None]:
    """64 KiB by a Write chunk."""
    upper_layer = TestProgram()
    xids = iter(range(1, ROUNDS * READS + 2))

    def work() -> None:
        token = client.call(upper_layer, testprog_calls.fetch(next(xids), LENGTH))
        client.complete(token, DEADLINE)

    return work


def writing(connection: Connection, peer: Connection) -> Callable[[], None]:
    """64 KiB by one bare RDMA Write, from memory that stays registered."""
    source = connection.register(LENGTH, Access.LOCAL_WRITE)
    sink = peer.register(LENGTH, Access.LOCAL_WRITE | Access.REMOTE_WRITE)

    def work() -> None:
        connection.post_rdma_write(source, 0, LENGTH, sink.handle, sink.offset)
        while not connection.poll(DEADLINE):
            pass

    return work


def show(name: str, ours: list[float], bare: list[float]) -> None:
    """One line: medians, and the median of the ratios of neighbouring rounds."""
    ratio = statistics.median(one / other for one, other in zip(ours, bare, strict=True))
    print(
        f"{name:<18} {statistics.median(ours):>10.0f}/s   bare {statistics.median(bare):>10.0f}/s"
        f"   {ratio:6.1%}"
    )


def compare(name: str, count: int, ours: Callable[[], None], bare: Callable[[], None]) -> None:
    """Take turns, so that whatever else the machine does meets both."""
    rates: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        rates[0].append(per_second(count, ours))
        rates[1].append(per_second(count, bare))
    show(name, *rates)


def run(
    fabric: Fabric, bare: Callable[[], None], address: Address, upper_layer: UpperLayer
) -> None:
    """NULL calls beside the ping-pong."""
    client = Client(fabric, address, DEADLINE)
    compare("NULL", CALLS, calling(client, upper_layer), bare)
    client.close()


def on_loopback() -> None:
    """Both ends in this process, which pays for both."""
    network = LoopbackNetwork()
    device, fabric = network.fabric("dut"), network.fabric("tester")
    server = Server(device, Address("dut", 20049), responder_factory())
    device.attach(server.step)
    with device, fabric:
        parameters = ConnectionParameters(initial_receives=(1024,) * 8)
        bare = fabric.connect(server.address, parameters, DEADLINE)
        run(fabric, ping_pong(bare), server.address, Nfs4Program(FileStore()))


class BarePingPong:
    """The same octets by pyverbs alone: what Python costs at the least."""

    def __init__(self, address: Address) -> None:
        # Only a machine with a device has pyverbs.
        from pyverbs.cm_enums import RDMA_PS_TCP
        from pyverbs.cmid import CMID, AddrInfo
        from pyverbs.qp import QPCap, QPInitAttr

        where = AddrInfo(dst=address.host, dst_service=str(address.port), port_space=RDMA_PS_TCP)
        attributes = QPInitAttr(cap=QPCap(max_recv_wr=16, max_send_wr=16), sq_sig_all=1)
        self._end = CMID(creator=where, qp_init_attr=attributes)
        self._end.connect()
        self._messages = iter(list(null_messages(1)))
        self._out = self._end.reg_msgs(1024)
        self._in = self._end.reg_msgs(1024)
        self._end.post_recv(self._in)

    def __call__(self) -> None:
        """One message there and one back."""
        message = next(self._messages)
        self._out.write(message, len(message))
        self._end.post_send(self._out, 0, len(message))
        length = self._end.get_recv_comp().byte_len
        self._end.get_send_comp()
        self._in.read(length, 0)
        self._end.post_recv(self._in)


def on_verbs(address: Address) -> None:
    """NULL against the server at the address, READ against the reference in its own process."""
    from rpcrdma.fabric.verbs import VerbsFabric

    with VerbsFabric(address.host) as fabric:
        run(fabric, BarePingPong(address), address, Nfs4Program(FileStore()))
        session = ProcessSession(Address(address.host, 0), "")
        # The passive end of an RDMA Write has nothing to do, so it may be in this process.
        listener = fabric.listen(Address(address.host, 0))
        sinks: list[Connection] = []

        def accept() -> None:
            request = listener.accept(DEADLINE)
            if request is not None:
                sinks.append(request.accept(ConnectionParameters(), DEADLINE))

        accepting = threading.Thread(target=accept)
        accepting.start()
        source = fabric.connect(listener.address, ConnectionParameters(), DEADLINE)
        accepting.join(DEADLINE)
        client = Client(session.fabric, session.address, DEADLINE)
        compare("READ 64 KiB", READS, reading(client), writing(source, sinks[0]))
        client.close()
        session.close()


def main() -> None:
    """Run what the fabric allows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fabric", choices=("verbs", "loopback"), default="verbs")
    parser.add_argument("--address", default="10.9.0.1")
    parser.add_argument("--port", type=int, default=20049)
    chosen = parser.parse_args()
    if chosen.fabric == "loopback":
        on_loopback()
    else:
        on_verbs(Address(chosen.address, chosen.port))


if __name__ == "__main__":
    main()
