"""How messages go out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core import sending
from rpcrdma.endpoint.core.actions import Send

if TYPE_CHECKING:
    import pytest


def test_a_message_is_one_send() -> None:
    assert sending.sends_of(Send(3, b"message", 9)) == [Send(3, b"message", 9)]


def test_memory_ends_with_the_last_send_of_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before that the peer may still write to it; and all are one piece of work."""
    monkeypatch.setattr(sending, "divided", lambda message: (message[:3], message[3:]))

    assert sending.sends_of(Send(3, b"message", 9)) == [Send(3, b"mes"), Send(3, b"sage", 9)]
