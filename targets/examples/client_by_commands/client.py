"""A client that is told what to do by lines: ACT [LENGTH [COUNT]], or `connect`.

It answers each by `done`, or `failed` and why; after a `read` the digest of what was read follows
`done`.  It ends with its standard input.  The endpoint below is the suite's own: in its place comes
yours, and what is left is the reading of lines.

    client.py ADDRESS:PORT        where the tester listens
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from targets.base import Act, ActKind
from targets.fabrics import open_fabric
from targets.reference.client_parts import make_client
from targets.reference.client_process import InputLines
from targets.reference.device_process import parse_address

if TYPE_CHECKING:
    from rpcrdma.endpoint.ends.reconnecting import ReconnectingClient
    from targets.base import ActResult, RunningAct
    from targets.reference.acts import UpperTester

IDLE = 0.01
"""Seconds to wait for something to happen, on the connection or on standard input."""


def serve(client: ReconnectingClient, application: UpperTester) -> None:
    """Act until standard input ends, one thing at a time."""
    lines = InputLines(sys.stdin.buffer)
    running: RunningAct | None = None
    while not lines.ended:
        for line in lines.take():
            running = begin(application, line.decode().split())
        # A client must go on serving its connection while nobody tells it anything.
        if not client.wait(IDLE if client.connected else 0.0) and not client.connected:
            lines.wait(IDLE)
        application.collect()
        if running is not None and (result := running.poll()) is not None:
            answer(result)
            running = None


def begin(application: UpperTester, words: list[str]) -> RunningAct:
    """Begin what a line says."""
    kind, *numbers = words
    if kind == "connect":
        return application.connect()
    return application.begin(Act(ActKind(kind), *map(int, numbers)))


def answer(result: ActResult) -> None:
    """Say how that went."""
    how = f"done {result.digest}" if result.done else f"failed {result.detail}"
    sys.stdout.write(f"{how.strip()}\n")
    sys.stdout.flush()


def main() -> None:
    """Be a client of the tester at an address of this machine, from another one of it."""
    tester = parse_address(sys.argv[1])
    own = f"{tester.host.rpartition('.')[0]}.2"
    with open_fabric("roce", own, checks=True) as fabric:
        client, application = make_client(fabric, tester)
        try:
            serve(client, application)
        finally:
            client.close()


if __name__ == "__main__":
    main()
