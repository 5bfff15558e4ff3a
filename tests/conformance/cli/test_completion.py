"""What a shell completes, asked of the shell itself."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.conformance.cli.command_line import refused, run

if TYPE_CHECKING:
    from pathlib import Path

ASK = """\
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_shtab_rpcrdma
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("completion") / "bash"
    ran = subprocess.run(
        ["rpcrdma", "completion", "bash"], check=True, stdout=subprocess.PIPE, text=True
    )
    file.write_text(ran.stdout, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("rpcrdma", "cert"), {"certify"}),
        (("rpcrdma", "certify", "linux-server"), {"linux-server", "linux-server-nfs3"}),
        (("rpcrdma", "certify", "own"), {"own.toml", "own-folder"}),
        (("rpcrdma", "certify", "reference", "--stop"), {"--stop-at-first"}),
        (("rpcrdma", "fuzz", "--live", "reference-c"), {"reference-client"}),
        (("rpcrdma", "lab", "do"), {"doctor", "down"}),
        (("rpcrdma", "decode", "own.p"), {"own.pcapng"}),
        (("rpcrdma", "compare", "own"), {"own-folder"}),
    ],
)
def test_bash_completes(
    script: Path, tmp_path: Path, words: tuple[str, ...], offered: set[str]
) -> None:
    (tmp_path / "own.toml").touch()
    (tmp_path / "own.pcapng").touch()
    (tmp_path / "own-folder").mkdir()
    asked = subprocess.run(
        ["bash", "--norc", "-c", ASK, "bash", str(script), *words],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert offered <= set(asked.stdout.split())
    assert all(word.startswith(words[-1]) for word in asked.stdout.split())


def test_zsh_has_a_script_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("completion", "zsh") == 0
    said = capsys.readouterr().out
    assert said.startswith("#compdef rpcrdma")
    assert "compadd" in said
    assert "linux-server" in said


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "invalid choice: 'fish'" in refused(capsys, "completion", "fish")
