"""v2 section 5.2 Responder Does Not Support RPC-over-RDMA Version Two: what a Requester does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.header import VERSION_ONE, VERSION_TWO
from conformance.tester.server.options import encode_two
from rpcrdma.wire import ErrVers, v2
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient
    from targets.base import RunningAct

PICKED = "v2.5.2.version-is-picked-from-the-range"
USED = "v2.5.2.picked-version-is-used-from-then-on"
KEPT = "v2.5.2.threshold-changes-keep-the-connection"
LENGTHS = "v2.5.2.thresholds-follow-the-version"
UNUSABLE = "v2.5.2.unusable-range-ends-the-rpc"
FITS = "v2.5.first-message-fits-1024-octets"
ERRED = "v2.4.2.3.error-ends-the-rpc"
ONE_AT_A_TIME = "v2.5.one-message-until-the-first-answer"

CLAIMS_ONE: Final = "the device claims Version One, too, and the range leaves it no other"
"""Why no case takes it that the client gives up, which the oracle allows to one without it."""

CONNECTIONS: Final = 5
"""On so many in a row an offer comes to nothing."""


@requirement(PICKED, USED, KEPT, role="requester", interpretations=("D-156",), narrower=CLAIMS_ONE)
@pytest.mark.parametrize(
    ("kind", "length", "count"),
    [
        (ActKind.NULL, 0, 1),
        (ActKind.MANY, 0, 6),
        (ActKind.READ, 8192, 1),
        (ActKind.WRITE, 2000, 1),
        (ActKind.LONG_CALL, 2000, 1),
    ],
    ids=("null", "many", "read", "write", "long-call"),
)
def test_requester_goes_on_in_version_one(
    service_fresh: Service, client: ActingClient, kind: ActKind, length: int, count: int
) -> None:
    """ERR_VERS 1..1 answers the offer: everything is done in Version One.

    What is said in it on that connection must not cost it.  The client may take another (D-156).
    """
    act = client.begin(kind, length, count)
    offer = verify.versions.offer(service_fresh)
    line = service_fresh.line

    verify.versions.sent_back(service_fresh, offer, 1, 1)
    result = service_fresh.serve_until(act)

    verify.versions.spoken(service_fresh.received[offer.order + 1 :], {VERSION_ONE}, (PICKED, USED))
    later = service_fresh.received[offer.order + 1 :]
    if any(call.line == line.number for call in later):
        verify.calls.stands(line, "ERR_VERS", (KEPT,))
    verify.calls.done(result, (PICKED,))


@requirement(ERRED, role="requester", means={ONE_AT_A_TIME: ERRED})
def test_requester_takes_no_version_from_an_error_about_nothing(
    service_fresh: Service, client: ActingClient
) -> None:
    """ERR_VERS 1..1 comes under another XID than the offer's, which is answered after it.

    It is about nothing that was sent: the client goes on waiting, and then in Version Two.
    """
    act = client.begin(ActKind.MANY, count=8)
    offer = verify.versions.offer(service_fresh)
    line = service_fresh.line

    about_nothing = v2.Rdma2Error(ErrVers(VERSION_ONE, VERSION_ONE))
    service_fresh.send(encode_two(offer.xid ^ 1 << 31, about_nothing, service_fresh.grant))
    service_fresh.waiting()
    verify.calls.in_flight(service_fresh, at_most=1, after="after an error about nothing")
    service_fresh.answer_all()
    verify.calls.done(service_fresh.serve_until(act), (ERRED,))

    later = service_fresh.received[offer.order + 1 :]
    here = (call for call in later if call.line == line.number)
    verify.versions.spoken(here, {VERSION_TWO}, (ERRED,))


@requirement(
    PICKED,
    USED,
    role="requester",
    needs=("cancels",),
    interpretations=("D-156",),
    narrower="the act that must go well is another than the one that was given up",
)
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ], ids=str)
def test_requester_goes_on_after_it_has_given_its_offer_up(
    service_fresh: Service, client: ActingClient, kind: ActKind
) -> None:
    """The application has given up the call that was the offer: ERR_VERS 1..1 counts as ever."""
    act = client.begin(kind, 8192)
    offer = verify.versions.offer(service_fresh)
    act.abandon()
    service_fresh.waiting(service_fresh.profile.grace)

    verify.versions.sent_back(service_fresh, offer, 1, 1)
    result = verify.calls.ended(service_fresh, client.good_act(), (PICKED, USED))

    verify.versions.spoken(service_fresh.received[offer.order + 1 :], {VERSION_ONE}, (PICKED, USED))
    verify.calls.done(result, (PICKED, USED))


@requirement(
    LENGTHS,
    role="requester",
    interpretations=("D-55",),
    narrower=CLAIMS_ONE,
)
@pytest.mark.parametrize("length", [900, 2000, 5000])
def test_requester_keeps_to_the_lengths_of_version_one(
    service_fresh: Service, client: ActingClient, length: int
) -> None:
    """After a fall back a call of more than 1024 octets is a Long Call, and is done."""
    act = client.begin(ActKind.NULL)
    offer = verify.versions.offer(service_fresh)
    verify.versions.sent_back(service_fresh, offer, 1, 1)
    verify.calls.done(service_fresh.serve_until(act), (PICKED,))

    result = client.do(ActKind.LONG_CALL, length)

    verify.calls.obey(service_fresh.received[offer.order + 1 :], LENGTHS)
    verify.calls.done(result)


@requirement(PICKED, UNUSABLE, role="requester", interpretations=("D-64",))
@pytest.mark.parametrize(
    ("low", "high"),
    [(1, 7), (2, 7), (1, 2), (0, 2**32 - 1), (3, 5), (5, 1), (0, 0), (2**32 - 1, 0)],
)
def test_requester_copes_with_an_odd_range(
    service_fresh: Service, client: ActingClient, low: int, high: int
) -> None:
    """ERR_VERS of that range: the client goes on in a version that is in it, or gives up."""
    act = client.begin(ActKind.NULL)
    offer = verify.versions.offer(service_fresh)

    verify.versions.sent_back(service_fresh, offer, low, high)
    verify.versions.ends_under_refusals(service_fresh, act, low, high, (UNUSABLE,))

    later = service_fresh.received[offer.order + 1 :]
    verify.versions.spoken(later, {VERSION_ONE, VERSION_TWO}, (PICKED,))
    left = {one for one in (VERSION_ONE, VERSION_TWO) if low <= one <= high} or {VERSION_TWO}
    here = (call for call in later if call.line == offer.line)
    verify.versions.spoken(here, left, (PICKED,))
    service_fresh.drop()  # who has given up need not try again on this connection
    service_fresh.waiting()


@requirement(UNUSABLE, role="requester", interpretations=("D-64",))
@pytest.mark.parametrize(("low", "high"), [(1, 1), (3, 5)])
def test_requester_copes_with_a_range_in_mid_connection(
    service_two: Service, client: ActingClient, low: int, high: int
) -> None:
    """After good replies in Version Two an ERR_VERS comes: the client does not loop."""
    verify.calls.done(client.serve_good_act())
    act = client.begin(ActKind.NULL)
    call = service_two.next_call()

    verify.versions.sent_back(service_two, call, low, high)

    verify.versions.ends_under_refusals(service_two, act, low, high, (UNUSABLE,))


@requirement(PICKED, FITS, role="requester", interpretations=("D-137",))
def test_requester_does_not_negotiate_over_and_over(
    service_fresh: Service, client: ActingClient
) -> None:
    """ERR_VERS and a lost connection answer each offer: the client's act comes to its end."""
    act = client.begin(ActKind.NULL)

    offers = _offers(service_fresh, act, refuses=True)

    _tell(service_fresh, offers)
    service_fresh.serve_until(act)


