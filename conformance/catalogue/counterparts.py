"""What the rules of Version One are called in Version Two, where they go on.

    v2 section 1      What is not changed is done as in Version One (D-61)
    v2 section 4.2.3  Transport Errors

The judges know the rules under the ids of Version One.  About a message in Version Two they speak
by the ids of that document's catalogue, which groups the inherited rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["counterpart", "in_version"]

_TWO: Final = 2

_READS: Final = "v2.1.read-chunks-as-before"
_WRITES: Final = "v2.1.write-chunks-as-before"
_REPLY_CHUNK: Final = "v2.1.reply-chunk-as-before"
_BAD_CALL: Final = "v2.4.2.3.bad-call-gets-bad-header"
_OLD: Final = "v2.4.2.3.old-procedures-are-gone"
_FAULTS: Final = "v2.4.2.3.rdma-faults-harm-nobody-else"
_NO_ROOM: Final = "v2.4.2.3.lack-of-room-is-reported"
_INELIGIBLE: Final = "v2.4.2.3.ineligible-argument-is-reported"
_NOMSG: Final = "v2.4.2.1.nomsg-conveys-its-payload-by-chunks"
_DROPPED: Final = "v2.4.2.3.errors-are-not-answered"

_COUNTERPARTS: Final[Mapping[str, str]] = {
    "rfc8166.2.2.2.reply-msg-type": "v2.4.2.2.direction-is-the-msg-type",
    "rfc8166.2.2.2.reply-retires-the-xid": "v2.4.2.3.wrong-direction-is-not-served",
    "rfc8166.2.2.2.reply-xid-is-the-calls": "v2.5.1.answer-has-the-same-xid",
    "rfc8166.3.3.1.every-reply-grants-credits": "v2.5.answer-reports-the-credit-limit",
    "rfc8166.3.3.1.grant-is-never-zero": "v2.5.answer-reports-the-credit-limit",
    "rfc8166.3.4.3.memory-used-by-responder": _REPLY_CHUNK,
    "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream": _READS,
    "rfc8166.3.4.6.segment-count-returned": _WRITES,
    "rfc8166.3.4.6.segment-lengths-tell-what-was-written": _WRITES,
    "rfc8166.3.4.6.segments-returned": _WRITES,
    "rfc8166.3.4.6.write-chunk-filled-in-order": _WRITES,
    "rfc8166.4.2.1.payload-xid-may-be-ignored": (
        "v2.4.2.3.mismatched-xid-is-not-answered-under-it"
    ),
    "rfc8166.4.2.1.xid-equals-payload-xid": "v2.1.payload-xid-equals-rdma-xid",
    "rfc8166.4.2.2.version-is-one": "v2.5.3.reply-has-the-version-of-its-call",
    "rfc8166.4.2.4.done-is-reserved": _OLD,
    "rfc8166.4.2.4.msgp-is-reserved": _OLD,
    "rfc8166.4.2.4.error-carries-no-payload": "v2.4.2.1.error-has-no-payload",
    "rfc8166.4.2.4.nomsg-has-a-list": _NOMSG,
    "rfc8166.4.2.4.nomsg-is-one": _NOMSG,
    "rfc8166.4.2.4.nomsg-lists-hold-the-payload": _NOMSG,
    "rfc8166.4.2.4.responder-discards-error": _DROPPED,
    "rfc8166.4.3.1.read-list-empty-in-replies": _READS,
    "rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused": _WRITES,
    "rfc8166.4.3.2.3.empty-chunk-returned-empty": _WRITES,
    "rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written": _REPLY_CHUNK,
    "rfc8166.4.3.3.reply-chunk-returned": _REPLY_CHUNK,
    "rfc8166.4.5.1.err-vers-range": "v2.4.2.3.err-vers-has-the-responders-range",
    "rfc8166.4.5.1.unsupported-version-gets-err-vers": (
        "v2.4.2.3.unsupported-version-gets-err-vers"
    ),
    "rfc8166.4.5.2.nomsg-without-chunks-is-an-xdr-error": (
        "v2.4.2.3.nomsg-without-payload-gets-bad-header"
    ),
    "rfc8166.4.5.2.unparsable-arguments-get-garbage-args": (
        "v2.4.2.3.unparsable-arguments-get-garbage-args"
    ),
    "rfc8166.4.5.2.xdr-error-gets-err-chunk": _BAD_CALL,
    "rfc8166.4.5.2.xid-mismatch-is-an-xdr-error": (
        "v2.4.2.3.mismatched-xid-is-not-answered-under-it"
    ),
    "rfc8166.4.5.3.invalid-chunk-is-a-remote-access-error": _FAULTS,
    "rfc8166.4.5.3.no-write-past-the-reply-chunk": _NO_ROOM,
    "rfc8166.4.5.4.close-when-reply-cannot-be-sent": _NO_ROOM,
    "rfc8166.4.5.bad-call-header-answered": _BAD_CALL,
    "rfc8166.4.5.error-version-echoed": "v2.4.2.3.error-echoes-the-version",
    "rfc8166.4.5.error-xid-echoed": "v2.4.2.3.error-echoes-the-xid",
    "rfc8166.4.5.short-message-discarded": "v2.4.2.3.short-message-is-dropped",
    "rfc8166.4.6.1.msgp-gets-err-chunk": _OLD,
    "rfc8166.4.6.1.msgp-is-not-sent": _OLD,
    "rfc8166.4.6.2.done-is-discarded": _OLD,
    "rfc8166.4.6.2.done-is-not-sent": _OLD,
    "rfc8166.4.rpc-layout-is-unchanged": "v2.1.one-rpc-message-behind-the-header",
    "rfc8166.6.1.binding-limits-chunks": _READS,
    "rfc8166.6.1.ineligible-argument-is-not-processed": _INELIGIBLE,
    "rfc8166.6.1.ineligible-argument-is-reported": _INELIGIBLE,
    "rfc8166.8.1.4.no-more-data-than-room": _NO_ROOM,
    "rfc8166.8.1.4.unreadable-read-chunks-end-the-rpc": _FAULTS,
}
"""Every rule of Version One that a judge of Responders knows, and its group in Version Two."""


def counterpart(requirement: str, version: int) -> str:
    """The id under which a rule goes on in a version.

    Args:
        requirement: an id of the catalogues.
        version: rdma_vers of the message that is judged.
    """
    return _COUNTERPARTS.get(requirement, requirement) if version == _TWO else requirement


def in_version(ids: Iterable[str], version: int) -> tuple[str, ...]:
    """The counterparts of several rules, each once."""
    return tuple(dict.fromkeys(counterpart(one, version) for one in ids))
