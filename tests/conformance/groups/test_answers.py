"""Requests that are executed, and what is wrong where they are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.groups import answers
from conformance.groups.request import grouped, to_memory, to_sends
from conformance.tester.case import Deviation
from rpcrdma.endpoint.responder.group_reply import GroupReplies
from rpcrdma.ulp.testprog_calls import expected_reply
from rpcrdma.wire._generated_rtrext import InTargetedSegments, NoItem
from targets.mutants.base import find_responder_parts
from targets.reference.server_parts import Parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.client import GroupClient

ID = "rtrext.4.2.message-may-be-cut-anywhere"


def test_a_reply_may_come_in_kind_or_as_a_group(facing: Callable[..., GroupClient]) -> None:
    client = facing()
    small = client.send(grouped(client.peer, client.peer.workload.small()))
    expected = answers.GroupReply(None, expected_reply(small.unreduced))
    assert answers.served(client, small, breaks=ID) == expected

    long = client.send(grouped(client.peer, client.peer.workload.long_reply(9000)))
    reply = answers.served(client, long, breaks=ID)
    assert reply.sends == 3
    assert reply.entries == ()


def test_results_are_where_the_entries_say(facing: Callable[..., GroupClient]) -> None:
    client = facing()
    directions = to_memory(client.peer, 900), to_sends(), to_sends()
    request = client.peer.workload.fetch_two(700, 800)
    call = client.send(grouped(client.peer, request, directions=directions))

    reply = answers.served(client, call, breaks=ID)

    assert [type(one.xmdmi_where) for one in reply.entries][1:] == [InTargetedSegments, NoItem]
    assert call.rooms[0].segments[0].region.read(0, 700) in reply.payload


def test_several_requests_are_answered_in_any_order(facing: Callable[..., GroupClient]) -> None:
    client = facing()
    calls = [grouped(client.peer, client.peer.workload.long_reply(n)) for n in (6000, 4, 9000)]
    for call in calls:
        client.send(call)

    answers.each_served(client, reversed(calls), breaks=ID)


def test_garbage_is_refused(facing: Callable[..., GroupClient]) -> None:
    client = facing()
    call = client.send(grouped(client.peer, client.peer.workload.garbage()))
    answers.garbage(client, call, breaks=ID)

    good = client.send(grouped(client.peer, client.peer.workload.small()))
    with pytest.raises(Deviation) as found:
        answers.garbage(client, good, breaks=ID)
    assert found.value.breaks == (ID,)


@pytest.mark.parametrize(
    ("mutant", "breaks"),
    [
        ("counts-one-transmission-too-few", "rtrext.9.3.count-of-a-response"),
        ("sends-the-last-continuation-first", "rtrext.9.4.number-of-a-continuation"),
        ("sends-an-update-within-a-response", "rtrext.4.2.nothing-in-between"),
        ("responds-by-an-unknown-operation", "rtrext.9.1.code-of-xmtresp"),
        ("continues-responses-by-an-unknown-operation", "rtrext.9.1.code-of-xmtcont"),
        ("puts-a-word-after-the-contents", "rtrext.9.1.structure-overlays-the-information"),
        ("leaves-a-gap-after-xmtcont", ID),
    ],
)
def test_what_is_wrong_is_named(
    facing: Callable[..., GroupClient], mutant: str, breaks: str
) -> None:
    client = facing(find_responder_parts(mutant))
    call = client.send(grouped(client.peer, client.peer.workload.long_reply(14000)))

    with pytest.raises(Deviation) as found:
        answers.served(client, call, breaks=ID)
    assert found.value.breaks[0] == breaks


def test_a_response_that_lacks_its_end_is_told_from_none(
    facing: Callable[..., GroupClient],
) -> None:
    class Refuses(GroupReplies):
        def most(self, group: object) -> int:
            return 1

    client = facing(Parts(group_replies=Refuses))
    call = client.send(grouped(client.peer, client.peer.workload.long_reply(14000)))

    with pytest.raises(Deviation) as found:
        answers.served(client, call, breaks=ID)
    assert found.value.breaks == (ID,)


def test_memory_that_is_not_used_is_left_alone(facing: Callable[..., GroupClient]) -> None:
    client = facing(find_responder_parts("writes-small-results-all-the-same"))
    direction = to_memory(client.peer, 400, least=100)
    request = client.peer.workload.fetch(8)
    call = client.send(grouped(client.peer, request, directions=(direction,)))

    with pytest.raises(Deviation) as found:
        answers.served(client, call, breaks=ID)
    assert found.value.breaks == ("rtrext.7.4.memory-of-a-small-item-is-left-alone",)
