"""What no case writes stays as it is: files of the device, looked at before and after each section.

A Responder may damage what it holds without any case to see it: the octets that are wrong are read
by nobody, or by a later case, which is then blamed for it.  So the watch reads the files whole, by
good calls of its own, on a connection that belongs to no case.  What is damaged is told once.

    rfc8166 section 8.1  Memory Protection
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.outcome import Answered
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.client import build
from conformance.tester.workload.base import Watched
from rpcrdma.errors import DecodeError, LocalProtocolError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Request
    from conformance.tester.workload.base import Workload

__all__ = ["FileWatch"]

_IN_FLIGHT: Final = 8
"""READs at once, if so many are granted: most of the time of one is spent waiting."""


class FileWatch:
    """The files of one device.

    Attributes:
        unwatched: what is not watched, and why; empty if everything is.
    """

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self._pieces: dict[str, Request] = {}
        self.unwatched = ""

    @property
    def watched(self) -> bool:
        """Whether there is anything to look at."""
        return bool(self._pieces)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What a run's record says of it; nothing where there are no files."""
        if not isinstance(self._workload, Watched):
            return ()
        told = "compared after each section" if self._pieces else "not compared"
        return (
            ("files", f"{told}; not as expected: {self.unwatched}" if self.unwatched else told),
        )

    def begin(self, peer: Peer) -> None:
        """See what the files hold before the first section.

        A piece that is not as the suite made it is not watched: what a device reads wrongly from
        the first is for the cases to find.
        """
        if not isinstance(self._workload, Watched):
            return
        self._pieces, self.unwatched = dict(self._workload.untouched()), ""
        try:
            self.look(peer)
        except Deviation as error:
            self.unwatched = error.actual
        except Inconclusive as error:
            self._pieces, self.unwatched = {}, str(error)

    def renew(self) -> None:
        """Fetch what is watched by the calls of a device that was started again.

        It may have other file handles now: its machine may be another one.
        """
        if isinstance(self._workload, Watched):
            fresh = self._workload.untouched()
            self._pieces = {place: fresh[place] for place in self._pieces}

    def look(self, peer: Peer) -> None:
        """See that the files hold what they did; a piece that does not is not watched any longer.

        Args:
            peer: a connection without calls in flight.

        Raises:
            Deviation: a piece holds other octets.
            Inconclusive: they cannot be fetched.
        """
        suspects = _differing(peer, self._pieces)
        # What is fetched well the second time is no damage to the file.
        damaged = _differing(peer, {place: self._pieces[place] for place in suspects})
        if not damaged:
            return
        for place in damaged:
            del self._pieces[place]
        actual = "; ".join(f"{place}: {problem}" for place, problem in damaged.items())
        raise Deviation(
            f"What no case writes has changed: {actual}.",
            expected=("what the files held at first",),
            actual=actual,
        )


def _differing(peer: Peer, pieces: Mapping[str, Request]) -> dict[str, str]:
    """Fetch pieces; returns what is wrong with them, by place, in their order."""
    waiting: dict[int, tuple[str, Call]] = {}
    found: dict[str, str] = {}
    for place, piece in pieces.items():
        if len(waiting) >= min(_IN_FLIGHT, max(peer.granted, 1)):
            _take(peer, waiting, found)
        call = build.with_write_chunks(peer, piece)
        waiting[call.xid] = place, call
        peer.send(call)
    while waiting:
        _take(peer, waiting, found)
    return {place: found[place] for place in pieces if found[place]}


def _take(peer: Peer, waiting: dict[int, tuple[str, Call]], found: dict[str, str]) -> None:
    """Take the answer to one of the calls that are waited for."""
    outcome = peer.receive()
    if not isinstance(outcome, Answered) or outcome.xid not in waiting:
        raise Inconclusive(f"a READ of the suite's own files got {outcome}")
    place, call = waiting.pop(outcome.xid)
    try:
        found[place] = call.request.check(call.unreduced, call.reply_payload(outcome))
    except (DecodeError, LocalProtocolError) as error:
        raise Inconclusive(f"a READ of the suite's own files was answered: {error}") from error
