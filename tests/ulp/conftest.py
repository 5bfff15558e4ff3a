"""What every program must keep for every call, whichever it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import DecodeError
from rpcrdma.ulp import rpc
from rpcrdma.ulp.bindings import reduce, restore
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.nfs4_session_client import SessionClient
from rpcrdma.ulp.nfs4_state import Nfs4State

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.ulp.nfs4_state import Nfs4Options


@pytest.fixture(scope="session")
def check_binding() -> Callable[[UpperLayer, bytes, bytes], None]:
    """Items can be cut out and put back, are found in their absence, and fit the expectation."""
    return binding_holds


@pytest.fixture(scope="session")
def check_cut_calls() -> Callable[[UpperLayer, bytes], None]:
    """A call whose arguments are cut at any word gets GARBAGE_ARGS, and has no items."""
    return cut_calls_are_garbage


def binding_holds(upper_layer: UpperLayer, call: bytes, reply: bytes) -> None:
    check_arguments(upper_layer, call)
    expectation = upper_layer.expectation(call)
    slots = upper_layer.results(call, reply)
    assert len(reply) <= expectation.maximum
    assert len(slots) in {0, len(expectation.items)}
    check_slots(upper_layer, call, reply)


def check_arguments(upper_layer: UpperLayer, call: bytes) -> None:
    items = upper_layer.arguments(call)
    reduced, data = reduce(call, items)
    positions = [item.position for item in items]
    assert positions == sorted(positions)
    assert all(position % 4 == 0 for position in positions)
    assert [len(part) for part in data] == [item.length for item in items]
    assert len(reduced) == len(call) - sum(item.end - item.position for item in items)
    assert restore(reduced, zip(positions, data, strict=True)) == call


def check_slots(upper_layer: UpperLayer, call: bytes, reply: bytes) -> None:
    """Any choice of slots may be reduced."""
    slots = upper_layer.results(call, reply)
    limits = upper_layer.expectation(call).items
    present = [index for index, item in enumerate(slots) if item is not None]
    for choice in range(2 ** len(present)):
        chosen = {index for bit, index in enumerate(present) if choice >> bit & 1}
        items = [item for index, item in enumerate(slots) if item is not None and index in chosen]
        reduced, data = reduce(reply, items)
        assert upper_layer.results(call, reduced, chosen) == slots
        positions = [item.position for item in items]
        assert restore(reduced, zip(positions, data, strict=True)) == reply
    for index in present:
        item = slots[index]
        assert item is not None
        assert item.length <= limits[index]


def cut_calls_are_garbage(upper_layer: UpperLayer, call: bytes) -> None:
    header, start = rpc.decode_call(call)
    for length in range(start, len(call), 4):
        cut = call[:length]
        assert upper_layer.execute(cut) == [rpc.garbage_args(header.xid)]
        try:
            upper_layer.arguments(cut)
        except DecodeError:
            continue
        raise AssertionError(f"items were found in a call cut at octet {length}")


@pytest.fixture(scope="session")
def begin_session() -> Callable[[Nfs4Options], tuple[Nfs4Program, SessionClient]]:
    """A server of NFSv4.1 and a client that has a session with it."""
    return session_with


def session_with(options: Nfs4Options) -> tuple[Nfs4Program, SessionClient]:
    program = Nfs4Program(FileStore(), Nfs4State(options))
    client = SessionClient(b"somebody", b"verifier")
    client.take_client_id(*program.execute(client.exchange_id(1)))
    client.take_session(*program.execute(client.create_session(2)))
    return program, client
