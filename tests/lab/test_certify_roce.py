"""The kernel's server and client in a guest, judged from outside of it, against the baselines.

The tester speaks RoCEv2 by itself: none of this needs an RDMA device, a driver or root here.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
from bisect import bisect_left
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.cli.main import main
from conformance.suite.evidence import exchanges, trace_of
from reports.stream import read_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from reports.record import CaseRecord, Exchange

RESULTS = Path(__file__).parents[2] / "results" / "linux-6.1"

RUNS = {
    "linux-server": ("linux-server", "baseline.toml"),
    "linux-server-nfs3": ("linux-server-nfs3", "baseline-nfs3.toml", "-n", "2"),
    "linux-server-nfs41": ("linux-server-nfs41", "baseline-nfs41.toml", "--document", "bidir"),
    "linux-server-krb5": ("linux-server-krb5", "baseline-krb5.toml", "--section", "8.2.2"),
    "linux-client": ("linux-client", "baseline-client.toml"),
    "linux-client-krb5": ("linux-client-krb5", "baseline-client-krb5.toml", "--section", "8.2.2"),
    "linux-client-nfs40": ("linux-client-nfs40", "baseline-client-nfs40.toml", "--section", "4.3"),
    "linux-client-nfs41": ("linux-client-nfs41", "baseline-client-nfs41.toml", "--section", "4.5"),
    "linux-client-nfs42": (
        "linux-client-nfs42",
        "baseline-client-nfs42.toml",
        "--section",
        "4.3.3",
    ),
    "linux-client-nfs41-called-back": (
        "linux-client-nfs41",
        "baseline-client-nfs41.toml",
        "--document",
        "bidir",
    ),
}
"""Target, baseline, and what else is said; what is chosen has findings."""

SHOWN = 60
"""Steps of a case, from its end."""

WITHOUT_A_CALL = {
    "responder-pulls-a-long-call-with-a-further-read-chunk",
    "responder-executes-nothing-behind-the-lists-of-nomsg",
    "responder-answers-nomsg-without-any-list-with-err-chunk",
    "responder-executes-no-call-whose-rpc-header-is-cut",
    "responder-refuses-at-rpc-level-by-rdma-msg",
    "responder-refuses-a-reduced-ineligible-argument",
    "responder-reads-no-octets-between-segments",
    # Drawn from models, they meet all of these.
    "responder-serves-chunks-of-every-shape",
    "responder-bears-a-call-cut-anywhere",
    "responder-has-its-receives-after-what-it-does-not-serve",
    "responder-answers-one-fault-after-another",
    "responder-answers-several-faults-at-once",
}
"""Cases whose Calls are none to Wireshark: in chunks that it does not join, cut, of no program."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that has ended: its exit status, what it printed, and its folder."""

    status: int
    output: str
    folder: Path


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ended]:
    """Makes a run, once."""

    @cache
    def certify(run: str) -> Ended:
        target, baseline, *selection = RUNS[run]
        folder, printed = tmp_path_factory.mktemp(run), io.StringIO()
        known = ["--baseline", str(RESULTS / baseline), "--output", str(folder)]
        with redirect_stdout(printed):
            status = main(["certify", target, *selection, *known])
        return Ended(status, printed.getvalue(), folder)

    return certify


@pytest.mark.parametrize("run", RUNS)
def test_verdicts_are_those_of_the_baseline(
    run: str, certified: Callable[[str], Ended], capsys: pytest.CaptureFixture[str]
) -> None:
    """A difference is a line of the output."""
    ended = certified(run)

    with capsys.disabled():
        sys.stdout.write("\n".join(("", *ended.output.splitlines()[-5:], "")))
    assert ended.status == 0, ended.output + "\n".join(unexpected(ended))
    assert "over roce qemu" in ended.output


def unexpected(ended: Ended) -> list[str]:
    """What was sent and received in the cases that are not as the baseline has them.

    A machine that runs the gate may keep nothing else of a run.
    """
    differ = {found[1] for found in re.finditer(r"^BASELINE (\S+):", ended.output, re.MULTILINE)}
    cases = [one for one in read_run(ended.folder / "records.jsonl").cases if one.id in differ]
    return [
        line
        for case in cases
        for line in (
            f"{case.id}: {case.verdict} {case.reason}",
            *(
                f"{step.time:8.3f} {step.connection} {step.direction:8} {step.summary}"
                for step in steps_of(case, ended.folder)[-SHOWN:]
            ),
        )
    ]


def steps_of(case: CaseRecord, folder: Path) -> tuple[Exchange, ...]:
    """What was sent and received, which no record has of a case that passes."""
    trace = trace_of(case, folder)
    return () if trace is None else exchanges(trace)


def said(*command: str | Path) -> list[str]:
    """The lines that a program prints."""
    words = [str(word) for word in command]
    ended = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    return ended.stdout.splitlines()


def dissected(capture: Path, only: str, *fields: str) -> list[list[str]]:
    """Fields of some frames of a capture, as Wireshark dissects them in two passes."""
    wanted = [word for field in fields for word in ("-e", field)]
    lines = said("tshark", "-n", "-2", "-r", capture, "-Y", only, "-T", "fields", *wanted)
    return [line.split("\t") for line in lines]


def test_a_capture_of_a_whole_run_is_dissected_and_its_replies_find_their_calls(
    certified: Callable[[str], Ended], tmp_path: Path
) -> None:
    """As README.md makes it of the captures of all cases."""
    captures = certified("linux-server").folder.glob("evidence/*.pcapng")
    lines = said("capinfos", "-T", "-r", "-S", "-M", "-a", "-c", *captures)
    table = sorted((line.split("\t") for line in lines), key=lambda columns: float(columns[2]))
    ends = list(accumulate(int(count) for _, count, _ in table))
    whole = tmp_path / "run.pcapng"
    said("mergecap", "-w", whole, *(name for name, _, _ in table))

    layers = dissected(whole, "frame", "frame.protocols")
    assert len(layers) == ends[-1]
    others = {names for (names,) in layers if ":udp:infiniband" not in names}
    assert others <= {"eth:ethertype:arp"}

    replies = dissected(whole, "rpc.msgtyp == 1", "frame.number", "_ws.col.Info")
    assert len(replies) > 1000
    alone = (int(number) for number, told in replies if "Call In" not in told)
    cases = {Path(table[bisect_left(ends, number)][0]).stem for number in alone}
    assert [case for case in cases if not any(name in case for name in WITHOUT_A_CALL)] == []
