"""The oracle's view of a Requester's credits and XIDs, given what is outstanding.

rfc8166 section 3.3.1  RPC-over-RDMA Credits
rfc8166 section 3.3.3  Initial Connection State
rfc8166 section 2.2.2  RPC Calls (XIDs)
rfc8166 section 4.5    Error Handling (an error is permanent)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.verdict import BrokenRule, Ids, broken_rule
from reports.record import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.oracle.requester.state import RequesterState
    from rpcrdma.wire.versions import FixedWords

__all__ = ["judge_credits", "judge_repetition", "judge_xid"]


def judge_credits(
    words: FixedWords, state: RequesterState, version: int, sends: int
) -> Iterator[BrokenRule]:
    """Whether the Requester may have sent one more Call by so many Sends, and what it asks for."""
    if words.credit == 0:
        rules = (
            "rfc8166.4.2.3.call-carries-requested-credits",
            "rfc8166.3.3.1.every-call-requests-credits",
        )
        # D-17: only a grant of zero is forbidden (3.3.1); a request for nothing is odd, and is
        # answered by a grant of one.
        detail = "the Call requests no credits"
        yield broken_rule(rules, detail, version, ("D-17",), Verdict.WARN)
    newest = state.views[-1]
    # rfc8166 3.3.1: a Call that crosses a Reply on the wire was sent under the grant before it, so
    # it is one too many only if no view that the Requester may have had leaves room for it.
    if all(view.headroom < sends for view in state.views):
        yield _overrun(newest.in_flight, newest.granted, version)
        return
    # rfc8166 3.3.1: the lower of requested and granted is the limit.  What was requested before may
    # have been lowered or raised by this very Call, so the larger of the two requests counts.
    requested = max(words.credit, state.requested or 0, 1)
    if newest.in_flight + sends > requested:
        detail = (
            f"a Call beside {newest.in_flight} in flight, and {requested} credits were requested"
        )
        yield broken_rule("rfc8166.3.3.1.new-calls-within-lower-value", detail, version)


def _overrun(in_flight: int, granted: int | None, version: int) -> BrokenRule:
    if granted is None:
        # rfc8166 3.3.3: before the first valid Reply nothing is known but that one credit is there.
        rules: Ids = (
            "rfc8166.3.3.3.first-reply-before-second-call",
            "rfc8166.3.3.3.one-credit-at-first",
            "rfc8166.3.3.1.no-call-beyond-the-grant",
            "rfc8166.3.3.sender-respects-receive-resources",
        )
        detail = f"a Call beside {in_flight} in flight before the first valid Reply"
        return broken_rule(rules, detail, version, ("D-16",))
    # A count alone does not show which misunderstanding led to it: an old grant, one that was
    # counted down, or none that was looked at.  So all of them are named.
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
    detail = f"a Call beside {in_flight} in flight under a grant of {granted}"
    return broken_rule(rules, detail, version)


def judge_xid(words: FixedWords, state: RequesterState, version: int) -> Iterator[BrokenRule]:
    """Whether the XID is free."""
    other = state.call(words.xid)
    # D-28: a Call that was answered wrongly may be over for the Requester; then its XID is free.
    if other is not None and not other.doubtful:
        detail = f"XID {words.xid:#010x} is that of a Call that awaits its Reply"
        yield broken_rule("rfc8166.2.2.2.call-xid-is-unique", detail, version)


def judge_repetition(unreduced: bytes, state: RequesterState, version: int) -> Iterator[BrokenRule]:
    """Whether a Call is tried again after an error that is permanent."""
    # The XID is part of the octets: the same question under another XID is another Call.
    if unreduced in state.refused:
        detail = "the Call was answered by RDMA_ERROR before, and is sent again"
        yield broken_rule("rfc8166.4.5.error-is-permanent", detail, version)
