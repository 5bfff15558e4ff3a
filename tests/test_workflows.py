"""What CI services are told can be read, and gives commands that there are."""

from __future__ import annotations

import configparser
import re
import shlex
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from conformance.cli.main import parser_of

ROOT: Final = Path(__file__).parents[1]
WORKFLOW: Final = ROOT / ".github/workflows/nightly.yml"
PAGE: Final = (ROOT / "docs/nightly.md").read_text(encoding="utf-8")
BLOCKS: Final = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)

TOX: Final = configparser.ConfigParser(interpolation=None)
TOX.read(ROOT / "tox.ini", encoding="utf-8")

REGISTRY: Final = re.compile(r"\b[\w-]+\.(?:io|com|org|dev|net)\b")
"""What looks like a host: a workflow names actions and images, and no place to get them from."""


def workflow() -> dict[str, Any]:
    return yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))


def steps() -> list[dict[str, Any]]:
    return workflow()["jobs"]["nightly"]["steps"]


def commands(text: str) -> list[list[str]]:
    """The commands of this project in lines of a shell: those of `rpcrdma` and of `tox`."""
    lines = [line.partition(" -- ") for line in text.splitlines()]
    found = []
    for before, _, after in lines:
        words = re.sub(r"^.*?(\S*bin/)?(rpcrdma|tox) ", r"\2 ", before)
        if words.startswith(("rpcrdma ", "tox ")):
            # A variable is some value; brackets belong to the shell.
            plain = re.sub(r'"?\$\w+"?', "2h", words.rstrip(')"'))
            found.append([*shlex.split(plain), *shlex.split(re.sub(r'"?\$\w+"?', "2h", after))])
    return found


def check(words: list[str]) -> None:
    """See that a command exists, with its options."""
    program, *rest = words
    if program == "tox":
        option, name, *more = rest
        assert option == "-e"
        line = TOX[f"testenv:{name}"]["commands"]
        called = re.sub(r" ?\{posargs:[^}]*\}", "", line)
        check([*shlex.split(called), *more])
        return
    assert program == "rpcrdma"
    parser_of(rest[0]).parse_args(rest)


def snippets() -> list[str]:
    """All shell lines of the workflow and of the page's examples."""
    found = [step["run"] for step in steps() if "run" in step]
    for block in map(yaml.safe_load, BLOCKS):
        if isinstance(block, list):
            found += [step["run"] for step in block if "run" in step]
        else:
            found += [
                line for job in block.values() for line in (*job["before_script"], *job["script"])
            ]
    return found


def test_all_of_them_give_commands_that_there_are() -> None:
    given = [words for text in snippets() for words in commands(text)]
    for words in given:
        check(words)
    named = [" ".join(words[:3]) for words in given]
    assert named.count("tox -e nightly") == 2
    assert named.count("rpcrdma nightly my-server.toml") == 1
    assert named.count("rpcrdma lab doctor") == 2


@pytest.mark.parametrize(
    "words", [["rpcrdma", "nightly", "--bugdet", "2h"], ["tox", "-e", "nightly", "--hours", "2"]]
)
def test_an_option_that_is_not_there_is_noticed(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        check(words)


def test_the_tox_environment_takes_a_budget() -> None:
    assert "{posargs:--budget 2h}" in TOX["testenv:nightly"]["commands"]
    assert int(TOX["testenv:nightly"]["interrupt_timeout"]) >= 60


def test_corpora_and_records_are_kept_after_a_red_night_too() -> None:
    """And under the same paths under which they are fetched."""
    by_action = {step["uses"].partition("@")[0]: step for step in steps() if "uses" in step}
    fetched, saved = by_action["actions/cache/restore"], by_action["actions/cache/save"]
    assert fetched["with"]["path"] == saved["with"]["path"]
    assert fetched["with"]["key"] == saved["with"]["key"]
    assert fetched["with"]["key"].startswith(fetched["with"]["restore-keys"])
    assert saved["if"] == by_action["actions/upload-artifact"]["if"] == "always()"


def test_the_time_limit_leaves_room_for_the_budget() -> None:
    minutes = workflow()["jobs"]["nightly"]["timeout-minutes"]
    budget = workflow()[True]["workflow_dispatch"]["inputs"]["budget"]["default"]  # YAML's `on`
    assert budget == "2h"
    assert minutes >= 150


def test_no_registry_is_named() -> None:
    assert REGISTRY.findall(WORKFLOW.read_text(encoding="utf-8") + "".join(BLOCKS)) == []
