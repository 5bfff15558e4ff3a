"""One end of an exchange of transport properties, and short names for what goes over the wire."""

from __future__ import annotations

from rpcrdma.endpoint.properties.exchange import OptionMessage, PropertyExchange
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.values import (
    PropertyLimits,
    PropertyOptions,
    PropertyValues,
)
from rpcrdma.wire._generated_rtrext import (
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
)
from rpcrdma.wire.operations import BY_CODE, ReqProp, RespProp, UpdProp
from rpcrdma.wire.optional import Option, encode_option
from rpcrdma.wire.properties import (
    BASIC,
    BackwardRequestSupport,
    BackwardSupport,
    BufferStructure,
    Property,
    PropertyNumbers,
    RequesterRemoteInvalidation,
    property_values,
)
from rpcrdma.wire.rpc import MessageType

ALLOWED = RequesterRemoteInvalidation(allowed=True)
GENERAL = BackwardRequestSupport(BackwardSupport.BKREQSUP_GENL)
LARGE = PropertyOptions(own=PropertyValues(8192), limits=PropertyLimits(1024, 16384))
SILENT = PropertyOptions(announced=False, limits=PropertyLimits(1024, 16384))
FIRST = 0x50110001

TARGET = BufferSegment(4096, 4096, XMRSFLAG_DDP)
PLAIN = BufferSegment(1024, 0, 0)
LENGTH = 1024 + 2 * 4096
STRUCTURE = BufferStructure(LENGTH, (BufferSegmentGroup(1, PLAIN), BufferSegmentGroup(2, TARGET)))
EVERY_OPERATION = frozenset(BY_CODE)
REDUCING = PropertyOptions(
    PropertyValues(
        LENGTH, rtr_support=7, buffer_structure=STRUCTURE, request_limit=8, response_limit=4
    ),
    operations=EVERY_OPERATION,
)
"""An end that supports all operations of rtrext."""


def opened(
    options: PropertyOptions = SILENT, *lengths: int, rules: type[PropertyRules] = PropertyRules
) -> PropertyExchange:
    """An end that has said at its start what it has to say, and has Receives of these lengths."""
    exchange = PropertyExchange(options, rules)
    for octets in lengths or (exchange.posted_length,) * 2:
        exchange.receives.posted(octets)
    exchange.start()
    return exchange


def replaced(exchange: PropertyExchange) -> list[object]:
    """A message uses up a Receive, and another is posted."""
    outgoing = exchange.received()
    exchange.receives.posted(exchange.posted_length)
    return list(outgoing)


def from_peer(exchange: PropertyExchange, option: Option, xid: int = 1) -> list[object]:
    direction = MessageType.REPLY if isinstance(option, RespProp) else MessageType.CALL
    return list(exchange.receive(xid, encode_option(direction, option)))


def call(xid: int, option: Option) -> OptionMessage:
    return OptionMessage(xid, MessageType.CALL, option)


def answer(xid: int, option: Option) -> OptionMessage:
    return OptionMessage(xid, MessageType.REPLY, option)


def ask(*wanted: Property, known: PropertyNumbers = BASIC) -> ReqProp:
    return ReqProp(property_values(*wanted, known=known))


def update(*values: Property, known: PropertyNumbers = BASIC) -> UpdProp:
    return UpdProp(property_values(*values, known=known))
