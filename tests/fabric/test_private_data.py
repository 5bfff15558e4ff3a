"""What private data a message has room for."""

from __future__ import annotations

import pytest

from rpcrdma.errors import FabricError
from rpcrdma.fabric.private_data import (
    MOST_IN_REJECT,
    MOST_IN_REPLY,
    MOST_IN_REQUEST,
    require_room,
)


@pytest.mark.parametrize("most", [MOST_IN_REQUEST, MOST_IN_REPLY, MOST_IN_REJECT])
def test_private_data_that_do_not_fit_are_refused(most: int) -> None:
    """Both sizes are told."""
    require_room(bytes(most), most)
    with pytest.raises(
        FabricError, match=f"{most + 1} octets of private data; the CM carries {most} here"
    ):
        require_room(bytes(most + 1), most)
