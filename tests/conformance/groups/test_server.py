"""The tester before the reference client: groups that it takes, answers, and spoils."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.groups.server import GroupServer, group_of
from conformance.groups.taken import GROUPED, TAKEN, structure
from conformance.oracle.announced import NOTHING_TOLD
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.server.harness import ClientHarness
from rpcrdma.endpoint.requester.group_plan import GroupPlanner
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.requester.requester_parts import RequesterParts
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadSequence,
    InTargetedSegments,
    TransmissionId,
)
from rpcrdma.wire.operations import ROPT_XMTREQ, ReptErr, XmtCont, XmtReq
from rpcrdma.wire.rpc import MessageType
from targets.base import ActKind
from targets.mutants.reductions.edits import edited_items, renumbered
from targets.profile import SHIPPED, load_profile
from targets.reference.client import ReferenceClientTarget
from targets.reference.client_parts import CLIENT, ClientParts
from targets.reference.roles import REDUCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.wire.transmission import Transmission


def before(parts: ClientParts = CLIENT) -> Iterator[GroupServer]:
    """The tester before a client of these parts."""
    profile = load_profile(SHIPPED / "reference-client.toml")
    harness = ClientHarness(ReferenceClientTarget(profile, parts=parts))
    harness.begin()
    yield GroupServer.of(harness.ready_two(), harness.client)
    harness.close()


@pytest.fixture
def groups() -> Iterator[GroupServer]:
    yield from before()


# -- requests


@pytest.mark.parametrize("what", GROUPED)
def test_requests_in_groups_are_served(groups: GroupServer, what: str) -> None:
    act, call = groups.request(*GROUPED[what])

    groups.finish(act, call)

    assert groups.service.violations == ()
    assert group_of(call).contents.optxrq_count == call.sends


def test_a_client_that_was_told_of_nothing_makes_no_groups(groups: GroupServer) -> None:
    groups.announce(NOTHING_TOLD)

    with pytest.raises(Inconclusive, match="no such call"):
        groups.request(ActKind.LONG_CALL, 9000)


def test_a_call_that_is_no_group_has_nothing_of_one(groups: GroupServer) -> None:
    groups.good_act()

    with pytest.raises(Inconclusive, match="is no group"):
        group_of(groups.service.received[-1])


def test_what_the_client_has_announced_is_known(groups: GroupServer) -> None:
    assert groups.told.takes(ROPT_XMTREQ)
    assert len(groups.told.layout.targets) == 3


def test_what_came_last_is_what_was_announced(groups: GroupServer) -> None:
    groups.announce(replace(TAKEN, structure=structure((1, 4096, False))))

    _, call = groups.request(ActKind.WRITE, 9000)

    assert call.group is not None
    assert len(call.group.header.rdma_body.rdma_reads) == 1  # type: ignore[union-attr]  # an RDMA_MSG


def test_transmissions_say_what_they_are(groups: GroupServer) -> None:
    _, call = groups.request(ActKind.LONG_CALL, 9000)

    assert [type(one) for one in group_of(call).said] == [XmtReq, XmtCont, XmtCont]


# -- responses


def test_an_act_that_has_read_something_else_is_no_good(groups: GroupServer) -> None:
    act, call = groups.request(ActKind.READ, 6000)
    groups.service.reply(call, groups.response(call))

    with pytest.raises(Deviation):
        groups.done(act, reading=5000)


@pytest.mark.parametrize("cuts", [(), (4,), (-1, 0), ("all",)])
def test_a_stream_is_cut_where_the_case_says(
    groups: GroupServer, cuts: tuple[int | str, ...]
) -> None:
    act, call = groups.request(ActKind.READ, 9000)

    answer = groups.cut(call, *cuts)

    assert len(answer.sends) == 3
    groups.service.reply(call, answer)
    groups.done(act, reading=9000)


def test_a_stream_is_not_cut_beyond_the_reserve(groups: GroupServer) -> None:
    _, call = groups.request(ActKind.READ, 6000)

    with pytest.raises(Inconclusive, match="less than 4"):
        groups.cut(call, 4, 8, 12)


def test_targets_are_clear_of_header_and_payload(groups: GroupServer) -> None:
    assert groups.targets(2000, 1) == InTargetedSegments(0, (0, 1))
    assert groups.targets(2000, 2, [5, 4, 99]) == InTargetedSegments(0, (5, 4))
    with pytest.raises(Inconclusive, match="no targets"):
        groups.targets(4000, 1)


def test_memory_of_a_direction_is_found(groups: GroupServer) -> None:
    _, call = groups.request(ActKind.READ, 6000)
    _, other = groups.request(ActKind.LONG_REPLY, 9000)

    assert groups.memory(call).length == 6000
    with pytest.raises(Inconclusive, match="no memory"):
        groups.memory(other)


def test_only_a_call_with_directions_has_answers_to_them(groups: GroupServer) -> None:
    _, call = groups.request(ActKind.LONG_REPLY, 9000)

    with pytest.raises(Inconclusive, match="no directions"):
        groups.answering(call)


def test_what_has_no_room_is_refused(groups: GroupServer) -> None:
    _, call = groups.request(ActKind.LONG_REPLY, 9000)
    assert call.group is not None
    call.group = replace(call.group, contents=XmtReq((), (), 1, 1, 48))

    answer = groups.serve(call)

    assert answer.sends == groups.refused(call).sends


def test_a_client_that_is_refused_hears_of_it(groups: GroupServer) -> None:
    act, call = groups.request(ActKind.LONG_CALL, 9000)

    groups.service.reply(call, groups.refused(call))

    # The reference makes its call again, by the base protocol.
    groups.done(act)


# -- faults


def test_a_faulty_response_that_is_not_used_is_followed_by_a_good_one(
    groups: GroupServer,
) -> None:
    act, call = groups.request(ActKind.READ, 6000)
    wrong = groups.placing(call).changed(lambda group: group.with_items(()))

    groups.unused(act, call, wrong, ("rule",))


def test_a_faulty_response_that_is_used_is_a_deviation(groups: GroupServer) -> None:
    act, call = groups.request(ActKind.READ, 6000)

    with pytest.raises(Deviation, match="should not use") as found:
        groups.unused(act, call, groups.response(call), ("rule",))

    assert found.value.breaks == ("rule",)


def test_what_is_reported_is_returned(groups: GroupServer) -> None:
    act, call = groups.request(ActKind.LONG_REPLY, 9000)
    wrong = groups.response(call).changed(lambda group: group.in_order(0, 2))

    report = groups.reported(call, wrong, ("rule",))

    assert isinstance(report.option, ReptErr)
    assert isinstance(report.option.optre_info, BadSequence)
    assert groups.reports == (report,)
    groups.goes_on(act, call, ("rule",))


def test_what_is_not_reported_is_a_deviation(groups: GroupServer) -> None:
    _, call = groups.request(ActKind.LONG_REPLY, 9000)

    with pytest.raises(Deviation, match="not reported once"):
        groups.reported(call, groups.response(call), ("rule",))


def test_a_report_about_a_request_reaches_the_client(groups: GroupServer) -> None:
    act, call = groups.request(ActKind.LONG_CALL, 9000)
    bad = TransmissionId(call.xid, MessageType.CALL, 0)

    groups.service.reply(call, groups.report(call, ReptErr(bad, None, BadContinuation())))

    groups.done(act)
    assert groups.errors_about(call) == ()
    assert groups.service.received[-1].group is None


# -- clients that do as they should not


class SendsNoMore(Requester):
    """Keeps the last transmission of each request."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        actions = super()._sent(call)
        return actions[:-1] if len(actions) > 1 else actions


