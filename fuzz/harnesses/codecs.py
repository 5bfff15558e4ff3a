# Invariant: whatever the octets, each generated decoder either raises DecodeError that points into
# them, or gives a value that takes octets which are there and encodes to exactly these; a value of
# which a part is wrong is refused by EncodeError, or encodes to octets that decode to it again.
"""Fuzz harness of the generated codecs of all documents, NFS and RPC among them (rfc4506)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fuzz.codec_table import codec_at, number_of
from fuzz.invariant import BrokenInvariant
from fuzz.registry import FuzzHarness
from fuzz.sequence import join, split
from fuzz.wrong_values import MOST_PARTS, with_a_wrong_part
from rpcrdma.errors import DecodeError, EncodeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fuzz.codec_table import Codec

__all__ = ["HARNESS", "HEAD", "WRONG_PARTS", "check", "item"]

HEAD: Final = 5
"""Octets of an item before those that are decoded: the number of its codec, and flags."""

WRONG_PARTS: Final = 1
"""Flag: what was decoded is encoded again with wrong parts; the other bits say from which on."""

_MOST_ITEMS: Final = 16


def item(name: str, octets: bytes, flags: int = 0) -> bytes:
    """One item of an input."""
    return number_of(name).to_bytes(4) + bytes((flags,)) + octets


def check(octets: bytes, find: Callable[[int], Codec]) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for one of the items."""
    for one in split(octets)[:_MOST_ITEMS]:
        if len(one) >= HEAD:
            _check_item(find(int.from_bytes(one[:4])), one[HEAD:], one[4])


def _check_item(codec: Codec, octets: bytes, flags: int) -> None:
    try:
        value, end = codec.decode(octets, 0)
    except DecodeError as error:
        if not 0 <= error.offset <= len(octets):
            raise BrokenInvariant(
                "offset-outside", f"{codec.name}: offset {error.offset} of {len(octets)}"
            ) from error
        return
    if not 0 <= end <= len(octets):
        raise BrokenInvariant("end-outside", f"{codec.name}: {end} of {len(octets)}", codec.name)
    if codec.encode(value) != octets[:end]:
        raise BrokenInvariant(
            "round-trip", f"{codec.name}: {octets[:end].hex()} became {codec.encode(value).hex()}"
        )
    if flags & WRONG_PARTS:
        for wrong in with_a_wrong_part(value, MOST_PARTS * (flags >> 1)):
            _check_wrong(codec, wrong)


def _check_wrong(codec: Codec, value: Any) -> None:  # noqa: ANN401  # of any type there is
    try:
        octets = codec.encode(value)
    except EncodeError:
        return
    try:
        again, end = codec.decode(octets, 0)
    except DecodeError as error:
        raise BrokenInvariant("encodes-nonsense", f"{codec.name}: {error}", codec.name) from error
    if end != len(octets) or again != value:
        raise BrokenInvariant(
            "encodes-another", f"{codec.name}: {value!r:.200} became {again!r:.200}", codec.name
        )


def _seeds(messages: Sequence[bytes]) -> list[bytes]:
    """Each message as the header of its version."""
    names = {b"\0\0\0\1": "rfc8166:transport_header", b"\0\0\0\2": "v2:rdma2_header"}
    return [
        join([item(names[message[4:8]], message)]) for message in messages if message[4:8] in names
    ]


HARNESS: Final = FuzzHarness(
    title="the codecs of all documents, those of NFS and RPC among them",
    dictionary="nfs4.dict",
    check=check,
    reference=lambda: codec_at,
    messages=lambda octets: [one[HEAD:] for one in split(octets)[:_MOST_ITEMS]],
    seeds=_seeds,
)
