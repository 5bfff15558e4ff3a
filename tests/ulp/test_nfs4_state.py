from __future__ import annotations

import pytest

from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_compound import Nfs4Refused
from rpcrdma.ulp.nfs4_state import (
    CLIENTS_MAXIMUM,
    CLOSED_REMEMBERED,
    EXCLUSIVE_REMEMBERED,
    Nfs4State,
    judge_sequence,
)
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

OTHER = b"open-0000001"
NODE = FileStore().root.child("size-1")
NODES = list(FileStore().root.child("many").children.values())


def test_there_is_a_bound_on_clients_and_the_oldest_goes_with_all_that_it_holds() -> None:
    state = Nfs4State()
    oldest = state.new_client(0, b"oldest", b"verifier")
    entry = state.add_open(oldest.open_owner(b"o"), NODE, 1, 0)
    held = state.add_delegation(oldest, NODE)

    for number in range(CLIENTS_MAXIMUM):
        state.new_client(0, b"%d" % number, b"verifier")

    assert len(state.clients) == CLIENTS_MAXIMUM
    assert oldest.number not in state.clients
    assert state.owner_of(entry.stateid) is None
    assert held.other not in state.delegations


def test_a_client_belongs_to_one_minor_version() -> None:
    state = Nfs4State()
    number = state.new_client(1, b"c", b"verifier").number

    assert state.client(number, 1).number == number
    with pytest.raises(Nfs4Refused) as caught:
        state.client(number, 0)
    assert caught.value.status is Status.NFS4ERR_STALE_CLIENTID


def test_no_stateid_and_no_session_id_is_given_twice() -> None:
    state = Nfs4State()
    client = state.new_client(1, b"c", b"verifier")
    entries = [state.add_open(client.open_owner(b"o"), node, 1, 0) for node in NODES[:5]]
    delegations = [state.add_delegation(client, node) for node in NODES[:5]]

    names = {one.other for one in (*entries, *delegations)}

    assert len(names) == 10
    assert {len(name) for name in names} == {wire.NFS4_OTHER_SIZE}
    assert state.new_session_id() != state.new_session_id()
    assert len(state.new_session_id()) == wire.NFS4_SESSIONID_SIZE
    assert state.holdings(client) == 10


def test_only_the_latest_closes_are_remembered() -> None:
    state = Nfs4State()
    owner = state.new_client(0, b"c", b"verifier").open_owner(b"o")
    entries = [state.add_open(owner, node, 1, 0) for node in NODES[: CLOSED_REMEMBERED + 1]]

    for entry in entries:
        state.close(entry)

    assert state.owner_of(entries[0].stateid) is None
    assert state.owner_of(entries[-1].stateid) is owner


def test_only_the_latest_exclusive_creations_are_remembered() -> None:
    state = Nfs4State()

    for node in NODES[: EXCLUSIVE_REMEMBERED + 1]:
        state.note_exclusive(node, b"verifier")

    assert state.exclusive_verifier(NODES[0]) is None
    assert state.exclusive_verifier(NODES[EXCLUSIVE_REMEMBERED]) == b"verifier"


@pytest.mark.parametrize(
    ("sequence", "minor", "status"),
    [
        (3, 0, None),
        (3, 1, None),
        (0, 1, None),
        (0, 0, Status.NFS4ERR_OLD_STATEID),
        (2, 1, Status.NFS4ERR_OLD_STATEID),
        (4, 1, Status.NFS4ERR_BAD_STATEID),
    ],
)
def test_a_stateid_is_the_latest_or_refused(
    sequence: int, minor: int, status: Status | None
) -> None:
    stateid = wire.StateId(sequence, OTHER)
    if status is None:
        judge_sequence(stateid, 3, minor)
        return

    with pytest.raises(Nfs4Refused) as caught:
        judge_sequence(stateid, 3, minor)
    assert caught.value.status is status
