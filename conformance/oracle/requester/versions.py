"""Which versions a Requester may speak on a connection, and how long its messages may be in Two.

    v2 section 5    Protocol Version Negotiation
    v2 section 5.1  Responder Does Support RPC-over-RDMA Version Two
    v2 section 5.2  Responder Does Not Support RPC-over-RDMA Version Two
    xcharext section 3.1  Receive Buffer Size
    rtrext section 8      Transport Properties

`after_sending` is what a message of the tester changes about that, as far as the Requester that
gets it may know.  Where a Requester may go on in more than one way all of them are allowed for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.oracle.announced import NOTHING_TOLD, announced_in
from conformance.oracle.header import VERSION_ONE, VERSION_TWO
from conformance.oracle.sizes import FIRST_MESSAGE_TWO, THRESHOLD_TWO
from rpcrdma.errors import DecodeError
from rpcrdma.wire import ErrVers, RdmaError, TransportHeader, decode_any_header, v2
from rpcrdma.wire.operations import ConnProp, TellingOption, UpdProp
from rpcrdma.wire.optional import decode_option, values_of

if TYPE_CHECKING:
    from conformance.oracle.requester.state import RequesterState

__all__ = ["after_option", "after_sending"]

BOTH: Final = frozenset({VERSION_ONE, VERSION_TWO})


def after_sending(message: bytes, state: RequesterState) -> RequesterState:
    """What is known once a message of the tester is on its way to the Requester."""
    try:
        header, _ = decode_any_header(message)
    except DecodeError:
        return state
    body = header.rdma_body
    if isinstance(body, RdmaError | v2.Rdma2Error):
        if isinstance(body.error, ErrVers):
            return _refused(header.rdma_xid, body.error, state)
        return _settled(header.rdma_xid, VERSION_TWO, state) if _in_two(header) else state
    if isinstance(header, TransportHeader):
        return _settled(header.rdma_xid, VERSION_ONE, state)
    state = _settled(header.rdma_xid, VERSION_TWO, state)
    if state.lengths == (FIRST_MESSAGE_TWO,):
        state = replace(state, lengths=(FIRST_MESSAGE_TWO, THRESHOLD_TWO))
    if isinstance(body, v2.Rdma2Optional):
        # D-62: it tells whoever has offered Version Two that it is spoken, whatever it is about.
        offered = any(
            call.header is not None and call.header.rdma_vers == VERSION_TWO
            for call in state.outstanding
        )
        if offered and state.versions == BOTH:
            state = replace(state, versions=frozenset({VERSION_TWO}), was_settled=True)
        return _told(header.rdma_xid, body, state)
    return state


def after_option(message: bytes, state: RequesterState) -> RequesterState:
    """What is known once the Requester has sent an optional message, or an error about one."""
    try:
        header, _ = v2.decode_header(message)
    except DecodeError:
        return state
    body = header.rdma_body
    if not isinstance(body, v2.Rdma2Optional):
        return state
    state = replace(state, asked_xids=state.asked_xids | {header.rdma_xid})
    try:
        option = decode_option(body, known=state.properties)
    except DecodeError:
        return state
    if isinstance(option, ConnProp | UpdProp):
        # D-72: what a CONNPROP leaves out has its default.
        before = NOTHING_TOLD if isinstance(option, ConnProp) else state.told
        state = replace(state, told=announced_in(values_of(option), before, state.properties))
    return state


def _in_two(header: TransportHeader | v2.Rdma2Header) -> bool:
    return isinstance(header, v2.Rdma2Header)


def _settled(xid: int, version: int, state: RequesterState) -> RequesterState:
    """D-62: whatever answers in a version settles it; what answers nothing may be dropped."""
    call = state.call(xid)
    is_answer = call is not None and call.header is not None and call.header.rdma_vers == version
    if is_answer or (version == VERSION_TWO and xid in state.asked_xids):
        return replace(state, versions=frozenset({version}), was_settled=True)
    return state


def _refused(xid: int, versions: ErrVers, state: RequesterState) -> RequesterState:
    call = state.call(xid)
    if call is None or call.header is None or call.header.rdma_vers != VERSION_TWO:
        return state
    offered = {one for one in BOTH if versions.rdma_vers_low <= one <= versions.rdma_vers_high}
    # D-64: what becomes of a version that was settled, or of a range that holds nothing, is open.
    is_usual = not state.was_settled and state.versions == BOTH and offered
    return replace(state, versions=frozenset(offered) if is_usual else BOTH)


def _told(xid: int, body: v2.Rdma2Optional, state: RequesterState) -> RequesterState:
    state = replace(state, option_xids=state.option_xids | {xid})
    try:
        option = decode_option(body, known=state.properties)
    except DecodeError:
        return state
    if not isinstance(option, TellingOption):
        return state  # a request says what its sender wishes, and nothing of its own Receives
    before = NOTHING_TOLD if isinstance(option, ConnProp) else state.announced[-1]
    announced = announced_in(values_of(option), before, state.properties)
    if announced == before and not isinstance(option, ConnProp):
        return state
    return replace(
        state,
        lengths=(*state.lengths, announced.layout.length),
        announced=(*state.announced, announced),
    )
