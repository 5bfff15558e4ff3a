"""The border between a harness and whatever it fuzzes: messages in, what became of each out.

Behind it may be a role in this process, or a device elsewhere.  How much of its code an execution
reached is no part of it: the engine around the executor counts that by counters of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Execution", "Executor"]

Seen = TypeVar("Seen")


@dataclass(frozen=True, slots=True)
class Execution(Generic[Seen]):
    """What a sequence of messages did.

    Attributes:
        outcomes: of each message, in order.
        unserved: what came of the good call after all of them instead of its answer; empty if it
            was served.
    """

    outcomes: tuple[Seen, ...]
    unserved: str = ""

    @property
    def alive(self) -> bool:
        """Whether a good call was served after all messages."""
        return not self.unserved


class Executor(Protocol[Seen]):
    """Runs sequences, each from the same state: none finds what another has left."""

    def run(self, sequence: Sequence[bytes]) -> Execution[Seen]:
        """Deliver the messages, then make a good call.

        Raises:
            BrokenInvariant: what is fuzzed did what nothing can go on after.
        """
        ...
