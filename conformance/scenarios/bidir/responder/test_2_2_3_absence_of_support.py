"""bidir section 2.2.3, In the Absence of Backward Direction Support."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

PREPARED = "bidir.2.2.3.not-before-the-peer-is-prepared"
GOES_ON = "bidir.2.2.3.server-does-not-go-on-sending"
SESSION = "bidir.2.2.3.no-callback-before-the-session-operations"


@requirement(PREPARED, SESSION, needs=("backward",), interpretations=("D-46",))
def test_server_waits_until_the_client_says_that_it_is_prepared(
    connect: Callable[..., Peer],
) -> None:
    """Calls for a client that has said nothing wait; once it has, they come."""
    client = BackwardClient.of(connect())
    client.provoke(2)
    client.no_call("this client has announced nothing", breaks=(PREPARED, SESSION))

    client.announce()

    client.next_call()


@requirement(SESSION, PREPARED, needs=("backward",), interpretations=("D-46",))
def test_server_does_not_call_a_client_of_which_it_only_knows(connect: Callable[..., Peer]) -> None:
    """To a client that has made itself known nothing comes before it has announced itself."""
    client = BackwardClient.of(connect())

    client.introduce()

    client.no_call("this client has a name, and has announced nothing", breaks=(SESSION, PREPARED))
    client.announce()
    client.provoke(1)
    client.next_call()


@requirement(PREPARED, needs=("backward",), interpretations=("D-46",))
def test_server_calls_over_no_other_connection(connect: Callable[..., Peer]) -> None:
    """What one connection announced does not hold for another of the same client."""
    client = BackwardClient.of(connect())
    other = client.on(connect())
    client.announce()

    other.provoke(1)

    client.next_call()
    other.no_call("nothing was announced on this connection", breaks=PREPARED)


@requirement(GOES_ON, PREPARED, needs=("backward",), interpretations=("D-46",))
def test_server_does_not_repeat_a_call_before_the_client_announces_itself_again(
    connect: Callable[..., Peer],
) -> None:
    """After each of three losses nothing comes on the new connection of its own accord."""
    client = BackwardClient.of(connect())
    client.announce()
    client.provoke(1)
    client.next_call()

    for _ in range(3):
        client.peer.disconnect()
        client = client.on(connect())
        client.serve(client.peer.workload.null())
        client.no_call("nothing was announced on this connection", breaks=(GOES_ON, PREPARED))
