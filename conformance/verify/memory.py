"""Checks of the memory that a client's calls offer: it is there while it is offered, and no longer.

    verify.memory.described(service, act, call, for_results=True)
    verify.memory.unreachable(service, line, segment, for_results=True)
    verify.memory.all_unreachable(service, make_and_end, breaks=ids)

    rfc8166 section 3.4.3  RDMA Segments
    rfc8166 section 8.1    Memory Protection

Whoever tries memory that is not there loses the connection.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.server.served import CallVerdict
from rpcrdma.fabric.completion import CompletionStatus
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.tester.server import Line, ReceivedCall, Service
    from rpcrdma.wire import RdmaSegment

__all__ = ["all_unreachable", "described", "last_unreachable", "unreachable"]

DESCRIBED: Final = "rfc8166.3.4.3.header-describes-the-memory"
HANDLE: Final = "rfc8166.3.4.3.segment-handle"
OFFSET: Final = "rfc8166.3.4.3.segment-offset"
LENGTH: Final = "rfc8166.3.4.3.segment-length-in-octets"
PROVIDED: Final = "rfc8166.3.4.3.memory-is-the-requesters"
PROVIDED_LONG: Final = "rfc8166.3.5.3.requester-provides-long-message-chunks"

MOST: Final = 5
"""Segments of one call that are tried; each costs a connection."""

_UNIT: Final = 4
"""Octets before a region that are tried, the fewest by which XDR would move it."""


def described(service: Service, call: ReceivedCall) -> None:
    """Every segment that a call offers can be used from its first octet to its last.

    Room for results is filled with zeros, which a Responder may do before it replies.  Where a
    segment cannot be used, the call is awaited once more, on the next connection, and the first
    octet of the segment is tried alone: that shows whether the length is wrong, or all of it.

    Args:
        service: where the call came.
        call: unanswered.

    Raises:
        Deviation: one cannot.
    """
    tried: ReceivedCall | None = call
    if not service.line_of(call).connected:  # its Read chunks were fetched, which was too much
        tried = _again(service, call)
    found = None if tried is None else _unusable(service, tried)
    if tried is call and found is None:
        return
    breaks: tuple[str, ...] = (DESCRIBED,)
    reason = f"Memory that a call offers cannot be used: {call.problem}."
    if tried is not None and found is not None:
        reason = f"Memory that a call offers cannot be {_used(found)}: {in_words(found.segment)}."
        breaks += _wrong(service, tried, found)
    call.verdicts.append(CallVerdict(reason, breaks))
    raise Deviation(reason, actual=str(call), breaks=breaks)


@dataclass(frozen=True, slots=True)
class _Place:
    """One segment of a call.

    Attributes:
        segment: what it says.
        chunk: number of its chunk.
        place: in the chunk.
        is_long: whether the chunk is of a Long message.
        for_results: whether it is offered for writing to.
    """

    segment: RdmaSegment
    chunk: int
    place: int
    is_long: bool
    for_results: bool


def _places(call: ReceivedCall) -> Iterator[_Place]:
    """Everything that a call offers."""
    long_call = tuple(read.target for read in call.reads if not read.position)
    reads = tuple(read.target for read in call.reads if read.position)
    reply = () if call.reply_chunk is None else call.reply_chunk.target
    writes = ((chunk.target, False, True) for chunk in call.writes)
    chunks = ((long_call, True, False), (reads, False, False), (reply, True, True), *writes)
    for number, (segments, is_long, for_results) in enumerate(chunks):
        for place, segment in enumerate(segments):
            yield _Place(segment, number, place, is_long, for_results)


def _unusable(service: Service, call: ReceivedCall) -> _Place | None:
    """The first segment that cannot be used as a whole; the connection is lost over it."""
    line = service.line_of(call)
    return next((one for one in _places(call) if not _usable(service, line, one)), None)


def _wrong(service: Service, call: ReceivedCall, found: _Place) -> tuple[str, ...]:
    """What of a segment is wrong; nothing if it does not come once more."""
    repeated = _again(service, call)
    where = (found.chunk, found.place)
    places = () if repeated is None else _places(repeated)
    again = next((one for one in places if (one.chunk, one.place) == where), None)
    if repeated is None or again is None:
        return ()
    line, segment = service.line_of(repeated), again.segment
    first = replace(again, segment=msgspec.structs.replace(segment, length=1))
    if not _usable(service, line, first):
        # With another segment of its chunk in reach the memory is there, under its own handle.
        provided = PROVIDED_LONG if found.is_long else PROVIDED
        return (HANDLE,) if found.place else (HANDLE, provided)
    start = max(segment.offset - _UNIT, 0)
    moved = replace(again, segment=msgspec.structs.replace(segment, length=_UNIT, offset=start))
    return (OFFSET,) if _usable(service, line, moved) else (LENGTH,)


def _again(service: Service, call: ReceivedCall) -> ReceivedCall | None:
    """A call that is made once more on the next connection (rfc8166 4.5.5), nothing fetched."""
    service.welcome = replace(service.welcome, fetches=False)
    try:
        return service.next_call(lambda one: one.line != call.line and any(_places(one)))
    except Inconclusive:
        return None


def _usable(service: Service, line: Line, place: _Place) -> bool:
    deadline = service.profile.deadline
    if place.for_results:
        zeros = bytes(place.segment.length)
        return line.write(place.segment, zeros, deadline) is CompletionStatus.SUCCESS
    return line.fetch([place.segment], deadline) is not None


def _used(place: _Place) -> str:
    return "written" if place.for_results else "read"


def unreachable(
    service: Service,
    line: Line,
    segment: RdmaSegment,
    *,
    for_results: bool,
    breaks: tuple[str, ...] = (),
) -> None:
    """Memory that a call had offered is out of reach, now that the call is over.

    Whoever tries loses the connection: this is the last that a case does on it.

    Args:
        service: where the call came.
        line: on which.
        segment: that the call offered.
        for_results: whether it was offered for writing to, else for reading from.
        breaks: the requirements that are broken if it can still be reached.

    Raises:
        Deviation: it can still be read or written.
        Inconclusive: the connection was gone before.
    """
    if not line.connected:
        raise Inconclusive("the connection ended before the memory could be tried")
    deadline = service.profile.deadline
    write, read = partial(line.write, segment, b"\xee"), partial(line.read, segment)
    status = (write if for_results else read)(deadline)
    if status is CompletionStatus.SUCCESS:
        raise Deviation(
            f"Memory of a call that is over can still be {'written' if for_results else 'read'}.",
            expected=(CompletionStatus.REMOTE_ACCESS_ERROR.value,),
            actual=f"{status.value} at handle {segment.handle:#x}",
            breaks=breaks,
        )


def last_unreachable(service: Service, call: ReceivedCall, *, breaks: tuple[str, ...]) -> None:
    """The last segment that a call had offered is out of reach, now that the call is over.

    Args:
        service: where it came.
        call: that is over.
        breaks: the requirements that are broken if the memory can still be reached.

    Raises:
        Deviation: it can still be read or written.
        Inconclusive: the call offers no memory, or the connection is gone.
    """
    _nth_unreachable(service, call, 0, breaks)


def all_unreachable(
    service: Service, make_and_end: Callable[[], ReceivedCall], *, breaks: tuple[str, ...]
) -> None:
    """Every segment that a call had offered is out of reach, now that the call is over.

    Each try costs the connection, so that the call is made once for each segment, beginning with
    the last: whoever forgets one is likely to forget that.

    Args:
        service: where the calls come.
        make_and_end: has the client make a call, which is over when it returns.
        breaks: the requirements that are broken if memory can still be reached.

    Raises:
        Deviation: a segment can still be read or written.
        Inconclusive: the client offers no memory, or another number of segments each time.
    """
    tried, left = 0, 1
    while left > 0:
        call = make_and_end()
        _nth_unreachable(service, call, tried, breaks)
        tried += 1
        left = min(len(tuple(_places(call))), MOST) - tried


def _nth_unreachable(
    service: Service, call: ReceivedCall, number: int, breaks: tuple[str, ...]
) -> None:
    """One segment, counted from the last, is out of reach."""
    places = tuple(_places(call))
    if len(places) <= number:
        raise Inconclusive(f"the client offers {len(places)} segments, and {number} were tried")
    place = places[-1 - number]
    line = service.line_of(call)
    if not line.connected:
        line = service.line  # a client may end the connection over a Reply, not keep the memory
    unreachable(service, line, place.segment, for_results=place.for_results, breaks=breaks)
