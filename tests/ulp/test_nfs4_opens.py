from __future__ import annotations

from collections.abc import Callable

import pytest

from rpcrdma.errors import RemoteProtocolError
from rpcrdma.ulp import nfs4
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.nfs4_session_client import SessionClient, opened
from rpcrdma.ulp.nfs4_state import OPENS_MAXIMUM, Nfs4Options
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

BeginSession = Callable[[Nfs4Options], tuple[Nfs4Program, SessionClient]]
Started = tuple[Nfs4Program, SessionClient]

READ, WRITE = wire.OPEN4_SHARE_ACCESS_READ, wire.OPEN4_SHARE_ACCESS_WRITE
BOTH = wire.OPEN4_SHARE_ACCESS_BOTH
WANT = READ | wire.OPEN4_SHARE_ACCESS_WANT_READ_DELEG
NO_ATTRIBUTES = wire.FileAttributes((), b"")
EMPTY = wire.FileAttributes((1 << wire.FATTR4_SIZE,), bytes(8))
DELEGATING = Nfs4Options(backchannel=True, delegations=True)


@pytest.fixture
def started(begin_session: BeginSession) -> Started:
    return begin_session(Nfs4Options())


@pytest.fixture
def delegating(begin_session: BeginSession) -> Started:
    return begin_session(DELEGATING)


def ask(started: Started, *operations: wire.ArgumentOperation) -> wire.CompoundResult:
    program, client = started
    return client.take(*program.execute(client.compound(9, *operations)))


def creating(
    mode: wire.CreateMode, attributes: wire.FileAttributes = NO_ATTRIBUTES
) -> wire.OpenHow:
    return wire.OpenCreate(wire.CreateWithAttributes(mode, attributes))


def open_operations(
    started: Started,
    name: str,
    access: int = READ,
    how: wire.OpenHow = nfs4.EXISTING,
    deny: int = 0,
    owner: bytes = b"owner",
) -> tuple[wire.ArgumentOperation, ...]:
    who = wire.StateOwner(started[1].client_id or 0, owner)
    asked = wire.OpenArguments(0, access, deny, who, how, wire.ClaimName(name.encode()))
    return nfs4.put_root(), asked, nfs4.get_handle()


def of_open(result: wire.CompoundResult) -> wire.OpenDone:
    found = next(one for one in result.resarray if isinstance(one, wire.OpenResult))
    assert isinstance(found.outcome, wire.OpenDone)
    return found.outcome


def test_a_file_is_opened_read_and_closed(started: Started) -> None:
    done = opened(ask(started, *open_operations(started, "size-1000")))
    here = nfs4.put_handle(done.handle)

    read = ask(started, here, nfs4.read(0, 1000, done.stateid))
    closed = ask(started, here, nfs4.close(done.stateid))
    after = ask(started, here, nfs4.read(0, 1000, done.stateid))

    assert (read.status, closed.status) == (Status.NFS4_OK, Status.NFS4_OK)
    assert after.status is Status.NFS4ERR_BAD_STATEID
    assert done.delegation is None


def test_the_current_stateid_stands_for_the_one_just_returned(started: Started) -> None:
    current = wire.StateId(1, bytes(12))
    operations = open_operations(started, "size-1000")

    result = ask(started, *operations, nfs4.read(0, 10, current), nfs4.close(current))
    without = ask(started, *nfs4.at("size-1000"), nfs4.read(0, 10, current))

    assert result.status is Status.NFS4_OK
    assert without.status is Status.NFS4ERR_BAD_STATEID


def test_an_open_for_reading_does_not_write(started: Started) -> None:
    done = opened(ask(started, *open_operations(started, "writable")))

    result = ask(started, nfs4.put_handle(done.handle), nfs4.write(0, b"x", stateid=done.stateid))

    assert result.status is Status.NFS4ERR_OPENMODE


def test_an_owner_that_opens_again_widens_its_open(started: Started) -> None:
    first = opened(ask(started, *open_operations(started, "writable")))
    second = opened(ask(started, *open_operations(started, "writable", WRITE)))
    here = nfs4.put_handle(first.handle)

    old = ask(started, here, nfs4.write(0, b"x", stateid=first.stateid))
    new = ask(started, here, nfs4.write(0, b"x", stateid=second.stateid))
    future = wire.StateId(second.stateid.seqid + 1, second.stateid.other)
    latest = wire.StateId(0, second.stateid.other)

    assert second.stateid.other == first.stateid.other
    assert (old.status, new.status) == (Status.NFS4ERR_OLD_STATEID, Status.NFS4_OK)
    assert ask(started, here, nfs4.read(0, 1, future)).status is Status.NFS4ERR_BAD_STATEID
    assert ask(started, here, nfs4.read(0, 1, latest)).status is Status.NFS4_OK


