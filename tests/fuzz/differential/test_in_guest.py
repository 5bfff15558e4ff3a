from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.differential import in_guest
from fuzz.differential.in_guest import INPUTS, SENT, main, read_messages, write_messages
from rpcrdma.wire import ErrVers, RdmaError, RdmaMsg, RdmaNomsg, TransportHeader, encode_header
from targets.registry import find_any_target

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PROFILE = "the kernel's"
HEADERS = [
    encode_header(TransportHeader(xid, 1, 8, body))
    for xid, body in ((1, RdmaNomsg((), (), None)), (1, RdmaMsg((), (), None)))
]


def meets(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(
        in_guest, "find_any_target", lambda profile, fabric: find_any_target(name, "loopback")
    )


def test_each_message_is_sent_under_an_xid_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meets(monkeypatch, "reference")
    write_messages(tmp_path / INPUTS, HEADERS)

    assert main([PROFILE, str(tmp_path)]) == 0

    sent = read_messages(tmp_path / SENT)
    assert [one[4:] for one in sent] == [one[4:] for one in HEADERS]
    assert len({one[:4] for one in sent}) == 2


def test_each_message_is_a_reply_to_a_call_of_a_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meets(monkeypatch, "reference-client")
    errors = [
        encode_header(TransportHeader(1, 1, 8, RdmaError(ErrVers(2, high)))) for high in (2, 3)
    ]
    write_messages(tmp_path / INPUTS, errors)

    assert main([PROFILE, str(tmp_path)]) == 0

    sent = read_messages(tmp_path / SENT)
    assert [one[4:] for one in sent] == [one[4:] for one in errors]
    assert len({one[:4] for one in sent}) == 2
