"""Changes messages on their way between two ends of this process.

An end sends through its driver; one whose class is made here hands each message to a `Meddler`
first, and sends what that makes of it.
"""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import TYPE_CHECKING, Final

import msgspec
from typing_extensions import override

from fuzz.end_steps import EndAct
from fuzz.structure.edits import edit
from fuzz.structure.headers import V1_HEADER, V2_HEADER

if TYPE_CHECKING:
    from fuzz.end_steps import EndStep
    from rpcrdma.endpoint.core.actions import Send
    from rpcrdma.endpoint.core.driver import Driver

__all__ = ["Meddler", "meddled"]

_WORD: Final = 4
_XID: Final = 4
_VERSION_TWO: Final = b"\0\0\0\2"
_MOST_EDITS: Final = 3
_LONGEST: Final = 4096
"""Octets of a message that is edited, at most: no Receive is longer by default."""

_AHEAD: Final = 8
"""A change is planned for one of so many messages that are sent next."""


class Meddler:
    """What becomes of the messages that one end sends.

    Attributes:
        meddled: whether any message was changed.
    """

    def __init__(self) -> None:
        self.meddled = False
        self._sent = 0
        self._plans: dict[int, list[EndStep]] = defaultdict(list)

    def plan(self, step: EndStep) -> None:
        """Change a message that is still to be sent."""
        self._plans[self._sent + step.which // 2 % _AHEAD].append(step)

    def give_up(self) -> None:
        """Change no message any more."""
        self._plans.clear()

    def passed(self, message: bytes) -> list[bytes]:
        """What is sent instead of a message."""
        plans = self._plans.pop(self._sent, [])
        self._sent += 1
        messages = [message]
        for step in plans:
            messages = [changed for one in messages for changed in _changed(one, step)]
        self.meddled |= messages != [message]
        return messages


def _changed(message: bytes, step: EndStep) -> list[bytes]:
    made = message[:_XID] + step.carried[_XID:]
    match step.act:
        case EndAct.WORD:
            start = step.place * _WORD % max(len(message), 1) // _WORD * _WORD
            word = step.value.to_bytes(_WORD)
            return [(message[:start] + word + message[start + _WORD :])[: len(message)]]
        case EndAct.REPLACE:
            return [made] if made else []
        case EndAct.INSERT:
            return [message, made] if made else [message]
        case EndAct.CUT:
            left = message[: max(len(message) - step.length, 1)]
            return [left]
        case EndAct.REPEAT:
            return [message, message]
        case EndAct.EDIT:
            return [_edited(message, step)]
        case _:
            return []


def _edited(message: bytes, step: EndStep) -> bytes:
    mutator = V2_HEADER if message[_XID : 2 * _XID] == _VERSION_TWO else V1_HEADER
    draw = Random(step.value)  # noqa: S311  # reproducible on purpose
    for _ in range(1 + step.length % _MOST_EDITS):
        message = edit(mutator.scene(message, draw), _LONGEST) or message
    return message


def meddled(driver: type[Driver], meddler: Meddler) -> type[Driver]:
    """A driver whose messages pass a meddler."""

    class MeddledDriver(driver):  # type: ignore[misc,valid-type]  # a class that is a value
        @override
        def _send(self, action: Send) -> None:
            for data in meddler.passed(action.data):
                super()._send(msgspec.structs.replace(action, data=data))

    return MeddledDriver
