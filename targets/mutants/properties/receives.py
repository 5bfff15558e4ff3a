"""Mutants: the Receives that are posted in place of those of useless messages (xcharext 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.duplex import ClientDuplex, Duplex
from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.backward.responder import BackwardResponder
from rpcrdma.endpoint.core.actions import PostReceive
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.values import DEFAULT_RECEIVE_BUFFER
from targets.mutants.base import mutant
from targets.reference.replaced_parts import BOTH_ENDS

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import MessageReceived

THERE = "xcharext.3.1.receives-as-large-as-announced"


@mutant(breaks=THERE)
class PostsFirstReceivesForScraps(Duplex):
    """Posts a Receive as long as its first ones in place of that which a scrap has used up."""

    def drop(self, event: MessageReceived) -> list[Action]:
        return [PostReceive.of(DEFAULT_RECEIVE_BUFFER)] * event.sends


@mutant(breaks=THERE)
class PostsFirstReceivesForScrapsOfServers(ClientDuplex):
    """Posts a Receive as long as its first ones in place of that which a scrap has used up."""

    def drop(self, event: MessageReceived) -> list[Action]:
        return [PostReceive.of(DEFAULT_RECEIVE_BUFFER)] * event.sends


@mutant(breaks=THERE, roles=BOTH_ENDS)
class PostsFirstReceivesForOperations(OptionalHalf):
    """Posts a Receive as long as its first ones in place of that which an operation has used up."""

    def take(self, message: bytes) -> list[Action]:
        _, *others = super().take(message)
        return [PostReceive.of(DEFAULT_RECEIVE_BUFFER), *others]


@mutant(breaks=THERE)
class PostsFirstReceivesForReplies(BackwardRequester):
    """Posts Receives as long as its first ones for the Replies to its backward Calls."""

    def post_from_now(self, octets: int) -> None:
        """All stays as it was."""


@mutant(breaks=THERE)
class PostsFirstReceivesForBackwardCalls(BackwardResponder):
    """Posts Receives as long as its first ones for backward Calls."""

    def post_from_now(self, octets: int) -> None:
        """All stays as it was."""
