"""What a server does to the memory of each call, whatever a case is about.

    rfc8166 section 3.4.6  Write Chunks (the lengths returned tell what was written)
    rfc8166 section 3.5.2  Chunked Messages (what is written is there before the Reply)
    rfc8166 section 8.1.4  nothing is written where no room was offered

The memory is looked at twice: when the Reply comes, and when the connection ends.  The header of a
call that was spoiled may offer other memory than was meant; such a call is not judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.oracle.verdict import broken_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.oracle.outcome import Answered
    from conformance.oracle.verdict import BrokenRule
    from conformance.tester.memory import ExposedChunk
    from conformance.tester.sent import Call

__all__ = ["MemoryWatch"]

ROOM: Final = "rfc8166.8.1.4.no-more-data-than-room"
LENGTHS: Final = "rfc8166.3.4.6.segment-lengths-tell-what-was-written"
WRITTEN_BEFORE: Final = "rfc8166.3.5.2.writes-precede-the-reply"


@dataclass(slots=True)
class _Watched:
    """One call, and what its memory for results held when its Reply came."""

    call: Call
    reply: Answered | None = None
    held: int = 0


class MemoryWatch:
    """Watches the memory that is offered on one connection."""

    def __init__(self) -> None:
        self._calls: dict[int, _Watched] = {}
        self._shared: set[int] = set()
        self._offered: set[int] = set()

    def sending(self, call: Call) -> None:
        """A call is about to be sent."""
        if call.mutations or call.xid in self._calls:
            return
        handles = {handle for chunk in call.result_chunks for handle in _handles(chunk)}
        self._shared |= handles & self._offered
        self._offered |= handles
        self._calls[call.xid] = _Watched(call)

    def arrived(self, reply: Answered) -> None:
        """A Reply has come."""
        watched = self._calls.get(reply.xid)
        if watched is not None and watched.reply is None:
            watched.reply, watched.held = reply, _held(watched.call)

    def broken(self) -> Iterator[BrokenRule]:
        """What the device has broken so far."""
        for watched in self._calls.values():
            call = watched.call
            if not any(_handles(chunk) & self._shared for chunk in call.result_chunks):
                yield from _broken(watched)


def _broken(watched: _Watched) -> Iterator[BrokenRule]:
    call, reply = watched.call, watched.reply
    for chunk in call.result_chunks:
        place = chunk.overwritten(chunk.told)
        if place is not None:
            detail = (
                f"{call.title}: octet {place[1]} of segment {place[0]} lies outside, and changed"
            )
            yield broken_rule(ROOM, detail, call.version)
    if reply is None:
        return
    for name, chunk, back in call.used(reply):
        place = chunk.overwritten(back.target)
        if place is not None:
            detail = (
                f"{call.title}: octet {place[1]} of segment {place[0]} of the {name} changed,"
                " which the lengths returned do not tell of"
            )
            yield broken_rule(LENGTHS, detail, call.version)
    if _held(call) != watched.held:
        detail = f"{call.title}: memory for its results changed after its Reply had come"
        yield broken_rule(WRITTEN_BEFORE, detail, call.version)


def _handles(chunk: ExposedChunk) -> set[int]:
    return {segment.region.handle for segment in chunk.segments}


def _held(call: Call) -> int:
    """A number for what the memory for results holds."""
    regions = (segment.region for chunk in call.result_chunks for segment in chunk.segments)
    return hash(tuple(region.read() for region in regions))
