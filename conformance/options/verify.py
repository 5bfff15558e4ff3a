"""Checks for cases about transport properties: what the device says, and what it obeys.

    verify_options.announced(tester)                   its ROPT_CONNPROP
    verify_options.answered(tester, xid)               its ROPT_RESPPROP, read against the request
    verify_options.obeys(tester, 1024, breaks=...)     no message of it is longer

What is no wrong answer but no answer at all to work with ends a case as inconclusive, or not
applicable where the profile says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.catalogue.interpretations import choice
from conformance.options.due import begun, due
from conformance.oracle.outcome import (
    Disconnected,
    ErrChunk,
    InvalidOption,
    OptionReceived,
    Silent,
)
from conformance.oracle.sizes import THRESHOLD_TWO
from conformance.oracle.told_length import told_length
from conformance.tester.case import Deviation, Inconclusive
from rpcrdma.wire import subsets
from rpcrdma.wire.operations import BY_NAME, ConnProp, ReqProp, RespProp, UpdProp
from rpcrdma.wire.properties import (
    PROP_RBSIZ,
    DefaultValue,
    property_values,
)
from rpcrdma.wire.words import in_words
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from conformance.options.tester import Heard, OptionTester
    from conformance.oracle.outcome import Outcome
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.properties import PropertyValue

__all__ = [
    "Disposed",
    "all_may_change",
    "announced",
    "answered",
    "answers",
    "answers_within",
    "bits",
    "calls_that_use_up_receives",
    "claims",
    "fixed",
    "is_fault_report",
    "members",
    "note_fault_report",
    "obeys",
    "reports_bad_header",
    "requested",
    "told_size",
    "unanswered",
    "unharmed_by",
    "until",
]

Ids = tuple[str, ...]

_ANY_ANSWER: Final = (OptionReceived, InvalidOption, ErrChunk)

ANSWERED: Final = "xcharext.4.2.supported-request-is-answered"
SAME_XID: Final = "xcharext.4.3.answer-has-the-requests-xid"

SMALLEST: Final = 56
"""Octets of the shortest RPC message with its header."""

FEWEST_CALLS: Final = 80
"""RPCs after which every Receive of a device has been used up that grants a few credits."""

MOST_CALLS: Final = 1000
"""RPCs that a case makes at most, however many credits are granted."""


@dataclass(frozen=True, slots=True)
class Disposed:
    """What a ROPT_RESPPROP says of a request.

    Attributes:
        done: positions in the request.  rejected: likewise.
        other: the values in the list of others.
        option: as it came.
    """

    done: frozenset[int]
    rejected: frozenset[int]
    other: tuple[PropertyValue, ...]
    option: RespProp

    @property
    def size(self) -> int | None:
        """The receive buffer size among the others."""
        return told_length(self.other)

    def __str__(self) -> str:
        done, rejected = in_words(sorted(self.done)), in_words(sorted(self.rejected))
        return f"done: {done}; rejected: {rejected}; other: {in_words(self.other)}"


# -- support


def claims(tester: OptionTester, *operations: str) -> None:
    """The profile claims these operations.

    Raises:
        Unsupported: it does not.
        KeyError: there is no operation of this name, so no profile could claim it.
    """
    for operation in (BY_NAME[name] for name in operations):
        if operation.name not in tester.profile.claims.operations:
            raise Unsupported(f"the profile does not claim the operation {operation.name}")


def bits(tester: OptionTester, positions: Iterable[int]) -> tuple[int, ...]:
    """A subset in the order of bits that the profile has (D-73)."""
    return subsets.subset(positions, high_bit_first=_high_bit_first(tester))


def members(tester: OptionTester, words: Iterable[int]) -> frozenset[int]:
    """The positions in a subset (D-73)."""
    return subsets.members(words, high_bit_first=_high_bit_first(tester))


def all_may_change(tester: OptionTester, values: Collection[PropertyValue]) -> tuple[int, ...]:
    """The opticonnpr_nochg of a tester that is going to change what it announces (D-72)."""
    if choice("D-72", tester.profile.extra.interpretations) == "may-change":
        return bits(tester, range(len(values)))
    return ()


def fixed(tester: OptionTester, told: ConnProp) -> frozenset[int]:
    """Codes of the values that are not going to change by the device's word (D-72)."""
    marked = members(tester, told.opticonnpr_nochg)
    may_change = choice("D-72", tester.profile.extra.interpretations) == "may-change"
    start = enumerate(told.opticonnpr_start)
    return frozenset(value.pv_which for n, value in start if (n in marked) != may_change)


def _high_bit_first(tester: OptionTester) -> bool:
    return choice("D-73", tester.profile.extra.interpretations) == "high-bit-first"


