"""Mutants: how a Responder negotiates the version.

v2 section 4.2.3  Transport Errors (versions that are not supported)
v2 section 5.2    Responder Does Not Support RPC-over-RDMA Version Two
v2 section 5.3    Requester Does Not Support RPC-over-RDMA Version Two

Those that are about a Responder of Version One alone speak and claim that version only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final
from weakref import WeakSet

import msgspec

from rpcrdma.endpoint.core.actions import Action, Disconnect
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.responder.lost_replies import LostReplies
    from rpcrdma.wire import FixedWords

OPTIONAL: Final = 5
TWO: Final = 2
ONE_ALONE: Final = (1,)
SAME: Final = "to Version One, version 2 is one of those that get ERR_VERS"


@mutant(breaks="v2.5.3.reply-has-the-version-of-its-call")
class RepliesInTheLatestVersion(Responder):
    """Sends the Reply to a Call that had to wait in the version of the message that came last."""

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        for call in self._executing.calls():
            as_came = msgspec.structs.replace(call.words, version=words.version)
            object.__setattr__(call, "words", as_came)
        return super()._judge(message, words)


@mutant(breaks="v2.4.2.3.unsupported-version-gets-err-vers")
class DropsOptionalMessagesOfUnknownVersions(Responder):
    """Keeps silent about what would be an optional message if its version were 2."""

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        is_dropped = fault is Fault.UNKNOWN_VERSION and words.procedure == OPTIONAL
        return [] if is_dropped else super().send_error(words, fault)


@mutant(
    breaks="v2.4.2.3.err-vers-has-the-responders-range",
    also_trips={"rfc8166.4.5.1.err-vers-range": SAME},
)
class LeavesVersionTwoOut(ReplyRules):
    """Names a range of version 1 alone, though version 2 is served."""

    def version_range(self) -> tuple[int, int]:
        return 1, 1


@mutant(
    breaks="v2.5.2.threshold-changes-keep-the-connection",
    also_trips={
        "rfc8166.4.2.4.responder-discards-error": (
            "whatever a case makes a device refuse costs the connection, and the case with it"
        )
    },
)
class HangsUpOnTheNextVersion(Responder):
    """Closes the connection when a call comes after one whose version was refused."""

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        was_refused = vars(self).get("refused", False)
        vars(self)["refused"] = not self.calls.supports_version(words.version)
        if was_refused and not vars(self)["refused"]:
            return [Disconnect("another version")]
        return super()._judge(message, words)


@mutant(breaks="rfc8166.4.5.5.rpc-survives-connection-loss")
class ServesVersionOneNoMoreBehindTwo(Responder):
    """Answers Version One by ERR_VERS on every connection after one in Version Two."""

    heard_two: ClassVar[WeakSet[LostReplies]] = WeakSet()
    """Of each life, what its connections share, once one of them was in Version Two."""

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        if words.version == TWO:
            self.heard_two.add(self._lost)
        elif self._lost in self.heard_two:
            raise FaultFound(Fault.UNKNOWN_VERSION)
        return super()._judge(message, words)


@mutant(breaks="v2.5.2.thresholds-follow-the-version")
class KeepsTheThresholdOfTwo(Responder):
    """Sends replies of up to 4096 octets inline in Version One once another version was tried."""

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        if not self.calls.supports_version(words.version):
            self.reply_limits[1] = 4096
        return super()._judge(message, words)


@mutant(
    breaks="v2.5.3.one-only-requester-is-served",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.4.reply-is-matched-by-xid",
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.2.2.",
            "rfc8166.3.3.",
            "rfc8166.3.4.",
            "rfc8166.3.5.",
            "rfc8166.4.2.",
            "rfc8166.4.3.",
            "rfc8166.4.5.",
            "rfc8166.4.6.",
            "rfc8166.4.7.",
            "rfc8166.6.1.",
            "rfc8166.8.1.",
            "rfc8166.8.2.2.gss-elements-are-not-reduced",
            "rtrext.2.version-one-peers-are-served",
            "v2.5.2.threshold-changes-keep-the-connection",
        ),
        "without chunks in Version One there is little of it left",
    ),
)
class RefusesChunksInVersionOne(Responder):
    """Answers calls with chunks in Version One by ERR_VERS, though it claims that version."""

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        has_chunks = any(message[16:28])
        if words.version == 1 and has_chunks and not words.is_error:
            raise FaultFound(Fault.UNKNOWN_VERSION)
        return super()._judge(message, words)


@mutant(
    breaks="v2.5.2.one-only-responder-answers-err-vers",
    also_trips={"rfc8166.4.5.1.unsupported-version-gets-err-vers": SAME},
    versions=ONE_ALONE,
)
class DropsVersionTwo(Responder):
    """Keeps silent about messages in version 2."""

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        return [] if words.version == TWO else super().send_error(words, fault)


@mutant(
    breaks="v2.5.2.err-vers-has-the-same-xid",
    also_trips={"rfc8166.4.5.error-xid-echoed": SAME},
    versions=ONE_ALONE,
)
class RefusesVersionTwoUnderXidZero(ReplyRules):
    """Sends ERR_VERS to messages in version 2 under XID 0."""

    def error_xid(self, words: FixedWords) -> int:
        return 0 if words.version == TWO else super().error_xid(words)


@mutant(
    breaks="v2.5.2.err-vers-reports-a-range",
    also_trips={"rfc8166.4.5.1.err-vers-range": SAME},
    versions=ONE_ALONE,
)
class ClaimsVersionTwoInErrors(ReplyRules):
    """Names a range up to version 2, and serves version 1 alone."""

    def version_range(self) -> tuple[int, int]:
        return 1, TWO
