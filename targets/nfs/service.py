"""The reference endpoint as an NFSv3 server that a kernel client can mount, in its own process.

    python -m targets.nfs.service --listen ADDRESS:PORT [--mount-port PORT]

It prints the address at which it listens and the TCP port of the MOUNT protocol, and serves until
its standard input ends or it is terminated.  A client then mounts it so:

    mount -t nfs -o vers=3,proto=rdma,port=PORT,mountproto=tcp,mountport=PORT,nolock,noacl
        ADDRESS:/ FOLDER

Two mounts see the same files; all of them are gone when the process ends.
"""

from __future__ import annotations

import argparse
import sys
import threading
from typing import TYPE_CHECKING

from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.responder.lost_replies import LostReplies
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import FabricError
from rpcrdma.fabric.trace import Trace
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.file_tree import CLIENT_TREE
from rpcrdma.ulp.mount3 import MountProgram
from rpcrdma.ulp.nfs3_server import Nfs3Program
from targets.base import TargetError
from targets.nfs.mount_service import MountService
from targets.reference.device_process import parse_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Address, Fabric

__all__ = ["main", "responder_factory", "serve"]


def responder_factory(store: FileStore) -> Callable[[], Responder]:
    """What makes the Responder of each connection; files and lost replies are shared by all."""
    lost = LostReplies()
    return lambda: Responder(Nfs3Program(store), None, lost)


def serve(
    fabric: Fabric,
    address: Address,
    mount_port: int,
    running: Callable[[], bool],
    announce: Callable[[str], None],
) -> str | None:
    """Serve while `running()`.

    Args:
        fabric: on which to listen.
        address: where.
        mount_port: of MOUNT by TCP, at the same address; 0 for any.
        running: asked many times a second.
        announce: gets the line that says where the server listens.

    Returns:
        How the endpoint failed, if it did.

    Raises:
        FabricError: nothing can listen there.
        TargetError: likewise, by TCP.
    """
    store = FileStore(CLIENT_TREE)
    with MountService(MountProgram(store), address.host, mount_port) as mounts:
        server = Server(fabric, address, responder_factory(store))
        try:
            announce(f"{server.address} mount-port {mounts.port}\n")
            server.serve(lambda: running() and server.failure is None)
        finally:
            server.close()
    return server.failure


def _await_end(ended: threading.Event) -> None:
    """Set `ended` when whoever started this process is gone, or wants it to end."""
    sys.stdin.read()
    ended.set()


def _announce(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    """Serve over verbs until standard input ends."""
    parser = argparse.ArgumentParser(prog="python -m targets.nfs.service", description=__doc__)
    parser.add_argument("--listen", required=True, metavar="ADDRESS:PORT", type=parse_address)
    parser.add_argument("--mount-port", default=0, metavar="PORT", type=int)
    chosen = parser.parse_args(arguments)
    # Only here is pyverbs needed, which a machine without RDMA does not have.
    from rpcrdma.fabric.verbs import VerbsFabric

    ended = threading.Event()
    threading.Thread(target=_await_end, args=(ended,), daemon=True).start()
    try:
        with VerbsFabric(chosen.listen.host) as fabric:
            fabric.trace = Trace(keep=False)
            failure = serve(
                fabric,
                chosen.listen,
                chosen.mount_port,
                lambda: not ended.is_set(),
                _announce,
            )
    except (FabricError, TargetError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if failure is not None:
        sys.stderr.write(f"the endpoint failed: {failure}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
