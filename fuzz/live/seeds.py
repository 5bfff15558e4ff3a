"""What a campaign begins with: good calls of the device's own program, in every form."""

from __future__ import annotations

from itertools import count, product, repeat
from typing import TYPE_CHECKING, Final

from conformance.explore.recipes import Shot
from conformance.explore.shots import CALLS, build_shot
from fuzz.live.fresh_xids import with_fresh_xids
from fuzz.registry import corpus_of
from fuzz.seeds import neutral
from fuzz.sequence import join

if TYPE_CHECKING:
    from conformance.tester.client.harness import Harness

__all__ = ["seeds_for"]

_FORMS: Final = ("short", "reduced", "long", "long-reduced")
_OFFERS: Final = ("needed", "write", "reply", "both", "nothing")
_CUTS: Final = (1, 3)
_OCTETS: Final = (37, 1999, 9001)
"""Of an item: one that goes inline, one that does not, and one of several pages."""


def seeds_for(harness: Harness, corpus: str) -> tuple[bytes, ...]:
    """The seeds of a campaign: good calls, one a sequence, then those of an ordinary harness.

    Args:
        harness: of a device that serves; its connections are ended.
        corpus: the ordinary harness's name.

    Raises:
        Inconclusive: it does not serve.
    """
    peer = harness.ready_peer()
    shots = (
        Shot(call, octets, octets, form, offer, cut)
        for call, octets, form, offer, cut in product(CALLS, _OCTETS, _FORMS, _OFFERS, _CUTS)
    )
    # Of two that differ in their XIDs alone one is enough.
    built = (neutral(build_shot(shot, peer).octets) for shot in shots)
    calls = dict.fromkeys(with_fresh_xids([message], repeat(1))[0] for message in built)
    harness.end()
    numbers = count(1)
    ours = tuple(join(with_fresh_xids([message], numbers)) for message in calls)
    kept = sorted(path.read_bytes() for path in corpus_of(corpus).iterdir())
    return (*ours, *kept)
