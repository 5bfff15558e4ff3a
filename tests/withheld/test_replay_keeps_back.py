"""`rpcrdma replay` keeps back from a real server what may do harm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cli.main import main
from conformance.explore import firing
from conformance.explore.finding import keep
from fuzz.invariant import BrokenInvariant, finding_of
from fuzz.sequence import join
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import RdmaMsg, TransportHeader, WriteChunk, encode_header
from tests.fuzz.test_cli_replay import FETCH, PLACE

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_what_may_do_harm_is_kept_back_from_a_real_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(firing, "in_process", lambda _harness: False)
    short = encode_header(TransportHeader(1, 1, 8, RdmaMsg((), (WriteChunk((PLACE,)),), None)))
    broken = BrokenInvariant("oracle", "seen")
    messages = join([FETCH, short + calls.fetch(1, 101)])
    path = str(keep(tmp_path, finding_of("v1-responder", messages, broken)))

    assert main(["replay", path]) == 0
    kept = capsys.readouterr().out
    assert main(["replay", path, "--destructive"]) == 0
    sent = capsys.readouterr().out

    assert "not sent: 1, which may do harm to a real server (--destructive)" in kept
    assert (kept.count("verdict "), sent.count("verdict ")) == (1, 2)
    assert "not sent" not in sent
