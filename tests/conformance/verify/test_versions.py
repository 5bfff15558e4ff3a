"""What is asked about the versions of a client: with the reference client and with spoilt ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.tester.case import Deviation
from conformance.tester.server.harness import ClientHarness
from rpcrdma.endpoint.negotiation.table import NegotiationRules, NegotiationState
from targets.base import ActKind
from targets.mutants.base import find_client_parts
from targets.profile import SHIPPED, load_profile
from targets.reference.client import ReferenceClientTarget
from targets.reference.client_parts import ClientParts

if TYPE_CHECKING:
    from collections.abc import Iterator

PROFILE = load_profile(SHIPPED / "reference-client.toml")


def made(parts: ClientParts) -> ClientHarness:
    harness = ClientHarness(ReferenceClientTarget(PROFILE, parts=parts))
    harness.begin()
    return harness


@pytest.fixture
def harness() -> Iterator[ClientHarness]:
    running = made(ClientParts())
    yield running
    running.close()


class Forgetful(NegotiationRules):
    def assume(self, state: NegotiationState) -> bool:
        return True


def test_takes_an_offer_of_version_two(harness: ClientHarness) -> None:
    service = harness.fresh()
    act = harness.client.begin(ActKind.NULL)

    offer = verify.versions.offer(service)

    assert verify.versions.version_of(offer) == 2
    service.reply(offer)
    assert service.serve_until(act).done


def test_refuses_an_offer_of_version_one() -> None:
    harness = made(ClientParts(negotiation=Forgetful))
    service = harness.fresh()
    harness.client.begin(ActKind.NULL)

    with pytest.raises(Deviation, match=r"A call has version 1\.") as found:
        verify.versions.offer(service)

    assert found.value.breaks == ("v2.5.first-message-has-version-two",)
    harness.close()


def test_refuses_what_stands_before_an_offer() -> None:
    harness = made(find_client_parts("announces-beside-its-offer"))
    service = harness.fresh()
    harness.client.begin(ActKind.NULL)
    service.waiting()

    with pytest.raises(Deviation, match="beside an optional message") as found:
        verify.versions.offer(service)

    assert found.value.breaks == ("v2.5.one-message-until-the-first-answer",)
    harness.close()


def test_sees_an_act_end_after_a_refusal(harness: ClientHarness) -> None:
    service = harness.fresh()
    act = harness.client.begin(ActKind.NULL)
    offer = verify.versions.offer(service)

    verify.versions.sent_back(service, offer, 1, 1)

    assert verify.versions.ends_under_refusals(service, act, 1, 1).done
    verify.versions.spoken(service.received[offer.order + 1 :], {1})


def test_sees_a_client_that_tries_for_ever() -> None:
    harness = made(find_client_parts("offers-version-two-for-ever"))
    service = harness.fresh()
    act = harness.client.begin(ActKind.NULL)
    offer = verify.versions.offer(service)
    verify.versions.sent_back(service, offer, 3, 5)

    with pytest.raises(Deviation, match=r"3\.\.5 is not the end of it") as found:
        verify.versions.ends_under_refusals(service, act, 3, 5, ("a rule",))

    assert found.value.breaks == ("a rule",)
    assert "further calls in Version Two" in found.value.actual
    harness.close()
