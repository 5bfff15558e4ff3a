"""A process of its own for a parser; the libraries are those of the system and of `examples`."""

from __future__ import annotations

import ctypes.util
import subprocess
import sys
from pathlib import Path

from fuzz.parsers import child

SCRIPT = Path(child.__file__)
SHOW_LIMIT = "import resource; print(resource.getrlimit(resource.RLIMIT_AS)[0])"


def run(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", str(SCRIPT), *words]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False)


def test_a_program_gets_its_words_and_its_input() -> None:
    ran = run("program", "sed", "s/0/no /", given="01\n")
    assert ran.stdout == "no 1\n"


def test_a_program_has_the_address_space_that_there_is() -> None:
    limited = "import resource, os, sys; resource.setrlimit(resource.RLIMIT_AS, (1 << 32, -1));"
    limited += "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    command = [sys.executable, "-c", limited, str(SCRIPT), "program"]
    command += [sys.executable, "-c", SHOW_LIMIT]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(ran.stdout) != 1 << 32


def test_a_library_without_the_function_is_said() -> None:
    ran = run("library", str(ctypes.util.find_library("c")))
    assert ran.returncode == 3
    assert f"undefined symbol: {child.SYMBOL}" in ran.stderr


def test_a_program_that_is_not_there_is_said() -> None:
    ran = run("program", "/no/such/program")
    assert ran.returncode == 3
    assert "No such file" in ran.stderr