@requirement(
    FITS,
    role="requester",
    interpretations=("D-137",),
    wider="whoever has lost so many connections may give the call up",
)
def test_requester_takes_no_answer_for_a_lack_of_version_two(
    service_fresh: Service, client: ActingClient
) -> None:
    """No offer is answered, and each connection ends: the client's act comes to its end."""
    act = client.begin(ActKind.NULL)

    offers = _offers(service_fresh, act, refuses=False)

    _tell(service_fresh, offers)
    service_fresh.serve_until(act)


def _offers(service: Service, act: RunningAct, *, refuses: bool) -> int:
    """How many connections begin with an offer, which comes to nothing; the last may not."""
    patience = service.profile.connect_deadline + service.profile.deadline
    verify.versions.offer(service)
    for offers in range(1, CONNECTIONS):
        call = service.received[-1]
        if refuses:
            verify.versions.sent_back(service, call, 1, 1)
        else:
            service.waiting()
        service.drop()
        if not service.serve_while(lambda: act.poll() is None and not service.connected, patience):
            return offers
        if act.poll() is not None:
            return offers
        first = service.next_call(timeout=patience)
        if verify.versions.version_of(first) != VERSION_TWO:
            service.answer_all()
            return offers
    service.answer_all()
    return CONNECTIONS


def _tell(service: Service, offers: int) -> None:
    # v2 5.2 says only how the loop can be avoided (D-137).
    if offers > verify.versions.MOST_OFFERS:
        reason = f"Version Two was offered {offers} times in a row though nothing came of it."
        service.case.remark(reason)


@requirement("v2.4.2.3.undecodable-error-is-dropped", role="requester", interpretations=("D-132",))
@pytest.mark.parametrize("octets", [20, 24])
def test_requester_does_not_fall_back_on_half_a_range(
    service_fresh: Service, client: ActingClient, octets: int
) -> None:
    """An ERR_VERS that is cut answers the offer: the call waits for its reply, or fails."""
    act = client.begin(ActKind.NULL)
    offer = verify.versions.offer(service_fresh)
    error = service_fresh.draft(offer).octets[:12] + bytes((0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 1))

    verify.calls.reaction(service_fresh, offer, act, error[:octets])


@requirement("v2.1.interoperates-without-optional-features", role="requester")
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE], ids=str)
def test_requester_without_version_two_is_served_by_who_has_it(
    service_one: Service, client: ActingClient, kind: ActKind
) -> None:
    """A client of Version One alone keeps to it before a server of both, and all is done."""
    result = client.do(kind, 4096)

    verify.versions.spoken(service_one.received, {VERSION_ONE})
    verify.calls.done(result)
