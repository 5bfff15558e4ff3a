"""Path MTUs by the MTU of the link."""

from __future__ import annotations

import pytest

from rpcrdma.roce.link.path_mtu import path_mtu_of


@pytest.mark.parametrize(
    ("link_mtu", "version", "expected"),
    [
        (1500, 4, 1024),
        (1500, 6, 1024),
        (4200, 4, 4096),  # what the lab's guest has
        (4200, 6, 4096),
        (4175, 4, 2048),
        (4176, 4, 4096),
        (4195, 6, 2048),
        (4196, 6, 4096),
        (9000, 4, 4096),
        (65536, 4, 4096),
        (576, 4, 256),
        (0, 4, 256),
    ],
)
def test_the_largest_that_fits(link_mtu: int, version: int, expected: int) -> None:
    assert path_mtu_of(link_mtu, version) == expected