def test_a_request_without_its_end_is_told_when_nothing_else_comes() -> None:
    for groups in before(ClientParts(requester=SendsNoMore)):
        with pytest.raises(Inconclusive):
            groups.request(ActKind.LONG_CALL, 9000)

        (rule,) = groups.service.violations
        assert rule.ids == ("rtrext.9.2.count-of-a-request",)


class TurnsRequests(Requester):
    """Sends the last transmission of each request first."""

    def _sent(self, call: OutgoingCall) -> list[Action]:
        return super()._sent(call)[::-1]


def test_transmissions_that_are_no_request_are_told_at_once() -> None:
    for groups in before(ClientParts(requester=TurnsRequests)):
        with pytest.raises(Inconclusive):
            groups.request(ActKind.LONG_CALL, 9000)

        assert "rtrext.9.4.continuations-follow-a-beginning" in groups.service.violations[0].ids


class DropsResponses(Requester):
    """Takes no response in a group."""

    def _take_group(self, arrived: Transmission) -> list[Action]:
        return []


def test_an_offset_is_within_the_first_target(groups: GroupServer) -> None:
    groups.require_offset(InTargetedSegments(1020, (0,)), 1020)

    with pytest.raises(Inconclusive, match="too short for 1024 octets"):
        groups.require_offset(InTargetedSegments(1024, (0,)), 1024)


def test_an_act_that_does_not_end_breaks_what_the_case_is_about() -> None:
    for groups in before(ClientParts(requester=DropsResponses)):
        act, call = groups.request(ActKind.LONG_CALL, 9000)
        groups.service.reply(call, groups.response(call))

        with pytest.raises(Deviation) as found:
            groups.done(act, ("rule",))

        assert found.value.breaks == ("rule",)


class AsksNobody(GroupPlanner):
    """Makes groups before a server that has told of nothing."""

    @property
    def is_possible(self) -> bool:
        return not self.is_refused


def test_an_operation_that_nobody_was_told_of_is_refused() -> None:
    """A client may try it (rtrext 5.1), and goes on by the base protocol."""
    parts = ClientParts(
        inside=RequesterParts(groups=AsksNobody), reductions=replace(REDUCTIONS, always=True)
    )
    for groups in before(parts):
        before_any_word = groups.service.received[:2]  # on the client's first connection

        assert [one.group is None for one in before_any_word] == [False, True]
        assert groups.service.violations == ()


def test_what_cannot_be_put_together_is_refused() -> None:
    class Misplaces(Requester):
        """Says that arguments are in targets that there are not."""

        def _sent(self, call: OutgoingCall) -> list[Action]:
            return edited_items(super()._sent(call), lambda one: renumbered(one, lambda _: 99))

    for groups in before(ClientParts(requester=Misplaces)):
        act = groups.client.begin(ActKind.WRITE, 9000)

        call = groups.service.next_call()

        assert (call.unreduced, call.problem) == (None, "there is no target 99")
        groups.service.serve(call)
        groups.done(act)
