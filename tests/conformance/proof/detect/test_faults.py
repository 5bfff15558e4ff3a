"""The faults of a module: which there are, what they are called, and the trees that have them."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from conformance.proof.detect.faults import (
    ENDPOINT,
    MadeFault,
    draw,
    faults_in,
    find_modules,
    mutated,
)
from tests.conformance.proof.detect.planted import SOURCE, module

FAULTS = faults_in(module())
EVERY = tuple(fault for each in find_modules(f"{ENDPOINT}.core") for fault in faults_in(each))


def named(identity: str) -> MadeFault:
    (found,) = (fault for fault in FAULTS if fault.id == f"planted:{identity}")
    return found


def test_each_fault_has_an_id_that_says_where_it_is() -> None:
    fault = named("25:11:compare:0")

    assert fault.function == "Counter.take"
    assert fault.what == (
        "`if self.count + number > MOST:` becomes `if self.count + number >= MOST:`"
    )
    assert fault.lines == (25,)
    assert not fault.at_import


def test_what_is_for_people_is_left_alone() -> None:
    """The docstring, annotations, imports, `__all__`, the message, and `__repr__`."""
    assert {fault.lines[0] for fault in FAULTS if fault.at_import} == {12, 18}
    assert {fault.id for fault in FAULTS if fault.lines == (26,)} == {"planted:26:12:remove:0"}
    assert not [fault for fault in FAULTS if fault.function.endswith("__repr__")]


def test_a_default_is_reached_by_what_the_function_does() -> None:
    fault = named("23:4:default:0")

    assert fault.lines == tuple(range(24, 33))
    assert "twice: bool=True" in fault.what
    assert not fault.at_import


def test_an_inner_function_is_part_of_the_outer_one() -> None:
    assert named("30:12:return:0").function == "Counter.take.again"


def test_ids_and_fingerprints_are_of_one_fault_each() -> None:
    assert len({fault.id for fault in EVERY}) == len(EVERY)
    assert len({fault.fingerprint for fault in EVERY}) == len(EVERY)


def test_no_two_faults_make_the_same_change() -> None:
    """Wherever two operators would."""
    trees = Counter(ast.dump(mutated(module(), fault.id)) for fault in FAULTS)

    assert max(trees.values()) == 1
    assert ast.dump(ast.parse(SOURCE)) not in trees


def test_a_fingerprint_moves_with_its_function() -> None:
    moved = faults_in(module(SOURCE.replace("class Counter", "NAME = 'x'\n\n\nclass Counter")))

    assert {fault.fingerprint for fault in FAULTS if fault.function} < {
        fault.fingerprint for fault in moved
    }


def test_a_fingerprint_is_another_once_its_function_is_changed() -> None:
    other = faults_in(module(SOURCE.replace("Count so many", "Count more")))
    before = {fault.fingerprint for fault in FAULTS}

    kept = before & {fault.fingerprint for fault in other}

    assert kept == {one.fingerprint for one in FAULTS if "take" not in one.function}


def test_a_tree_with_a_fault_has_that_change_alone() -> None:
    tree = mutated(module(), "planted:12:14:constant:0")

    assert ast.unparse(tree) == ast.unparse(ast.parse(SOURCE.replace("= 4", "= 5")))
    compile(tree, "planted.py", "exec")


def test_a_fault_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="no fault `planted:1:0:compare:0`"):
        mutated(module(), "planted:1:0:compare:0")


def test_a_sample_is_the_same_each_time_and_a_larger_one_begins_with_it() -> None:
    assert draw(EVERY, 7, 20) == draw(EVERY, 7, 20)
    assert draw(EVERY, 7, 60)[:20] == draw(EVERY, 7, 20)
    assert draw(EVERY, 8, 20) != draw(EVERY, 7, 20)


def test_a_sample_is_spread_over_the_modules() -> None:
    sizes, drawn = (Counter(one.module for one in some) for some in (EVERY, draw(EVERY, 7, 100)))

    for name, size in sizes.items():
        assert abs(drawn[name] - 100 * size / len(EVERY)) <= 1


def test_one_module_alone_is_found() -> None:
    (found,) = find_modules(f"{ENDPOINT}.core.credits")

    assert found.name == "rpcrdma.endpoint.core.credits"
    with pytest.raises(ValueError, match=r"no module `rpcrdma\.endpoint\.nothing`"):
        find_modules(f"{ENDPOINT}.nothing")
