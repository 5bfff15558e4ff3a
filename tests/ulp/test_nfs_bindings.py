from __future__ import annotations

import pytest

from rpcrdma.ulp.nfs_bindings import (
    ChunkAllowance,
    GrowthKind,
    LargestResult,
    binding_names,
    limits,
    nfs_binding,
)

# RFC 8267 sections 4 and 6.1, written down a second time.
ELIGIBLE = {
    "nfs3": ({"WRITE", "SYMLINK"}, {"READ", "READLINK"}),
    "nfs4.0": ({"WRITE", "CREATE"}, {"READ", "READLINK"}),
    "nfs4.1": ({"WRITE", "CREATE"}, {"READ", "READLINK"}),
    "nfs4.0-callback": (set(), set()),
    "nfs4.1-callback": (set(), set()),
}


def test_every_binding_is_listed() -> None:
    assert set(binding_names()) == set(ELIGIBLE)


@pytest.mark.parametrize("name", ELIGIBLE)
def test_eligible_is_what_the_document_lists_and_nothing_else(name: str) -> None:
    binding = nfs_binding(name)

    arguments = {row.name for row in binding.eligible_arguments}
    results = {row.name for row in binding.eligible_results}

    assert (arguments, results) == ELIGIBLE[name]


@pytest.mark.parametrize("name", ELIGIBLE)
def test_rows_are_found_by_number_and_by_name(name: str) -> None:
    binding = nfs_binding(name)

    assert all(row.number == number for number, row in binding.rows.items())
    assert set(binding.by_name.values()) == set(binding.rows.values())


def test_an_unknown_binding_is_refused() -> None:
    with pytest.raises(KeyError):
        nfs_binding("nfs2")


def test_a_server_of_version_four_accepts_one_chunk_of_each_kind_of_sixteen_segments() -> None:
    assert nfs_binding("nfs4.0").chunks == ChunkAllowance(1, 1, 1, 16)
    assert nfs_binding("nfs4.1").chunks == nfs_binding("nfs4.0").chunks


def test_a_minor_version_extends_the_one_before() -> None:
    before, after = nfs_binding("nfs4.0"), nfs_binding("nfs4.1")

    assert before.rows.items() < after.rows.items()
    assert (before.minor, after.minor) == (0, 1)
    assert (before.bounded_by_session, after.bounded_by_session) == (False, True)


def test_data_that_is_asked_for_is_rounded_up_behind_the_fixed_part() -> None:
    read = nfs_binding("nfs3").by_name["READ"]

    assert read.measure == "count"
    assert read.largest(5) == LargestResult(104 + 8, 5)


def test_data_without_a_bound_has_the_limit_of_the_table() -> None:
    row = nfs_binding("nfs4.0").by_name["READLINK"]

    assert row.measure is None
    assert row.largest() == LargestResult(4 + limits()["link"], limits()["link"])


def test_a_failure_may_be_the_largest_result() -> None:
    row = nfs_binding("nfs3").by_name["READDIR"]

    assert row.largest(8).total == 92
    assert row.largest(1000) == LargestResult(1004, None)


def test_each_element_asked_about_gets_one_word() -> None:
    row = nfs_binding("nfs4.1").by_name["TEST_STATEID"]

    assert row.grows is not None
    assert row.grows.kind is GrowthKind.ELEMENTS
    assert row.largest(3).total == 4 + 12
