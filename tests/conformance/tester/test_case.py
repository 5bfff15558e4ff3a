"""What a running case notes: of its own, and apart from every other case's."""

from __future__ import annotations

from conformance.tester.case import CaseLog, Deviation, Warned


def test_a_deviation_is_what_ends_a_case_and_says_what_it_breaks() -> None:
    error = Deviation("it is zero", expected=("one",), actual="zero", breaks=("rfc8166.4.x",))

    assert isinstance(error, AssertionError)
    assert (str(error), error.reason) == ("it is zero", "it is zero")
    assert (error.expected, error.actual, error.breaks) == (("one",), "zero", ("rfc8166.4.x",))


def test_the_notes_of_one_case_are_not_those_of_another() -> None:
    one, other = CaseLog(), CaseLog()

    one.warnings.append(Warned("slow", ("rfc8166.4.x",)))
    one.interpretations.append("D-12")
    one.mutations[b"octets"] = "one word"

    assert other == CaseLog()
