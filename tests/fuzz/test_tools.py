"""Programs that make code: what they leave, and why they did not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fuzz import tools
from fuzz.tools import NotMadeError, run_tool

if TYPE_CHECKING:
    from pathlib import Path


def test_it_runs_in_a_folder_and_unwatched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "")

    run_tool(("sh", "-c", 'echo "${LD_PRELOAD-unset}" > made'), tmp_path)

    assert (tmp_path / "made").read_text() == "unset\n"


@pytest.mark.parametrize(
    ("script", "told"),
    [("echo first >&2; echo second >&2; exit 1", "first"), ("exit 3", "status 3")],
)
def test_one_that_fails_says_why(script: str, told: str) -> None:
    with pytest.raises(NotMadeError, match=f"^{told}$"):
        run_tool(("sh", "-c", script))


def test_one_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "_LIMIT_S", 0.1)
    with pytest.raises(NotMadeError, match=r"^it does not end within 0\.1 s$"):
        run_tool(("sh", "-c", "exec tail -f /dev/null"))


def test_one_that_is_not_there_is_told_by_its_caller() -> None:
    with pytest.raises(FileNotFoundError):
        run_tool(("no-such-program",))
