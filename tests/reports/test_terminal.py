from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console

from reports.terminal import print_summary

if TYPE_CHECKING:
    from reports.record import RunRecord


def test_terminal_lists_what_needs_attention_and_not_what_passed(run: RunRecord) -> None:
    console = Console(file=io.StringIO(), width=120)
    print_summary(console, run)
    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    for shown in ("case[FAIL]", "case[WARN]", "case[INCONC]", "case[ERROR]", "never-judged"):
        assert shown in text
    assert "case[PASS]" not in text
    assert "& [more]" in text
    assert "reference over loopback: 6 cases, 2 requirements in 1.5 s" in text
