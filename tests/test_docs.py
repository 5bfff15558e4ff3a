"""What the documentation shows is what the project does."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from conformance.cli.main import main, parser_of
from conformance.suite.runner import known_ids
from documentation.links import forge_anchor
from reports.baseline import BaselineFinding, load_baseline
from targets.registry import find_any_target

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = (
    README,
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").glob("*.md")),
)
MADE = "reference/"
"""Folder of pages that are there on the site alone, which checks links to them when it is built."""

BASELINES = sorted((ROOT / "results").glob("*/baseline*.toml"))
HARMLESS = ("requirements", "cases", "explain", "decode", "targets")
PROFILES = ("my-server", "my-client", "my-version-two-server")

PLACEHOLDERS = {"BUG": "list-recursion", "NAME": "v1-header", "MUTANT": "grants-zero"}
"""What a reader would put where the command line knows all that there is to choose from."""


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def commands(page: Path) -> list[str]:
    """The lines of a page's examples that call this project, without their comments."""
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    return [re.sub(r"(?:^| +)# .*", "", line) for line in lines if line.startswith("rpcrdma ")]


def links(page: Path) -> list[str]:
    """The links of a page to files and to places in them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]


ALL_COMMANDS = sorted({(page.name, command) for page in PAGES for command in commands(page)})
ALL_LINKS = sorted({(page, link) for page in PAGES for link in links(page)})


def test_profiles_in_the_pages_can_be_used(tmp_path: Path) -> None:
    texts = [text for text in blocks(ROOT / "docs/profiles.md", "toml") if "[claims]" in text]
    for name, text in zip(PROFILES, texts, strict=True):
        (tmp_path / f"{name}.toml").write_text(text)
        assert find_any_target(str(tmp_path / f"{name}.toml")).name == name


@pytest.mark.parametrize(("page", "link"), ALL_LINKS, ids=lambda part: getattr(part, "name", part))
def test_link_leads_somewhere(page: Path, link: str) -> None:
    path, _, anchor = link.partition("#")
    if path.startswith(MADE):
        return
    target = page.parent / path if path else page
    assert target.exists()
    assert not anchor or anchor in anchors(target)


@pytest.mark.parametrize("command", [c for _, c in ALL_COMMANDS if c.split()[1] in HARMLESS])
def test_command_in_the_pages_works(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize(("page", "command"), ALL_COMMANDS)
def test_command_in_the_pages_is_one_that_there_is(page: str, command: str) -> None:
    """With options that exist, and values that they take."""
    words = [PLACEHOLDERS.get(word, word) for word in shlex.split(command)[1:]]
    words = words[: words.index(">")] if ">" in words else words
    if "--help" not in words:
        parser_of(words[0]).parse_args(words)


def test_pages_have_commands_and_links() -> None:
    """Else the tests above would look at nothing."""
    assert len(ALL_COMMANDS) > 80
    assert len(ALL_LINKS) > 40


@pytest.mark.parametrize("name", sorted({command.split()[1] for _, command in ALL_COMMANDS}))
def test_command_in_the_pages_has_help_with_an_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert "example" in capsys.readouterr().out


def test_every_page_is_led_to_from_the_readme() -> None:
    led_to = {link.partition("#")[0] for link in links(README)}
    assert {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} <= led_to


def anchors(page: Path) -> set[str]:
    """The fragments by which a Markdown page's headings are linked to, as forges make them."""
    return set(map(forge_anchor, re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)))


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
