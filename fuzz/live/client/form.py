"""Turns as a campaign and its findings have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from fuzz.live.client.recipes import WAY
from fuzz.live.client.reducing import smaller_turn
from fuzz.live.findings import InputForm
from fuzz.sequence import join

if TYPE_CHECKING:
    from conformance.explore.finding import Finding

__all__ = ["TURNS"]


def _put(finding: Finding, turns: list[bytes]) -> Finding:
    return msgspec.structs.replace(finding, octets=join(turns))


TURNS: Final = InputForm(WAY, smaller_turn, _put, "turns were taken")
"""What is done about the calls of a client; no XID is in it that would have to be another."""
