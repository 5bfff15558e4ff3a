"""What ended a case, together with the rules that the device's messages broke in it.

What is wrong with a message counts in every case; what is only worth a warning is likely to be so
in most messages of a device, and counts in the cases that are about it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.oracle.marks import faulty_fields, marks_of
from conformance.oracle.verdict import broken_ids
from conformance.tester.case import Deviation, Inconclusive

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.oracle.verdict import BrokenRule
    from conformance.tester.case import CaseLog

__all__ = ["with_broken_rules"]

MOST_REASONS: Final = 8
"""That are told one by one; a device that floods breaks thousands of rules in one case."""


def with_broken_rules(
    found: BaseException | None,
    violations: Iterable[BrokenRule],
    cited: tuple[str, ...],
    case: CaseLog,
    whose: str,
) -> BaseException | None:
    """What ended a case, in the light of the rules that were broken in it.

    Args:
        found: what ended the case, so far.
        violations: that messages of the device broke.
        cited: the requirements that the case is about.
        case: where warnings and readings are noted.
        whose: messages they are: `client`, `device`.
    """
    seen = [rule for rule in violations if not rule.warns or not set(cited).isdisjoint(rule.ids)]
    case.interpretations += [reading for rule in seen for reading in rule.readings]
    for rule in seen:
        warning = replace(rule, detail=f"{rule.detail}.", fields=faulty_fields((rule,)))
        # What many messages have in common is said once.
        if rule.warns and warning not in case.warnings:
            case.warnings.append(warning)
    broken = [rule for rule in seen if not rule.warns]
    if not broken or not isinstance(found, Deviation | Inconclusive | None):
        return found
    reasons = list(dict.fromkeys(f"{rule.detail}." for rule in broken))
    if len(reasons) > MOST_REASONS:
        reasons[MOST_REASONS:] = [f"And {len(reasons) - MOST_REASONS} more of the kind."]
    rules, marks = broken_ids(broken), marks_of(broken)
    if not isinstance(found, Deviation):
        # Why the situation could not be brought about is likely to follow from that.
        why = (f"{found}. In the {whose}'s messages:",) if found is not None else ()
        reason = " ".join((*why, *reasons))
        return Deviation(reason, expected=("good messages",), breaks=rules, marks=marks)
    # What the case found is likely to follow from what is wrong with the messages.
    new = [reason for reason in reasons if reason not in found.reason]
    # What it says, or may leave unsaid, stays beside the rules.
    said = found.breaks or (() if found.unanswered or len(cited) > 2 else cited)
    return Deviation(
        " ".join((found.reason, *(new and (f"In the {whose}'s messages:", *new)))),
        expected=found.expected,
        actual=found.actual,
        breaks=tuple(dict.fromkeys((*said, *rules))),
        unanswered=found.unanswered,
        marks=tuple(dict.fromkeys((*found.marks, *marks))),
    )
