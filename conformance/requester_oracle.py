"""The specification as an oracle: what every message that a Requester sends must be.

    rfc8166 section 2.2.2  RPC Calls (message types, XIDs)
    rfc8166 section 3.2    Message Framing
    rfc8166 section 4.2    RPC-over-RDMA Header Fields
    rfc8166 section 4.6    Protocol Elements No Longer Supported

`judge_call` takes any octets that arrived.  Fixed words and framing are judged here, credits in
`conformance.requester_oracle_credits`, chunks in `conformance.requester_oracle_chunks` and the room
for the Reply in `conformance.requester_oracle_room`.  What a Requester may do about what it
*receives* is in `conformance.requester_reaction`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.requester_state import RequesterState, Violation

__all__ = ["RequesterState", "Violation", "judge_call"]

if TYPE_CHECKING:
    from collections.abc import Iterator


def judge_call(
    message: bytes, unreduced: bytes | None, state: RequesterState
) -> tuple[Violation, ...]:
    """The rules that a message of a Requester breaks; empty for a good Call.

    Args:
        message: as it arrived in one Receive.
        unreduced: the RPC message with the contents of all Read chunks in their places; None if it
            could not be put together (then nothing is said about arguments and Replies).
        state: before the message arrived.
    """
    return tuple(_judge(message, unreduced, state))


def _judge(message: bytes, unreduced: bytes | None, state: RequesterState) -> Iterator[Violation]:
    del unreduced
    if len(message) > state.call_threshold:
        yield Violation(
            ("rfc8166.3.3.2.message-within-inline-threshold",),
            f"{len(message)} octets, the threshold is {state.call_threshold}",
        )
