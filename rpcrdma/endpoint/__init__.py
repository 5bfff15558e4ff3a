"""The reference endpoint, sans-I/O, and the driver that runs it on a fabric.

`Client` makes calls and `Server` serves them, blocking and with deadlines; `ReconnectingClient`
outlives its connections.  `Endpoint` with a
`Requester`, a `Responder` or a `Duplex` of two halves is the core behind both, which does no I/O;
its events and actions are `rpcrdma.endpoint.core.events` and `rpcrdma.endpoint.core.actions`.
Everything else may change.
"""

from __future__ import annotations

from rpcrdma.endpoint.backward.duplex import ClientDuplex, Duplex, server_duplex
from rpcrdma.endpoint.backward.requester import BackwardOptions, BackwardRequester
from rpcrdma.endpoint.backward.responder import BackwardResponder
from rpcrdma.endpoint.core.actions import ApplicationEvent, CallFailed, Failure, ReplyReceived
from rpcrdma.endpoint.core.backchannel import Backchannel
from rpcrdma.endpoint.core.connection import Endpoint, EndpointRole
from rpcrdma.endpoint.core.driver import Driver, parameters_for
from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.endpoint.ends.calling import Client
from rpcrdma.endpoint.ends.reconnecting import ReconnectingClient
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.requester.requester import Requester, RequesterOptions
from rpcrdma.endpoint.responder.responder import Responder, ResponderOptions

__all__ = [
    "ApplicationEvent",
    "Backchannel",
    "BackwardOptions",
    "BackwardRequester",
    "BackwardResponder",
    "CallFailed",
    "Client",
    "ClientDuplex",
    "Driver",
    "Duplex",
    "Endpoint",
    "EndpointRole",
    "Failure",
    "InlineThresholds",
    "MessageForm",
    "ReconnectingClient",
    "ReplyReceived",
    "Requester",
    "RequesterOptions",
    "Responder",
    "ResponderOptions",
    "Server",
    "parameters_for",
    "server_duplex",
]
