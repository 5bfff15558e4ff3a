"""The tester before either end of the reference: what it sees, sends and has done."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.options.client import OptionClient
from conformance.options.server import OptionServer
from conformance.options.tester import both_ends
from conformance.oracle.outcome import InvalidOption, Silent
from conformance.tester.client.harness import Harness
from conformance.tester.server.harness import ClientHarness
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.wire.operations import ConnProp, ReqProp, RespProp, UpdProp
from rpcrdma.wire.optional import UnknownOption
from rpcrdma.wire.properties import ReceiveBufferSize, property_values
from rpcrdma.wire.rpc import MessageType
from targets.base import Unsupported
from targets.profile import SHIPPED, Binding, load_profile
from targets.reference.client import ReferenceClientTarget
from targets.reference.server import ReferenceTarget
from targets.reference.server_parts import Parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.options.tester import OptionTester


@pytest.fixture(params=["responder", "requester"])
def tester(request: pytest.FixtureRequest) -> Iterator[OptionTester]:
    if request.param == "responder":
        server = Harness(ReferenceTarget(load_profile(SHIPPED / "reference.toml")))
        server.begin()
        yield OptionClient.of(partial(server.connect, version=2))
        server.close()
        return
    client = ClientHarness(ReferenceClientTarget(load_profile(SHIPPED / "reference-client.toml")))
    client.begin()
    service = client.ready_two()
    yield OptionServer.of(service, client.client)
    client.close()


def test_hears_what_the_device_announces(tester: OptionTester) -> None:
    tester.call()

    assert [type(one.option) for one in tester.heard] == [ConnProp]
    assert tester.connected


def test_hears_what_answers_an_operation(tester: OptionTester) -> None:
    unknown = tester.send(UnknownOption(77, b""))
    asked = tester.send(ReqProp(property_values(ReceiveBufferSize(4096))))
    tester.call()

    by_xid = {one.xid: one for one in tester.heard}
    assert by_xid[unknown].refuses
    assert isinstance(by_xid[asked].option, RespProp)


def test_notes_what_is_accepted_of_what_it_sends_to_a_server(tester: OptionTester) -> None:
    """Before a client no answers to operations are compared, so none are noted."""
    tester.case.acceptances.clear()
    xid = tester.send(UnknownOption(77, b""))

    tester.note_accepted(xid, InvalidOption, tolerated=(Silent,), breaks=("v2.3.1",))
    tester.call()

    notes = [
        (note.message.xid == xid, [str(one) for one in (*note.allowed, *note.tolerated)])
        for note in tester.case.acceptances
    ]
    both = [(True, ["INVAL_OPTION", "silence"]), (False, ["a Reply of SUCCESS"])]
    assert notes == (both if tester.role == "responder" else [])


def test_has_the_device_send_what_it_may(tester: OptionTester) -> None:
    assert 3900 < tester.longest(4000) <= 4096
    assert tester.longest(6000) < 1024
    assert tester.attempt(6000) < 1024


def test_delivers_messages_of_just_that_length(tester: OptionTester) -> None:
    tester.deliver(4096, 3)

    assert tester.connected


@pytest.mark.parametrize("granted", [0, 1])
def test_delivers_no_more_at_once_than_is_granted(granted: int) -> None:
    """rfc8166 3.3.1; one is the least, whatever a broken device grants."""

    class GrantsLittle(ReplyRules):
        def grant(self, requested: int, posted: int) -> int:
            return granted

    profile = load_profile(SHIPPED / "reference.toml")
    harness = Harness(ReferenceTarget(profile, parts=Parts(replies=GrantsLittle)))
    harness.begin()
    tester = OptionClient.of(partial(harness.connect, version=2))
    tester.call()
    before = len(harness.trace.events)

    tester.deliver(2000, 3)

    sent = [one.side for one in harness.trace.events[before:] if one.kind is EventKind.SEND]
    assert sent == [Side.LOCAL, Side.PEER] * 3
    harness.close()


def test_has_the_device_ask_and_change(tester: OptionTester) -> None:
    tester.ask_size(1024)
    tester.ask_invalidation()
    asked = [one for one in tester.heard if isinstance(one.option, ReqProp)]
    tester.send(RespProp((1,), (), ()), MessageType.REPLY, xid=asked[0].xid)
    assert len(asked) == 1  # the second waits for the answer to the first

    tester.change_size(8192)
    for _ in range(60):
        tester.call()
    assert any(isinstance(one.option, UpdProp) for one in tester.heard)


def test_sends_an_operation_under_the_xid_of_an_rpc(tester: OptionTester) -> None:
    xid = tester.send_within_call(ReqProp(()))
    tester.call()

    assert [type(one.option) for one in tester.heard if one.xid == xid] == [RespProp]


def test_begins_again_on_another_connection(tester: OptionTester) -> None:
    tester.call()
    other = tester.again()
    other.call()

    assert [type(one.option) for one in other.heard] == [ConnProp]


def test_a_server_of_another_binding_cannot_be_told() -> None:
    profile = load_profile(SHIPPED / "reference.toml")
    harness = Harness(ReferenceTarget(profile))
    harness.begin()
    tester = OptionClient.of(partial(harness.connect, version=2))
    other = msgspec.structs.replace(profile, binding=Binding.NULL_ONLY)
    tester.peer.profile = other

    with pytest.raises(Unsupported, match="cannot be told"):
        tester.ask_size(1024)
    harness.close()


def test_one_function_is_a_case_for_each_role(pytestconfig: pytest.Config) -> None:
    # As the plugin declares it, which is not there when a test runs by itself.
    pytestconfig.addinivalue_line("markers", "requirement(*ids): what a scenario tests")

    @both_ends("xcharext.2.1.any-order", interpretations=("D-76",))
    def test_something(tester: OptionTester) -> None:
        """Nothing."""

    (mark,) = test_something.pytestmark
    names, parameters = mark.args
    marks = [one.marks[0] for one in parameters]
    assert (names, mark.kwargs) == ("tester", {"indirect": True})
    assert [one.kwargs["role"] for one in marks] == ["responder", "requester"]
    assert all(one.args == ("xcharext.2.1.any-order",) for one in marks)
