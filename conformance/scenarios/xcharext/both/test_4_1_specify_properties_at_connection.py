"""xcharext section 4.1, ROPT_CONNPROP: Specify Properties at Connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.options import verify as verify_options
from conformance.options.due import begun, due
from conformance.options.tester import both_ends
from conformance.oracle.sizes import THRESHOLD_TWO
from conformance.tester.case import Inconclusive
from conformance.tester.client import build, message
from rpcrdma.wire import ErrVers, v2
from rpcrdma.wire.operations import ConnProp, ReqProp, UpdProp
from rpcrdma.wire.properties import (
    BASIC,
    PROP_RBSIZ,
    BackwardRequestSupport,
    BackwardSupport,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    property_values,
)
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.options.tester import OptionTester
    from conformance.tester.client.peer import Peer
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

FIRST = "xcharext.4.1.connprop-may-come-first"
LEFT_OUT = "xcharext.4.1.left-out-is-the-default"
LEFT_STAYS = "xcharext.4.1.left-out-stays"
NOT_ASKED = "xcharext.4.1.left-out-is-not-asked-for"
MARKED = "xcharext.4.1.marked-values-stay"
BORNE = "xcharext.4.1.sender-bears-defaults"
WITHOUT = "v2.1.interoperates-without-optional-features"

PLAIN = RequesterRemoteInvalidation(allowed=False)
VALUES = property_values(
    ReceiveBufferSize(8192), PLAIN, BackwardRequestSupport(BackwardSupport.BKREQSUP_INLINE)
)


@requirement(FIRST, needs=("operations",), interpretations=("D-62", "D-138"))
def test_server_takes_connprop_as_the_first_message(connect_two: Callable[..., Peer]) -> None:
    """CONNPROP before any Call costs nothing, and the Calls after it are served."""
    peer = connect_two()

    peer.send(message.option(peer, ConnProp(VALUES, ())))

    for _ in range(3):
        call = build.null_call(peer)
        peer.send(call)
        verify.served(peer, call, breaks=(FIRST,))


@requirement(FIRST, role="requester", needs=("operations",), interpretations=("D-54", "D-138"))
def test_client_takes_connprop_before_the_first_reply(
    service_fresh: Service, client: ActingClient
) -> None:
    """CONNPROP comes after the client's first Call and before its Reply: the RPC goes on."""
    act = client.good_act()
    call = service_fresh.next_call()
    if call.version != v2.VERSION:
        raise Inconclusive("the client does not begin with version 2")

    line = service_fresh.line
    service_fresh.options.send(ConnProp(VALUES, ()))
    service_fresh.serve(call)

    result = service_fresh.serve_until(act)
    verify.calls.stands(line, "a CONNPROP before the first reply", (FIRST,))
    verify.calls.done(result, (FIRST,))


@both_ends(LEFT_OUT, interpretations=("D-79",))
def test_left_out_size_is_the_default_on_the_next_connection(tester: OptionTester) -> None:
    """A larger size holds for its connection alone; on the next it is left out, and is 4096."""
    verify_options.claims(tester, "connprop")
    tester.send(ConnProp(VALUES, ()))
    tester.call()

    other = tester.again()

    other.send(ConnProp(VALUES[1:], ()))
    other.call()
    verify_options.obeys(other, THRESHOLD_TWO, breaks=(LEFT_OUT,), lengths=(4100, 8000))


@both_ends(LEFT_OUT, interpretations=("D-72", "D-79"))
def test_size_left_out_of_a_second_connprop_is_the_default(tester: OptionTester) -> None:
    """A second CONNPROP replaces the first: what it leaves out has its default."""
    verify_options.claims(tester, "connprop")
    tester.send(ConnProp(VALUES, verify_options.all_may_change(tester, VALUES)))
    tester.call()

    tester.send(ConnProp(VALUES[1:], ()))

    tester.call()
    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(LEFT_OUT,), lengths=(4100, 8000))


@both_ends(LEFT_STAYS, MARKED, interpretations=("D-72", "D-79", "D-140"))
def test_fixed_values_are_not_updated(tester: OptionTester) -> None:
    """Told to change its size, a device does not if it was left out, or was said to stay."""
    verify_options.claims(tester, "connprop", "updprop")
    told = verify_options.announced(tester)
    fixed = verify_options.fixed(tester, told)
    left_out = BASIC.by_code.keys() - {value.pv_which for value in told.opticonnpr_start}
    before = len(tester.heard)

    tester.change_size(2 * verify_options.told_size(tester))
    verify_options.until(tester, UpdProp, before)

    for one in tester.heard[before:]:
        if isinstance(one.option, UpdProp):
            changed = {value.pv_which for value in one.option.optupdpr_now}
            verify.equal(sorted(changed & fixed), [], "marked and updated", breaks=(MARKED,))
            verify.equal(sorted(changed & left_out), [], "left out, updated", breaks=(LEFT_STAYS,))


@both_ends(NOT_ASKED, interpretations=("D-79",))
def test_left_out_property_is_not_asked_for(tester: OptionTester) -> None:
    """Told to ask for a size that the peer's CONNPROP left out, a device does not."""
    verify_options.claims(tester, "connprop", "reqprop")
    tester.send(ConnProp(VALUES[1:], ()))
    tester.call()
    before = len(tester.heard)

    tester.ask_size(2048)

    found = begun(tester, ReqProp, before)
    if found is not None and isinstance(found.option, ReqProp):
        asked = {value.pv_which for value in found.option.optreqpr_want}
        if PROP_RBSIZ in asked:
            tester.case.let_pass(f"It asks: {found}.", (NOT_ASKED,))


@both_ends(BORNE, WITHOUT, interpretations=("D-74",))
def test_device_bears_a_partner_that_knows_nothing(tester: OptionTester) -> None:
    """CONNPROP and all else that the device begins is refused: RPCs of every size go on."""
    verify_options.claims(tester, "connprop")
    tester.call()
    due(tester, lambda: begun(tester, ConnProp) is not None)
    found = begun(tester, ConnProp)
    if found is None:
        raise Unsupported("the device has announced nothing")

    tester.refuse(found)

    tester.call((BORNE, WITHOUT))
    tester.deliver(THRESHOLD_TWO, 2, breaks=(BORNE, WITHOUT))
    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(BORNE, WITHOUT))


@requirement(WITHOUT, needs=("operations",), interpretations=("D-147",))
def test_server_has_no_properties_in_version_one(peer: Peer) -> None:
    """Calls of Version One alone get Replies, and no message of Version Two comes."""
    for _ in range(3):
        call = build.small_call(peer)
        peer.send(call)
        verify.served(peer, call)

    verify.silent(peer, breaks=(WITHOUT,))
    verify.equal(peer.options, [], "the optional messages", breaks=(WITHOUT,))


@requirement(
    WITHOUT,
    role="requester",
    needs=("operations",),
    interpretations=("D-147",),
    narrower="the device claims Version One, too, and the range leaves it no other",
)
def test_client_has_no_properties_in_version_one(
    service_fresh: Service, client: ActingClient
) -> None:
    """To a server that speaks Version One alone a client sends no optional message."""
    before = len(service_fresh.options.messages)
    act = client.good_act()
    call = service_fresh.next_call()
    if call.version == v2.VERSION:
        service_fresh.error(call, ErrVers(1, 1))
    verify.calls.done(service_fresh.serve_until(act))
    for _ in range(2):
        verify.calls.done(client.serve_good_act())

    service_fresh.waiting()
    said = [str(one) for one in service_fresh.options.messages[before:]]
    verify.equal(said, [], "the optional messages", breaks=(WITHOUT,))
