"""The harness of all codecs: each type has a number, and a planted bug shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fuzz.codec_table import Codec, codec_at, codecs
from fuzz.engine import implementation
from fuzz.harnesses.codecs import WRONG_PARTS, check, item
from fuzz.invariant import BrokenInvariant
from fuzz.planted import PLANTED
from fuzz.sequence import join

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "propprog:property_item"
GOOD = bytes.fromhex("00000007 00000003 01020300")


def with_encoder(encode: Callable[[Any], bytes]) -> Callable[[int], Codec]:
    return lambda number: Codec(NAME, codec_at(number).decode, encode)


def test_good_and_bad_octets_are_taken() -> None:
    items = [item(NAME, GOOD, WRONG_PARTS), item(NAME, GOOD[:-1]), b"\0" * 9, b"\0"]

    check(join(items), codec_at)


def test_an_error_that_points_behind_is_found() -> None:
    harness, name = PLANTED["offset-behind"]
    assert harness == "codecs"

    with pytest.raises(BrokenInvariant, match="offset-outside"):
        check(join([item(NAME, b"")]), implementation(name)())


def test_flags_say_which_parts_are_made_wrong() -> None:
    (right,) = (codec for codec in codecs().values() if codec.name == NAME)

    def takes_all(value: Any) -> bytes:  # noqa: ANN401  # of any type
        return right.encode(value) if value == right.decode(GOOD, 0)[0] else GOOD

    later = 1 << 1
    check(join([item(NAME, GOOD, later | WRONG_PARTS)]), with_encoder(takes_all))
    with pytest.raises(BrokenInvariant, match="encodes-another"):
        check(join([item(NAME, GOOD, WRONG_PARTS)]), with_encoder(takes_all))


def test_an_encoder_that_takes_wrong_values_is_found() -> None:
    (right,) = (codec for codec in codecs().values() if codec.name == NAME)

    def narrows(value: Any) -> bytes:  # noqa: ANN401  # of any type
        which = getattr(value, "which", 0)
        is_wide = isinstance(which, int) and which >= 2**32
        return GOOD if is_wide else right.encode(value)

    with pytest.raises(BrokenInvariant, match="round-trip"):
        check(join([item(NAME, GOOD)]), with_encoder(lambda value: right.encode(value) + b"\0"))
    with pytest.raises(BrokenInvariant, match="encodes-another"):
        check(join([item(NAME, GOOD, WRONG_PARTS)]), with_encoder(narrows))
