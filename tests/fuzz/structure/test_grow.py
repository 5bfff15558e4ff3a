from __future__ import annotations

from random import Random

import pytest

from fuzz.structure.grow import grow, grow_arm, padded
from rpcrdma.wire import _generated_rpc as rpc
from rpcrdma.wire import _generated_rtrext as rtrext
from rpcrdma.wire import _generated_testprog as testprog
from rpcrdma.wire import _generated_v2 as v2
from rpcrdma.xdr import model
from rpcrdma.xdr.tree_builder import build_tree


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        (module.SCHEMA, name)
        for module in (v2, rpc, rtrext, testprog)
        for name in module.SCHEMA.types
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_grown_of_a_type_decodes_as_that_type(schema: model.Schema, name: str) -> None:
    for seed in range(5):
        octets = grow(schema, schema.types[name], Random(seed))
        tree = build_tree(schema, name, octets)

        assert tree.error is None
        assert tree.root.end == len(octets)


def test_an_arm_is_the_one_that_was_asked_for() -> None:
    union = v2.SCHEMA.types["Rdma2Body"]
    assert isinstance(union, model.Union)
    for arm in model.arms_of(union):
        octets = grow_arm(v2.SCHEMA, union, arm, Random(3))
        assert build_tree(v2.SCHEMA, "Rdma2Body", octets).root.label == arm.name


def test_padding_goes_to_a_multiple_of_four() -> None:
    assert [len(padded(bytes(size))) for size in range(6)] == [0, 4, 4, 4, 4, 8]
