from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from fuzz.registry import corpus_of
from fuzz.structure.headers import V1_HEADER, V2_HEADER

if TYPE_CHECKING:
    from fuzz.structure.mutator import ItemMutator


@pytest.mark.parametrize(("name", "mutator"), [("v1-header", V1_HEADER), ("v2-header", V2_HEADER)])
def test_seeds_of_the_corpus_are_read_and_mutated(name: str, mutator: ItemMutator) -> None:
    for seed, path in enumerate(sorted(corpus_of(name).iterdir())[:100]):
        octets = path.read_bytes()
        made = mutator.mutate(octets, len(octets) + 64, seed, lambda old, most: old[:most])
        assert len(made) <= len(octets) + 64


def test_what_an_option_holds_is_open_to_edits() -> None:
    opened = {
        node.name
        for path in sorted(corpus_of("v2-header").iterdir())
        for node in V2_HEADER.scene(path.read_bytes(), Random(1)).nodes
    }

    assert {"rdma_optinfo", "pv_which"} < opened
