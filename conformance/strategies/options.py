"""Hypothesis strategies of RDMA2_OPTIONAL contents in which every property is of its type.

Those that are generated from the XDR take pv_data for any octets; these know what it holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hypothesis import strategies as st

from conformance.strategies._generated_rtrext import (
    receive_buffer_structures,
    request_transmission_receive_limits,
    response_transmission_send_limits,
    rtr_supports,
)
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
    BASIC,
    BackwardRequestSupport,
    DefaultValue,
    KnownProperty,
    Property,
    PropertyNumbers,
    PropertyValue,
    ReceiveBufferSize,
    ReceiveBufferStructure,
    RequesterRemoteInvalidation,
    RequestTransmissionReceiveLimit,
    ResponseTransmissionSendLimit,
    RtrSupport,
    UnknownProperty,
    encode_property,
)
from rpcrdma.wire.subsets import subset

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["known_options", "properties", "property_sets", "subsets"]

_LONGEST = 4
"""Elements of a set at most, as in the generated strategies."""


_CONTENTS: Final[Mapping[type[KnownProperty], st.SearchStrategy[KnownProperty]]] = {
    ReceiveBufferSize: receive_buffer_sizes(),
    RequesterRemoteInvalidation: requester_remote_invalidations(),
    BackwardRequestSupport: backward_request_supports(),
    RtrSupport: rtr_supports(),
    ReceiveBufferStructure: receive_buffer_structures(),
    RequestTransmissionReceiveLimit: request_transmission_receive_limits(),
    ResponseTransmissionSendLimit: response_transmission_send_limits(),
}


def properties(known: PropertyNumbers = BASIC) -> st.SearchStrategy[Property]:
    """Any property: a value, the default of one, or one that is not known."""
    propids = st.integers(0, 2**32 - 1).filter(lambda propid: propid not in known.by_code)
    return st.one_of(
        *(_CONTENTS[one.contents] for one in known.by_code.values()),
        st.sampled_from(sorted(known.by_code)).map(DefaultValue),
        st.builds(UnknownProperty, propids, st.binary(max_size=9)),
    )


def property_sets(
    known: PropertyNumbers = BASIC,
) -> st.SearchStrategy[tuple[PropertyValue, ...]]:
    """Any propvalset without a fault; a property may occur twice."""
    encoded = properties(known).map(lambda value: encode_property(value, known))
    return st.lists(encoded, max_size=_LONGEST).map(tuple)


def subsets() -> st.SearchStrategy[tuple[int, ...]]:
    """Any propvalsubset of the elements of such a set."""
    return st.frozensets(st.integers(0, _LONGEST - 1)).map(subset)


def known_options(known: PropertyNumbers = BASIC) -> st.SearchStrategy[KnownOption]:
    """Any operation of the transport properties without a fault in its encoding."""
    return st.one_of(*(_contents(one, known) for one in operations_of(XCHAREXT)))


def _contents(
    operation: OptionalOperation, known: PropertyNumbers
) -> st.SearchStrategy[KnownOption]:
    """One propvalset, and what else there is are subsets of such."""
    fields = {
        name: property_sets(known) if name == operation.propvalset else subsets()
        for name in operation.contents.__struct_fields__
    }
    return st.builds(operation.contents, **fields)
