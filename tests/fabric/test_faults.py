"""The plan of injected faults."""

from __future__ import annotations

from rpcrdma.fabric.faults import (
    DropAfterSends,
    FaultPlan,
    IgnoreConnections,
    RefuseConnections,
    SlowDown,
    VanishAfterSends,
)


def test_empty_plan_disturbs_nothing() -> None:
    """No fault, no effect."""
    plan = FaultPlan()

    assert plan.on_request("dut") is None
    assert not plan.drops("dut", 1)
    assert not plan.vanished("dut", 10)
    assert plan.delay("dut") == 0


def test_connection_faults_are_used_up_in_order() -> None:
    """Each counts for itself, and only for its fabric."""
    refuse, ignore = RefuseConnections("dut", 2, b"no"), IgnoreConnections("dut")
    plan = FaultPlan()
    plan.add(refuse)
    plan.add(ignore)

    assert plan.on_request("tester") is None
    assert [plan.on_request("dut") for _ in range(4)] == [refuse, refuse, ignore, None]


def test_drop_happens_once_at_its_send() -> None:
    """At the count and not after it."""
    plan = FaultPlan()
    plan.add(DropAfterSends("dut", 2))

    assert [plan.drops("dut", sends) for sends in (1, 2, 3)] == [False, True, False]
    assert not plan.drops("tester", 2)


def test_vanishing_lasts() -> None:
    """From the count on."""
    plan = FaultPlan()
    plan.add(VanishAfterSends("dut", 2))

    assert [plan.vanished("dut", sends) for sends in (1, 2, 3)] == [False, True, True]


def test_delays_add_up() -> None:
    """Two of them are as slow as both."""
    plan = FaultPlan()
    plan.add(SlowDown("dut", 0.25))
    plan.add(SlowDown("dut", 0.5))
    plan.add(SlowDown("tester", 4.0))

    assert plan.delay("dut") == 0.75


def test_clear_ends_all_faults() -> None:
    """Also what was used up in part."""
    plan = FaultPlan()
    plan.add(RefuseConnections("dut"))
    plan.on_request("dut")
    plan.clear()
    plan.add(RefuseConnections("dut"))

    assert plan.on_request("dut") is not None
