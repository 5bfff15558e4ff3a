"""Version Two in the lab: a server of which nothing is known but the documented profile."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli.main import main
from conformance.suite.runner import RECORDS, certify
from conformance.suite.selection import Selection
from reports.record import Verdict
from reports.stream import read_run
from reports.summary import summarise
from targets.registry import find_any_target

if TYPE_CHECKING:
    from reports.record import RunRecord

PAGE = Path(__file__).parents[2] / "docs/profiles.md"
EXAMPLE = re.compile(r"```toml\n(name = \"my-version-two-server\"\n.*?)```", re.DOTALL)
START = re.compile(
    r"^start = \[\"my-server\", \"--listen\", \"(?P<address>[^\"]+)\"\]$", re.MULTILINE
)
# Few, since Python is slow in the guest: all of the three documents are judged without one in
# test_reference_roce.py.
SELECTION = Selection(document="v2,xcharext,rtrext", section="4.1,4.3")


def as_my_server(found: re.Match[str]) -> str:
    # The reference serves until its input ends, and the lab gives a server none.
    serve = f"exec {sys.executable} -m targets.reference.server_process --listen {found['address']}"
    return f"start = {json.dumps(['sh', '-c', f'tail -f /dev/null | {serve}'])}"


def verdicts(record: RunRecord) -> dict[str, tuple[Verdict, str]]:
    return {case.id: (case.verdict, case.reason) for case in record.cases}


def test_a_server_is_certified_with_the_profile_of_the_documentation_alone(tmp_path: Path) -> None:
    example = EXAMPLE.search(PAGE.read_text())
    assert example is not None
    text, replaced = START.subn(as_my_server, example[1])
    assert replaced == 1
    profile = tmp_path / "my-version-two-server.toml"
    profile.write_text(text)

    folder = tmp_path / "results"
    chosen = ["--document", SELECTION.document, "--section", SELECTION.section]
    main(["certify", str(profile), *chosen, "--output", str(folder)])

    record = read_run(folder / RECORDS)
    assert record.header.fabric == "roce qemu"
    assert summarise(record).counts[Verdict.PASS] > 20
    loopback = certify(find_any_target("reference"), SELECTION, tmp_path / "loopback")
    assert verdicts(record) == verdicts(loopback)
