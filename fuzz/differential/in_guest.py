"""Sends headers to the kernel's server or client, inside the lab's guest; keeps what was sent.

    python -m fuzz.differential.in_guest PROFILE FOLDER

FOLDER has `inputs.jsonl`, a line of hex for each message; `sent.jsonl` gets one for each that was
sent: to a server under an XID of its own, but for what may bring it down; to a client as a Reply.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.tester.server.harness import ClientHarness
from fuzz.differential.answered import answered_by
from fuzz.live.rigs import live_rig
from reports.record import Verdict
from targets.base import Target
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fuzz.live.execution import AnyLiveExecutor
    from targets.base import ClientTarget

__all__ = ["INPUTS", "SENT", "main", "read_messages", "sent_of", "write_messages"]

INPUTS: Final = "inputs.jsonl"
SENT: Final = "sent.jsonl"


def main(arguments: Sequence[str]) -> int:
    """Send them.

    Raises:
        Inconclusive: the server serves nobody, or the client makes no calls.
        TargetError: it does not come up.
    """
    profile, place = arguments
    folder = Path(place)
    messages = read_messages(folder / INPUTS)
    device = find_any_target(profile, "verbs")
    if isinstance(device, Target):
        with live_rig(device, destructive=False) as rig:
            write_messages(folder / SENT, sent_of(rig.executor, messages))
    else:
        with _ready(device) as harness:
            write_messages(folder / SENT, answered_by(harness, messages))
    return 0


@contextmanager
def _ready(device: ClientTarget) -> Iterator[ClientHarness]:
    """A client that has made a good call."""
    harness = ClientHarness(device)
    try:
        harness.ready()
        yield harness
    finally:
        harness.close()


def sent_of(executor: AnyLiveExecutor, messages: Iterable[bytes]) -> Iterator[bytes]:
    """Send each message; those that were sent, as they were."""
    for message in messages:
        for fired in executor.run((message,)).outcomes:
            if fired.verdict is not Verdict.NA:
                yield fired.octets


def write_messages(path: Path, messages: Iterable[bytes]) -> None:
    """Write messages, each as it comes."""
    with path.open("w", encoding="ascii") as file:
        for message in messages:
            file.write(json.dumps(message.hex()) + "\n")
            file.flush()


def read_messages(path: Path) -> list[bytes]:
    """What `write_messages` wrote."""
    lines = path.read_text(encoding="ascii").splitlines()
    return [bytes.fromhex(json.loads(line)) for line in lines]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
