"""The first difference between two devices in one case, in a sentence."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.wire import describe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.proof.detect.differences import Different
    from conformance.proof.detect.shown import Shown

__all__ = ["sentence"]

_WHO: Final = {Side.LOCAL.value: "the tester", Side.PEER.value: "the device"}
_SEND: Final = EventKind.SEND.value
_FIELDS: Final = 1
"""The line of a message's text after which its fields come, each with its octet before it."""


def sentence(different: Different) -> str:
    """What differs in a case."""
    reference, own = different.reference, different.own
    place = f"event {different.at + 1}" + (" of the opening" if different.opening else "")
    if reference is not None and own is not None and _alike(reference, own):
        return f"{place}, {_gist(own)}: {_difference(reference, own)}"
    return f"{place}: {_whole(own)}; of the reference: {_whole(reference)}"


def _alike(one: Shown, other: Shown) -> bool:
    return (one.side, one.kind) == (other.side, other.kind)


def _gist(event: Shown) -> str:
    return f"{event.kind} of {_WHO[event.side]}"


def _whole(event: Shown | None) -> str:
    if event is None:
        return "nothing more"
    told = f" ({event.detail})" if event.detail else ""
    if event.kind == _SEND:
        return f"{_gist(event)}: {describe.one_line(event.data)}"
    size = f", {event.length} octets" if event.length else ""
    return f"{_gist(event)} on connection {event.connection}{size}{told}"


def _difference(reference: Shown, own: Shown) -> str:
    found = [*_fields(reference, own), *_texts(reference, own)]
    if found:
        was, is_now = found[0]
        return f"`{is_now}`, of the reference `{was}`"
    at = next(at for at, (a, b) in enumerate(zip_longest(reference.data, own.data)) if a != b)
    return f"other octets from octet {at}"


def _fields(reference: Shown, own: Shown) -> Iterator[tuple[str, str]]:
    for name in ("connection", "detail", "handle", "offset", "length"):
        was, is_now = getattr(reference, name), getattr(own, name)
        if was != is_now and not (name == "length" and own.kind == _SEND):
            yield f"{name} {was}", f"{name} {is_now}"


def _texts(reference: Shown, own: Shown) -> Iterator[tuple[str, str]]:
    """Pairs of lines that differ, of the text of two messages."""
    if own.kind != _SEND or reference.data == own.data:
        return
    for was, is_now in zip_longest(_lines(reference), _lines(own), fillvalue="nothing more"):
        if was != is_now:
            yield was, is_now


def _lines(event: Shown) -> list[str]:
    """The fields of a message; where they stand differs for all that follow a longer one."""
    lines = describe.indented(event.data).splitlines()[_FIELDS:]
    return [" ".join(line.split()[1:]) for line in lines]
