"""Hypothesis strategies of RDMA2_OPTIONAL contents in which every property is of its type.

Those that are generated from the XDR take pv_data for any octets; these know what it holds.
"""

from __future__ import annotations

from hypothesis import strategies as st

from conformance.strategies._generated_xcharext import (
    backward_request_supports,
    receive_buffer_sizes,
    requester_remote_invalidations,
)
from rpcrdma.wire.operations import (
    XCHAREXT,
    KnownOption,
    OptionalOperation,
    operations_of,
)
from rpcrdma.wire.properties import (
    DEFAULTS,
    DefaultValue,
    Property,
    PropertyValue,
    UnknownProperty,
    encode_property,
    subset,
)

__all__ = ["known_options", "properties", "property_sets", "subsets"]

_LONGEST = 4
"""Elements of a set at most, as in the generated strategies."""


def properties() -> st.SearchStrategy[Property]:
    """Any property: a value, the default of one, or one that nobody knows."""
    propids = st.integers(0, 2**32 - 1).filter(lambda propid: propid not in DEFAULTS)
    return st.one_of(
        receive_buffer_sizes(),
        requester_remote_invalidations(),
        backward_request_supports(),
        st.sampled_from(sorted(DEFAULTS)).map(DefaultValue),
        st.builds(UnknownProperty, propids, st.binary(max_size=9)),
    )


def property_sets() -> st.SearchStrategy[tuple[PropertyValue, ...]]:
    """Any propvalset without a fault; a property may occur twice."""
    return st.lists(properties().map(encode_property), max_size=_LONGEST).map(tuple)


def subsets() -> st.SearchStrategy[tuple[int, ...]]:
    """Any propvalsubset of the elements of such a set."""
    return st.frozensets(st.integers(0, _LONGEST - 1)).map(subset)


def known_options() -> st.SearchStrategy[KnownOption]:
    """Any operation of the transport properties without a fault in its encoding."""
    return st.one_of(*map(_contents, operations_of(XCHAREXT)))


def _contents(operation: OptionalOperation) -> st.SearchStrategy[KnownOption]:
    """One propvalset, and what else there is are subsets of such."""
    fields = {
        name: property_sets() if name == operation.propvalset else subsets()
        for name in operation.contents.__struct_fields__
    }
    return st.builds(operation.contents, **fields)
