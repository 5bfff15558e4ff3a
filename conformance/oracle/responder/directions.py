"""How the entries of a response answer the directions of its request.

    rtrext section 6.2  Data Placement Preliminaries (types, table 1)
    rtrext section 7.3  Message DDP Structures
    rtrext section 7.4  Response Direction DDP Structures (table 2)

Each direction has its entry, in order; each eligible result of a range uses up one of its
directions, in order (D-105, D-115).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from conformance.oracle.header import VERSION_TWO
from conformance.oracle.responder.group_request import memory_of
from conformance.oracle.verdict import broken_rule
from reports.record import Verdict
from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
    DirectByChoice,
    DirectBySize,
    DirectToExplicitRdma,
    DirectToSends,
    InTargetedSegments,
    NoItem,
    TooShort,
)
from rpcrdma.wire.words import constant_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.oracle.responder.expectation import ResponderState
    from conformance.oracle.responder.group_request import GroupRequest
    from conformance.oracle.verdict import BrokenRule
    from rpcrdma.ulp.bindings import DataItem
    from rpcrdma.wire._generated_rtrext import (
        ItemLocation,
        MessageItem,
        ResponseDirection,
        ResponseItem,
    )

__all__ = ["broken_entries", "results_of"]

_EVERY: Final = "rtrext.7.4.every-direction-is-answered"
_ORDER: Final = "rtrext.7.4.answers-are-in-the-order-of-directions"
_ONE_BY_ONE: Final = "rtrext.7.4.one-direction-for-one-item"
_RANGE: Final = "rtrext.7.4.directions-hold-within-their-range"
_INLINE: Final = "rtrext.7.4.small-items-stay-inline"
_USED_UP: Final = "rtrext.7.4.small-item-uses-its-direction-up"
_TOOSHORT: Final = "rtrext.6.2.tooshort-is-an-item-left-inline"
_NOITEM: Final = "rtrext.6.2.noitem-is-a-direction-left-over"
_BYSIZE: Final = "rtrext.6.2.bysize-goes-by-the-length"
_ELIGIBLE: Final = "rtrext.3.3.only-eligible-items-leave-the-stream"
_DISPLACED: Final = "rtrext.7.3.displacement-of-an-item"
_LENGTH: Final = "rtrext.7.3.length-of-an-item"
_WRITTEN: Final = "rtrext.7.3.exrw-of-a-response-names-what-was-written"
_CHUNKS: Final = "rtrext.7.3.exrw-items-are-as-chunks"

_ANSWERS: Final[Mapping[type[ResponseDirection], tuple[str, tuple[type[ItemLocation], ...]]]] = {
    DirectToExplicitRdma: ("rtrext.7.4.answers-to-exrw", (ByExplicitRdma, TooShort, NoItem)),
    DirectToSends: ("rtrext.7.4.answers-to-tbsn", (InTargetedSegments, TooShort, NoItem)),
    DirectByChoice: (
        "rtrext.7.4.answers-to-choice",
        (ByExplicitRdma, InTargetedSegments, TooShort, NoItem),
    ),
    DirectBySize: (
        "rtrext.7.4.answers-to-bysize",
        (ByExplicitRdma, InTargetedSegments, TooShort, NoItem),
    ),
}
"""Table 2: the entries that may answer each kind of direction, and the statement that says it."""


class _Pair(NamedTuple):
    """A direction, and the result that uses it up, if one does."""

    direction: ResponseItem
    result: DataItem | None

    @property
    def is_small(self) -> bool:
        """Whether the result is too small for the direction."""
        return self.result is not None and self.result.length < self.direction.xmdrsdi_minlen


def broken_entries(
    entries: Sequence[MessageItem], reply: bytes, asked: GroupRequest, state: ResponderState
) -> Iterator[BrokenRule]:
    """The rules that the entries of a response break.

    Args:
        entries: optxrs_ddp.
        reply: the unreduced RPC message.
        asked: the request.
        state: for the binding.
    """
    directions = [item for one in asked.directions for item in one.xmdrsds_items]
    if len(entries) != len(directions):
        detail = f"{len(directions)} directions, {len(entries)} entries"
        yield broken_rule(_EVERY, detail, VERSION_TWO, ("D-105", "D-116"))
        return
    for number, (entry, direction) in enumerate(zip(entries, directions, strict=True)):
        rule, kinds = _ANSWERS[type(direction.xmdrsdi_loc)]
        if not isinstance(entry.xmdmi_where, kinds):
            found, asked_for = _name(entry.xmdmi_where), _name(direction.xmdrsdi_loc)
            detail = f"entry {number}: {found} answers {asked_for}"
            yield broken_rule(rule, detail, VERSION_TWO)
        if isinstance(entry.xmdmi_where, ByExplicitRdma):
            yield from _written(number, entry, entry.xmdmi_where, direction)
    results = results_of(reply, asked, state)
    if results is not None:
        pairs = tuple(_pairs(asked, results))
        yield from _matched(entries, pairs, [item for _, item in results])


def _name(where: ItemLocation | ResponseDirection) -> str:
    return constant_of(type(where))


def results_of(
    reply: bytes, asked: GroupRequest, state: ResponderState
) -> list[tuple[int, DataItem]] | None:
    """The eligible results, each after where its operation begins in the Call; None: unknown.

    Args:
        reply: the unreduced RPC message.
        asked: the request.
        state: for the binding.
    """
    layer = state.upper_layer
    if layer is None:
        return None
    try:
        slots = layer.results(asked.call, reply)
        origins = layer.origins(asked.call) if slots else ()
    except (DecodeError, LocalProtocolError):
        return None
    return [
        (origins[slot] if slot < len(origins) else 0, item)
        for slot, item in enumerate(slots)
        if item is not None
    ]


def _pairs(asked: GroupRequest, results: Sequence[tuple[int, DataItem]]) -> Iterator[_Pair]:
    for one in asked.directions:
        here = one.xmdrsds_range
        left = iter(
            [item for origin, item in results if here.xmdrsdr_begin <= origin < here.xmdrsdr_end]
        )
        for direction in one.xmdrsds_items:
            yield _Pair(direction, next(left, None))


def _matched(
    entries: Sequence[MessageItem], pairs: Sequence[_Pair], results: Sequence[DataItem]
) -> Iterator[BrokenRule]:
    """Each entry says what became of the result that uses its direction up."""
    wanted = [_shape(pair) for pair in pairs]
    found = [_shape_of(entry) for entry in entries]
    if wanted != found and sorted(wanted) == sorted(found):
        detail = "the entries are in another order than their directions"
        yield broken_rule(_ORDER, detail, VERSION_TWO, ("D-105",))
        return
    for number, (entry, pair) in enumerate(zip(entries, pairs, strict=True)):
        for rule, detail, severity in _wrong(entry, pair, results):
            told = f"entry {number}: {detail}"
            yield broken_rule(rule, told, VERSION_TWO, ("D-105",), severity)


def _shape(pair: _Pair) -> tuple[int, int]:
    """What ties an entry to its direction: where a result is, and how long; zeros if none is."""
    return (0, 0) if pair.result is None else (pair.result.position, pair.result.length)


def _shape_of(entry: MessageItem) -> tuple[int, int]:
    return entry.xmdmi_disp, entry.xmdmi_length


def _wrong(
    entry: MessageItem, pair: _Pair, results: Sequence[DataItem]
) -> Iterator[tuple[str, str, Verdict]]:
    """What is wrong with an entry, by its pair: rule, detail, severity."""
    where, result = entry.xmdmi_where, pair.result
    is_placed = isinstance(where, ByExplicitRdma | InTargetedSegments)
    if result is None:
        if is_placed:
            rule = _RANGE if _is_result(entry, results) else _ELIGIBLE
            yield rule, "a result is placed that is not for this direction", Verdict.FAIL
        elif isinstance(where, TooShort):
            yield _NOITEM, "TOOSHORT, and there is no result for the direction", Verdict.FAIL
        elif _shape_of(entry) != (0, 0):
            yield _NOITEM, "displacement and length of a NOITEM are not zero", Verdict.WARN
        return
    if isinstance(where, NoItem):
        yield _ONE_BY_ONE, "NOITEM, and a result uses the direction up", Verdict.FAIL
    elif isinstance(where, TooShort):
        if not pair.is_small:
            detail = f"TOOSHORT, and the result has {result.length} octets"
            yield _TOOSHORT, detail, Verdict.FAIL
        elif _shape_of(entry) != _shape(pair):
            yield _TOOSHORT, "a TOOSHORT tells another place than the item has", Verdict.WARN
    elif pair.is_small:
        rule = _INLINE if _shape_of(entry) == _shape(pair) else _USED_UP
        detail = f"a result of {result.length} octets is too small for the direction"
        yield rule, detail, Verdict.FAIL
    else:
        yield from _wrong_place(entry, pair, result, results)


def _wrong_place(
    entry: MessageItem, pair: _Pair, result: DataItem, results: Sequence[DataItem]
) -> Iterator[tuple[str, str, Verdict]]:
    where, told = entry.xmdmi_where, pair.direction.xmdrsdi_loc
    if entry.xmdmi_disp != result.position:
        is_result = any(entry.xmdmi_disp == item.position for item in results)
        rule = _ONE_BY_ONE if is_result else _DISPLACED
        yield rule, f"displacement {entry.xmdmi_disp}, not {result.position}", Verdict.FAIL
    elif entry.xmdmi_length != result.length:
        yield _LENGTH, f"{entry.xmdmi_length} octets, not {result.length}", Verdict.FAIL
    if isinstance(told, DirectBySize) and result.length != told.xmdrsdl_dsdov:
        by_rdma = result.length > told.xmdrsdl_dsdov
        if by_rdma is not isinstance(where, ByExplicitRdma):
            detail = f"{result.length} octets by {_name(where)}; the limit is {told.xmdrsdl_dsdov}"
            yield _BYSIZE, detail, Verdict.FAIL


def _is_result(entry: MessageItem, results: Sequence[DataItem]) -> bool:
    return any(_shape_of(entry) == (item.position, item.length) for item in results)


def _written(
    number: int, entry: MessageItem, where: ByExplicitRdma, direction: ResponseItem
) -> Iterator[BrokenRule]:
    """The memory that an entry names is that of its direction, filled from its beginning (7.3)."""
    offered, returned = memory_of(direction), where.xmdl_ex
    name = f"entry {number}"
    if len(offered) != len(returned):
        detail = f"{name}: {len(offered)} segments offered, {len(returned)} returned"
        yield broken_rule(_WRITTEN, detail, VERSION_TWO, ("D-105",))
        return
    full = True
    for before, after in zip(offered, returned, strict=True):
        if (before.handle, before.offset) != (after.handle, after.offset):
            detail = f"{name}: a segment came back with another handle or offset"
            yield broken_rule(_WRITTEN, detail, VERSION_TWO, ("D-105",))
        if after.length > before.length or (after.length and not full):
            detail = f"{name}: segments are not filled in order"
            yield broken_rule(_CHUNKS, detail, VERSION_TWO, ("D-105",))
        full = after.length >= before.length
    total = sum(segment.length for segment in returned)
    if total != entry.xmdmi_length:
        detail = f"{name}: {total} octets written, {entry.xmdmi_length} told"
        yield broken_rule(_WRITTEN, detail, VERSION_TWO, ("D-105",))
