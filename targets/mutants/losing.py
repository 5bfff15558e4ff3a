"""What mutants that lose Receives have in common: which messages cost them one.

rfc8166 section 3.3.1  RPC-over-RDMA Credits (a grant is backed by Receives)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import Action, PostReceive, Send
from rpcrdma.wire import Procedure
from rpcrdma.wire.versions import FIXED_WORDS, fixed_words

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ERR_CHUNK",
    "ERR_VERS",
    "INVAL_OPTION",
    "is_procedure",
    "sends_error",
    "without_receives",
]

ERR_VERS: Final = 1
ERR_CHUNK: Final = 2
INVAL_OPTION: Final = 3
"""rdma_err, which stands behind the fixed words in either version (D-51)."""


_BEHIND_THE_CODE: Final = FIXED_WORDS + 4


def without_receives(actions: Iterable[Action]) -> list[Action]:
    """The same actions, but for the Receives."""
    return [action for action in actions if not isinstance(action, PostReceive)]


def sends_error(actions: Iterable[Action], code: int) -> bool:
    """Whether an RDMA_ERROR with this code is sent."""
    sent = (action.data for action in actions if isinstance(action, Send))
    return any(
        is_procedure(data, Procedure.RDMA_ERROR)
        and int.from_bytes(data[FIXED_WORDS:_BEHIND_THE_CODE]) == code
        for data in sent
    )


def is_procedure(message: bytes, procedure: int) -> bool:
    """Whether a message has this procedure, in whichever version."""
    return len(message) >= FIXED_WORDS and fixed_words(message).procedure == procedure
