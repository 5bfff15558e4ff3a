"""Scenarios and oracle compared: what a case accepts lies within what the oracle allows.

The suite runs on loopback.  Each verification notes what it accepts as the answer to which message
(`conformance.tester.acceptance`); the oracle is asked about the same octets in the same state, and
every difference is told in the words of both.  A case that differs on purpose says why
(`@requirement(..., wider="...")` or `narrower="..."`); a reason that nothing needs is stale.

    rfc8166 section 4.5  Error Handling

A Reply's status is compared where the oracle restricts it: what a program makes of good arguments
is known to the case alone.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.catalogue.inheritance import statements
from conformance.oracle.responder.calls import PROGRAMS_ANSWER
from conformance.oracle.responder.expectation import REPLIES, Answer
from conformance.oracle.responder.expected import expected
from conformance.oracle.transmissions import Reported
from conformance.proof.difference import Difference, DifferenceKind, only_recommended
from conformance.proof.requester_comparison import compare_acts, compare_calls
from conformance.suite.runner import judge
from conformance.tester.server.harness import ClientHarness
from targets.mutants.base import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.oracle.responder.expectation import Expectation
    from conformance.suite.case import Case
    from conformance.suite.rigs import Rig
    from conformance.suite.selection import Selection
    from conformance.tester.acceptance import Acceptance
    from targets.base import ClientTarget, Target

__all__ = ["OracleComparison", "compare", "compare_suite"]


@dataclass(frozen=True, slots=True)
class OracleComparison:
    """What the comparison of a run says.

    Attributes:
        unstated: differences for which the case gives no reason.
        stated: differences for which it does.
        stale: functions, by case id without parameters, whose reason no difference needs, with it.
        noted: ids of the cases that noted what they accept.
        messages: how many messages, and ends of acts, were compared.
    """

    unstated: tuple[Difference, ...]
    stated: tuple[Difference, ...]
    stale: tuple[tuple[str, str], ...]
    noted: frozenset[str]
    messages: int


def compare_suite(target: Target | ClientTarget, selection: Selection) -> OracleComparison:
    """Run cases against a target on loopback, and compare what they accept with the oracle.

    Args:
        target: which.
        selection: which cases.

    Raises:
        TargetError: it does not come up, or serves nobody.
    """
    found: list[Difference] = []
    reasons: dict[tuple[str, bool], str] = {}
    noted: set[str] = set()
    messages = 0

    def look(case: Case, rig: Rig) -> None:
        nonlocal messages
        if rig.case.acceptances:
            noted.add(case.id)
        messages += _compared(rig)
        found.extend(_differences(case, rig, faulty=target.name.startswith(PREFIX)))
        if rig.case.acceptances or isinstance(rig, ClientHarness):  # not where it is N/A
            stem = _stem(case.id)
            reasons.update({(stem, True): case.wider, (stem, False): case.narrower})

    judge(target, selection, look)
    needed = {(_stem(difference.case), difference.side.accepts_more) for difference in found}
    return OracleComparison(
        tuple(item for item in found if not reasons[_stem(item.case), item.side.accepts_more]),
        tuple(item for item in found if reasons[_stem(item.case), item.side.accepts_more]),
        tuple((key[0], why) for key, why in reasons.items() if why and key not in needed),
        frozenset(noted),
        messages,
    )


def _differences(case: Case, rig: Rig, *, faulty: bool) -> tuple[Difference, ...]:
    found = compare(case, rig.case.acceptances)
    if not isinstance(rig, ClientHarness):
        return found
    # How an act ends that a faulty client was told to do says nothing about the case.
    acts = () if faulty else compare_acts(case, rig.service)
    return (*found, *acts, *compare_calls(case, rig.service))


def _compared(rig: Rig) -> int:
    """How many messages of the tester's a case has judged the answer to, or the end of an act."""
    acts = len(rig.service.served) if isinstance(rig, ClientHarness) else 0
    return acts + len({note.message.sends for note in rig.case.acceptances})


def _stem(case: str) -> str:
    """The id without parameters, which stands for the function."""
    return case.partition("[")[0]


