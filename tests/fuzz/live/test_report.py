"""A campaign's report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from fuzz.live.campaign import LivePulse
from fuzz.live.causes import Cause
from fuzz.live.coverage import Block
from fuzz.live.findings import KeptFinding
from fuzz.live.reach import ModuleReach, ReachSample, read_blocks
from fuzz.live.report import LiveReport

SEND, RECEIVE = Block("rpcrdma", "send", 0), Block("rpcrdma", "receive", 4)
FUNCTIONS = {("rpcrdma", "send"), ("rpcrdma", "receive"), ("rpcrdma", "unused")}
PULSE = LivePulse(
    seconds=100.0,
    inputs=250,
    messages=600,
    kept_back=3,
    blocks=2,
    functions=2,
    corpus=5,
    findings=2,
    samples=[
        ReachSample(float(at), at, {"rpcrdma": ModuleReach(at, 1, 3)}) for at in range(0, 101, 2)
    ],
)
FOUND = (
    KeptFinding(Cause(("a.1.rule",), "", "7 octets: silence"), Path("findings/one.json"), 33.0, 4),
    KeptFinding(Cause(("device-died",), "oops", "oops\x1b[J"), Path("two.json"), shown_again=False),
)
REPORT = LiveReport("linux-server", "6.1", 7, PULSE, FOUND, frozenset({SEND, RECEIVE}), FUNCTIONS)
COMPARED = replace(REPORT, scenarios=frozenset({SEND}))


def test_what_a_device_said_is_text(tmp_path: Path) -> None:
    assert "oops\\x1b[J" in REPORT.text()
    REPORT.write(tmp_path)
    assert "oops\\\\x1b[J" in (tmp_path / "report.json").read_text(encoding="utf-8")


def test_a_person_reads_how_far_it_came_and_what_was_found() -> None:
    text = REPORT.text()
    assert "# Live fuzzing of linux-server, Linux 6.1\n" in text
    assert "100 s from seed 7: 250 inputs, 2 a second, 2 blocks in 2 functions, corpus 5" in text
    assert "600 messages were sent, 3 kept back that may do harm." in text
    assert "| rpcrdma | 2 | 2 | 3 |\n" in text
    assert "- a.1.rule (after 33 s, 4 times): 7 octets: silence\n" in text
    assert "  `rpcrdma replay findings/one.json linux-server`" in text
    assert (
        "- device-died (after 0 s, once; the file was not seen to do it again): oops\\x1b[J\n"
        in text
    )


def test_the_table_over_time_has_few_lines_with_the_first_and_the_last() -> None:
    lines = [line for line in REPORT.text().splitlines() if line.count("|") == 4][2:]
    assert lines[0] == "| 0 | 0 | 0 |"
    assert lines[-1] == "| 100 | 100 | 100 |"
    assert 5 < len(lines) < 15


def test_it_is_compared_with_the_scenarios() -> None:
    text = COMPARED.text()
    assert "| module | blocks | functions | of | scenarios | only here | only there |\n" in text
    assert "| rpcrdma | 2 | 2 | 3 | 1 in 1 | 1 | 0 |\n" in text
    assert "Functions that no scenario enters: `receive` (rpcrdma).\n" in text
    assert (
        "no scenario enters: none" in replace(REPORT, scenarios=frozenset({SEND, RECEIVE})).text()
    )


def test_what_the_scenarios_reach_alone_is_told_too() -> None:
    unused = Block("rpcrdma", "unused", 8)
    text = replace(COMPARED, scenarios=frozenset({SEND, unused})).text()
    assert "| rpcrdma | 2 | 2 | 3 | 2 in 2 | 1 | 1 |\n" in text
    assert "Functions that the scenarios enter, and this did not: `unused` (rpcrdma).\n" in text
    assert "and this did not: none.\n" in COMPARED.text()


def test_of_many_functions_some_are_named() -> None:
    blocks = frozenset(Block("rpcrdma", f"f{number:03}", 0) for number in range(50))
    text = replace(COMPARED, blocks=blocks).text()
    assert "`f039` (rpcrdma) and 10 more." in text


def test_what_ended_it_and_what_was_kept_back_later_are_told() -> None:
    pulse = replace(PULSE, stopped="it is gone", samples=[])
    empty: frozenset[Block] = frozenset()
    report = LiveReport("reference", "", 7, pulse, (), empty, (), avoided={"a class"})
    text = report.text()
    assert "# Live fuzzing of reference\n" in text
    assert "After a death, also: a class.\n" in text
    assert "It ended early: it is gone.\n" in text
    assert "| module" not in text
    assert text.endswith("Nothing was found to be wrong.\n")


def test_a_program_reads_the_same(tmp_path: Path) -> None:
    file = COMPARED.write(tmp_path / "new")
    assert file.read_text() == COMPARED.text()
    record = msgspec.json.decode((tmp_path / "new" / "report.json").read_bytes())
    assert (record["target"], record["seed"], record["inputs"]) == ("linux-server", 7, 250)
    assert record["modules"] == {"rpcrdma": {"blocks": 2, "functions": 2, "all_functions": 3}}
    assert record["scenarios"]["rpcrdma"]["blocks"] == 1
    assert [found["file"] for found in record["findings"]] == ["one.json", "two.json"]
    assert len(record["samples"]) == len(PULSE.samples)
    assert read_blocks(tmp_path / "new" / "blocks.txt") == REPORT.blocks
