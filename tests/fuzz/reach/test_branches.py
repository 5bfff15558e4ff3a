"""What coverage.py reports, as branches by their places in the source."""

from __future__ import annotations

from fuzz.reach.branches import modules
from fuzz.reach.measure import ROOT

PATH = "rpcrdma/endpoint/core/credits.py"


def test_a_branch_is_told_by_its_lines() -> None:
    lines = (ROOT / PATH).read_text("utf-8").splitlines()
    place = next(number for number, line in enumerate(lines, 1) if line.strip().startswith("if "))
    function = {"missing_lines": [], "missing_branches": [[place, place + 1], [place, -1]]}
    summary = {"num_statements": 9, "covered_lines": 7, "num_branches": 4, "covered_branches": 2}

    (module,) = modules({PATH: {"summary": summary, "functions": {"Some.method": function}}})

    assert (module.name, module.package) == ("endpoint.core.credits", "endpoint")
    assert (module.branches, module.taken) == (4, 2)
    first, second = module.unreached
    assert first.where == "endpoint.core.credits:Some.method"
    assert first.line == lines[place - 1].strip()
    assert first.onward == lines[place].strip()
    assert second.onward == "leave the function"
    assert first.came


def test_a_line_that_no_input_comes_to_is_told_apart() -> None:
    function = {"missing_lines": [1, 2], "missing_branches": [[1, 2]]}
    summary = {"num_statements": 2, "covered_lines": 0, "num_branches": 2, "covered_branches": 1}

    (module,) = modules({PATH: {"summary": summary, "functions": {"": function}}})

    assert [branch.came for branch in module.unreached] == [False]
    assert module.unreached[0].function == "the module"
