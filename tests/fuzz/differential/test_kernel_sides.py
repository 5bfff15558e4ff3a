from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from fuzz.differential import client_trace, kernel_trace
from fuzz.differential.kernel_sides import SIDES
from rpcrdma.wire import RdmaNomsg, RdmaSegment, ReadSegment, TransportHeader, encode_header
from targets.base import Target
from targets.registry import find_any_target

if TYPE_CHECKING:
    from enum import Enum

READING = RdmaNomsg((ReadSegment(0, RdmaSegment(1, 2, 3)),), (), None)
CALL = encode_header(TransportHeader(0x5EED, 1, 8, READING))


@pytest.mark.parametrize(("role", "is_server"), [("server", True), ("client", False)])
def test_each_side_is_asked_by_way_of_a_device_that_has_its_role(
    role: str, *, is_server: bool
) -> None:
    device = find_any_target(SIDES[role].profile, "verbs")

    assert isinstance(device, Target) is is_server


def test_a_client_alone_is_given_a_call_without_its_read_list_too() -> None:
    assert len(SIDES["server"].inputs([CALL])) == 1
    assert len(SIDES["client"].inputs([CALL])) == 2


@pytest.mark.parametrize(
    ("role", "prefix", "kinds"),
    [
        ("server", "rpcrdma:svcrdma_decode_", kernel_trace.KernelSays),
        ("client", "rpcrdma:xprtrdma_", client_trace.ClientSays),
    ],
)
def test_every_event_that_ends_a_header_is_recorded(
    role: str, prefix: str, kinds: type[Enum]
) -> None:
    recorded = "|".join(event.replace("*", r"\w*") for event in SIDES[role].events)

    assert [kind for kind in kinds if not re.fullmatch(recorded, prefix + kind.value)] == []
