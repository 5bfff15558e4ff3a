from __future__ import annotations

import pytest

from rpcrdma.ulp import rpc
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.file_tree import DIRECTORY, WRITABLE
from rpcrdma.ulp.mount3 import KERBEROS_FLAVORS, MountProgram, mount_call
from rpcrdma.wire import _generated_mount3 as wire

V3 = wire.MOUNT_V3


@pytest.fixture
def store() -> FileStore:
    return FileStore()


def results(store: FileStore, call: bytes) -> bytes:
    (reply,) = MountProgram(store).execute(call)
    header, start = rpc.decode_reply(reply)
    assert header.succeeded
    return reply[start:]


def mounted(store: FileStore, path: bytes) -> wire.MountResult:
    call = mount_call(5, path, credential=rpc.AUTH_NONE)
    result, _ = wire.decode_mount_result(results(store, call))
    return result


@pytest.mark.parametrize("path", [b"/", b"", b"//"])
def test_root_is_mounted(store: FileStore, path: bytes) -> None:
    assert mounted(store, path) == wire.MountDone(store.root.handle, (1, 0))


def test_flavors_are_those_that_its_server_takes(store: FileStore) -> None:
    (reply,) = MountProgram(store, KERBEROS_FLAVORS).execute(
        mount_call(5, b"/", credential=rpc.AUTH_NONE)
    )

    result, _ = wire.decode_mount_result(reply, rpc.decode_reply(reply)[1])
    assert result == wire.MountDone(store.root.handle, (390003, 390004, 390005))


def test_directory_below_the_root_is_mounted(store: FileStore) -> None:
    found = mounted(store, b"/" + DIRECTORY.name.encode())

    assert isinstance(found, wire.MountDone)
    assert found.fhandle == store.root.child(DIRECTORY.name).handle


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (b"/none", wire.Status.MNT3ERR_NOENT),
        (WRITABLE.name.encode(), wire.Status.MNT3ERR_NOTDIR),
        (WRITABLE.name.encode() + b"/x", wire.Status.MNT3ERR_NOTDIR),
        (b"\xff", wire.Status.MNT3ERR_NOENT),
    ],
)
def test_nothing_else_is_mounted(store: FileStore, path: bytes, status: wire.Status) -> None:
    assert mounted(store, path) == wire.MountFailed(status)


def test_lists_say_what_is_exported_and_that_nobody_is_remembered(store: FileStore) -> None:
    def ask(procedure: int) -> bytes:
        return results(store, rpc.encode_call(1, wire.MOUNT_PROGRAM, 3, procedure))

    exports, _ = wire.decode_export_list(ask(V3.MOUNTPROC3_EXPORT))
    mounts, _ = wire.decode_mount_list(ask(V3.MOUNTPROC3_DUMP))
    assert exports == wire.ExportList((wire.Export(b"/", ()),))
    assert mounts == wire.MountList(())


def test_unmounting_has_no_results(store: FileStore) -> None:
    path = wire.encode_mount_path(wire.MountPath(b"/"))

    for procedure, arguments in (
        (V3.MOUNTPROC3_UMNT, path),
        (V3.MOUNTPROC3_UMNTALL, b""),
        (V3.MOUNTPROC3_NULL, b""),
    ):
        call = rpc.encode_call(1, wire.MOUNT_PROGRAM, 3, procedure, arguments)
        assert results(store, call) == b""
