"""What both ends of a device in a process of its own need: its address as text, and ending it.

A module of its own, since a client's process has no use for all that a server imports: in a virtual
machine without KVM that takes many seconds.
"""

from __future__ import annotations

import subprocess
from typing import Final

from rpcrdma.fabric.base import Address

__all__ = ["STOP_DEADLINE", "parse_address", "process_of", "stop_process"]

STOP_DEADLINE: Final = 5.0
"""Seconds until it must be gone."""


def parse_address(text: str) -> Address:
    """ADDRESS:PORT as it stands on a command line, or in what a process prints first.

    Raises:
        ValueError: it is something else.
    """
    host, colon, port = text.strip().rpartition(":")
    if not colon or not port.isdigit():
        raise ValueError(f"`{text.strip()}` is not ADDRESS:PORT")
    return Address(host, int(port))


def process_of(role: str, replaced: str = "") -> tuple[str, ...]:
    """The module that is run to be an end of the reference, and its first arguments.

    Args:
        role: `server` or `client`.
        replaced: name of a mutant or variant, `mutant:...`; empty: the reference itself.
    """
    if replaced:
        word, _, name = replaced.partition(":")
        return f"targets.{word}s.process", role, name
    return (f"targets.reference.{role}_process",)


def stop_process(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    """End a process, by force if it does not go, and close its streams."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_DEADLINE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(STOP_DEADLINE)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
