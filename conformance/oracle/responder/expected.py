"""The specification as an oracle: what may a Responder do with these octets.

    rfc8166 section 4.5  Error Handling
    rfc8166 section 4.6  Protocol Elements No Longer Supported
    rfc8166 section 4.3  Chunk Lists
    rfc8166 section 6.1  DDP-Eligibility

`expected(message, state)` takes any octets.  It judges in the order in which a Responder can learn
of faults: length, version, procedure, header, chunks, RPC message, arguments.  It never executes a
Call; for a well-formed one it wants a Reply that keeps the rules of
`conformance.oracle.responder.reply_rules`, whatever its status.  A message in Version Two is judged
by `conformance.oracle.responder.two`, if the device claims that version.  Decoding of the header is
the codec's (`rpcrdma.wire`), which is checked against an interpreter of the XDR; everything after
it is decided here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_ONE
from conformance.oracle.lenient_presence import with_lenient_presence
from conformance.oracle.outcome import ErrChunk, ErrVers, Silent
from conformance.oracle.responder.calls import expected_of_call
from conformance.oracle.responder.expectation import (
    Answer,
    Expectation,
    ResponderState,
    may_answer,
)
from conformance.oracle.responder.two import expected_in_two, expected_of_sends
from conformance.oracle.sizes import SHORTEST_MESSAGE
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import Procedure, decode_header, v2
from rpcrdma.wire.versions import FixedWords, fixed_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.oracle.verdict import Alternative

__all__ = ["expected"]

_XDR_ERROR: Final = "rfc8166.4.5.2.xdr-error-gets-err-chunk"
_BAD_HEADER: Final = "rfc8166.4.5.bad-call-header-answered"
_DROPS_ERROR: Final = "rfc8166.4.2.4.responder-discards-error"
_DROPS_SHORT: Final = "rfc8166.4.5.short-message-discarded"

_WORD: Final = 4
_PROCEDURE: Final = slice(12, 16)

_ERR_CHUNK: Final = may_answer(ErrChunk, (_XDR_ERROR, _BAD_HEADER), VERSION_ONE)

_SPECIAL: Final[Mapping[int, tuple[str, tuple[Alternative[Answer], ...]]]] = {
    Procedure.RDMA_ERROR: (
        "RDMA_ERROR sent to a Responder",
        (may_answer(Silent, (_DROPS_ERROR,), VERSION_ONE, ("D-15",)),),
    ),
    Procedure.RDMA_DONE: (
        "RDMA_DONE",
        (may_answer(Silent, ("rfc8166.4.6.2.done-is-discarded",), VERSION_ONE, ("D-14",)),),
    ),
    Procedure.RDMA_MSGP: (
        "RDMA_MSGP",
        (
            may_answer(ErrChunk, ("rfc8166.4.6.1.msgp-gets-err-chunk",), VERSION_ONE, ("D-13",)),
            may_answer(
                Silent, ("rfc8166.4.6.1.msgp-gets-err-chunk",), VERSION_ONE, ("D-13",), warning=True
            ),
        ),
    ),
}
"""The procedures that are answered in one way, whatever follows the fixed words."""


def expected(message: bytes, state: ResponderState, *later: bytes) -> Expectation:
    """What a Responder may do with a message.

    Args:
        message: any octets, as sent in one RDMA Send to a receive that is large enough.
        later: the Sends after that of a message that takes several (rtrext 4.2).
        state: what is known of the device and the connection.

    Raises:
        ValueError: the message is in a version that the device claims and this oracle does not
            know, or the profile chose a reading that does not exist.
    """
    if len(message) < SHORTEST_MESSAGE:
        return _too_short(message, state)
    words = fixed_words(message)
    if words.version not in state.versions:
        return _unknown_version(words, state)
    if later:
        return expected_of_sends((message, *later), state)
    if words.version == v2.VERSION:
        return expected_in_two(message, words, state)
    if words.version != VERSION_ONE:
        raise ValueError(f"no oracle for version {words.version}")
    if words.procedure in _SPECIAL:
        fault, allowed = _SPECIAL[words.procedure]
        return Expectation(fault, allowed, words.xid, words.version)
    try:
        header, end = decode_header(message)
    except DecodeError as error:
        return _undecodable(message, words, error, state)
    return expected_of_call(header, message[end:], state)


def _too_short(message: bytes, state: ResponderState) -> Expectation:
    """Silence, by the statement of Version Two if the message has room to say that it is in it.

    There an error is dropped as an error, however short it is; Version One looks at no procedure.
    """
    xid, version = (int.from_bytes(message[at : at + _WORD], "big") for at in (0, _WORD))
    claimed = version == v2.VERSION and version in state.versions
    known = v2.VERSION if claimed else VERSION_ONE
    is_error = claimed and message[_PROCEDURE] == Procedure.RDMA_ERROR.to_bytes(_WORD, "big")
    rule = _DROPS_ERROR if is_error else _DROPS_SHORT
    silence = may_answer(Silent, (rule,), known, ("D-10",))
    return Expectation(f"{len(message)} octets only", (silence,), xid, known)


def _unknown_version(words: FixedWords, state: ResponderState) -> Expectation:
    rules = ("rfc8166.4.5.1.unsupported-version-gets-err-vers", "rfc8166.4.5.1.err-vers-range")
    allowed = [may_answer(ErrVers, rules, VERSION_ONE, ("D-11",))]
    if words.procedure == Procedure.RDMA_ERROR:
        allowed.insert(0, may_answer(Silent, (_DROPS_ERROR,), VERSION_ONE, ("D-27",)))
    return Expectation(
        f"version {words.version}",
        tuple(allowed),
        words.xid,
        words.version,
        versions=(min(state.versions), max(state.versions)),
    )


def _undecodable(
    message: bytes, words: FixedWords, error: DecodeError, state: ResponderState
) -> Expectation:
    allowed = [_ERR_CHUNK]
    if state.backward and error.reason is Reason.TRUNCATED:
        # bidir 2.4: too small for what it says that it is; any other fault is for 4.5.2.
        allowed.append(may_answer(Silent, (_BAD_HEADER,), VERSION_ONE, ("D-40",)))
    fault = Expectation(str(error), tuple(allowed), words.xid, words.version)
    patched = with_lenient_presence(message)
    if patched is None:
        return fault
    header, end = decode_header(patched)
    lenient = expected_of_call(header, patched[end:], state)
    tolerated = (
        replace(item, warning=True, readings=(*item.readings, "D-33"))
        for item in lenient.allowed
        if item.kind.outcome is not ErrChunk
    )
    return replace(lenient, fault=fault.fault, allowed=(*fault.allowed, *tolerated))
