from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from rpcrdma.ulp import rpc
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.mount3 import MountProgram, mount_call
from rpcrdma.ulp.record_marking import RecordReader, encode_record
from targets.base import TargetError
from targets.nfs import mount_service
from targets.nfs.mount_service import MountService

if TYPE_CHECKING:
    from collections.abc import Iterator

HOST = "127.0.0.1"
CALL = mount_call(3, b"/", credential=rpc.AUTH_NONE)


@pytest.fixture
def program() -> MountProgram:
    return MountProgram(FileStore(()))


@pytest.fixture
def service(program: MountProgram) -> Iterator[MountService]:
    with MountService(program, HOST) as running:
        yield running


def connect(service: MountService) -> socket.socket:
    return socket.create_connection((HOST, service.port), timeout=5)


def replies(stream: socket.socket, count: int) -> list[bytes]:
    reader = RecordReader()
    found: list[bytes] = []
    while len(found) < count and (octets := stream.recv(4096)):
        found += reader.feed(octets)
    return found


def test_calls_are_answered_in_order(service: MountService, program: MountProgram) -> None:
    other = mount_call(4, b"/none", credential=rpc.AUTH_NONE)

    with connect(service) as stream:
        stream.sendall(encode_record(CALL) + encode_record(other))

        assert replies(stream, 2) == [*program.execute(CALL), *program.execute(other)]


def test_several_clients_are_served(service: MountService, program: MountProgram) -> None:
    with connect(service) as first, connect(service) as second:
        for stream in (second, first):
            stream.sendall(encode_record(CALL))
            assert replies(stream, 1) == program.execute(CALL)


def test_stream_that_is_none_of_records_is_closed_and_others_are_served(
    service: MountService, program: MountProgram
) -> None:
    with connect(service) as bad, connect(service) as good:
        bad.sendall(b"GET / HTTP/1.1\r\n\r\n")

        assert bad.recv(1) == b""
        good.sendall(encode_record(CALL))
        assert replies(good, 1) == program.execute(CALL)


def test_client_beyond_the_most_is_closed(
    service: MountService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mount_service, "_CONNECTIONS", 1)

    with connect(service) as first:
        first.sendall(encode_record(CALL))
        assert replies(first, 1)
        with connect(service) as second:
            assert second.recv(1) == b""


def test_closing_ends_connections_and_can_be_done_twice(program: MountProgram) -> None:
    service = MountService(program, HOST)
    with connect(service) as stream:
        stream.sendall(encode_record(CALL))
        assert replies(stream, 1)

        service.close()
        service.close()

        assert stream.recv(1) == b""
    with pytest.raises(ConnectionRefusedError):
        connect(service)


def test_port_that_is_taken_is_one_sentence(service: MountService, program: MountProgram) -> None:
    with pytest.raises(TargetError, match=rf"cannot listen on TCP 127\.0\.0\.1:{service.port}: "):
        MountService(program, HOST, service.port)
