from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from rpcrdma.ulp import rpc
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.mount3 import MountProgram
from rpcrdma.ulp.program import ProcedureTable
from targets.base import TargetError
from targets.nfs.mount_client import export_handle
from targets.nfs.mount_service import MountService

if TYPE_CHECKING:
    from rpcrdma.ulp.bindings import UpperLayer

HOST = "127.0.0.1"
STORE = FileStore()


def handle_of(program: UpperLayer, path: str) -> bytes:
    with MountService(program, HOST) as service:
        return export_handle(HOST, service.port, path, rpc.AUTH_NONE, 5.0)


def test_handle_of_an_export_is_got() -> None:
    assert handle_of(MountProgram(STORE), "/many") == STORE.root.child("many").handle


@pytest.mark.parametrize(
    ("program", "path", "problem"),
    [
        (MountProgram(STORE), "/none", "does not mount `/none`: status MNT3ERR_NOENT; set `extra"),
        (ProcedureTable(7, 1, {}), "/", "program unavailable"),
    ],
)
def test_refusal_is_one_sentence(program: UpperLayer, path: str, problem: str) -> None:
    with pytest.raises(TargetError, match=problem):
        handle_of(program, path)


def hang_up(listener: socket.socket) -> None:
    stream, _ = listener.accept()
    stream.close()


def test_server_that_hangs_up_is_one_sentence() -> None:
    with socket.create_server((HOST, 0)) as listener:
        port = listener.getsockname()[1]
        thread = threading.Thread(target=hang_up, args=(listener,))
        thread.start()
        with pytest.raises(TargetError, match=rf"TCP 127\.0\.0\.1:{port} does not mount `/`: "):
            export_handle(HOST, port, "/", rpc.AUTH_NONE, 5.0)
        thread.join(5.0)
