"""A case shows the same wherever it stands in a run, whatever was run before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.proof.detect.child import judge_reference
from conformance.proof.detect.sight import NotedHandles, Sight
from conformance.suite.runner import collect_cases
from conformance.tester.server.harness import ClientHarness
from rpcrdma.fabric.base import Access
from rpcrdma.fabric.memory import ProtectionDomain
from targets.reference.client import ReferenceClientTarget
from targets.registry import find_profile

if TYPE_CHECKING:
    from conformance.proof.detect.sight import Seen

SERVED = (
    "rfc8166/3.3.1/responder-never-grants-zero-credits[1]",
    "rfc8166/3.4.4/reduced-reply-is-shorter-by-the-item-and-its-roundup[1000]",
    "bidir/1.3.4/server-takes-a-reply-once",
    "v2/4.2.3/responder-harms-nobody-else-where-memory-cannot-be-used[read-chunk]",
)
CALLING = (
    "rfc8166/3.3.1/requester-keeps-within-the-grant[1]",
    "v2/5.2/requester-goes-on-in-version-one[null]",
    "bidir/1.3.4/client-acts-as-before-while-it-is-called[many]",
    "xcharext/3.1/receives-are-as-large-as-announced[requester]",
)
ROLES = {case.id: case.role for case in collect_cases()}


def seen(*cases: str) -> dict[str, Seen]:
    """What the reference shows in some cases, run in this order."""
    found: dict[str, Seen] = {}
    judge_reference(cases, ROLES, lambda _: None, lambda *_: None, pytest.fail, found.setdefault)
    return found


@pytest.mark.parametrize("cases", [SERVED, CALLING], ids=["responder", "requester"])
def test_a_case_shows_the_same_after_others(cases: tuple[str, ...]) -> None:
    forwards, backwards = seen(*cases), seen(*reversed(cases))

    assert {case: one.body for case, one in forwards.items()} == {
        case: one.body for case, one in backwards.items()
    }
    assert all(len(one.body) > 2 for one in forwards.values())


def test_what_shows_that_a_client_lives_is_its_opening() -> None:
    """It is shorter where the client knows that the tester speaks Version Two."""
    first, second = "xcharext/2.1/unknown-property-is-passed-over[8-3-requester]", CALLING[3]
    alone, after = seen(first)[first], seen(second, first)[first]

    assert len(alone.opening) > len(after.opening) > 0
    assert alone.body == after.body


def test_what_is_found_out_once_in_a_run_is_left_out() -> None:
    case = "rfc8166/4.5/responder-answers-a-fault-while-a-call-waits[no-lists]"
    other = "rfc8166/4.5/responder-answers-one-fault-after-another[2]"

    assert seen(case)[case].body == seen(other, case)[case].body


def test_memory_is_known_by_its_handle() -> None:
    handles = NotedHandles(1)
    region = ProtectionDomain(handles).register(100, Access.REMOTE_READ)

    assert handles.regions == {region.handle: (region.offset, 100)}


def test_memory_without_a_handle_moves_no_other() -> None:
    plain, other = (ProtectionDomain(NotedHandles(1)) for _ in range(2))
    other.place(4096, 64)

    first, second = (one.register(100, Access.REMOTE_READ) for one in (plain, other))

    assert (first.handle, first.offset) == (second.handle, second.offset)


def test_a_client_that_cannot_say_what_its_acts_gave_has_shown_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(_: object) -> None:
        raise ZeroDivisionError

    case = CALLING[0]
    sight = Sight({case: "requester"})
    rig = ClientHarness(ReferenceClientTarget(find_profile("reference-client")))
    sight.stand({"requester": rig})
    sight.begin(case)
    rig.begin()
    rig.ready()
    monkeypatch.setattr(type(rig.client), "results", property(broken))

    sight.body_ended(collect_cases()[0], rig)

    assert sight.end(case).opening
    rig.close()