# -- what the device says


def announced(tester: OptionTester) -> ConnProp:
    """What the device has announced of itself.

    Raises:
        Unsupported: it has announced nothing, as it may.
    """
    claims(tester, "connprop")
    tester.call()
    due(tester, lambda: begun(tester, ConnProp) is not None)
    found = begun(tester, ConnProp)
    if found is None or not isinstance(found.option, ConnProp):
        raise Unsupported("the device has announced nothing")
    return found.option


def told_size(tester: OptionTester) -> int:
    """The receive buffer size of the device by its own word, the default if it said nothing."""
    found = THRESHOLD_TWO
    for one in tester.heard:
        if isinstance(one.option, ConnProp):
            found = told_length(one.option.opticonnpr_start) or THRESHOLD_TWO
        elif isinstance(one.option, UpdProp):
            found = told_length(one.option.optupdpr_now) or found
    return found


def answers(
    tester: OptionTester, xid: int, breaks: Ids = (), *, is_due: bool = False
) -> tuple[Heard, ...]:
    """Whatever has come under the XID of an operation, when a good RPC after it is over.

    Args:
        tester: who has sent it.
        xid: of the operation.
        breaks: what the loss of the RPC breaks.
        is_due: whether there must be an answer, and so is waited for.
    """
    tester.call(breaks)
    if is_due:
        due(tester, lambda: any(one.xid == xid for one in tester.heard), breaks)
    tester.quiet()
    return tuple(one for one in tester.heard if one.xid == xid)


def answered(tester: OptionTester, xid: int, breaks: Ids = (ANSWERED,)) -> Disposed:
    """A request of the tester's got its one answer.

    Raises:
        Deviation: it did not.
    """
    tester.note_accepted(xid, OptionReceived, breaks=breaks)
    found = answers(tester, xid, breaks, is_due=True)
    options = [one.option for one in found]
    if len(found) != 1 or not isinstance(options[0], RespProp):
        strangers = [str(one) for one in tester.heard if isinstance(one.option, RespProp)]
        raise Deviation(
            "A request for changes did not get its one answer.",
            expected=("one ROPT_RESPPROP under the request's XID",),
            actual="; ".join(map(str, found)) or "; ".join(strangers) or "nothing",
            breaks=(*breaks, SAME_XID) if strangers and not found else breaks,
        )
    option = options[0]
    return Disposed(
        members(tester, option.optrespr_done),
        members(tester, option.optrespr_rej),
        option.optrespr_other,
        option,
    )


def unanswered(
    tester: OptionTester, xid: int, *, breaks: Ids, tolerated: Ids = ()
) -> tuple[Heard, ...]:
    """Nothing answers an operation, and RPCs go on.

    Args:
        tester: who has sent it.
        xid: of the operation.
        breaks: what any answer breaks, and what the loss of the RPC after it does.
        tolerated: instead, what an error under its XID is only a warning of.
    """
    warned = (InvalidOption, ErrChunk) if tolerated else ()
    tester.note_accepted(xid, Silent, tolerated=warned, breaks=breaks)
    found = answers(tester, xid, breaks)
    errors = [one for one in found if one.error is not None]
    if tolerated and errors and len(errors) == len(found):
        reason = f"{errors[0]} came, where nothing should."
        tester.case.let_pass(reason, tolerated)
    elif found:
        raise Deviation(
            "An operation that gets no answer was answered.",
            expected=("no answer to the operation, and one to the RPC after it",),
            actual="; ".join(map(str, found)),
            breaks=breaks,
        )
    return found


def reports_bad_header(tester: OptionTester, xid: int, *, breaks: Ids) -> None:
    """An operation with a faulty value got RDMA2_ERR_BAD_HEADER (D-59), and RPCs go on."""
    note_fault_report(tester, xid, breaks=breaks)
    found = answers(tester, xid, breaks, is_due=True)
    if len(found) == 1 and is_fault_report(tester, found[0], breaks):
        return
    raise Deviation(
        "A faulty value was not reported as an XDR error.",
        expected=("one RDMA2_ERR_BAD_HEADER under the operation's XID",),
        actual="; ".join(map(str, found)) or "nothing",
        breaks=breaks,
    )


def note_fault_report(tester: OptionTester, xid: int, *or_else: type[Outcome], breaks: Ids) -> None:
    """Note that what `is_fault_report` lets pass is accepted as the answer to an operation.

    Args:
        tester: who has sent it.
        xid: of the operation.
        or_else: what is accepted as well.
        breaks: what any other answer breaks.
    """
    either = choice("D-59", tester.profile.extra.interpretations) == "either"
    allowed = (ErrChunk, InvalidOption) if either else (ErrChunk,)
    warned = () if either else (InvalidOption,)
    tester.note_accepted(xid, *allowed, *or_else, tolerated=warned, breaks=breaks)


