"""Which statements of Version Two say what Version One's say: the rules that it inherits.

    v2 section 2.1    RPC-over-RDMA Version One (what is not changed goes on)
    v2 section 4.2.3  Transport Errors
    v2 section 5      Protocol Version Negotiation

The oracles judge both versions by the same rules.  What a message of Version Two breaks is said in
the words of Version Two first, and in those that it inherits behind them (D-61).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["INHERITED", "inherited"]

_GOES_ON: Final = "v2.1.version-one-rules-go-on"

INHERITED: Final[Mapping[str, str]] = {
    "rfc8166.2.2.2.call-msg-type": "v2.4.2.2.direction-is-the-msg-type",
    "rfc8166.3.2.payload-follows": "v2.4.2.1.msg-is-followed-by-its-payload",
    "rfc8166.3.2.payload-begins-with-xid": "v2.1.payload-xid-equals-rdma-xid",
    "rfc8166.3.3.1.": "v2.5.calls-within-the-grant",
    "rfc8166.3.3.3.first-reply": "v2.5.one-message-until-the-first-answer",
    "rfc8166.3.3.3.one-credit": "v2.5.one-message-until-the-first-answer",
    "rfc8166.3.4.2.": "v2.1.only-eligible-items-are-reduced",
    "rfc8166.3.4.5.": "v2.1.read-chunks-as-before",
    "rfc8166.3.4.6.": "v2.1.write-chunks-as-before",
    "rfc8166.3.5.1.": "v2.4.2.1.msg-is-followed-by-its-payload",
    "rfc8166.3.5.2.": "v2.4.2.1.msg-is-followed-by-its-payload",
    "rfc8166.3.5.3.long-message-sends": "v2.4.2.1.nomsg-conveys-its-payload-by-chunks",
    "rfc8166.3.5.3.long-reply": "v2.1.reply-chunk-as-before",
    "rfc8166.3.5.3.reply-chunk": "v2.1.reply-chunk-as-before",
    "rfc8166.3.5.3.": "v2.1.long-calls-as-before",
    "rfc8166.4.1.2.": "v2.4.2.header-layout",
    "rfc8166.4.2.1.xid-equals": "v2.1.payload-xid-equals-rdma-xid",
    "rfc8166.4.2.4.msg-payload": "v2.4.2.1.msg-is-followed-by-its-payload",
    "rfc8166.4.2.4.nomsg": "v2.4.2.1.nomsg-conveys-its-payload-by-chunks",
    "rfc8166.4.2.4.requester": "v2.4.2.3.requester-sends-no-other-error",
    "rfc8166.4.2.fourth-word": "v2.4.2.procedure-numbers",
    "rfc8166.4.2.four": "v2.4.2.header-layout",
    "rfc8166.4.3.1.": "v2.1.read-chunks-as-before",
    "rfc8166.4.3.2.": "v2.1.write-chunks-as-before",
    "rfc8166.4.3.3.reply-chunk-when": "v2.2.1.chunk-offered-for-a-large-reply",
    "rfc8166.4.3.3.": "v2.1.reply-chunk-as-before",
    "rfc8166.4.3.three": "v2.4.2.chunk-lists-as-before",
    "rfc8166.4.header": "v2.3.2.chunk-lists-begin-with-the-direction",
    "rfc8166.4.5.bad-reply": "v2.4.2.3.bad-reply-completes-nothing",
    "rfc8166.4.5.error-completes": "v2.4.2.3.error-ends-the-rpc",
    "rfc8166.4.5.error-is-permanent": "v2.4.2.3.error-is-permanent",
    "rfc8166.4.5.short": "v2.4.2.3.short-message-is-dropped",
    "rfc8166.4.5.undecodable": "v2.4.2.3.undecodable-error-is-dropped",
    "rfc8166.6.1.ineligible": "v2.1.only-eligible-items-are-reduced",
}
"""The beginning of a statement's id -> what Version Two has for it; the first that fits."""


def inherited(requirements: tuple[str, ...]) -> tuple[str, ...]:
    """What Version Two says for statements of Version One, and these behind it."""
    found = [two for two in map(_of_two, requirements) if two] or [_GOES_ON]
    return tuple(dict.fromkeys((*found, *requirements)))


def _of_two(requirement: str) -> str:
    if not requirement.startswith("rfc8166."):
        return requirement
    return next((two for one, two in INHERITED.items() if requirement.startswith(one)), "")
