"""The reference server in a process of its own.

    python -m targets.reference.server_process --listen ADDRESS:PORT [--fabric roce]

prints the address at which it listens and serves until its standard input ends or it is
terminated.  `targets.mutants.process` is the same for a mutant, `targets.variants.process` for a
variant.
"""

from __future__ import annotations

import argparse
import sys
import threading

from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.errors import FabricError
from rpcrdma.fabric.trace import Trace
from targets.fabrics import BETWEEN, open_fabric
from targets.reference.device_process import parse_address
from targets.reference.server_parts import REFERENCE, VERSIONS, Parts, server_factory

__all__ = ["main"]


def _await_end(ended: threading.Event) -> None:
    """Set `ended` when whoever started this process is gone, or wants it to end."""
    sys.stdin.read()
    ended.set()


def main(arguments: list[str] | None = None, parts: Parts = REFERENCE) -> int:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(
        prog="python -m targets.reference.server_process", description=__doc__
    )
    parser.add_argument("--listen", required=True, metavar="ADDRESS:PORT", type=parse_address)
    parser.add_argument("--fabric", choices=BETWEEN, default="verbs")
    parser.add_argument("--versions", type=int, nargs="+", default=VERSIONS, help="to be spoken")
    chosen = parser.parse_args(arguments)
    ended = threading.Event()
    threading.Thread(target=_await_end, args=(ended,), daemon=True).start()
    try:
        with open_fabric(chosen.fabric, chosen.listen.host, checks=True) as fabric:
            fabric.trace = Trace(keep=False)  # the tester's side is the one that is read
            make = server_factory(parts, tuple(chosen.versions))
            server = Server(fabric, chosen.listen, make, parts.driver)
            sys.stdout.write(f"{server.address}\n")
            sys.stdout.flush()
            server.serve(lambda: not ended.is_set() and server.failure is None)
            server.close()
    except FabricError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if server.failure is not None:
        sys.stderr.write(f"the endpoint failed: {server.failure}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
