"""Codes of connection management."""

from __future__ import annotations

import pytest

from rpcrdma.errors import BadFrame
from rpcrdma.roce.packet.cm_codes import (
    RejectReason,
    path_mtu_code,
    path_mtu_octets,
    reason_text,
)


def test_a_reason_is_told_in_words() -> None:
    assert reason_text(8) == "8, invalid service id"
    assert reason_text(28) == "28, consumer"
    assert reason_text(99) == "99, unknown"


def test_every_reason_of_the_table_is_there_once() -> None:
    assert sorted(RejectReason) == list(range(1, 34))


@pytest.mark.parametrize(("code", "octets"), [(1, 256), (2, 512), (3, 1024), (4, 2048), (5, 4096)])
def test_path_mtus_go_there_and_back(code: int, octets: int) -> None:
    assert path_mtu_octets(code) == octets
    assert path_mtu_code(octets) == code


@pytest.mark.parametrize(("octets", "code"), [(0, 1), (255, 1), (1440, 3), (4095, 4), (9000, 5)])
def test_a_path_mtu_is_never_above_what_there_is_room_for(octets: int, code: int) -> None:
    assert path_mtu_code(octets) == code


@pytest.mark.parametrize("code", [0, 6, 15])
def test_a_code_of_no_path_mtu_is_refused(code: int) -> None:
    with pytest.raises(BadFrame, match=f"path MTU code {code} is none of 1 to 5"):
        path_mtu_octets(code)
