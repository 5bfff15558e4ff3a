"""The oracle's view of a Requester's credits and XIDs, given what is outstanding.

rfc8166 section 3.3.1  RPC-over-RDMA Credits
rfc8166 section 3.3.3  Initial Connection State
rfc8166 section 2.2.2  RPC Calls (XIDs)
rfc8166 section 4.5    Error Handling (an error is permanent)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.requester.state import Ids, RequesterState, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.wire.versions import FixedWords

__all__ = ["judge_credits", "judge_repetition", "judge_xid"]


def judge_credits(words: FixedWords, state: RequesterState) -> Iterator[Violation]:
    """Whether the Requester may have sent one more Call, and what it asks for."""
    if words.credit == 0:
        rules = (
            "rfc8166.4.2.3.call-carries-requested-credits",
            "rfc8166.3.3.1.every-call-requests-credits",
        )
        yield Violation(
            rules, "the Call requests no credits", warning=True, interpretations=("D-17",)
        )
    newest = state.views[-1]
    if all(view.headroom < 1 for view in state.views):
        yield _overrun(newest.in_flight, newest.granted)
        return
    # What was requested before may have been lowered or raised by this very Call.
    requested = max(words.credit, state.requested or 0, 1)
    if newest.in_flight >= requested:
        yield Violation(
            ("rfc8166.3.3.1.new-calls-within-lower-value",),
            f"a Call beside {newest.in_flight} in flight, and {requested} credits were requested",
        )


def _overrun(in_flight: int, granted: int | None) -> Violation:
    if granted is None:
        rules: Ids = (
            "rfc8166.3.3.3.first-reply-before-second-call",
            "rfc8166.3.3.3.one-credit-at-first",
            "rfc8166.3.3.1.no-call-beyond-the-grant",
            "rfc8166.3.3.sender-respects-receive-resources",
        )
        reason = f"a Call beside {in_flight} in flight before the first valid Reply"
        return Violation(rules, reason, interpretations=("D-16",))
    rules = (
        "rfc8166.3.3.1.no-call-beyond-the-grant",
        "rfc8166.3.3.1.latest-grant-counts",
        "rfc8166.3.3.1.grant-may-shrink",
        "rfc8166.3.3.1.new-calls-within-lower-value",
        "rfc8166.8.1.4.transactions-within-the-grant",
        "rfc8166.3.3.sender-respects-receive-resources",
        "rfc8166.3.3.1.credits-travel-in-rdma-credit",
        "rfc8166.3.3.1.credit-value-is-not-a-countdown",
    )
    return Violation(rules, f"a Call beside {in_flight} in flight under a grant of {granted}")


def judge_xid(words: FixedWords, state: RequesterState) -> Iterator[Violation]:
    """Whether the XID is free."""
    other = state.call(words.xid)
    if other is not None and not other.doubtful:
        rules = ("rfc8166.2.2.2.call-xid-is-unique",)
        yield Violation(rules, f"XID {words.xid:#010x} is that of a Call that awaits its Reply")


def judge_repetition(unreduced: bytes, state: RequesterState) -> Iterator[Violation]:
    """Whether a Call is tried again after an error that is permanent."""
    if unreduced in state.refused:
        yield Violation(
            ("rfc8166.4.5.error-is-permanent",),
            "the Call was answered by RDMA_ERROR before, and is sent again",
        )
