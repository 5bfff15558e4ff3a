"""How messages go out."""

from __future__ import annotations

from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.core.sending import sends_of


def test_a_message_is_one_send() -> None:
    assert sends_of(Send(3, b"message", 9)) == [Send(3, b"message", 9)]


def test_memory_ends_with_the_last_send_of_a_message() -> None:
    """Before that the peer may still write to it; and all are one piece of work."""
    sends = sends_of(Send(3, b"mes", 9), (b"sa", b"ge"))

    assert sends == [Send(3, b"mes"), Send(3, b"sa"), Send(3, b"ge", 9)]
