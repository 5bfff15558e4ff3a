"""The page about the corpora: nothing that is not taken goes unsaid."""

from __future__ import annotations

from fuzz.reach.explained import Why, WhyUnreached
from fuzz.reach.page import render, summary, unexplained
from tests.fuzz.reach.parts import BRANCH, MODULE, OTHER, WIRE

KNOWN = WhyUnreached("*:Driver.wait", "if self.gone:", Why.UNREACHABLE, "Nobody asks then.")


def test_what_is_not_taken_is_explained_or_listed() -> None:
    text = render([MODULE, WIRE], {"v1-header": 7}, [KNOWN])

    assert "| v1-header | 7 |" in text
    assert "| `endpoint.core.driver` | 20 | 18 | 10 | 8 | 80.0 % | 1 |" in text
    assert "## Out of reach of any input: 1" in text
    assert "- `*:Driver.wait`, `if self.gone:` (1): Nobody asks then." in text
    assert "## Explained by nobody: 1" in text
    assert "- `endpoint.core.driver:Driver.close`: `if x:`, never reached" in text
    assert unexplained([MODULE, WIRE], [KNOWN]) == (OTHER,)
    assert unexplained([MODULE, WIRE], []) == (BRANCH, OTHER)


def test_generated_codecs_are_counted_apart() -> None:
    assert summary([MODULE, WIRE], [KNOWN]) == (
        "rpcrdma/endpoint: 8 of 10 branches (80.0 %), 1 explained, 1 not",
        "rpcrdma/wire, generated codecs: 4 of 4 branches (100.0 %), 0 explained, 0 not",
    )
