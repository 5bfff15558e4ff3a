"""Where a guest and its testers are."""

from __future__ import annotations

from targets.standing.addresses import address_on_link, neighbour_of


def test_the_tester_is_the_guests_neighbour() -> None:
    assert neighbour_of("10.9.0.1") == "10.9.0.2"


def test_each_link_is_a_network_by_itself() -> None:
    assert [address_on_link("10.9.0.1", link) for link in (1, 2)] == ["10.9.0.1", "10.9.1.1"]