def test_an_open_is_narrowed_again(started: Started) -> None:
    done = opened(ask(started, *open_operations(started, "writable", BOTH)))
    here = nfs4.put_handle(done.handle)
    narrow = wire.OpenDowngradeArguments(done.stateid, 0, READ, 0)

    result = ask(started, here, narrow)
    wider = wire.OpenDowngradeArguments(wire.StateId(0, done.stateid.other), 0, BOTH, 0)

    assert result.status is Status.NFS4_OK
    assert ask(started, here, wider).status is Status.NFS4ERR_INVAL


@pytest.mark.parametrize(("access", "deny"), [(READ, 0), (WRITE, 0), (READ, 3)])
def test_what_another_owner_denies_is_not_opened(started: Started, access: int, deny: int) -> None:
    denied = wire.OPEN4_SHARE_DENY_BOTH if not deny else wire.OPEN4_SHARE_DENY_NONE
    ask(started, *open_operations(started, "writable", READ, deny=denied))

    other = ask(started, *open_operations(started, "writable", access, deny=deny, owner=b"other"))

    assert other.status is Status.NFS4ERR_SHARE_DENIED


@pytest.mark.parametrize(
    ("name", "access", "how", "status"),
    [
        ("absent", READ, nfs4.EXISTING, Status.NFS4ERR_NOENT),
        ("many", READ, nfs4.EXISTING, Status.NFS4ERR_ISDIR),
        ("link", READ, nfs4.EXISTING, Status.NFS4ERR_SYMLINK),
        ("size-1", WRITE, nfs4.EXISTING, Status.NFS4ERR_ACCESS),
        ("size-1", 0, nfs4.EXISTING, Status.NFS4ERR_INVAL),
        ("size-1", READ, creating(wire.CreateMode.GUARDED4), Status.NFS4ERR_EXIST),
        ("size-1", READ, creating(wire.CreateMode.UNCHECKED4), Status.NFS4_OK),
        ("size-1", READ, creating(wire.CreateMode.UNCHECKED4, EMPTY), Status.NFS4ERR_ACCESS),
        ("writable", BOTH, creating(wire.CreateMode.UNCHECKED4, EMPTY), Status.NFS4_OK),
        ("new", BOTH, creating(wire.CreateMode.GUARDED4, EMPTY), Status.NFS4_OK),
        ("", READ, nfs4.EXISTING, Status.NFS4ERR_INVAL),
    ],
)
def test_each_open_ends_with_the_status_of_the_document(
    started: Started, name: str, access: int, how: wire.OpenHow, status: Status
) -> None:
    assert ask(started, *open_operations(started, name, access, how)).status is status


def test_a_creation_that_cuts_sets_the_size_alone(started: Started) -> None:
    program, _ = started
    done = of_open(
        ask(
            started,
            *open_operations(
                started, "writable", BOTH, creating(wire.CreateMode.UNCHECKED4, EMPTY)
            ),
        )
    )

    assert done.attrset == EMPTY.attrmask
    assert len(program._store.root.child("writable").content) == 0


@pytest.mark.parametrize(
    "how",
    [
        lambda verifier: wire.OpenCreate(wire.CreateExclusively(verifier)),
        lambda verifier: wire.OpenCreate(wire.VerifierAndAttributes(verifier, NO_ATTRIBUTES)),
    ],
)
def test_an_exclusive_creation_is_repeated_by_its_verifier_alone(
    started: Started, how: Callable[[bytes], wire.OpenHow]
) -> None:
    first = ask(started, *open_operations(started, "new", BOTH, how(b"mine____")))
    again = ask(started, *open_operations(started, "new", BOTH, how(b"mine____")))
    other = ask(started, *open_operations(started, "new", BOTH, how(b"another_")))

    assert (first.status, again.status) == (Status.NFS4_OK, Status.NFS4_OK)
    assert other.status is Status.NFS4ERR_EXIST


def test_a_file_is_opened_by_its_handle(started: Started) -> None:
    owner = started[1].owner
    claim = wire.OpenArguments(0, READ, 0, owner, nfs4.EXISTING, wire.ClaimHandle())

    result = ask(started, *nfs4.at("size-1"), claim)

    assert result.status is Status.NFS4_OK


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        (wire.ClaimPrevious(wire.DelegationType.OPEN_DELEGATE_NONE), Status.NFS4ERR_NO_GRACE),
        (wire.ClaimDelegatePrevious(b"size-1"), Status.NFS4ERR_NOTSUPP),
        (wire.DelegateCurrentClaim(wire.StateId(1, bytes(12)), b"x"), Status.NFS4ERR_BAD_STATEID),
        (wire.StateId(1, bytes(12)), Status.NFS4ERR_BAD_STATEID),
    ],
)
def test_nothing_can_be_reclaimed(started: Started, claim: wire.OpenClaim, status: Status) -> None:
    asked = wire.OpenArguments(0, READ, 0, started[1].owner, nfs4.EXISTING, claim)

    assert ask(started, nfs4.put_root(), asked).status is status


