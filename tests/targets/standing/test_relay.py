"""TCP for a tester that has none: streams handed on, and records fetched."""

from __future__ import annotations

import queue
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest

from rpcrdma.ulp.record_marking import encode_record
from targets.lab.errors import LabError
from targets.standing.lines import as_octets
from targets.standing.relay import CallRelay, exchange_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HOST = "127.0.0.1"
SECONDS = 5.0


class Listener:
    """A socket of which it is noted what it is set to."""

    def __init__(self, inner: socket.socket, options: list[tuple[int, ...]]) -> None:
        self.port: int = inner.getsockname()[1]
        self._options = options

    def setsockopt(self, *option: int) -> None:
        self._options.append(option)

    def getsockname(self) -> tuple[str, int]:
        return HOST, self.port

    def accept(self) -> None:
        raise OSError("closed")

    def shutdown(self, _how: int) -> None: ...

    def close(self) -> None: ...


@pytest.fixture
def relay() -> Iterator[tuple[CallRelay, queue.Queue[dict[str, Any]]]]:
    told: queue.Queue[dict[str, Any]] = queue.Queue()
    relay = CallRelay(told.put)
    yield relay, told
    relay.close()


def test_what_a_client_says_is_told_and_answered(
    relay: tuple[CallRelay, queue.Queue[dict[str, Any]]],
) -> None:
    service, told = relay
    port = service.listen(HOST)
    with socket.create_connection((HOST, port), SECONDS) as client:
        client.sendall(b"call")
        said = told.get(timeout=SECONDS)
        assert (said["event"], as_octets(said["octets"])) == ("octets", b"call")
        service.reply(said["stream"], b"reply")
        assert client.recv(100) == b"reply"
    ended = told.get(timeout=SECONDS)
    assert (ended["stream"], ended["octets"]) == (said["stream"], "")


def test_what_is_routed_here_may_be_for_another_address(
    relay: tuple[CallRelay, queue.Queue[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which the kernel lets the guest's first process do, and not everybody."""
    options: list[tuple[int, ...]] = []
    with socket.create_server((HOST, 0)) as listener:
        heard = Listener(listener, options)
        monkeypatch.setattr(socket, "create_server", lambda _address: heard)

        port = relay[0].listen("0.0.0.0", listener.getsockname()[1], routed=True)

    assert port == heard.port
    assert options == [(socket.SOL_IP, 19, 1)]


def test_a_reply_to_a_stream_that_has_ended_is_dropped(
    relay: tuple[CallRelay, queue.Queue[dict[str, Any]]],
) -> None:
    relay[0].reply(77, b"nobody")


def test_closing_ends_the_streams(relay: tuple[CallRelay, queue.Queue[dict[str, Any]]]) -> None:
    service, told = relay
    with socket.create_connection((HOST, service.listen(HOST)), SECONDS) as client:
        client.sendall(b"call")
        told.get(timeout=SECONDS)
        service.close()
        assert client.recv(100) == b""


@pytest.fixture
def server() -> Iterator[Callable[[bytes], int]]:
    """Answers one connection's first octets with what it was given, in two pieces."""
    threads: list[threading.Thread] = []

    def serve(reply: bytes) -> int:
        listener = socket.create_server((HOST, 0))

        def answer() -> None:
            with listener, listener.accept()[0] as stream:
                stream.recv(100)
                stream.sendall(reply[:6])
                stream.sendall(reply[6:])

        threads.append(threading.Thread(target=answer))
        threads[-1].start()
        port: int = listener.getsockname()[1]
        return port

    yield serve
    for thread in threads:
        thread.join(SECONDS)


def test_a_record_of_several_fragments_is_fetched_whole(server: Callable[[bytes], int]) -> None:
    reply = b"\0\0\0\x04part" + encode_record(b"the rest")
    assert exchange_record(HOST, server(reply), b"call", SECONDS) == reply


def test_half_a_record_is_no_answer(server: Callable[[bytes], int]) -> None:
    with pytest.raises(LabError, match="closed the connection without a reply"):
        exchange_record(HOST, server(encode_record(b"reply")[:-1]), b"call", SECONDS)


def test_nobody_who_listens_is_told(server: Callable[[bytes], int]) -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(LabError, match=f"asking TCP {HOST}:{port} in the guest: .*refused"):
        exchange_record(HOST, port, b"call", SECONDS)
