"""What a verification accepts as the answer to one message, as a case notes it while it runs.

The notes are compared with what the oracle allows (`conformance.proof.comparison`); no run against
a device looks at them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.oracle.responder.expectation import Answer, ResponderState
    from conformance.tester.sent import Call, Message

__all__ = ["Acceptance"]


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What is accepted as the answer to a message.

    Attributes:
        message: that was sent.
        state: of the device and of the connection, as the oracle takes it.
        allowed: kinds of answer.
        tolerated: kinds that bring a warning.
        breaks: requirements that any other answer breaks; empty: all that the case cites.
    """

    message: Call | Message
    state: ResponderState
    allowed: tuple[Answer, ...]
    tolerated: tuple[Answer, ...] = ()
    breaks: tuple[str, ...] = ()
