"""A standing guest: the tester is outside, and reaches it by frames and by its agent."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.suite.runner import certify
from conformance.suite.selection import Selection
from conformance.tester.case import Deviation
from conformance.tester.client.harness import Harness
from reports.record import Verdict
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.ulp.file_tree import PLAIN
from rpcrdma.ulp.mount3 import mount_call
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.rpc import AUTH_NONE, decode_reply
from targets.base import Act, ActKind, ActResult, ActState
from targets.guest_device import GuestServerTarget, guest_of, guest_target
from targets.lab.errors import LabError
from targets.lab.setup import LabServer, ServerKind
from targets.registry import find_profile
from targets.standing.guest import StandingGuest
from targets.standing.place import GuestPlace
from targets.standing.run_guest import RunGuest
from targets.standing.setup import StandingSetup
from targets.standing.setup_of import setup_of
from targets.standing.stay import bring_down, bring_up, guest_for
from targets.upper_tester.client import CommandSession
from targets.usage import Resource
from tests.conformance.suite.written import scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from targets.standing.run_guest import GuestEnd

SECONDS = 10.0
GUEST, TESTER = "10.9.0.1", "10.9.0.2"
STATION = bytes.fromhex("020000000002")
EVERYBODY = b"\xff" * 6
ARP = 0x0806
REQUEST, REPLY = 1, 2
MOUNT_PORT = 20048
EXPORT = b"/srv/export"


@pytest.fixture(scope="module")
def guest() -> Iterator[StandingGuest]:
    with StandingGuest.start(StandingSetup()) as made:
        made.await_ready()
        yield made


def arp(kind: int, station: bytes, address: str, asked: str) -> bytes:
    addresses = (socket.inet_aton(one) for one in (address, asked))
    ours, theirs = addresses
    head = struct.pack("!6s6sHHHBBH", EVERYBODY, station, ARP, 1, 0x0800, 6, 4, kind)
    return head + struct.pack("!6s4s6s4s", station, ours, bytes(6), theirs)


def test_frames_reach_the_guest_and_come_back(guest: StandingGuest) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as frames:
        frames.settimeout(SECONDS)
        # QEMU may send at any moment, so the socket is made aside.
        aside = guest.files.tester_socket().with_name("aside")
        frames.bind(str(aside))
        aside.rename(guest.files.tester_socket())
        frames.sendto(arp(REQUEST, STATION, TESTER, GUEST), str(guest.files.guest_socket()))
        while True:
            frame = frames.recv(8192)
            kind, arp_kind = struct.unpack_from("!H6xH", frame, 12)
            if (kind, arp_kind) == (ARP, REPLY):
                break
        assert frame[:6] == STATION
        assert socket.inet_ntoa(frame[28:32]) == GUEST
    guest.files.tester_socket().unlink()


def test_the_kernels_server_listens_and_is_started_again(guest: StandingGuest) -> None:
    for act in (lambda: None, guest.agent.restart, guest.agent.renew):
        act()
        ports = guest.agent.run(["cat", "/proc/fs/nfsd/portlist"]).output.split(b"\n")
        assert b"rdma 20049" in ports
    assert guest.alive() is None


def test_what_is_held_in_the_guest_is_told_of_the_kernel_and_of_a_program(
    guest: StandingGuest,
) -> None:
    kernel = guest.agent.usage()
    assert (kernel.of(Resource.MACHINE) or 0) > (kernel.of(Resource.KERNEL) or 0) > 1_000_000
    assert kernel.of(Resource.QUEUE_PAIRS)  # that of the management of Soft-RoCE at least

    program = GuestPlace(guest, GUEST).start("resident", ("cat",), {}, speaks=True)
    held = program.usage()
    assert held is not None
    assert held.of(Resource.THREADS) == 1
    assert held.of(Resource.RESIDENT)
    assert held.of(Resource.QUEUE_PAIRS) == 0
    program.kill()
    assert program.await_end(SECONDS)


def test_a_damaged_file_is_told_and_mended(guest: StandingGuest) -> None:
    run = RunGuest(guest, lambda: pytest.fail("the guest lives"), print)
    harness = Harness(GuestServerTarget(find_profile("linux-server"), run))
    try:
        harness.preflight()
        assert harness.facts == (("files", "compared after each section"),)
        harness.look()
        guest.agent.run(["sh", "-c", f"printf x | dd of={EXPORT.decode()}/size-4096 conv=notrunc"])
        with pytest.raises(Deviation, match=r"size-4096 from octet 0 on: .* 1 of 4096 octets"):
            harness.look()
        guest.agent.renew()
        harness.preflight()  # which waits for the end of the server's grace period
        assert harness.facts == (("files", "compared after each section"),)
    finally:
        harness.close()


def test_the_handle_of_the_export_is_asked_for_in_the_guest(guest: StandingGuest) -> None:
    call = mount_call(7, EXPORT, credential=AUTH_NONE)
    reply = guest.agent.exchange(GUEST, MOUNT_PORT, call, SECONDS)
    assert decode_reply(reply)[0].succeeded


class ClientInGuest:
    """The kernel's client in the guest, told to mount the guest's own server and to act."""

    def __init__(self, guest: StandingGuest, target: str) -> None:
        profile = find_profile(target)
        assert profile.acts is not None
        self._agent = guest.agent
        # MOUNT is asked of the tester, who asks the guest's own service: all the way and back.
        self._mounts = guest.agent.serve_calls(GUEST, self._mountd)
        self._session = CommandSession(
            profile,
            profile.acts,
            LoopbackNetwork().fabric("tester"),
            self._mounts,
            GuestPlace(guest, GUEST),
        )

    def _mountd(self, call: bytes) -> list[bytes]:
        # The profile mounts the tester's `/`; here that is the guest's own export.
        asked = mount_call(int.from_bytes(call[:4], "big"), EXPORT, credential=AUTH_NONE)
        return [self._agent.exchange(GUEST, MOUNT_PORT, asked, SECONDS)]

    def does(self, act: Act | None = None) -> ActResult:
        session = self._session
        running = session.prepare(Address(GUEST, 20049)) if act is None else session.begin(act)
        while (result := running.poll()) is None:
            self._agent.client.wait(0.01)
        return result

    def close(self) -> None:
        self._session.close()


@pytest.mark.parametrize("version", ["-nfs40", "-nfs41", "-nfs42", ""])
def test_the_kernels_client_is_told_to_act(guest: StandingGuest, version: str) -> None:
    client = ClientInGuest(guest, f"linux-client{version}")
    assert client.does() == ActResult(ActState.DONE)
    assert client.does(Act(ActKind.READ, 70000)).data == PLAIN.content[:70000]
    for act in (Act(ActKind.SMALL), Act(ActKind.WRITE, 5000), Act(ActKind.LONG_REPLY)):
        assert client.does(act) == ActResult(ActState.DONE)
    client.close()
    assert guest.agent.run(["cat", "/srv/export/writable"]).output[:5000] == pattern(5000)
    assert b" nfs" not in guest.agent.run(["grep", "rdma", "/proc/mounts"]).output


STARTS_AND_WAITS = """
import time
from targets.standing.guest import StandingGuest
from targets.standing.place import GuestPlace
from targets.standing.setup import StandingSetup
guest = StandingGuest.start(StandingSetup())
print(guest.files.folder, flush=True)
time.sleep(1000)
"""


def machines(folder: Path) -> list[str]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = file.read_bytes().decode(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if str(folder) in line and line.startswith("qemu"):
            found.append(line)
    return found


def comes_true(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() >= end:
            return False
        os.sched_yield()
    return True


def test_nothing_is_left_when_the_tester_is_killed() -> None:
    command = [sys.executable, "-c", STARTS_AND_WAITS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tester:
        assert tester.stdout is not None
        folder = Path(tester.stdout.readline().strip())
        came = comes_true(lambda: bool(machines(folder)))
        tester.kill()
    assert came
    assert comes_true(lambda: not machines(folder) and not folder.exists())


def test_a_guest_that_stays_is_found_by_the_runs_that_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    setup = setup_of(find_profile("linux-server"))
    state = bring_up(setup, "linux-server")
    try:
        with guest_for(setup) as guest:
            assert guest.files.folder == state.folder
            guest.agent.run(["rm", "/srv/export/size-4096"])
        with guest_for(setup) as guest:
            assert guest.files.folder == state.folder
            listing = guest.agent.run(["ls", EXPORT.decode()]).output
            assert b"size-4096" in listing.split()
    finally:
        assert bring_down() == state
    assert not machines(state.folder)


def test_a_panic_is_told() -> None:
    with StandingGuest.start(StandingSetup(LabServer(ServerKind.NONE))) as guest:
        assert guest.agent.run(["true"]).status == 0
        with pytest.raises(LabError, match="the guest has ended"):
            guest.agent.run(["sh", "-c", "echo c >/proc/sysrq-trigger"])
        death = guest.alive()
    assert death is not None
    assert "Kernel panic - not syncing: sysrq triggered crash" in death


PANICS = """
@requirement("rfc8166.8.1.no-new-vulnerabilities")
def test_a(peer):
    \"\"\"A page is fetched.\"\"\"
    call = build.with_write_chunks(peer, peer.workload.fetch(1000))
    peer.send(call)
    verify.chunks.served(peer, call)

