"""Mutants: Receives that are lost over optional messages, at either end (v2 section 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import PostReceive
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from targets.mutants.base import mutant
from targets.mutants.losing import INVAL_OPTION, sends_error, without_receives

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action

GRANTED: Final = "v2.5.granted-calls-are-served"
HOLD: Final = "v2.2.3.receives-hold-4096-octets"


@mutant(breaks=GRANTED, roles=("responder",))
class LosesReceivesByRefusedOptions(OptionalHalf):
    """Posts no Receive again for an optional message that it refuses."""

    def take(self, message: bytes) -> list[Action]:
        actions = super().take(message)
        return without_receives(actions) if sends_error(actions, INVAL_OPTION) else actions


@mutant(breaks=GRANTED, roles=("responder",))
class LosesReceivesByAnnouncements(OptionalHalf):
    """Posts no Receive again for an optional message that it has nothing to say about."""

    def take(self, message: bytes) -> list[Action]:
        actions = super().take(message)
        only = all(isinstance(action, PostReceive) for action in actions)
        return without_receives(actions) if only else actions


@mutant(breaks=HOLD, roles=("requester",))
class LosesReceivesOfReplies(OptionalHalf):
    """Posts no Receive again, as a client, for an optional message that it refuses."""

    def take(self, message: bytes) -> list[Action]:
        actions = super().take(message)
        return without_receives(actions) if sends_error(actions, INVAL_OPTION) else actions


@mutant(breaks=HOLD, roles=("requester",))
class LosesReceivesOfRepliesByAnnouncements(OptionalHalf):
    """Posts no Receive again, as a client, for an optional message that it says nothing about."""

    def take(self, message: bytes) -> list[Action]:
        actions = super().take(message)
        only = all(isinstance(action, PostReceive) for action in actions)
        return without_receives(actions) if only else actions
