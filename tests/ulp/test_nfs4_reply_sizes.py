"""The sums of `nfs_bindings.toml` are those of the XDR: the largest results are encoded."""

from __future__ import annotations

import pytest

from rpcrdma.ulp import nfs4
from rpcrdma.ulp.nfs4_binding import compound_is_guessed, compound_items, compound_maximum
from rpcrdma.ulp.nfs4_operations import number_of
from rpcrdma.ulp.nfs_bindings import limits, nfs_binding
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

HEAD = 8
ROWS = nfs_binding("nfs4.1").rows
STATEID = wire.StateId(1, bytes(12))
CHANGE = wire.ChangeInformation(atomic=True, before=1, after=2)
BITMAP = (1, 2, 3)
OWNER = wire.StateOwner(1, bytes(1024))
DENIED = wire.LockDenial(0, 1, wire.LockType.READ_LT, OWNER)
CHANNEL = wire.ChannelAttributes(0, 1, 2, 3, 4, 5, (6,))
NOBODY = wire.AccessControlEntry(0, 0, 0, bytes(limits()["identity"]))
WRITE_DELEGATION = wire.WriteDelegation(STATEID, False, wire.SizeLimit(1), NOBODY)  # noqa: FBT003
IMPLEMENTATION_NAMES = limits()["implementation"] - 20
IMPLEMENTATION = wire.Implementation(bytes(IMPLEMENTATION_NAMES), b"", wire.Time(0, 0))

LARGEST: dict[str, wire.ResultOperation] = {
    "ACCESS": wire.AccessResult(wire.AccessDone(1, 1)),
    "CLOSE": wire.CloseResult(STATEID),
    "COMMIT": wire.CommitResult(wire.CommitDone(bytes(8))),
    "CREATE": wire.CreateResult(wire.CreateDone(CHANGE, BITMAP)),
    "GETFH": wire.GetfhResult(wire.GetfhDone(bytes(128))),
    "LINK": wire.LinkResult(wire.LinkDone(CHANGE)),
    "LOCK": wire.LockResult(DENIED),
    "LOCKT": wire.LocktResult(DENIED),
    "LOCKU": wire.LockuResult(STATEID),
    "OPEN": wire.OpenResult(wire.OpenDone(STATEID, CHANGE, 0, BITMAP, WRITE_DELEGATION)),
    "OPEN_CONFIRM": wire.OpenConfirmResult(wire.OpenConfirmDone(STATEID)),
    "OPEN_DOWNGRADE": wire.OpenDowngradeResult(wire.OpenDowngradeDone(STATEID)),
    "READLINK": wire.ReadlinkResult(wire.ReadlinkDone(bytes(limits()["link"]))),
    "REMOVE": wire.RemoveResult(wire.RemoveDone(CHANGE)),
    "RENAME": wire.RenameResult(wire.RenameDone(CHANGE, CHANGE)),
    "SETATTR": wire.SetattrResult(Status.NFS4_OK, BITMAP),
    "SETCLIENTID": wire.SetclientidResult(
        wire.NetworkAddress("n" * (limits()["address"] // 2), "a" * (limits()["address"] // 2))
    ),
    "WRITE": wire.WriteResult(wire.WriteDone(1, wire.StableHow.FILE_SYNC4, bytes(8))),
    "BIND_CONN_TO_SESSION": wire.BindConnToSessionResult(
        wire.BindConnToSessionDone(bytes(16), wire.ChannelGiven.CDFS4_BOTH, False)  # noqa: FBT003
    ),
    "EXCHANGE_ID": wire.ExchangeIdResult(
        wire.ExchangeIdDone(
            1,
            1,
            0,
            wire.GiveNoProtection(),
            wire.ServerOwner(0, bytes(1024)),
            bytes(1024),
            (IMPLEMENTATION,),
        )
    ),
    "CREATE_SESSION": wire.CreateSessionResult(
        wire.CreateSessionDone(bytes(16), 1, 0, CHANNEL, CHANNEL)
    ),
    "SEQUENCE": wire.SequenceResult(wire.SequenceDone(bytes(16), 1, 0, 0, 0, 0)),
}


@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_result_is_as_large_as_the_table_says(name: str) -> None:
    (row,) = (row for row in ROWS.values() if row.name == name)
    spare = {"EXCHANGE_ID": 20}.get(name, 0)  # the counts and the date stand apart from the names

    encoded = wire.encode_result_operation(LARGEST[name])

    assert len(encoded) == HEAD + row.largest().total - spare


def test_what_is_asked_for_makes_a_reply_grow() -> None:
    def total(*operations: wire.ArgumentOperation) -> int:
        return compound_maximum(wire.CompoundArguments(b"", 1, operations))[0]

    empty = total()

    assert total(nfs4.read(0, 1001)) == empty + HEAD + 8 + 1004
    assert total(wire.TestStateidArguments((STATEID,) * 3)) == empty + HEAD + 4 + 12
    assert total(wire.OtherArguments(wire.Operation.OP_SET_SSV)) == empty + HEAD
    assert total(nfs4.get_attributes(1)) > total(nfs4.get_attributes())


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ((), False),
        ((nfs4.read(0, 5000),), False),
        ((nfs4.get_attributes(),), True),
        ((nfs4.read(0, 5000), wire.OtherArguments(wire.Operation.OP_READLINK)), True),
    ],
    ids=("nothing", "read", "getattr", "read-readlink"),
)
def test_attributes_and_links_have_no_limit_in_the_protocol(
    operations: tuple[wire.ArgumentOperation, ...], expected: bool
) -> None:
    assert compound_is_guessed(wire.CompoundArguments(b"", 1, operations)) is expected


def test_a_session_bounds_every_reply() -> None:
    arguments = wire.CompoundArguments(b"", 1, (nfs4.read(0, 5000),))

    assert compound_maximum(arguments, 1000) == (1000, (5000,))


def test_the_target_of_a_symbolic_link_that_is_created_is_eligible_and_no_other_creation_is() -> (
    None
):
    nothing = wire.FileAttributes((), b"")
    link = wire.CreateArguments(wire.LinkType(b"target!"), b"name", nothing)
    folder = wire.CreateArguments(wire.PlainType(wire.FileType.NF4DIR), b"name", nothing)
    arguments = wire.CompoundArguments(b"tag", 0, (folder, link, folder))
    encoded = wire.encode_compound_arguments(arguments)

    (item,) = compound_items(encoded, arguments, 0)

    assert encoded[item.position : item.position + item.length] == b"target!"


def test_every_eligible_path_of_the_table_leads_somewhere() -> None:
    examples: dict[str, object] = {
        "WRITE": nfs4.write(0, b"x"),
        "CREATE": wire.CreateArguments(wire.LinkType(b"x"), b"name", wire.FileAttributes((), b"")),
        "READ": wire.ReadDone(eof=True, data=b"x"),
        "READLINK": wire.ReadlinkDone(b"x"),
    }
    for row in ROWS.values():
        path = row.argument or row.result
        if path is None:
            continue
        value = examples[row.name]
        for name in path.removeprefix("resok4.").split("."):
            value = getattr(value, name)
        assert value == b"x"


def test_every_operation_that_has_arguments_is_in_the_table() -> None:
    for operation in wire.Operation:
        if operation in ROWS:
            assert ROWS[operation].name == operation.name.removeprefix("OP_")
    assert number_of(nfs4.read(0, 1)) in ROWS
