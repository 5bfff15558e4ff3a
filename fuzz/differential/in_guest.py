"""Sends headers to a Linux server, inside the lab's guest, and keeps what was sent of each.

    python -m fuzz.differential.in_guest FOLDER

FOLDER has `inputs.jsonl`, a line of hex for each message; `sent.jsonl` gets one for each that was
sent, under an XID of its own.  What may bring the server down is kept back.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fuzz.live.rigs import live_rig
from reports.record import Verdict
from targets.base import Target, TargetError
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fuzz.live.execution import AnyLiveExecutor

__all__ = ["INPUTS", "PROFILE", "SENT", "main", "read_messages", "sent_of", "write_messages"]

INPUTS: Final = "inputs.jsonl"
SENT: Final = "sent.jsonl"
PROFILE: Final = "linux-server"


def main(arguments: Sequence[str]) -> int:
    """Send them.

    Raises:
        Inconclusive: the server serves nobody.
        TargetError: it does not come up.
    """
    folder = Path(arguments[0])
    device = find_any_target(PROFILE, "verbs")
    if not isinstance(device, Target):
        raise TargetError(f"{PROFILE} is no server")
    with live_rig(device, destructive=False) as rig:
        write_messages(folder / SENT, sent_of(rig.executor, read_messages(folder / INPUTS)))
    return 0


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
