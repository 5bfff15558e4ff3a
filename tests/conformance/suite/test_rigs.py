"""A rig for each role that a device claims and its adapter can bring about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.suite.rigs import close_rigs, open_rigs
from conformance.tester.client.harness import Harness
from conformance.tester.server.harness import ClientHarness
from targets.base import ClientSession, TargetError
from targets.profile import SHIPPED, load_profile
from targets.reference.client import ReferenceClientTarget
from targets.reference.server import ReferenceTarget
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Callable

RESPONDER = load_profile(SHIPPED / "reference.toml")
REQUESTER = load_profile(SHIPPED / "reference-client.toml")


class Both(ReferenceTarget):
    """A device in both roles."""

    def start_client(self) -> ClientSession:
        return ReferenceClientTarget(REQUESTER).start_client()


def claiming(*roles: str) -> object:
    claims = msgspec.structs.replace(RESPONDER.claims, roles=roles)
    return msgspec.structs.replace(RESPONDER, claims=claims)


@pytest.mark.parametrize(
    ("name", "role", "kind"),
    [("reference", "responder", Harness), ("reference-client", "requester", ClientHarness)],
)
def test_a_device_of_one_role_has_one_rig(name: str, role: str, kind: type) -> None:
    rigs = open_rigs(find_any_target(name))

    assert {one: type(rig) for one, rig in rigs.items()} == {role: kind}
    close_rigs(rigs)


def test_a_device_of_both_roles_has_two() -> None:
    rigs = open_rigs(Both(claiming("responder", "requester")))  # type: ignore[arg-type]

    assert set(rigs) == {"responder", "requester"}
    close_rigs(rigs)


def test_a_role_without_an_adapter_is_said_so() -> None:
    target = ReferenceTarget(claiming("requester"))  # type: ignore[arg-type]

    with pytest.raises(TargetError, match="cannot bring about the role requester"):
        open_rigs(target)


def _remembering(closed: list[Harness]) -> Callable[[Harness], None]:
    def close(harness: Harness) -> None:
        closed.append(harness)

    return close


def test_what_was_opened_is_closed_when_another_does_not_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed: list[Harness] = []
    monkeypatch.setattr(Harness, "close", _remembering(closed))
    target = Both(claiming("responder", "requester"))  # type: ignore[arg-type]

    def refuse() -> ClientSession:
        raise TargetError("no")

    monkeypatch.setattr(target, "start_client", refuse)
    with pytest.raises(TargetError, match="no"):
        open_rigs(target)
    assert len(closed) == 1
