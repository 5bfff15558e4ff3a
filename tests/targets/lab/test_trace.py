"""Kernel events are chosen, recorded and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.lab.trace import recording

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def tracing(tmp_path: Path) -> Path:
    folder = tmp_path / "tracing"
    folder.mkdir()
    names = ("rpcrdma:svcrdma_decode_badvers", "rpcrdma:svcrdma_err_vers", "sunrpc:svc_drop", "x:y")
    (folder / "available_events").write_text("\n".join(names) + "\n")
    for name in ("set_event", "tracing_on", "buffer_size_kb"):
        (folder / name).touch()
    (folder / "trace").write_text("# what happened\n")
    return folder


def test_matching_events_are_chosen_and_the_trace_is_kept(tmp_path: Path, tracing: Path) -> None:
    with recording(("rpcrdma", "sunrpc:svc_*"), tmp_path, tracing):
        assert (tracing / "set_event").read_text().split() == [
            "rpcrdma:svcrdma_decode_badvers",
            "rpcrdma:svcrdma_err_vers",
            "sunrpc:svc_drop",
        ]
        assert not (tmp_path / "trace.txt").exists()
    assert (tracing / "tracing_on").read_text() == "0"
    assert (tmp_path / "trace.txt").read_text() == "# what happened\n"


def test_the_trace_is_kept_when_the_command_fails(tmp_path: Path, tracing: Path) -> None:
    with pytest.raises(KeyError), recording(("rpcrdma:*",), tmp_path, tracing):
        raise KeyError
    assert (tmp_path / "trace.txt").exists()


def test_an_unknown_event_is_refused_with_the_systems_that_exist(
    tmp_path: Path, tracing: Path
) -> None:
    with (
        pytest.raises(LabError, match=r"no event svcrdma:.*; it has those of rpcrdma, sunrpc"),
        recording(("svcrdma:*",), tmp_path, tracing),
    ):
        pass


def test_without_events_nothing_is_touched(tmp_path: Path) -> None:
    with recording((), tmp_path, tmp_path / "none"):
        assert list(tmp_path.iterdir()) == []
