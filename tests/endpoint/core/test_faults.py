"""The table of faults: total, and each row with an answer that its role can give."""

from __future__ import annotations

from rpcrdma.endpoint.core.faults import RULES, Fault, FaultAnswer, FaultFound

EITHER = Fault.BAD_PLACEMENT
RESPONDER = [fault for fault in Fault if fault.value < EITHER.value]
REQUESTER = [fault for fault in Fault if fault.value > EITHER.value]


def test_every_fault_has_one_rule_with_its_grounds() -> None:
    """A requirement of the catalogue's form, and a section."""
    assert set(RULES) == set(Fault)
    for rule in RULES.values():
        assert rule.requirement.startswith(("rfc8166.", "bidir.", "rtrext."))
        assert rule.sections


def test_a_requester_never_answers_and_a_responder_never_fails_a_call() -> None:
    """rfc8166 4.5: errors are reported to the Requester only; rtrext 5.4: but for one kind."""
    assert {RULES[fault].answer for fault in REQUESTER} == {
        FaultAnswer.DISCARD,
        FaultAnswer.FAIL_CALL,
    }
    assert FaultAnswer.FAIL_CALL not in {RULES[fault].answer for fault in RESPONDER}
    assert RULES[EITHER].answer is FaultAnswer.REPTERR


def test_a_fault_that_is_found_names_its_requirement() -> None:
    """With the detail, or else the fault's name."""
    assert FaultFound(Fault.RUNT, "27 octets").requirement == RULES[Fault.RUNT].requirement
    assert "27 octets" in str(FaultFound(Fault.RUNT, "27 octets"))
    assert "RUNT" in str(FaultFound(Fault.RUNT))
