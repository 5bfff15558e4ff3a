"""Checks that a scenario ends with: each accepts every outcome that the documents allow.

`verify.expect` and its kin are about answers to the tester's own messages; `verify.calls`,
`verify.chunks`, `verify.contents`, `verify.memory` and `verify.versions` about what else the tester
saw, `verify.losses` about calls whose connection is lost, and `verify.recovery` about answers where
the wire has faults.  `verify.granted` is about the tester: whether it may have so many Calls in
flight.
"""

from __future__ import annotations

from conformance.verify import (
    calls,
    chunks,
    contents,
    cuts,
    granted,
    losses,
    memory,
    recovery,
    reply_shapes,
    shapes,
    versions,
)
from conformance.verify.answers import (
    Reply,
    awaited,
    each,
    equal,
    expect,
    garbage_args,
    look,
    not_executed,
    recommend_garbage_args,
    recommended,
    refused,
    reply_of,
    right,
    served,
    that,
)
from conformance.verify.blame import Ids, blamed, ids_of
from conformance.verify.judged import judged
from conformance.verify.silence import cut, discarded, reported, silent

__all__ = [
    "Ids",
    "Reply",
    "awaited",
    "blamed",
    "calls",
    "chunks",
    "contents",
    "cut",
    "cuts",
    "discarded",
    "each",
    "equal",
    "expect",
    "garbage_args",
    "granted",
    "ids_of",
    "judged",
    "look",
    "losses",
    "memory",
    "not_executed",
    "recommend_garbage_args",
    "recommended",
    "recovery",
    "refused",
    "reply_of",
    "reply_shapes",
    "reported",
    "right",
    "served",
    "shapes",
    "silent",
    "that",
    "versions",
]
