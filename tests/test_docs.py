"""What the documentation shows is what the project does."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.suite.runner import known_ids
from reports.baseline import BaselineFinding, load_baseline
from targets.registry import find_any_target

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
LINKS = re.findall(r"\]\(([^)#:]+)\)", README + (ROOT / "CONTRIBUTING.md").read_text())
BASELINES = sorted((ROOT / "results").glob("*/baseline*.toml"))
HARMLESS = ("requirements", "cases", "explain", "decode", "targets")
COMMANDS = [
    line.partition("#")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("rpcrdma ")
]


PROFILES = ("my-server", "my-client", "my-version-two-server")


def test_profiles_in_the_readme_can_be_used(tmp_path: Path) -> None:
    texts = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    for name, text in zip(PROFILES, texts, strict=True):
        (tmp_path / f"{name}.toml").write_text(text)
        assert find_any_target(str(tmp_path / f"{name}.toml")).name == name


@pytest.mark.parametrize("link", sorted(set(LINKS)))
def test_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.split()[1] in HARMLESS])
def test_command_in_the_readme_works(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("name", sorted({command.split()[1] for command in COMMANDS}))
def test_command_in_the_readme_has_help_with_an_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert "example" in capsys.readouterr().out


def anchors(page: Path) -> set[str]:
    """The fragments by which a Markdown page's headings are linked to, as forges make them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def leads_somewhere(finding: BaselineFinding, folder: Path) -> bool:
    page, _, anchor = finding.link.partition("#")
    return (folder / page).is_file() and anchor in anchors(folder / page)


@pytest.mark.parametrize("file", BASELINES, ids=lambda file: file.parent.name)
def test_a_published_baseline_lists_cases_that_exist_and_links_to_their_findings(
    file: Path,
) -> None:
    exists = known_ids()
    findings = load_baseline(file).finding
    assert [case.id for found in findings for case in found.case if case.id not in exists] == []
    assert [found.link for found in findings if not leads_somewhere(found, file.parent)] == []


def test_baselines_are_published() -> None:
    assert BASELINES


def test_no_docstring_sends_its_reader_elsewhere() -> None:
    """An override needs none (`@override`); any other says what it is about."""
    sending = [
        f"{path.relative_to(ROOT)}:{number}"
        for package in ("rpcrdma", "conformance", "targets", "reports", "fuzz")
        for path in sorted((ROOT / package).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if line.lstrip().startswith(('"""See `', '"""Not there.'))
    ]

    assert sending == []
