from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from fuzz import cli_kernel_decoder
from fuzz.differential import in_guest
from rpcrdma.wire import RdmaNomsg, RdmaSegment, ReadSegment, TransportHeader, encode_header
from targets.lab.console import ConsoleFault, Severity
from targets.lab.errors import LabError
from targets.lab.lab import Ending, LabResult, LabRun

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEADER = encode_header(TransportHeader(0x5EED, 1, 8, RdmaNomsg((), (), None)))
SERVED = "nfsd-9: svcrdma_decode_rqst: cid=7 xid=0x00005eed vers=1 proc=RDMA_NOMSG hdrlen={}\n"
REFUSED = """\
kworker: xprtrdma_reply: task:1@1 xid=0x00005eed credits=8
kworker: xprtrdma_reply_hdr_err: peer=[10.9.0.1]:20049 xid=0x00005eed version=1 proc=1
"""


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    cli_kernel_decoder.add_parser(parser.add_subparsers())
    options = parser.parse_args(["kernel-decoder", *words])
    status: int = options.run(options)
    return status


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "one").write_bytes(HEADER)
    (folder / "other").write_bytes(HEADER[:12])
    return str(folder)


def guest(
    monkeypatch: pytest.MonkeyPatch,
    trace: str,
    status: int = 0,
    faults: tuple[ConsoleFault, ...] = (),
) -> list[LabRun]:
    """One that sends the first message alone, and whose kernel traces this."""
    runs: list[LabRun] = []

    def run_in_lab(lab: LabRun, on_line: Callable[[str], None]) -> LabResult:
        runs.append(lab)
        (folder,) = lab.writable
        assert lab.job is not None
        lab.job.mkdir()
        (lab.job / "trace.txt").write_text(trace)
        in_guest.write_messages(
            folder / in_guest.SENT, in_guest.read_messages(folder / in_guest.INPUTS)[:1]
        )
        on_line("what it said last")
        return LabResult(Ending.EXITED, status, 1.0, faults)

    monkeypatch.setattr(cli_kernel_decoder, "run_in_lab", run_in_lab)
    return runs


def test_headers_go_to_the_kernel_that_is_traced(
    corpus: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = guest(monkeypatch, SERVED.format(28))

    assert run(corpus, "--mutations", "0", "--kernel", "6.1") == 0

    (lab,) = runs
    assert lab.kernel == "6.1"
    assert lab.setup.trace == ("rpcrdma:svcrdma_decode_*",)
    assert lab.setup.command[1:4] == ("-m", "fuzz.differential.in_guest", "linux-server")
    out = capsys.readouterr().out
    assert out.startswith("2 headers, 1 of them kept back\n")
    assert "     1 taken by both, to the same end\n" in out
    assert out.endswith("     0 disagreements\n")


def test_a_client_is_given_replies_and_traced_as_one(
    corpus: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = guest(monkeypatch, REFUSED)

    assert run(corpus, "--of", "client", "--mutations", "0") == 0

    (lab,) = runs
    assert "rpcrdma:xprtrdma_reply*" in lab.setup.trace
    assert lab.setup.command[3] == "linux-client"
    out = capsys.readouterr().out
    assert out.startswith("2 headers, 1 of them kept back\n")
    assert "     1 well-formed, with lists that no Reply to the call may have\n" in out


def test_a_client_is_given_calls_without_their_read_lists_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reads = (ReadSegment(0, RdmaSegment(1, 2, 3)),)
    body = RdmaNomsg(reads, (), None)
    (tmp_path / "one").write_bytes(encode_header(TransportHeader(0x5EED, 1, 8, body)))
    guest(monkeypatch, REFUSED)

    run(str(tmp_path), "--of", "client", "--mutations", "0")

    assert capsys.readouterr().out.startswith("2 headers, ")


def test_a_disagreement_is_printed_and_ends_with_status_1(
    corpus: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guest(monkeypatch, SERVED.format(24))

    assert run(corpus, "--mutations", "0") == 1

    assert f"{HEADER.hex()}: ours: a header of 28 octets" in capsys.readouterr().err


def test_what_fails_in_the_guest_is_told(corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    guest(monkeypatch, "", status=1)

    with pytest.raises(LabError, match="status 1 after 1 s: what it said last"):
        run(corpus, "--mutations", "0")


def test_a_kernel_that_fails_over_a_header_is_told(
    corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stall = ConsoleFault(Severity.STALL, 7, "task blocked")
    guest(monkeypatch, SERVED.format(28), faults=(stall,))
    assert run(corpus, "--mutations", "0") == 0  # a busy machine is enough for that

    guest(monkeypatch, SERVED.format(28), faults=(ConsoleFault(Severity.OOPS, 8, "Oops: 0000"),))
    with pytest.raises(LabError, match="the kernel's log says: Oops: 0000"):
        run(corpus, "--mutations", "0")
