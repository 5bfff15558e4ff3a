"""What waits to be fetched has its order and its bounds."""

from __future__ import annotations

from typing import cast

import pytest

from rpcrdma.roce.cm import CmHandshake, CmNotice, CmNoticeKind
from rpcrdma.roce.cm.mailbox import CmMailbox
from rpcrdma.roce.packet.cm_messages import ReadyToUse, encode_cm

ONE = cast("CmHandshake", object())
OTHER = cast("CmHandshake", object())
RTU = ReadyToUse(local_id=1, remote_id=2)


def test_messages_are_fetched_once_and_in_order() -> None:
    mailbox = CmMailbox()
    mailbox.send("a", "b", RTU, 1)
    mailbox.send("a", "c", RTU, 2)

    assert mailbox.take_messages() == [
        ("a", "b", encode_cm(RTU, 1)),
        ("a", "c", encode_cm(RTU, 2)),
    ]
    assert mailbox.take_messages() == []


def test_messages_that_nobody_fetches_are_lost_from_some_number_on() -> None:
    mailbox = CmMailbox()
    for number in range(1030):
        mailbox.send("a", "b", RTU, number)

    assert (len(mailbox.take_messages()), mailbox.lost) == (1024, 6)


def test_notices_are_fetched_once_and_in_order() -> None:
    mailbox = CmMailbox()
    kinds = (CmNoticeKind.REQUEST, CmNoticeKind.REPLY, CmNoticeKind.ESTABLISHED)
    notices = [CmNotice(ONE, kind) for kind in kinds]
    for notice in notices:
        mailbox.tell(notice)

    assert mailbox.take_notices() == notices
    assert mailbox.take_notices() == []


@pytest.mark.parametrize(
    "end", [CmNoticeKind.REJECTED, CmNoticeKind.DISCONNECTED, CmNoticeKind.UNREACHABLE]
)
def test_a_request_that_ends_unseen_was_none(end: CmNoticeKind) -> None:
    """Those of others are; and who has seen the request sees the end."""
    mailbox = CmMailbox()
    mailbox.tell(CmNotice(ONE, CmNoticeKind.REQUEST))
    mailbox.tell(CmNotice(OTHER, CmNoticeKind.REQUEST))
    mailbox.tell(CmNotice(ONE, end))

    assert mailbox.take_notices() == [CmNotice(OTHER, CmNoticeKind.REQUEST)]
    mailbox.tell(CmNotice(OTHER, end))
    assert mailbox.take_notices() == [CmNotice(OTHER, end)]


def test_a_request_may_be_withdrawn() -> None:
    mailbox = CmMailbox()
    mailbox.tell(CmNotice(ONE, CmNoticeKind.REQUEST))

    assert not mailbox.withdraw(OTHER)
    assert mailbox.withdraw(ONE)
    assert not mailbox.withdraw(ONE)
    assert mailbox.take_notices() == []


def test_what_was_told_besides_is_not_withdrawn() -> None:
    mailbox = CmMailbox()
    notices = [CmNotice(ONE, CmNoticeKind.ESTABLISHED), CmNotice(ONE, CmNoticeKind.DISCONNECTED)]
    for notice in notices:
        mailbox.tell(notice)

    assert mailbox.take_notices() == notices
