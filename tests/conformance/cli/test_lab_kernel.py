"""`rpcrdma lab kernel`: what it prints, and what it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cli import lab_kernel as command
from conformance.cli.main import main
from targets.lab.debian_archive import KernelPackage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest


def test_each_kernel_is_one_line_of_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fetch(wanted: str, folder: Path, say: Callable[[str], None], *, again: bool) -> Path:
        say(f"again: {again}")
        return folder.with_name(f"vmlinuz-{wanted}")

    monkeypatch.setattr(command, "fetch_kernel", fetch)
    assert main(["lab", "kernel", "6.12", "newest", "--update"]) == 0
    printed = capsys.readouterr()
    assert [line.rpartition("/")[2] for line in printed.out.splitlines()] == [
        "vmlinuz-6.12",
        "vmlinuz-newest",
    ]
    assert printed.err == "again: True\nagain: True\n"


def test_the_list_has_a_line_for_each_and_names_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = KernelPackage("6.1.0-47-amd64", "6.1.170-3", "bookworm")
    monkeypatch.setattr(command, "available_kernels", lambda _folder: ((one,), ("bullseye",)))
    assert main(["lab", "kernel", "--list"]) == 0
    printed = capsys.readouterr()
    assert printed.out.split() == ["6.1.0-47-amd64", "6.1.170-3", "bookworm"]
    assert printed.err == "not to be had here: bullseye\n"


def test_without_a_name_one_sentence_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "kernel"]) == 2
    assert capsys.readouterr().err == (
        "rpcrdma lab: lab kernel: no kernel was named; for example `rpcrdma lab kernel 6.12`\n"
    )
