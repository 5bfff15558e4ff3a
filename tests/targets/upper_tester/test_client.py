"""A client that is driven by commands: how it is prepared, made to act, and let go."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec
import pytest

from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.ulp.pattern import pattern
from targets.acts import Acts
from targets.base import Act, ActKind, ActResult, ClientTarget, TargetError, Unsupported
from targets.registry import find_profile
from targets.upper_tester.client import CommandClientTarget, CommandSession
from targets.upper_tester.local_place import LocalPlace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from targets.base import RunningAct
    from targets.profile import Profile

TESTER = Address("10.9.0.1", 4711)
ACTS = """
prepare = ["sh", "-c", "echo prepare {address} {port} >> LOG; test -d {folder}"]
release = ["sh", "-c", "echo release >> LOG"]
small = ["sh", "-c", "test -d {folder} && echo small {length} {count} >> LOG"]
write = "cp {content} LOG.stored"
null = "sleep 60"
[read]
run = "head -c {length} /dev/zero"
prints = "data"
"""


class Mounts:
    """Stands for the MOUNT service."""

    port = 635
    closed = False

    def close(self) -> None:
        self.closed = True


class Client:
    """A session, and what its commands wrote."""

    def __init__(
        self,
        folder: Path,
        text: str = ACTS,
        mounts: Mounts | None = None,
        place: LocalPlace | None = None,
    ) -> None:
        self.log = folder / "log"
        acts = msgspec.toml.decode(text.replace("LOG", str(self.log)), type=Acts)
        self.session = CommandSession(
            find_profile("linux-client"), acts, LoopbackNetwork().fabric("tester"), mounts, place
        )

    def did(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    made = Client(tmp_path)
    yield made
    made.session.close()


def result(act: RunningAct) -> ActResult:
    while (ended := act.poll()) is None:
        os.sched_yield()
    return ended


def profile_with(acts: Acts | None) -> Profile:
    return msgspec.structs.replace(find_profile("linux-client"), acts=acts)


def test_the_tester_listens_where_the_profile_says(client: Client) -> None:
    extra = find_profile("linux-client").extra

    assert client.session.listen_address == Address(extra.address, extra.port)


def test_on_this_machine_nothing_is_told_of_what_its_kernel_holds(client: Client) -> None:
    assert client.session.usage() is None


def test_preparing_tells_the_client_where_the_tester_is(client: Client) -> None:
    assert result(client.session.prepare(TESTER)).done

    assert client.did() == ["prepare 10.9.0.1 4711"]


def test_preparing_again_begins_with_a_release(client: Client) -> None:
    assert result(client.session.prepare(TESTER)).done
    running = client.session.begin(Act(ActKind.NULL))

    assert result(client.session.prepare(Address("10.9.0.1", 4712))).done

    assert client.did() == ["prepare 10.9.0.1 4711", "release", "prepare 10.9.0.1 4712"]
    assert result(running).detail == "abandoned"


def test_an_act_is_told_length_and_count(client: Client) -> None:
    result(client.session.prepare(TESTER))

    assert result(client.session.begin(Act(ActKind.SMALL, 1000, 3))).done
    assert result(client.session.begin(Act(ActKind.SMALL))).done

    assert client.did()[1:] == ["small 1000 3", "small 4096 1"]


def test_what_is_stored_is_the_pattern(client: Client) -> None:
    result(client.session.prepare(TESTER))

    assert result(client.session.begin(Act(ActKind.WRITE, 70000))).done
    assert result(client.session.begin(Act(ActKind.WRITE, 70000))).done

    assert client.log.with_name("log.stored").read_bytes() == pattern(70000)


def test_what_is_fetched_comes_back(client: Client) -> None:
    result(client.session.prepare(TESTER))

    assert result(client.session.begin(Act(ActKind.READ, 10))).data == bytes(10)


def test_what_a_resident_program_fetches_is_in_a_file_of_its_own(tmp_path: Path) -> None:
    client = Client(
        tmp_path,
        "prepare = 'true'\nresident = 'perl -ne \"open(F, q(>), (split)[1]); print F; close(F);"
        " syswrite(STDOUT, qq(done\\n))\"'\n"
        "many-reads = { tell = '{length},{count},{here} {output}', prints = 'data' }",
    )
    result(client.session.prepare(TESTER))

    first, second = (
        result(client.session.begin(Act(ActKind.MANY_READS, 100, 3))).data for _ in range(2)
    )

    assert first is not None
    assert second is not None
    assert (first.split()[0], second.split()[0]) == (b"100,3,", b"100,3,")
    assert first.split()[1] != second.split()[1]
    client.session.close()


def test_several_acts_run_at_once(client: Client) -> None:
    result(client.session.prepare(TESTER))
    hanging = client.session.begin(Act(ActKind.NULL))

    assert result(client.session.begin(Act(ActKind.SMALL))).done

    assert hanging.poll() is None


def test_acts_are_those_of_the_profile(client: Client) -> None:
    assert client.session.acts == {ActKind.SMALL, ActKind.WRITE, ActKind.NULL, ActKind.READ}
    with pytest.raises(Unsupported, match=r"no command for `many` in its table \[acts\]"):
        client.session.begin(Act(ActKind.MANY))


def test_an_act_before_preparing_is_refused(client: Client) -> None:
    with pytest.raises(TargetError, match="prepare it first"):
        client.session.begin(Act(ActKind.SMALL))


def test_restarting_stops_what_runs_and_releases(client: Client) -> None:
    result(client.session.prepare(TESTER))
    running = client.session.begin(Act(ActKind.NULL))

    client.session.restart()

    assert result(running).detail == "abandoned"
    assert client.did()[-1] == "release"
    with pytest.raises(TargetError, match="prepare it first"):
        client.session.begin(Act(ActKind.SMALL))


def test_a_release_that_hangs_is_stopped(tmp_path: Path) -> None:
    client = Client(tmp_path, "prepare = 'true'\nrelease = 'sleep 60'\ndeadline = 0.05")
    result(client.session.prepare(TESTER))

    client.session.restart()

    assert client.session._upper.stop(0.0)
    client.session.close()


def test_commands_that_cannot_be_stopped_are_said_so(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    result(client.session.prepare(TESTER))
    monkeypatch.setattr(client.session._upper, "stop", lambda _seconds: False)

    with pytest.raises(TargetError, match="commands do not end; look for processes that hang"):
        client.session.restart()


def test_closing_releases_and_leaves_nothing_behind(tmp_path: Path) -> None:
    mounts = Mounts()
    client = Client(tmp_path, "many = 'ls -d {folder}'" + ACTS, mounts)
    result(client.session.prepare(TESTER))
    result(client.session.begin(Act(ActKind.WRITE, 10)))
    place = client.session._place
    assert isinstance(place, LocalPlace)
    folder = place._folder

    client.session.close()
    client.session.close()

    assert client.did() == ["prepare 10.9.0.1 4711", "release"]
    assert mounts.closed
    assert not folder.exists()


def test_closing_an_unprepared_client_runs_nothing(client: Client) -> None:
    client.session.close()

    assert client.did() == []


def test_the_clients_own_address_is_the_testers_where_both_are_on_one_device(
    tmp_path: Path,
) -> None:
    client = Client(tmp_path, "prepare = ['sh', '-c', 'echo {client_address} >> LOG']")

    result(client.session.prepare(TESTER))

    assert client.did() == ["10.9.0.1"]
    client.session.close()


class Elsewhere(LocalPlace):
    address = "10.9.0.7"


def test_a_client_that_is_elsewhere_has_its_own(tmp_path: Path) -> None:
    client = Client(
        tmp_path, "prepare = ['sh', '-c', 'echo {client_address} >> LOG']", place=Elsewhere()
    )

    result(client.session.prepare(TESTER))

    assert client.did() == ["10.9.0.7"]
    client.session.close()


def test_the_port_of_the_mount_service_reaches_the_commands(tmp_path: Path) -> None:
    client = Client(tmp_path, "prepare = ['sh', '-c', 'echo {mount_port} >> LOG']", Mounts())

    result(client.session.prepare(TESTER))

    assert client.did() == ["635"]
    client.session.close()


def test_a_dead_kernel_is_a_dead_client(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.session.alive() is None
    monkeypatch.setattr(client.session._place, "alive", lambda: "oops in the kernel: BUG: x")

    assert client.session.alive() == "oops in the kernel: BUG: x"
    with pytest.raises(TargetError, match="oops in the kernel: BUG: x; start the machine again"):
        client.session.restart()


def test_a_dead_resident_program_is_a_dead_client_that_can_be_started_again(
    tmp_path: Path,
) -> None:
    client = Client(
        tmp_path, "prepare = 'true'\nresident = 'sh'\nsmall = { tell = 'echo no slot >&2; exit 3' }"
    )
    result(client.session.prepare(TESTER))
    assert client.session.alive() is None

    assert result(client.session.begin(Act(ActKind.SMALL))).detail == "no slot"

    died = "the resident program ended with status 3; it said last: no slot"
    assert client.session.alive() == died
    client.session.restart()
    assert client.session.alive() is None
    client.session.close()


def test_a_profile_makes_a_client_target() -> None:
    profile = find_profile("linux-client")

    target = CommandClientTarget(profile)

    assert (target.name, target.profile) == ("linux-client", profile)
    assert isinstance(target, ClientTarget)


def test_it_is_not_on_loopback() -> None:
    with pytest.raises(TargetError, match="reached over roce or verbs, not over loopback"):
        CommandClientTarget(find_profile("linux-client"), "loopback")


def test_a_client_under_kerberos_is_in_a_guest() -> None:
    target = CommandClientTarget(find_profile("linux-client-krb5"))

    with pytest.raises(TargetError, match="outside of the lab's guest; drop --fabric"):
        target.start_client()


def test_a_profile_without_acts_is_refused() -> None:
    with pytest.raises(TargetError, match=r"`linux-client`.*has no table \[acts\]; add one"):
        CommandClientTarget(profile_with(None))
