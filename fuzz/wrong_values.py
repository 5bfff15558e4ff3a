"""Values of which one part is wrong: what an encoder must refuse, or write as it is."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MOST_PARTS", "with_a_wrong_part"]

MOST_PARTS: Final = 24
"""Parts of a value that are made wrong: bounds the time however large it is."""

_WRONG: Final[tuple[object, ...]] = (
    # Among small numbers are those by which a union has another arm than the value's own.
    *(None, -1, *range(9), 2**31, 2**32, 2**63, 2**64, 1.5, "text", "t" * 300, "\udcff"),
    *(b"octets", bytearray(b"octets"), bytes(1 << 17), (), (None,) * 5, object()),
)
"""What a part becomes."""

_DEEPEST: Final = 6


def with_a_wrong_part(value: Any, first: int = 0) -> Iterator[Any]:  # noqa: ANN401  # of any type
    """The value with each of its parts replaced by each wrong one, one at a time.

    Args:
        value: what was decoded.
        first: number of the first part; as many as `MOST_PARTS` follow.
    """
    for rebuild in islice(_parts(value, 0), first, first + MOST_PARTS):
        for wrong in _WRONG:
            yield rebuild(wrong)


def _parts(value: Any, depth: int) -> Iterator[Any]:  # noqa: ANN401  # likewise
    """For each part of a value, what makes the value with another one in its place."""
    yield lambda other: other
    if depth == _DEEPEST:
        return
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            for inner in _parts(getattr(value, name), depth + 1):
                yield _in_field(value, name, inner)
    elif isinstance(value, tuple):
        for place in range(min(len(value), 2)):
            for inner in _parts(value[place], depth + 1):
                yield _in_tuple(value, place, inner)
        yield lambda other: (*value, other)
        yield lambda _: (value[:1] or (0,)) * 4096


def _in_field(value: msgspec.Struct, name: str, inner: Any) -> Any:  # noqa: ANN401  # likewise
    return lambda other: msgspec.structs.replace(value, **{name: inner(other)})


def _in_tuple(value: tuple[Any, ...], place: int, inner: Any) -> Any:  # noqa: ANN401  # likewise
    return lambda other: (*value[:place], inner(other), *value[place + 1 :])