def compare(case: Case, acceptances: Iterable[Acceptance]) -> tuple[Difference, ...]:
    """The differences between what one case accepts and what the oracle allows.

    What is accepted of one message in several steps is accepted of it as a whole.

    Args:
        case: which.
        acceptances: that it noted.
    """
    of_message: dict[tuple[bytes, ...], list[Acceptance]] = defaultdict(list)
    for acceptance in acceptances:
        of_message[acceptance.message.sends].append(acceptance)
    return tuple(
        difference for notes in of_message.values() for difference in _compare_message(case, notes)
    )


def _compare_message(case: Case, notes: list[Acceptance]) -> Iterator[Difference]:
    first = notes[0]
    octets, *later = first.message.sends
    expectation = expected(octets, first.state, *later)
    allowed = _kinds(answer for note in notes for answer in note.allowed)
    tolerated = _kinds(answer for note in notes for answer in note.tolerated) - allowed
    good = _kinds(item.kind for item in expectation.allowed if not item.warning)
    bad = _kinds(item.kind for item in expectation.allowed if item.warning) - good
    missing = _but_for_statuses(expectation, allowed | tolerated) - allowed - tolerated
    warns = all(only_recommended(note.breaks or case.requirements) for note in notes)
    found = {
        DifferenceKind.WIDER: (allowed | tolerated) - good - bad,
        DifferenceKind.MILDER: allowed & bad,
        DifferenceKind.NARROWER: frozenset() if warns else missing,
        DifferenceKind.STRICTER: (good & tolerated) | (missing & good if warns else frozenset()),
    }
    for side, kinds in found.items():
        if kinds:
            yield Difference(
                case.id,
                str(first.message),
                side,
                tuple(sorted(kinds)),
                _words(allowed, tolerated),
                _of_oracle(expectation),
                _readings(expectation, kinds),
            )


def _kinds(answers: Iterable[Answer]) -> frozenset[str]:
    """Each kind of outcome by itself, of Replies each status, and of reports each error."""
    found: set[str] = set()
    for answer in answers:
        if answer.outcome in REPLIES:
            name = str(Answer(answer.outcome))
            found |= {f"{name} of {status.name}" for status in answer.statuses}
        elif answer.outcome is Reported:
            found |= {f"{Answer(Reported)} of {code.name}" for code in answer.codes}
        else:
            found.add(str(answer))
    return frozenset(found)


_ANY_REPLY: Final = tuple(_kinds((Answer(kind),)) for kind in REPLIES)
"""Every status, of each kind of Reply."""


def _but_for_statuses(expectation: Expectation, accepted: frozenset[str]) -> frozenset[str]:
    """What the oracle allows, but for statuses of which it cannot know."""
    known = _kinds(item.kind for item in expectation.allowed)
    open_to_all = [every for every in _ANY_REPLY if known >= every]
    if open_to_all:
        for every in open_to_all:
            known -= every if accepted & every else frozenset()
        return known
    # Of a Call that cannot succeed the case alone knows whether its program refuses it.
    programs = statements(PROGRAMS_ANSWER, expectation.version)
    return _kinds(item.kind for item in expectation.allowed if item.ids != programs)


def _words(allowed: frozenset[str], tolerated: frozenset[str]) -> str:
    warned = (f"{kind} (warning)" for kind in sorted(tolerated))
    shown = sorted(allowed)
    for kind, every in zip(REPLIES, _ANY_REPLY, strict=True):
        if allowed >= every:
            shown = [*(one for one in shown if one not in every), str(Answer(kind))]
    return "; ".join((*shown, *warned))


def _of_oracle(expectation: Expectation) -> str:
    fault = f" ({expectation.fault})" if expectation.fault else ""
    return "; ".join(map(str, expectation.allowed)) + fault


def _readings(expectation: Expectation, kinds: frozenset[str]) -> tuple[str, ...]:
    items = (item for item in expectation.allowed if _kinds((item.kind,)) & kinds)
    return tuple(dict.fromkeys(reading for item in items for reading in item.readings))
