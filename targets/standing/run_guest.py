"""The guest of one run: where it dies, a new one with the same setup and kernel takes its place.

    with RunGuest.begin(setup, kernel, print) as run:  # boots meanwhile
        run.current.agent ...
        run.replace("its kernel panicked")

A guest of `rpcrdma lab up` belongs to its user.  Where it dies it is let go of as it is, and the
run goes on in a guest of its own: a run that was begun is worth more than the seconds of a boot.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Self

from targets.lab.errors import LabError
from targets.standing.guest import StandingGuest
from targets.standing.stay import guest_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from targets.standing.setup import StandingSetup

__all__ = ["GuestEnd", "RunGuest"]


@dataclass(frozen=True, slots=True)
class GuestEnd:
    """That a guest is of no use any more, and another one takes its place.

    Attributes:
        how: it died, or what it cannot do any more.
        log: what its kernel had printed; empty where there was no guest yet.
    """

    how: str
    log: str = ""

    def __str__(self) -> str:
        return self.how


class RunGuest:
    """The guest of one run.

    Attributes:
        current: the one that is there now.
        release: of the kernel, the same in each of them.
        logs: folder in which the logs of all of them are left; nowhere if None.
    """

    def __init__(
        self,
        first: StandingGuest,
        start: Callable[[], StandingGuest],
        told: Callable[[GuestEnd], None],
    ) -> None:
        """Take a guest.

        Args:
            first: it.
            start: starts another one, with the same setup, and does not wait for it.
            told: is told of each guest whose place another one takes.
        """
        self.current = first
        self.release = first.release
        self.logs: Path | None = None
        self._start = start
        self._told = told

    @classmethod
    def begin(
        cls, setup: StandingSetup, kernel: str | None, told: Callable[[GuestEnd], None]
    ) -> RunGuest:
        """Take the guest that is up, or start one and do not wait for it.

        Args:
            setup: what it is to set up.
            kernel: release, path of an image, or None for the newest that will do.
            told: is told of each guest whose place another one takes.

        Raises:
            LabError: there is none, and none can be started.
        """
        first = guest_for(setup, kernel, lambda line: told(GuestEnd(line)))
        return cls(first, partial(StandingGuest.start, setup, kernel), told)

    def replace(self, how: str) -> StandingGuest:
        """End the guest, or let go of it, and wait until a new one is set up.

        Only one is tried: what does not come up now is no better for being tried again.

        Args:
            how: it died, or what it cannot do any more.

        Raises:
            LabError: the new one does not come up.
        """
        dead = self.current
        log = dead.log()
        self._keep_logs()
        dead.close()
        left = "the guest of `rpcrdma lab up` is left as it is; " if dead.is_kept else ""
        self._told(GuestEnd(f"{how}; {left}going on in a new guest", log))
        self.current = self._start()
        if self.current.release != self.release:
            cause = f"its kernel is {self.current.release}, that of the run was {self.release}"
            raise LabError("booting a new guest", cause, "name one by --kernel")
        self.current.await_ready()
        return self.current

    def close(self) -> None:
        """End the guest, or let go of it, and leave its logs.  Twice is allowed."""
        self._keep_logs()
        self.logs = None
        self.current.close()

    def _keep_logs(self) -> None:
        if self.logs is not None:
            self.current.keep_logs(self.logs)

    def __enter__(self) -> Self:
        """Enter a `with` block that ends in `close`."""
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()
