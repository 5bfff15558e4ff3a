"""The functions that a kernel calls, as files that look like its tracer's tell them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fuzz.live.coverage import Block
from fuzz.live.ftrace import TracedFunctions
from targets.lab.errors import LabError

if TYPE_CHECKING:
    from pathlib import Path

AVAILABLE = """\
schedule
svc_rdma_recvfrom [rpcrdma]
svc_rdma_sendto [rpcrdma]
svc_recv [sunrpc]
"""
TRACE = """\
# tracer: function
            nfsd-91      [000] .....    12.100001: svc_rdma_recvfrom <-svc_recv
            nfsd-91      [000] .....    12.100002: schedule <-svc_recv
            nfsd-91      [000] .....    12.100003: svc_rdma_recvfrom <-svc_recv
"""
TOOK = Block("rpcrdma", "svc_rdma_recvfrom", 0)
SENT = Block("rpcrdma", "svc_rdma_sendto", 0)


@pytest.fixture
def tracing(tmp_path: Path) -> Path:
    (tmp_path / "available_filter_functions").write_text(AVAILABLE)
    (tmp_path / "trace").write_text(TRACE)
    (tmp_path / "current_tracer").write_text("nop")
    return tmp_path


def started(tracing: Path) -> TracedFunctions:
    return TracedFunctions(frozenset({"rpcrdma", "nfsd"}), tracing)


def test_the_functions_of_the_modules_are_traced_and_no_others(tracing: Path) -> None:
    with started(tracing):
        assert (tracing / "set_ftrace_filter").read_text() == ":mod:nfsd\n:mod:rpcrdma\n"
        assert (tracing / "current_tracer").read_text() == "function"
        assert (tracing / "tracing_on").read_text() == "1"
    assert (tracing / "set_ftrace_filter").read_text() == ""
    assert (tracing / "current_tracer").read_text() == "nop"


def test_what_was_called_since_then_is_told(tracing: Path) -> None:
    coverage = started(tracing)
    coverage.begin()
    assert (tracing / "trace").read_text() == ""

    (tracing / "trace").write_text(TRACE.replace("recvfrom", "sendto"))

    assert coverage.since() == {SENT}
    assert coverage.since() == frozenset()
    assert coverage.reached() == {TOOK, SENT}
    assert coverage.functions() == {
        ("rpcrdma", "svc_rdma_recvfrom"),
        ("rpcrdma", "svc_rdma_sendto"),
    }


def test_a_module_may_be_loaded_later(tracing: Path) -> None:
    coverage = started(tracing)
    coverage.begin()
    (tracing / "available_filter_functions").write_text(f"{AVAILABLE}nfsd_open [nfsd]\n")
    (tracing / "trace").write_text(TRACE.replace("svc_rdma_recvfrom", "nfsd_open"))

    assert coverage.since() == {Block("nfsd", "nfsd_open", 0)}


def test_a_kernel_without_such_a_tracer_is_refused(tracing: Path) -> None:
    (tracing / "set_ftrace_filter").mkdir()

    with pytest.raises(LabError, match="CONFIG_FUNCTION_TRACER, or with --no-blocks"):
        started(tracing)
