from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from fuzz import cli_kernel_decoder
from fuzz.differential import in_guest
from rpcrdma.wire import RdmaNomsg, TransportHeader, encode_header
from targets.lab.errors import LabError
from targets.lab.lab import Ending, LabResult, LabRun

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEADER = encode_header(TransportHeader(0x5EED, 1, 8, RdmaNomsg((), (), None)))
LINE = "nfsd-9: svcrdma_decode_rqst: cid=7 xid=0x00005eed vers=1 proc=RDMA_NOMSG hdrlen={}\n"


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


def guest(monkeypatch: pytest.MonkeyPatch, end: int, status: int = 0) -> list[LabRun]:
    """One that sends the first message alone, and whose kernel takes it, to this octet."""
    runs: list[LabRun] = []

    def run_in_lab(lab: LabRun, on_line: Callable[[str], None]) -> LabResult:
        runs.append(lab)
        (folder,) = lab.writable
        assert lab.job is not None
        lab.job.mkdir()
        (lab.job / "trace.txt").write_text(LINE.format(end))
        in_guest.write_messages(
            folder / in_guest.SENT, in_guest.read_messages(folder / in_guest.INPUTS)[:1]
        )
        on_line("what it said last")
        return LabResult(Ending.EXITED, status, 1.0)

    monkeypatch.setattr(cli_kernel_decoder, "run_in_lab", run_in_lab)
    return runs


def test_headers_go_to_the_kernel_that_is_traced(
    corpus: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = guest(monkeypatch, 28)

    assert run(corpus, "--mutations", "0", "--kernel", "6.1") == 0

    (lab,) = runs
    assert lab.kernel == "6.1"
    assert lab.setup.trace == ("rpcrdma:svcrdma_decode_*",)
    assert lab.setup.command[1:3] == ("-m", "fuzz.differential.in_guest")
    out = capsys.readouterr().out
    assert out.startswith("2 headers, 1 of them kept back\n")
    assert "     1 taken by both, to the same end\n" in out
    assert out.endswith("     0 disagreements\n")


def test_a_disagreement_is_printed_and_ends_with_status_1(
    corpus: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guest(monkeypatch, 24)

    assert run(corpus, "--mutations", "0") == 1

    assert f"{HEADER.hex()}: ours: a header of 28 octets" in capsys.readouterr().err


def test_what_fails_in_the_guest_is_told(corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    guest(monkeypatch, 28, status=1)

    with pytest.raises(LabError, match="status 1 after 1 s: what it said last"):
        run(corpus, "--mutations", "0")
