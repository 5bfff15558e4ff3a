"""The one table of operations: whole, consistent, and the only list of them in the tree."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies import _generated_rtrext as strategies
from rpcrdma.wire import _generated_rtrext as rtrext
from rpcrdma.wire import _generated_xcharext as xcharext
from rpcrdma.wire import operations
from rpcrdma.wire.operations import (
    BY_CODE,
    BY_NAME,
    OPERATIONS,
    XCHAREXT,
    KnownOption,
    OptionalOperation,
    XmtCont,
    XmtReq,
    XmtResp,
    among,
    operation_of,
    operations_of,
)
from rpcrdma.wire.optional import decode_option, encode_option, values_of, with_values
from rpcrdma.wire.properties import ReceiveBufferSize, property_values
from rpcrdma.wire.rpc import MessageType

ROOT = Path(__file__).parents[2]
SCHEMAS = {"rtrext": rtrext.SCHEMA, "xcharext": xcharext.SCHEMA}
"""Every document whose generated XDR has operations."""

WRITTEN = sorted(
    path
    for package in ("rpcrdma", "conformance", "targets", "fuzz", "reports", "benchmarks")
    for path in (ROOT / package).rglob("*.py")
    if not path.name.startswith("_generated_")
)
MOST_NAMED = 2
"""Operations that one expression outside of the table may name: more of them are a list."""


def by_name(operation: OptionalOperation) -> str:
    return operation.name


@pytest.mark.parametrize("document", SCHEMAS)
def test_every_operation_of_the_xdr_is_in_the_table(document: str) -> None:
    codes = {name: value for name, value in SCHEMAS[document].constants.items() if "ROPT_" in name}

    assert {one.constant: one.code for one in operations_of(document)} == codes


def test_every_generated_module_with_operations_is_looked_at() -> None:
    generated = (ROOT / "rpcrdma" / "wire").glob("_generated_*.py")
    found = {
        path.stem.removeprefix("_generated_") for path in generated if "ROPT_" in path.read_text()
    }

    assert found == SCHEMAS.keys() == {one.document for one in OPERATIONS}


def test_codes_names_and_contents_are_each_of_one_operation() -> None:
    assert len(BY_CODE) == len(BY_NAME) == len({one.contents for one in OPERATIONS})
    assert [one.code for one in OPERATIONS] == sorted(BY_CODE)


@pytest.mark.parametrize("operation", operations_of(XCHAREXT), ids=by_name)
def test_operation_with_properties_round_trips(operation: OptionalOperation) -> None:
    values = property_values(ReceiveBufferSize(8192))
    option = with_values(operation, values)

    body = encode_option(operation.way(), option)

    assert type(option) is operation.contents
    assert operation_of(option) is operation
    assert body.rdma_opttype == operation.code
    assert decode_option(body) == option
    assert values_of(option) == values


@given(
    strategies.xmt_reqs()
    | strategies.xmt_resps()
    | strategies.xmt_conts()
    | strategies.rept_errs(),
    st.sampled_from(MessageType),
)
def test_operation_that_reduces_round_trips_does_likewise(
    option: KnownOption, group: MessageType
) -> None:
    operation = operation_of(option)

    body = encode_option(operation.way(group), option)

    assert body.rdma_opttype == operation.code
    assert decode_option(body) == option
    assert values_of(option) == ()


def test_a_continuation_goes_the_way_of_what_it_continues() -> None:
    ways = {one.name: (one.way(MessageType.CALL), one.way(MessageType.REPLY)) for one in OPERATIONS}

    assert ways["xmtcont"] == (MessageType.CALL, MessageType.REPLY)
    assert all(len(set(both)) == 1 for name, both in ways.items() if name != "xmtcont")


def test_a_group_has_as_many_sends_as_it_says() -> None:
    assert BY_NAME["xmtreq"].sends(XmtReq((), (), 3, 1, 100)) == 3
    assert BY_NAME["xmtresp"].sends(XmtResp((), 2, 100)) == 2
    assert BY_NAME["xmtcont"].sends(XmtCont(1, 5, 100)) == 1


@pytest.mark.parametrize("operation", OPERATIONS, ids=by_name)
def test_names_in_a_row_are_those_of_operations(operation: OptionalOperation) -> None:
    assert set(operation.needs) <= BY_NAME.keys() - {operation.name}
    has_values = operation.propvalset in operation.contents.__struct_fields__
    assert has_values is bool(operation.propvalset) is (operation.document == XCHAREXT)
    assert operation.contents.__name__ in operation.schema.types
    if operation.answered_by:
        assert BY_NAME[operation.answered_by].direction is MessageType.REPLY
        assert operation.answered_by in operation.needs


def test_every_bit_of_rtr_support_is_that_of_the_operation_of_its_name() -> None:
    """rtrext 8.2, D-107: RTRS_XREQ is ROPT_XMTREQ."""
    constants = rtrext.SCHEMA.constants
    bits = {
        f"ROPT_XMT{name.removeprefix('RTRS_X')}": value
        for name, value in constants.items()
        if name.startswith("RTRS_")
    }

    assert {one.constant: one.support_bit for one in OPERATIONS if one.support_bit} == bits


def test_some_are_told_by_their_codes() -> None:
    assert among({5, 77}) == {5: BY_NAME["xmtreq"]}


def test_what_goes_the_way_of_replies_answers_something() -> None:
    answers = {one.answered_by for one in OPERATIONS if one.answered_by}
    about_messages = {"xmtresp", "repterr"}  # what they answer is no operation alone

    assert {one.name for one in OPERATIONS if one.is_answer} == answers | about_messages


# -- nothing else lists them


def named(node: ast.AST) -> set[str]:
    """The operations that an expression names: by constant, class or name in a profile."""
    words = {
        one.id
        if isinstance(one, ast.Name)
        else one.attr
        if isinstance(one, ast.Attribute)
        else one.value
        for one in ast.walk(node)
        if isinstance(one, ast.Name | ast.Attribute | ast.Constant)
    }
    return {
        one.name for one in OPERATIONS if words & {one.constant, one.contents.__name__, one.name}
    }


def lists(source: str) -> list[int]:
    """Lines of displays, unions and patterns that name more operations than happen to meet."""
    spelled = [
        one
        for one in OPERATIONS
        if any(word in source for word in (one.constant, one.contents.__name__, one.name))
    ]
    if len(spelled) <= MOST_NAMED:
        return []  # to parse every file takes many seconds
    kinds = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp, ast.MatchOr)
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, kinds) and len(named(node)) > MOST_NAMED
    ]


def test_only_the_table_lists_operations() -> None:
    found = {path for path in WRITTEN if lists(path.read_text(encoding="utf-8"))}

    assert found == {Path(operations.__file__)}


@pytest.mark.parametrize(
    ("source", "is_list"),
    [
        ("CODES = (ROPT_CONNPROP, ROPT_REQPROP, ROPT_UPDPROP)", True),
        ("CODES = {'connprop': 1, 'reqprop': 2, 'resprop': 3}", True),
        ("claims: tuple[Literal['connprop', 'reqprop', 'updprop'], ...]", True),
        ("Option = ConnProp | wire.ReqProp | UpdProp", True),
        ("announcements = (ROPT_CONNPROP, ROPT_UPDPROP)", False),
        ("for one in OPERATIONS: pass", False),
    ],
)
def test_the_search_tells_a_list_from_a_mention(source: str, *, is_list: bool) -> None:
    assert bool(lists(source)) is is_list
