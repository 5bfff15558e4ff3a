"""A server that a profile starts here: awaited by a call, watched, started again, stopped."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from targets.base import TargetError
from targets.fabrics import fabric_towards
from targets.host_server import HostServer, answers
from targets.lab.errors import LabError
from targets.lab.guest import INSIDE
from targets.network import NetworkTarget
from targets.profile import load_profile
from targets.usage import Resource, Usage

if TYPE_CHECKING:
    from targets.profile import Profile

EXAMPLE = Path(__file__).parents[2] / "targets/examples/server_at_address/profile.toml"
ADDRESS = f"127.{20 + os.getpid() // 250 % 200}.{os.getpid() % 250}.3"
"""That no other process of the tests uses."""


def profile(script: str, ready: float = 20.0) -> Profile:
    """A profile whose server a shell starts, with the reference's command as `$SERVE`."""
    given = load_profile(EXAMPLE)
    serve = f"{sys.executable} -m targets.reference.server_process --listen {ADDRESS}:20049"
    command = ("sh", "-c", script.replace("$SERVE", f"{serve} --fabric roce --versions 1"))
    extra = msgspec.structs.replace(given.extra, address=ADDRESS, server=command, ready=ready)
    return msgspec.structs.replace(given, extra=extra)


def test_it_serves_when_it_has_started_and_again_when_it_was_killed(tmp_path: Path) -> None:
    # The reference ends with its standard input, which no server of a profile's has.
    served = profile(f"echo $$ >{tmp_path}/pid; sleep 60 | exec $SERVE")
    target = NetworkTarget(served, "roce")
    target.logs = tmp_path / "lab"

    session = target.start()
    try:
        assert session.alive() is None
        # Not of the shell that has started it alone, and nothing of what all of this host holds.
        held = session.usage()
        assert held is not None
        assert (held.of(Resource.RESIDENT) or 0) > 10_000_000
        assert held.of(Resource.KERNEL) is None
        os.killpg(int((tmp_path / "pid").read_text()), signal.SIGKILL)
        while (died := session.alive()) is None:
            os.sched_yield()
        assert died.startswith(f"the server was ended by SIGKILL; it said last: {ADDRESS}:20049")
        assert answers(served, session.fabric, 0.1) is not None
        assert session.usage() == Usage()

        session.restart()

        assert session.alive() is None
        trace = session.fabric.trace
        assert answers(served, session.fabric, 5.0) is None
        assert session.fabric.trace is trace
        assert trace.events == []
    finally:
        session.close()
    assert len((tmp_path / "lab" / "server.log").read_text().splitlines()) == 2
    assert not Path("/proc", (tmp_path / "pid").read_text().strip()).exists()


def test_one_that_ends_at_once_is_told_with_its_last_words(tmp_path: Path) -> None:
    target = NetworkTarget(profile("echo no such port; exit 9"), "roce")
    target.logs = tmp_path / "lab"
    with pytest.raises(TargetError) as caught:
        target.start()
    assert str(caught.value) == (
        "starting sh: it ended with status 9 before it listened; it said last: no such port;"
        f" its output is in {tmp_path}/lab/server.log"
    )


def test_one_that_never_answers_is_told_with_the_seconds_and_stopped() -> None:
    silent = profile("exec sleep 60", ready=0.1)
    with fabric_towards("roce", ADDRESS) as fabric:
        server = HostServer(silent, fabric, None)
        with pytest.raises(LabError) as caught:
            server.start()
        server.close()
        server.close()
    said = str(caught.value)
    assert f"nothing answers a call at {ADDRESS}:20049 after 0 s; start it by hand" in said
    assert said.endswith("`ready` of [extra] says how long it may take")


def test_in_a_guest_the_lab_starts_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    target = NetworkTarget(profile("exit 1"), "roce")
    assert target.starts_server
    monkeypatch.setenv(INSIDE, "1")
    assert not target.starts_server
    target.start().close()
