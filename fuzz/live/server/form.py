"""Messages and steps as a campaign and its findings have them.

A finding of messages alone is one of `v1-responder`, as it was before there were steps: that
harness tries it at the reference, and `replay` at any server.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

import msgspec

from fuzz.live.findings import MESSAGES, InputForm
from fuzz.live.server.reducing import smaller_item
from fuzz.live.server.steps import WAY, has_steps, line_of, renamed

if TYPE_CHECKING:
    from conformance.explore.finding import Finding

__all__ = ["STEPS"]

_FIRST_XID: Final = 0x7000_0001


def _put(finding: Finding, items: list[bytes]) -> Finding:
    if not has_steps(items):
        return MESSAGES.put(finding, items)
    lines = tuple(line_of(item) for item in renamed(items, count(_FIRST_XID)))
    return msgspec.structs.replace(finding, way=WAY, lines=lines)


STEPS: Final = InputForm(MESSAGES.way, smaller_item, _put, "messages were sent or steps taken")
"""Inputs for a server."""