def test_no_delegation_unless_the_server_is_told_to(begin_session: BeginSession) -> None:
    without = begin_session(Nfs4Options(backchannel=True))

    done = of_open(ask(without, *open_operations(without, "size-1", WANT)))

    assert done.delegation == wire.NoDelegationBecause(
        wire.NoDelegationResource(ond_server_will_signal_avail=False)
    )


def test_a_reader_gets_a_delegation_and_gives_it_back(delegating: Started) -> None:
    program, client = delegating
    done = opened(client.take(*program.execute(client.open_wanting_delegation(9, "", "size-1"))))
    assert done.delegation is not None
    here = nfs4.put_handle(done.handle)

    read = ask(delegating, here, nfs4.read(0, 1, done.delegation))
    write = ask(delegating, here, nfs4.write(0, b"x", stateid=done.delegation))
    back = ask(delegating, here, nfs4.return_delegation(done.delegation))
    twice = ask(delegating, here, nfs4.return_delegation(done.delegation))

    assert (read.status, write.status) == (Status.NFS4_OK, Status.NFS4ERR_OPENMODE)
    assert (back.status, twice.status) == (Status.NFS4_OK, Status.NFS4ERR_BAD_STATEID)


@pytest.mark.parametrize(
    ("access", "name"),
    [
        (READ | wire.OPEN4_SHARE_ACCESS_WANT_NO_DELEG, "writable"),
        (BOTH, "writable"),
        (READ | wire.OPEN4_SHARE_ACCESS_WANT_WRITE_DELEG, "writable"),
    ],
)
def test_who_wants_none_or_writes_gets_none(delegating: Started, access: int, name: str) -> None:
    ask(delegating, *open_operations(delegating, name, access))

    assert delegating[0].state.delegations == {}


def test_a_delegation_that_cannot_be_recalled_is_not_given(delegating: Started) -> None:
    program, _ = delegating
    program.disconnected()

    ask(delegating, *open_operations(delegating, "size-1", WANT))

    assert program.state.delegations == {}


def test_a_writer_waits_for_the_delegation_of_another_client(delegating: Started) -> None:
    program, client = delegating
    done = opened(client.take(*program.execute(client.open_wanting_delegation(9, "", "writable"))))
    other = SessionClient(b"other", b"verifier")
    second = Nfs4Program(program._store, program.state)
    other.take_client_id(*second.execute(other.exchange_id(1)))
    other.take_session(*second.execute(other.create_session(2)))
    there = second, other

    waits = ask(there, *open_operations(there, "writable", WRITE))
    ask(delegating, nfs4.put_handle(done.handle), nfs4.return_delegation(done.delegation or BAD))
    goes = ask(there, *open_operations(there, "writable", WRITE))

    assert (waits.status, goes.status) == (Status.NFS4ERR_DELAY, Status.NFS4_OK)


BAD = wire.StateId(1, bytes(12))


def test_a_file_is_opened_again_under_its_delegation(delegating: Started) -> None:
    program, client = delegating
    done = opened(client.take(*program.execute(client.open_wanting_delegation(9, "", "size-1"))))
    assert done.delegation is not None
    by_name = wire.DelegateCurrentClaim(done.delegation, b"size-1")

    for place, claim in ((nfs4.at(""), by_name), (nfs4.at("size-1"), done.delegation)):
        asked = wire.OpenArguments(0, READ, 0, client.owner, nfs4.EXISTING, claim)
        assert ask(delegating, *place, asked).status is Status.NFS4_OK


def test_stateids_are_tested_and_none_in_use_is_freed(started: Started) -> None:
    done = opened(ask(started, *open_operations(started, "size-1")))
    future = wire.StateId(9, done.stateid.other)

    tested = ask(started, wire.TestStateidArguments((done.stateid, BAD, future)))
    used = ask(started, wire.FreeStateidArguments(done.stateid))
    unknown = ask(started, wire.FreeStateidArguments(BAD))

    assert tested.resarray[1] == wire.TestStateidResult(
        wire.TestStateidDone(
            (Status.NFS4_OK, Status.NFS4ERR_BAD_STATEID, Status.NFS4ERR_BAD_STATEID)
        )
    )
    assert used.status is Status.NFS4ERR_LOCKS_HELD
    assert unknown.status is Status.NFS4ERR_BAD_STATEID


