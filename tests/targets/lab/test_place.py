"""Where a run takes place."""

from __future__ import annotations

import msgspec
import pytest

from targets.lab.guest import INSIDE
from targets.lab.place import RunPlace, place_of
from targets.profile import SHIPPED, Lab, load_profile

HERE, DEVICE, ALL = RunPlace.HERE, RunPlace.DEVICE_IN_GUEST, RunPlace.ALL_IN_GUEST

CASES = [
    # target, fabric asked for, usual fabric of this machine, place
    ("reference", "", "roce", HERE),
    ("reference", "roce", "verbs", HERE),
    ("reference", "verbs", "roce", ALL),
    ("reference", "verbs", "verbs", HERE),
    ("linux-server", "", "roce", DEVICE),
    ("linux-server", "", "verbs", HERE),
    ("linux-server", "roce", "verbs", DEVICE),
    ("linux-server", "verbs", "roce", ALL),
    ("linux-client", "", "roce", DEVICE),
]


@pytest.mark.parametrize(("target", "fabric", "usual", "place"), CASES)
def test_place(
    target: str, fabric: str, usual: str, place: RunPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table at the head of the module."""
    monkeypatch.delenv(INSIDE, raising=False)
    profile = load_profile(SHIPPED / f"{target}.toml")

    assert place_of(profile, fabric, usual) is place


def test_inside_the_guest_everything_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """No guest boots another one."""
    monkeypatch.setenv(INSIDE, "1")

    assert place_of(load_profile(SHIPPED / "linux-server.toml"), "", "roce") is HERE


@pytest.mark.parametrize(
    ("lab", "own", "usual", "place"),
    [
        (None, "", "roce", HERE),
        (None, "verbs", "roce", ALL),
        (Lab(), "", "roce", ALL),
        (Lab(), "roce", "roce", HERE),
        (Lab(), "", "verbs", HERE),
    ],
)
def test_an_adapter_needs_no_word_beside_its_profile(
    lab: Lab | None, own: str, usual: str, place: RunPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(INSIDE, raising=False)
    profile = load_profile(SHIPPED / "reference.toml")
    profile = msgspec.structs.replace(profile, adapter="my-adapter", lab=lab, fabric=own)
    assert place_of(profile, "", usual) is place
