"""The reference endpoint, sans-I/O, and the driver that runs it on a fabric.

`Client` makes calls and `Server` serves them, blocking and with deadlines; `ReconnectingClient`
outlives its connections.  `Endpoint` with a
`Requester`, a `Responder` or a `Duplex` of two halves is the core behind both, which does no I/O;
its events and actions are `rpcrdma.endpoint.events` and `rpcrdma.endpoint.actions`.  Everything
else may change.
"""

from __future__ import annotations

from rpcrdma.endpoint.actions import ApplicationEvent, CallFailed, Failure, ReplyReceived
from rpcrdma.endpoint.backchannel import Backchannel
from rpcrdma.endpoint.backward_requester import BackwardOptions, BackwardRequester
from rpcrdma.endpoint.backward_responder import BackwardResponder
from rpcrdma.endpoint.calling import Client
from rpcrdma.endpoint.connection import Endpoint, Role
from rpcrdma.endpoint.driver import Driver, parameters_for
from rpcrdma.endpoint.duplex import ClientDuplex, Duplex, server_duplex
from rpcrdma.endpoint.reconnecting import ReconnectingClient
from rpcrdma.endpoint.reduction import MessageForm
from rpcrdma.endpoint.requester import Requester, RequesterOptions
from rpcrdma.endpoint.responder import Responder, ResponderOptions
from rpcrdma.endpoint.serving import Server
from rpcrdma.endpoint.thresholds import InlineThresholds

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
    "Failure",
    "InlineThresholds",
    "MessageForm",
    "ReconnectingClient",
    "ReplyReceived",
    "Requester",
    "RequesterOptions",
    "Responder",
    "ResponderOptions",
    "Role",
    "Server",
    "parameters_for",
    "server_duplex",
]
