"""What a sequence did to a device that runs elsewhere, whichever its role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fuzz.executor import Execution
from reports.record import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.explore.firing import Fired

__all__ = ["AnyLiveExecutor", "LiveExecution"]


@dataclass(frozen=True, slots=True)
class LiveExecution(Execution["Fired"]):
    """What a sequence did to a device that runs elsewhere.

    Attributes:
        died: how the device was found dead; empty if it lives.
        complaint: what its kernel has complained of, and survived; empty if nothing.
        console: what its machine had printed, if it died or complained.
        dangers: what is known to do harm in messages that were sent, by classes of
            `conformance.explore.danger`, or of `fuzz.live.client.dangers`.
    """

    died: str = ""
    complaint: str = ""
    console: str = ""
    dangers: frozenset[str] = frozenset()

    @property
    def failed(self) -> tuple[Fired, ...]:
        """The messages whose answers the oracle does not allow."""
        return tuple(fired for fired in self.outcomes if fired.verdict is Verdict.FAIL)

    @property
    def kept_back(self) -> int:
        """How many messages were not sent, since they may do harm."""
        return sum(fired.verdict is Verdict.NA for fired in self.outcomes)


class AnyLiveExecutor(Protocol):
    """Runs sequences at a device of either role (see `fuzz.executor.Executor`).

    Attributes:
        avoided: classes of messages that are kept back though the user lets them be sent: each has
            brought the device down, and would do so again and again.
    """

    avoided: set[str]

    def prepare(self) -> object:
        """See that the device is ready for a sequence; one that has died is started again.

        Raises:
            Inconclusive: it serves nobody, or calls nobody, not even after that.
        """
        ...

    def renew(self) -> None:
        """Have the next sequence begin on a new connection."""
        ...

    def run(self, sequence: Sequence[bytes]) -> LiveExecution:
        """Run a sequence.

        Raises:
            Inconclusive: as `prepare`.
        """
        ...

    def run_alone(self, sequence: Sequence[bytes], *, patient: bool = True) -> LiveExecution:
        """Run a sequence on connections of its own, and see that a good call is served after it.

        Args:
            sequence: the messages.
            patient: wait as long as the profile says.

        Raises:
            Inconclusive: as `prepare`.
        """
        ...
