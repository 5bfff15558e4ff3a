"""Whether our decoder and one in C make the same of octets, but for what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from fuzz.differential.c_decoder import MOST_OCTETS, RoundTrip
from fuzz.differential.known import KNOWN
from fuzz.invariant import BrokenInvariant
from rpcrdma.errors import DecodeError

if TYPE_CHECKING:
    from fuzz.header_codec import HeaderCodec

__all__ = ["Decoder", "compare"]

Header = TypeVar("Header")

_MOST: Final = 64
"""Known differences of one input: each has the whole of it decoded again, in time that grows by the
square of its length."""


class Decoder(Protocol):
    """One in another language."""

    def decode(self, octets: bytes) -> RoundTrip | None:
        """What it makes of the octets; None: it refuses them."""
        ...


def compare(octets: bytes, codec: HeaderCodec[Header], other: Decoder) -> tuple[str, ...]:
    """The names of the known differences that the octets show.

    Octets longer than what a decoder in C is given are not looked at, nor is what comes after
    more known differences than one input is likely to need.

    Raises:
        BrokenInvariant: they show one that is not known.
    """
    if len(octets) > MOST_OCTETS:
        return ()
    names: list[str] = []
    theirs, place = other.decode(octets), -1
    while (ours := _taken(octets, codec)) != theirs:
        if isinstance(ours, RoundTrip):
            if theirs is None:
                raise BrokenInvariant("only-we-accept", f"{octets.hex() or 'nothing'}: {ours}")
            raise BrokenInvariant("taken-otherwise", f"{octets.hex()}: {ours}, in C {theirs}")
        if theirs is None:
            break
        known = next((one for one in KNOWN if one.explains(octets, ours)), None)
        if known is None or ours.offset <= place:
            reason = ours.reason.name
            raise BrokenInvariant("only-c-accepts", f"{octets.hex()}, ours: {ours}", reason)
        repaired, place = known.repair(octets, ours.offset), ours.offset
        then = other.decode(repaired)
        if not _same_but_for_repair(theirs, then, octets, repaired):
            detail = f"{known.name} in {octets.hex()}: {theirs}, as {repaired.hex()}: {then}"
            raise BrokenInvariant("known-otherwise", detail, known.name)
        names.append(known.name)
        if len(names) == _MOST:
            break
        octets, theirs = repaired, then
    return tuple(names)


def _taken(octets: bytes, codec: HeaderCodec[Header]) -> RoundTrip | DecodeError:
    try:
        header, end = codec.decode(octets)
    except DecodeError as error:
        return error
    return RoundTrip(end, codec.encode(header))


def _same_but_for_repair(
    before: RoundTrip, after: RoundTrip | None, octets: bytes, repaired: bytes
) -> bool:
    """Whether C ends at the same place, and encodes the rest alike.

    Whatever is known leaves the length as it is, so that all stands at its place in both.
    """
    if after is None or len(before.again) != len(after.again):
        return False
    same = (
        was == now or octets[place] != repaired[place]
        for place, (was, now) in enumerate(zip(before.again, after.again, strict=True))
    )
    return before.end == after.end and all(same)
