"""An item of a sequence made smaller: a message by its structure, a step by its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from fuzz.live.reducing import smaller_message
from fuzz.live.server.steps import encode_step, step_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["smaller_item"]


def smaller_item(item: bytes) -> Iterator[bytes]:
    """What an item may be made into, what leaves out most first."""
    step = step_of(item)
    if step is None:
        yield from smaller_message(item)
        return
    for name in ("value", "place"):
        number: int = getattr(step, name)
        for smaller in dict.fromkeys((0, number // 2, number - 1)):
            if 0 <= smaller < number:
                yield encode_step(msgspec.structs.replace(step, **{name: smaller}))
