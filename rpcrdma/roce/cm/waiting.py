"""How long connection management waits, and how often it asks: codes, bounds and one timer.

InfiniBand Architecture volume 1, 12.7 (response timeouts, most retries), 12.6.6 (MRA)
InfiniBand Architecture volume 1, 12.9.8 (time wait), 12.4 (why there is one)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rpcrdma.roce.packet.aeth import timeout_seconds

__all__ = [
    "MOST_RETRIES",
    "RESPONSE_CODE",
    "SERVICE_CODE",
    "CmTimer",
    "response_seconds",
    "service_seconds",
    "time_wait_seconds",
]

RESPONSE_CODE: Final = 16
"""Code of the time within which either side answers, as our requests say: 268 ms."""

MOST_RETRIES: Final = 15
"""Times that a message is sent again, as our requests say: all that four bits can say, which is
what rdma_cm of Linux asks for, too.  With `RESPONSE_CODE` a peer has 4.3 s."""

SERVICE_CODE: Final = 20
"""Code of the time that our MRA asks for: 4.3 s.  The next one asks again, so that a side has
about a minute to decide on a request."""

_LEAST_RESPONSE: Final = 12
_MOST_RESPONSE: Final = 21
_MOST_SERVICE: Final = 24
_MOST_TIME_WAIT: Final = 20


def response_seconds(code: int) -> float:
    """Time to wait for an answer, of what a request says.

    Held between 17 ms and 8.6 s: a peer shall neither make us send all at once nor keep us for
    hours (code 31 is 2.4 h).
    """
    return timeout_seconds(min(max(code, _LEAST_RESPONSE), _MOST_RESPONSE))


def service_seconds(code: int) -> float:
    """Time that a MRA asks for, in addition to the ordinary one; at most 69 s (code 24)."""
    return timeout_seconds(min(code, _MOST_SERVICE))


def time_wait_seconds(ack_timeout: int) -> float:
    """How long a connection that is over is remembered; at most 8.6 s.

    12.9.8 has twice the packet's life time and the remote side's delay, which is what the ack
    timeout was made of; twice that, since who gives it has no subnet manager to ask.
    """
    return 2 * timeout_seconds(min(max(ack_timeout, _LEAST_RESPONSE), _MOST_TIME_WAIT))


@dataclass(slots=True)
class CmTimer:
    """When what is awaited is late, and how often it may be asked for again.

    Attributes:
        interval: seconds between two tries.
        retries: tries after the first one.
        deadline: when the wait is over; None: nothing is awaited.
    """

    interval: float
    retries: int
    deadline: float | None = None
    _left: int = 0

    def start(self, now: float) -> None:
        """Wait for the answer to a message sent now for the first time."""
        self._left = self.retries
        self.deadline = now + self.interval

    def start_once(self, now: float, seconds: float) -> None:
        """Wait for `seconds`, after which nothing is tried."""
        self._left = 0
        self.deadline = now + seconds

    def prolong(self, now: float, seconds: float) -> None:
        """Wait longer, as the peer asks; the tries stay as they are."""
        self.deadline = now + seconds + self.interval

    def stop(self) -> None:
        """Wait for nothing."""
        self.deadline = None

    def try_again(self, now: float) -> bool:
        """Whether a try is left at the deadline; it is used up."""
        if not self._left:
            return False
        self._left -= 1
        self.deadline = now + self.interval
        return True
