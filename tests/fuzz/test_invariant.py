from __future__ import annotations

from fuzz.invariant import BrokenInvariant, finding_of, undeclared


def test_undeclared_exception_is_a_finding_that_names_it() -> None:
    broken = undeclared(IndexError("list index"))
    assert str(broken) == "undeclared-exception: IndexError: list index"


def test_finding_has_the_input_and_what_it_broke() -> None:
    finding = finding_of("v1-header", b"\x01", BrokenInvariant("round-trip", "differs"))

    assert (finding.way, finding.octets) == ("v1-header", b"\x01")
    assert (finding.broken, finding.detail) == (("round-trip",), "differs")
