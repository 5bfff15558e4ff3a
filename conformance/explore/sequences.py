"""Strategies: what hypothesis draws and shrinks of the recipes of this package.

They stand apart because hypothesis is slow to import, and who repeats a kept sequence needs none.
It checks each strategy object that it meets, so there are few of them and they are made once.
"""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from conformance.explore.calls import KINDS
from conformance.explore.recipes import Breach, CallRecipe, Shot
from conformance.explore.shots import BREACHES, CALLS
from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.requester.requester import RequesterOptions

__all__ = ["CALL_RECIPES", "REQUESTER_OPTIONS", "SEQUENCES", "SHOTS"]

_SIZES: Final = st.one_of(
    *(st.integers(0, 40), st.integers(900, 1100), st.integers(3900, 4150), st.integers(0, 9000))
)

SHOTS: Final = st.builds(
    Shot,
    call=st.sampled_from(tuple(CALLS)),
    first=_SIZES,
    second=_SIZES,
    form=st.sampled_from(("short", "reduced", "long", "long-reduced")),
    offer=st.sampled_from(("needed", "write", "reply", "both", "nothing")),
    cut=st.integers(1, 3),
    breach=st.builds(
        Breach, st.sampled_from(tuple(BREACHES)), st.integers(0, 255), st.integers(0, 2**32 - 1)
    ),
    version=st.sampled_from((1, 2)),
)

SEQUENCES: Final = st.lists(SHOTS, min_size=1, max_size=6)

_ITEM_SIZES: Final = st.one_of(st.integers(0, 40), st.integers(900, 1100), st.integers(0, 9000))
"""Around nothing, around the inline threshold, and beyond."""

CALL_RECIPES: Final = st.builds(
    CallRecipe, st.sampled_from(sorted(KINDS)), _ITEM_SIZES, _ITEM_SIZES
)

REQUESTER_OPTIONS: Final = st.builds(
    RequesterOptions,
    credits=st.integers(1, 8),
    segment=st.sampled_from((1 << 20, 5000, 2000)),
    inline_results=st.sampled_from((0, 100)),
    form=st.sampled_from((None, *MessageForm)),
    always_reduce_results=st.booleans(),
)
"""Anything that a Requester may choose; few credits, so that they run out."""
