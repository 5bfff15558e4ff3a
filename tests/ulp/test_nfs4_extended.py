from __future__ import annotations

import pytest

from rpcrdma.ulp.file_node import FileKind, FileNode
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_compound import Compound, Nfs4Refused
from rpcrdma.ulp.nfs4_extended import VALUE_MAXIMUM, get, keep, names, remove
from rpcrdma.ulp.nfs4_operations import existence
from rpcrdma.ulp.nfs4_state import ConnectionBinding, Nfs4State
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import AttributeOption, Operation, Status

EITHER, CREATE, REPLACE = AttributeOption
OPERATIONS = [
    Operation.OP_GETXATTR,
    Operation.OP_SETXATTR,
    Operation.OP_LISTXATTRS,
    Operation.OP_REMOVEXATTR,
]


@pytest.fixture
def compound() -> Compound:
    node = FileNode("file", FileKind.FILE, 7, extended={b"b": b"two", b"a": b"one"})
    return Compound(FileStore(), Nfs4State(), ConnectionBinding(), minor=2, current=node)


def extended(compound: Compound) -> dict[bytes, bytes]:
    return compound.node().extended


def setting(option: AttributeOption, name: bytes, value: bytes = b"x") -> wire.SetxattrArguments:
    return wire.SetxattrArguments(option, name, value)


def test_what_was_written_down_is_read(compound: Compound) -> None:
    keep(compound, setting(EITHER, b"new", b"value"))

    found = get(compound, wire.GetxattrArguments(b"new"))

    assert found == wire.GetxattrResult(wire.GetxattrDone(b"value"))


@pytest.mark.parametrize(
    ("option", "name"), [(EITHER, b"a"), (EITHER, b"c"), (CREATE, b"c"), (REPLACE, b"a")]
)
def test_each_option_sets_what_it_may(
    compound: Compound, option: AttributeOption, name: bytes
) -> None:
    before = compound.node().change

    result = keep(compound, setting(option, name))

    assert extended(compound)[name] == b"x"
    after = compound.node().change
    done = wire.SetxattrDone(wire.ChangeInformation(atomic=True, before=before, after=after))
    assert (result, after > before) == (wire.SetxattrResult(done), True)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (setting(CREATE, b"a"), Status.NFS4ERR_EXIST),
        (setting(REPLACE, b"c"), Status.NFS4ERR_NOXATTR),
        (setting(EITHER, b"a", bytes(VALUE_MAXIMUM + 1)), Status.NFS4ERR_XATTR2BIG),
    ],
)
def test_what_may_not_be_set_changes_nothing(
    compound: Compound, arguments: wire.SetxattrArguments, status: Status
) -> None:
    with pytest.raises(Nfs4Refused) as refused:
        keep(compound, arguments)

    assert refused.value.status is status
    assert extended(compound) == {b"b": b"two", b"a": b"one"}


def test_the_longest_value_is_kept(compound: Compound) -> None:
    keep(compound, setting(EITHER, b"a", bytes(VALUE_MAXIMUM)))

    assert len(extended(compound)[b"a"]) == VALUE_MAXIMUM


@pytest.mark.parametrize(
    ("cookie", "room", "found", "end", "is_all"),
    [
        (0, 100, (b"a", b"b"), 2, True),
        (1, 100, (b"b",), 2, True),
        (2, 16, (), 2, True),
        (0, 24, (b"a",), 1, False),
        (0, 32, (b"a", b"b"), 2, True),
    ],
)
def test_names_are_listed_as_far_as_there_is_room(
    compound: Compound, cookie: int, room: int, found: tuple[bytes, ...], end: int, is_all: bool
) -> None:
    result = names(compound, wire.ListxattrsArguments(cookie, room))

    assert result == wire.ListxattrsResult(wire.ListxattrsDone(end, found, is_all))


def test_a_list_that_takes_no_name_is_refused(compound: Compound) -> None:
    with pytest.raises(Nfs4Refused) as refused:
        names(compound, wire.ListxattrsArguments(0, 23))

    assert refused.value.status is Status.NFS4ERR_TOOSMALL


def test_what_is_removed_is_there_no_more(compound: Compound) -> None:
    remove(compound, wire.RemovexattrArguments(b"a"))

    assert extended(compound) == {b"b": b"two"}
    with pytest.raises(Nfs4Refused) as refused:
        remove(compound, wire.RemovexattrArguments(b"a"))
    assert refused.value.status is Status.NFS4ERR_NOXATTR


@pytest.mark.parametrize("operation", OPERATIONS)
def test_they_exist_from_minor_version_two_on(operation: Operation) -> None:
    statuses = [existence(operation, minor) for minor in range(3)]

    illegal = Status.NFS4ERR_OP_ILLEGAL
    assert statuses == [illegal, illegal, Status.NFS4_OK]