@requirement("rfc8166.8.1.no-new-vulnerabilities")
def test_b(peer, session):
    \"\"\"The guest's kernel panics.\"\"\"
    with pytest.raises(LabError, match="the guest has ended"):
        session._guest.current.agent.run(["sh", "-c", "echo c >/proc/sysrq-trigger"])

test_c = test_a
"""
"""Cases; what the third one fetches has a file handle of the guest that is there then."""


def test_a_run_goes_on_in_a_new_guest_when_the_kernel_panics(tmp_path: Path) -> None:
    """The case in which that happens fails, and the console is its evidence."""
    imports = "from targets.lab.errors import LabError\n"
    scenarios = scenario(tmp_path / "scenarios", imports + PANICS)
    ends: list[GuestEnd] = []
    with guest_of(find_profile("linux-server-nfs3"), "", ends.append) as run:
        dead = run.current
        target = guest_target(find_profile("linux-server-nfs3"), run)
        record = certify(target, Selection(), tmp_path / "out", scenarios_folder=scenarios)
        assert run.current is not dead
        assert run.current.alive() is None

    assert [case.verdict for case in record.cases] == [Verdict.PASS, Verdict.FAIL, Verdict.PASS]
    panic = record.cases[1]
    assert "Kernel panic - not syncing: sysrq triggered crash" in panic.reason
    assert "sysrq triggered crash" in (tmp_path / "out" / panic.evidence[-1]).read_text()
    (end,) = ends
    assert str(end).endswith("sysrq triggered crash; going on in a new guest")
