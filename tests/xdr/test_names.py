"""Names come from the table or are put into Python's case; stale entries are told."""

# Arguments come from pytest's fixtures and from parameters that say what they are:
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

import pytest

from rpcrdma.xdr.names import NameTable, camel_case, snake_case
from rpcrdma.xdr.parse import XdrError


@pytest.mark.parametrize(
    ("name", "camel", "snake"),
    [
        ("rdma_msg", "RdmaMsg", "rdma_msg"),
        ("rdma_body.RDMA_DONE", "RdmaBodyRdmaDone", "rdma_body_rdma_done"),
        ("bool-ish", "BoolIsh", "bool_ish"),
    ],
)
def test_name_gets_pythons_case(name, camel, snake):
    assert (camel_case(name), snake_case(camel)) == (camel, snake)


def test_listed_name_goes_before_the_rule(tmp_path):
    path = tmp_path / "one.names.toml"
    path.write_text('[types]\nrdma_msg = "TransportHeader"\n[arms]\n"u.A" = "First"\n')
    table = NameTable.load(path)

    assert table.type_name("rdma_msg") == "TransportHeader"
    assert table.arm_name("u.A") == "First"
    assert table.arm_name("u.B") == "UB"
    table.check_all_used()


def test_field_that_is_a_keyword_gets_an_underscore():
    assert NameTable().field_name("s.from") == "from_"


def test_entry_for_nothing_is_told():
    table = NameTable(types={"gone": "Gone"}, fields={"s.gone": "left"})

    with pytest.raises(XdrError) as caught:
        table.check_all_used()

    assert "names what is not there: [fields] s.gone, [types] gone" in str(caught.value)


def test_section_that_does_not_exist_is_told(tmp_path):
    path = tmp_path / "one.names.toml"
    path.write_text("[typos]\n")

    with pytest.raises(XdrError) as caught:
        NameTable.load(path)

    assert "one.names.toml: unknown section typos" in str(caught.value)


def test_absent_table_is_empty(tmp_path):
    assert NameTable.load(tmp_path / "none.toml") == NameTable()


@pytest.mark.parametrize("section", ['flat = ["u.A"]', '[shared]\nt = "other"'])
def test_arm_or_type_that_is_not_there_is_stale(tmp_path, section):
    path = tmp_path / "one.names.toml"
    path.write_text(section)

    with pytest.raises(XdrError, match="the table names what is not there"):
        NameTable.load(path).check_all_used()
