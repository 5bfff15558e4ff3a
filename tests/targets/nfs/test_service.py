from __future__ import annotations

import pytest

from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.ulp.file_store import FileStore
from targets.nfs.service import main, responder_factory, serve

HOST = "127.0.0.1"


def test_it_says_where_it_listens_and_serves_while_it_is_to() -> None:
    said: list[str] = []
    turns = iter((True, True, False))

    with LoopbackNetwork().fabric("dut") as fabric:
        failure = serve(fabric, Address(HOST, 20049), 0, lambda: next(turns), said.append)

    assert failure is None
    (line,) = said
    where, word, port = line.split()
    assert (where, word) == ("127.0.0.1:20049", "mount-port")
    assert int(port) > 0


def test_connections_have_responders_of_their_own() -> None:
    make = responder_factory(FileStore(()))

    first, second = make(), make()

    assert isinstance(first, Responder)
    assert first is not second


@pytest.mark.parametrize("where", ["nowhere", "127.0.0.1:x"])
def test_address_must_be_one(where: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--listen", where])

    assert "argument --listen: invalid" in capsys.readouterr().err
