"""What a case makes of a client, compared with the oracle: each message, and each end of an act.

    rfc8166 section 4.5  Error Handling
    rfc8166 section 3.3  Managing Receiver Resources, and all else that binds a Requester

A verification notes on each message that it looks at whether it accepts the message; the oracle has
judged the same message on its arrival.  It notes on the act which end it accepts; the oracle has
said of everything that was sent meanwhile what may become of the Call.  An end at which no
verification looks is accepted, whatever it is.

Against a client that does all as it should only the ends of acts say anything; what a case makes of
wrong messages shows against the mutants (`conformance.proof.matrix`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.proof.difference import Difference, DifferenceKind, only_recommended

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.suite.case import Case
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.served import CallVerdict, ServedAct

__all__ = ["compare_act", "compare_acts", "compare_call", "compare_calls"]

_BOTH: Final = frozenset({True, False})
_WORDS: Final = {True: "the act is done", False: "the act fails"}


def compare_acts(case: Case, service: Service) -> tuple[Difference, ...]:
    """The differences about the ends of acts, of a case that has just passed."""
    return tuple(found for act in service.served for found in compare_act(case, act))


def compare_calls(case: Case, service: Service) -> tuple[Difference, ...]:
    """The differences about messages, of a case that has just run, whatever its verdict."""
    return tuple(found for call in service.received for found in compare_call(case, call))


def compare_act(case: Case, act: ServedAct) -> Iterator[Difference]:
    """How the ends that a case accepts of an act differ from those that the oracle allows."""
    accepted = act.accepted or _BOTH
    found = {
        DifferenceKind.WIDER: accepted - act.allowed,
        DifferenceKind.NARROWER: act.allowed - accepted,
    }
    faults = "; ".join(dict.fromkeys(each.fault for each in act.sent if each.fault))
    for side, ends in found.items():
        if ends:
            yield Difference(
                case.id,
                f"what was sent while the client acted ({faults or 'good Replies'})",
                side,
                _words(ends),
                "; ".join(_words(accepted)),
                "; ".join(_words(act.allowed)),
                tuple(name for each in act.sent for item in each.allowed for name in item.readings),
            )


def compare_call(case: Case, call: ReceivedCall) -> Iterator[Difference]:
    """How what a case makes of one message differs from what the oracle makes of it."""
    for verdict in call.verdicts:
        side = _side(case, call, verdict)
        if side is not None:
            yield Difference(
                case.id,
                str(call),
                side,
                verdict.breaks or case.requirements,
                verdict.problem or "a good message",
                "; ".join(map(str, call.broken)) or "a good message",
                tuple(reading for rule in call.broken for reading in rule.readings),
            )


def _side(case: Case, call: ReceivedCall, verdict: CallVerdict) -> DifferenceKind | None:
    about = verdict.breaks or case.requirements
    broken = [rule for rule in call.broken if not rule.warns]
    if not verdict.problem:
        meant = any(not set(about).isdisjoint(rule.ids) for rule in broken)
        return DifferenceKind.WIDER if meant else None
    if broken:
        return None
    if not call.broken:
        return DifferenceKind.NARROWER
    # What the oracle warns of a case may refuse by statements that only recommend.
    return None if only_recommended(about) else DifferenceKind.NARROWER


def _words(ends: Iterable[bool]) -> tuple[str, ...]:
    return tuple(_WORDS[end] for end in sorted(ends, reverse=True))
