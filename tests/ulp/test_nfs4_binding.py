from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp import nfs4, rpc
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.file_tree import DIRECTORY, LINK, TREE
from rpcrdma.ulp.nfs4_binding import LINK_MAXIMUM
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.wire import _generated_nfs4 as wire

CheckBinding = Callable[[Nfs4Program, bytes, bytes], None]
CheckCutCalls = Callable[[Nfs4Program, bytes], None]

names = st.sampled_from([*(entry.name for entry in TREE), "absent"])
offsets = st.integers(0, 5000)
attributes = st.lists(st.sampled_from([0, 1, 3, 4, 8, 11, 19, 20, 33, 35, 36]), max_size=11)
operations = st.one_of(
    names.map(nfs4.lookup),
    st.builds(nfs4.put_root),
    st.builds(nfs4.get_handle),
    st.binary(max_size=128).map(nfs4.put_handle),
    attributes.map(lambda numbers: nfs4.get_attributes(*numbers)),
    st.builds(nfs4.read, offsets, st.integers(0, 3000) | st.just(2**32 - 1)),
    st.builds(nfs4.write, offsets, st.binary(max_size=50)),
    st.builds(nfs4.read_link),
    st.builds(
        lambda maximum, numbers: nfs4.read_directory(maximum, *numbers),
        st.integers(0, 2000),
        attributes,
    ),
    st.sampled_from([wire.Operation.OP_SET_SSV, wire.Operation.OP_ILLEGAL]).map(
        wire.OtherArguments
    ),
)
compounds = st.builds(
    lambda name, rest, tag: nfs4.compound(9, *nfs4.at(name), *rest, tag=tag),
    names,
    st.lists(operations, max_size=4),
    st.binary(max_size=9),
)
STORE = FileStore()


def small(call: bytes) -> bool:
    return len(Nfs4Program(STORE).execute(call)[0]) < 20000


@pytest.mark.long
@given(compounds.filter(small))
def test_binding_holds_for_every_compound(check_binding: CheckBinding, call: bytes) -> None:
    program = Nfs4Program(STORE)
    (reply,) = program.execute(call)

    check_binding(program, call, reply)


@given(compounds)
@settings(max_examples=30)
def test_cut_compound_gets_garbage_args(check_cut_calls: CheckCutCalls, call: bytes) -> None:
    check_cut_calls(Nfs4Program(STORE), call)


def test_every_write_has_an_eligible_argument() -> None:
    call = nfs4.compound(
        9, nfs4.put_root(), nfs4.write(0, b"abcde"), nfs4.get_handle(), nfs4.write(0, b"")
    )

    first, second = Nfs4Program(STORE).arguments(call)

    assert call[first.position : first.position + first.length] == b"abcde"
    assert second == DataItem(len(call), 0)


def test_every_read_and_readlink_is_a_slot_in_their_order() -> None:
    call = nfs4.compound(
        9,
        *nfs4.at("size-1000"),
        nfs4.read(0, 300),
        *nfs4.at(LINK.name),
        nfs4.read_link(),
        *nfs4.at("size-1"),
        nfs4.read(0, 10),
    )
    program = Nfs4Program(STORE)
    (reply,) = program.execute(call)

    slots = program.results(call, reply)

    assert program.expectation(call).items == (300, LINK_MAXIMUM, 10)
    assert [item.length for item in slots if item] == [300, len(LINK.target), 1]


def test_read_that_fails_or_is_not_reached_has_no_item() -> None:
    call = nfs4.compound(
        9, *nfs4.at(DIRECTORY.name), nfs4.read(0, 300), *nfs4.at(LINK.name), nfs4.read_link()
    )
    program = Nfs4Program(STORE)
    (reply,) = program.execute(call)

    assert program.results(call, reply) == (None, None)


def test_more_results_than_operations_are_refused() -> None:
    results = (wire.PutrootfhResult(wire.Status.NFS4_OK),) * 2
    encoded = wire.encode_compound_result(wire.CompoundResult(wire.Status.NFS4_OK, b"", results))
    call = nfs4.compound(9, nfs4.put_root())

    with pytest.raises(DecodeError) as caught:
        Nfs4Program(STORE).results(call, rpc.accepted(9, encoded))

    assert (caught.value.reason, caught.value.offset) == (Reason.TOO_LONG, 32)


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_full_read_is_exactly_as_large_as_expected(count: int) -> None:
    call = nfs4.compound(9, *nfs4.at("size-1000"), nfs4.read(0, count), tag=b"tag")
    program = Nfs4Program(STORE)

    assert [program.expectation(call).maximum] == [len(reply) for reply in program.execute(call)]


def test_readdir_is_bounded_by_its_own_maximum() -> None:
    small_call = nfs4.compound(9, nfs4.read_directory(1000))
    large_call = nfs4.compound(9, nfs4.read_directory(9000))
    program = Nfs4Program(STORE)

    difference = program.expectation(large_call).maximum - program.expectation(small_call).maximum

    assert difference == 8000


def test_every_slot_has_the_beginning_of_its_operation() -> None:
    """rtrext 7.4: in the stream of the call; of READ and READLINK, whatever is between them."""
    reads = nfs4.read(0, 300), nfs4.read(0, 10)
    before, between = nfs4.at("size-1000"), nfs4.at(LINK.name)
    call = nfs4.compound(
        9, *before, reads[0], *between, nfs4.read_link(), reads[1], nfs4.get_handle(), tag=b"abc"
    )
    program = Nfs4Program(STORE)

    origins = program.origins(call)

    assert len(origins) == len(program.expectation(call).items) == 3
    found = [wire.decode_argument_operation(call[origin:])[0] for origin in origins]
    assert found == [reads[0], nfs4.read_link(), reads[1]]


def test_compound_without_reads_has_no_beginnings() -> None:
    assert Nfs4Program(STORE).origins(nfs4.compound(9, nfs4.put_root())) == ()