def is_fault_report(tester: OptionTester, one: Heard, breaks: Ids) -> bool:
    """Whether a message says that an operation is faulty, in the words of the profile (D-59).

    In other words it is a warning about what it `breaks`.
    """
    if one.refuses and choice("D-59", tester.profile.extra.interpretations) != "either":
        reason = f"{one} came; RDMA2_ERR_BAD_HEADER is the better word."
        tester.case.let_pass(reason, breaks)
    return one.refuses or one.reports_bad_header


def calls_that_use_up_receives(tester: OptionTester) -> int:
    """RPCs after which every Receive that a device had has been used up: two for each credit."""
    return max(FEWEST_CALLS, min(2 * tester.credits, MOST_CALLS))


def until(tester: OptionTester, kind: type[Option], since: int, breaks: Ids = ()) -> Heard | None:
    """The next operation of a kind, while RPCs use up what Receives the device has; None: none."""
    occasions = calls_that_use_up_receives(tester)
    due(tester, lambda: begun(tester, kind, since) is not None, breaks, occasions)
    return begun(tester, kind, since)


# -- what the device obeys


def obeys(tester: OptionTester, limit: int, *, breaks: Ids, lengths: Iterable[int] = ()) -> None:
    """The device sends nothing longer than a limit, and its RPCs go on.

    Args:
        tester: who looks.
        limit: octets.
        breaks: what a longer message breaks.
        lengths: octets of the messages that it is to try; by default about the limit.
    """
    # What offers or returns a Reply chunk of one segment is longer by its 20 octets.
    near = (limit - 20, limit - 16, limit, limit + 4)
    for octets in lengths or (*near, 2 * limit, limit + 1800):
        sent = tester.longest(octets, breaks)
        if sent > limit:
            _too_long(tester, sent, limit, breaks)


def _too_long(tester: OptionTester, sent: int, limit: int, breaks: Ids) -> None:
    """A message is longer than what the tester has told: a note up to the default (D-142).

    Raises:
        Deviation: it is longer than the least that every receiver supports, too.
    """
    if sent <= THRESHOLD_TWO:
        tester.case.remark(
            f"The device sends {sent} octets at once to an end that has told {limit}."
        )
        return
    raise Deviation(
        f"The device sends {sent} octets at once.",
        expected=(f"at most {limit} octets",),
        actual=f"{sent} octets",
        breaks=breaks,
    )


def unharmed_by(tester: OptionTester, size: int, *, breaks: Ids) -> None:
    """The device sends nothing beyond an odd size that it was told, and goes on when it is mended.

    Args:
        tester: who has told it.
        size: octets; maybe too few for any message, so that RPCs may fail.
        breaks: what a longer message breaks.
    """
    tester.quiet()
    for octets in (400, 1600, 6000):
        sent = tester.attempt(octets)
        if sent > size:
            _too_long(tester, sent, size, breaks)
    _mended(tester, size)


def answers_within(tester: OptionTester, xid: int, size: int, *, breaks: Ids) -> None:
    """What answers an operation is not beyond an odd size that the device was told before it.

    Args:
        tester: who has told it.
        xid: of the operation; what comes under another may have been under way before.
        size: octets; maybe too few for any answer.
        breaks: what a longer message breaks.
    """
    tester.note_accepted(xid, *_ANY_ANSWER, Silent, Disconnected, breaks=breaks)
    # What comes of it may come late, the end of the connection too.
    tester.quiet(lambda: any(one.xid == xid for one in tester.heard))
    for one in tester.heard:
        if one.xid == xid and one.length > size:
            _too_long(tester, one.length, size, breaks)
    _mended(tester, size)


def _mended(tester: OptionTester, size: int) -> None:
    """After an odd size the default is told: RPCs go on, unless nothing was possible with that."""
    if size < SMALLEST and not tester.connected:
        return
    tester.send(UpdProp(property_values(DefaultValue(PROP_RBSIZ))))
    tester.quiet()
    tester.call()


def requested(tester: OptionTester, since: int = 0) -> tuple[Heard, tuple[PropertyValue, ...]]:
    """The request for changes that the device makes.

    Raises:
        Inconclusive: it makes none.
    """
    due(tester, lambda: begun(tester, ReqProp, since) is not None)
    if (found := begun(tester, ReqProp, since)) is None or not isinstance(found.option, ReqProp):
        raise Inconclusive("the device does not ask for the change, though it was told to")
    return found, found.option.optreqpr_want
