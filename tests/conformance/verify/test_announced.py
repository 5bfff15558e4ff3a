"""A client is given the time to announce its properties."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from conformance.tester.server.served import ServedAct
from conformance.verify.announced import OCCASIONS, let_announce
from rpcrdma.wire.operations import ConnProp
from targets.base import ActState
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Callable

LINE = SimpleNamespace(connected=True)
ANNOUNCED = SimpleNamespace(line=LINE, option=ConnProp((), ()))


class _Client:
    """Announces something by its so-many-th act."""

    def __init__(self, messages: list[Any], at: int) -> None:
        self.acts = 0
        self._messages, self._at = messages, at

    def serve_good_act(self) -> ServedAct:
        self.acts += 1
        if self.acts == self._at:
            self._messages.append(ANNOUNCED)
        return ServedAct(ActState.DONE, "", b"", "", (), went_on=False)


def served(at: int, *, claims: bool = True) -> tuple[int, int]:
    """How many acts, and how many looks without any, it takes."""
    messages: list[Any] = []
    looks: list[bool] = []

    def serve_while(goes_on: Callable[[], bool]) -> None:
        looks.append(goes_on())

    profile = find_profile("reference-client" if claims else "linux-client")
    service: Any = SimpleNamespace(
        line=LINE,
        options=SimpleNamespace(messages=messages),
        profile=profile,
        serve_while=serve_while,
    )
    client: Any = _Client(messages, at)
    let_announce(service, client)
    return client.acts, len(looks)


def test_who_announces_late_is_waited_for() -> None:
    assert served(2) == (2, 0)


def test_who_announces_nothing_gets_the_deadline() -> None:
    assert served(OCCASIONS + 1) == (OCCASIONS, 1)


def test_who_does_not_claim_to_is_not_waited_for() -> None:
    assert served(1, claims=False) == (0, 0)
