"""rtrext section 8.1, Property List: codes, types and defaults of properties."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, NO_TARGETS, GroupClient
from conformance.groups.request import by_choice, grouped
from conformance.tester.client import build
from rpcrdma.errors import DecodeError
from rpcrdma.wire._generated_rtrext import (
    ByExplicitRdma,
)
from rpcrdma.wire.operations import ROPT_CONNPROP, ConnProp, UpdProp
from rpcrdma.wire.properties import (
    PropertyValue,
    ReceiveBufferStructure,
    RequestTransmissionReceiveLimit,
    ResponseTransmissionSendLimit,
    RtrSupport,
    decode_property,
    propid_of,
    structure_octets,
)
from rpcrdma.wire.words import in_words
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.client.peer import Peer
    from rpcrdma.wire.properties import KnownProperty

SUPPORT: Final = "rtrext.8.1.code-of-rtr-support"
STRUCTURE: Final = "rtrext.8.1.code-of-the-buffer-structure"
REQUESTS: Final = "rtrext.8.1.code-of-the-request-limit"
RESPONSES: Final = "rtrext.8.1.code-of-the-response-limit"
OVERLAYS: Final = "rtrext.8.1.values-overlay-the-data"
NO_STRUCTURE: Final = "rtrext.8.1.default-of-the-buffer-structure"
VALUES: Final[Mapping[str, KnownProperty]] = {
    SUPPORT: RtrSupport(0),
    REQUESTS: RequestTransmissionReceiveLimit(1),
    RESPONSES: ResponseTransmissionSendLimit(1),
}
"""Values of the properties that are one word."""


def _told(client: GroupClient) -> dict[int, PropertyValue]:
    """The values of the server's CONNPROP, by code.

    Raises:
        Unsupported: it has told none.
    """
    for one in client.peer.options:
        if one.operation == ROPT_CONNPROP:
            problem = "" if one.error is None else str(one.error)
            verify.equal(problem, "", "what is wrong with its announcement", breaks=OVERLAYS)
        if isinstance(one.option, ConnProp):
            return {value.pv_which: value for value in one.option.opticonnpr_start}
    raise Unsupported("the device has announced nothing")


def _is_structure(value: PropertyValue, client: GroupClient) -> bool:
    """Whether a value is under the code of the structure; it is one, or the default."""
    known = client.peer.device.properties
    by_code = known.by_code.get(value.pv_which)
    if by_code is None or by_code.contents is not ReceiveBufferStructure:
        return False
    problem = ""
    try:
        decode_property(value, known)
    except DecodeError as error:
        problem = str(error)
    verify.equal(problem, "", "what is wrong with its value", breaks=OVERLAYS)
    return True


@requirement(SUPPORT, REQUESTS, RESPONSES, OVERLAYS, needs=NEEDS, interpretations=("D-91", "D-114"))
@pytest.mark.parametrize("identity", VALUES)
def test_server_tells_words_under_their_codes(
    connect_two: Callable[..., Peer], identity: str
) -> None:
    """RTR Support and both limits are announced under their codes, as a word each."""
    client = GroupClient.of(connect_two)
    known = client.peer.device.properties
    code = propid_of(VALUES[identity], known)

    told = _told(client)

    verify.that(
        code in told,
        f"property {code} is announced",
        actual=f"announced are {in_words(sorted(told))}",
        breaks=identity,
    )
    verify.that(
        len(told[code].pv_data) in (0, 4),
        "its value is one word, or the default",
        actual=f"a value of {len(told[code].pv_data)} octets",
        breaks=(identity, OVERLAYS),
    )


@requirement(STRUCTURE, OVERLAYS, needs=NEEDS, interpretations=("D-91", "D-101"))
def test_server_tells_its_structure_under_its_code(connect_two: Callable[..., Peer]) -> None:
    """The Receive Buffer Structure is announced under its code, and is one with a right sum."""
    client = GroupClient.of(connect_two)
    known = client.peer.device.properties
    told = _told(client)

    values = [value for value in told.values() if _is_structure(value, client)]

    verify.that(
        values,
        "the structure is announced",
        actual=f"announced are {in_words(sorted(told))}",
        breaks=STRUCTURE,
    )
    found = decode_property(values[0], known)
    if isinstance(found, ReceiveBufferStructure):
        verify.equal(
            found.buffer.xmrbuf_length,
            structure_octets(found.buffer),
            "xmrbuf_length",
            breaks=(STRUCTURE, OVERLAYS),
        )


@requirement(OVERLAYS, needs=NEEDS)
@pytest.mark.parametrize("identity", VALUES)
def test_server_reports_values_that_are_cut(
    connect_two: Callable[..., Peer], identity: str
) -> None:
    """A value of half a word is reported as an XDR error, and calls go on."""
    client = GroupClient.of(connect_two)
    code = propid_of(VALUES[identity], client.peer.device.properties)

    odd = build.option(client.peer, UpdProp((PropertyValue(code, bytes(2)),)))
    client.send_all(odd)

    faults.bad_header(client, odd, breaks=OVERLAYS)
    client.fence((OVERLAYS,))


@requirement(
    NO_STRUCTURE,
    needs=NEEDS,
    interpretations=("D-130",),
    means={"rtrext.7.3.tbsn-names-the-segments": NO_STRUCTURE},
)
@pytest.mark.parametrize("length", [400, 3000])
def test_server_places_nothing_in_buffers_it_knows_nothing_of(
    connect_two: Callable[..., Peer], length: int
) -> None:
    """Towards a Requester that has told of no structure a choice is for explicit RDMA."""
    client = GroupClient.of(connect_two, replace(NO_TARGETS, octets=None))

    request = client.peer.workload.fetch(length)
    direction = by_choice(client.peer, 4000)
    call = client.send(grouped(client.peer, request, directions=(direction,)))

    reply = answers.served(client, call, breaks=NO_STRUCTURE)
    placed = [type(entry.xmdmi_where) for entry in reply.entries]
    verify.equal(placed, [ByExplicitRdma], "how the result came", breaks=NO_STRUCTURE)