def test_an_open_without_a_get_handle_or_that_failed_is_no_open(started: Started) -> None:
    with pytest.raises(RemoteProtocolError, match="NFS4ERR_NOENT"):
        opened(ask(started, *open_operations(started, "absent")))


def test_there_is_a_bound_on_opens(started: Started) -> None:
    program, client = started
    record = program.state.clients[client.client_id or 0]
    node = program._store.root.child("size-1")
    one = program.state.add_open(record.open_owner(b"one"), node, READ, 0)
    program.state._opens |= {b"%d" % number: one for number in range(OPENS_MAXIMUM)}

    result = ask(started, *open_operations(started, "size-1000", owner=b"two"))

    assert result.status is Status.NFS4ERR_DELAY


# -- the numbered requests of NFSv4.0


@pytest.fixture
def first_minor() -> tuple[Nfs4Program, int]:
    program = Nfs4Program(FileStore())
    name = wire.LongClientId(b"verifier", b"client")
    callback = wire.CallbackClient(1, wire.NetworkAddress("tcp", "127.0.0.1.0.0"))
    (reply,) = program.execute(nfs4.compound(1, wire.SetclientidArguments(name, callback, 0)))
    (result,) = nfs4.parse(reply).resarray
    assert isinstance(result, wire.SetclientidResult)
    assert isinstance(result.outcome, wire.SetclientidDone)
    done = result.outcome
    confirm = wire.SetclientidConfirmArguments(done.clientid, done.setclientid_confirm)
    program.execute(nfs4.compound(2, confirm))
    return program, done.clientid


def plain(program: Nfs4Program, *operations: wire.ArgumentOperation) -> wire.CompoundResult:
    (reply,) = program.execute(nfs4.compound(9, *operations))
    return nfs4.parse(reply)


def test_requests_of_an_owner_are_numbered_and_repeated(
    first_minor: tuple[Nfs4Program, int],
) -> None:
    program, number = first_minor
    owner = wire.StateOwner(number, b"owner")
    opens = nfs4.put_root(), nfs4.open_file("size-1", owner, sequence=5)

    first, again = plain(program, *opens), plain(program, *opens)
    late = plain(program, nfs4.put_root(), nfs4.open_file("size-1", owner, sequence=8))
    absent = plain(program, nfs4.put_root(), nfs4.open_file("absent", owner, sequence=6))
    repeated = plain(program, nfs4.put_root(), nfs4.open_file("absent", owner, sequence=6))

    assert again == first
    assert late.status is Status.NFS4ERR_BAD_SEQID
    assert (absent.status, repeated.status) == (Status.NFS4ERR_NOENT, Status.NFS4ERR_NOENT)


def test_a_close_is_repeated_though_the_open_is_gone(
    first_minor: tuple[Nfs4Program, int],
) -> None:
    program, number = first_minor
    owner = wire.StateOwner(number, b"owner")
    done = of_open(plain(program, nfs4.put_root(), nfs4.open_file("size-1", owner, sequence=1)))
    confirm = wire.OpenConfirmArguments(done.stateid, 2)
    confirmed = plain(program, *nfs4.at("size-1"), confirm).resarray[-1]
    assert isinstance(confirmed, wire.OpenConfirmResult)
    assert isinstance(confirmed.outcome, wire.OpenConfirmDone)
    close = nfs4.close(confirmed.outcome.open_stateid, 3)

    first, again = (plain(program, *nfs4.at("size-1"), close) for _ in range(2))
    later = plain(program, *nfs4.at("size-1"), nfs4.close(confirmed.outcome.open_stateid, 4))

    assert first.status is Status.NFS4_OK
    assert again == first
    assert later.status is Status.NFS4ERR_BAD_STATEID


def test_an_unconfirmed_or_unknown_client_opens_nothing() -> None:
    program = Nfs4Program(FileStore())
    unconfirmed = program.state.new_client(0, b"c", b"verifier").number

    for number in (unconfirmed, unconfirmed + 1):
        asked = nfs4.open_file("size-1", wire.StateOwner(number, b"o"))
        assert plain(program, nfs4.put_root(), asked).status is Status.NFS4ERR_STALE_CLIENTID


def test_nothing_of_an_earlier_life_is_purged(first_minor: tuple[Nfs4Program, int]) -> None:
    program, number = first_minor

    assert plain(program, wire.DelegpurgeArguments(number)).status is Status.NFS4ERR_NOTSUPP
