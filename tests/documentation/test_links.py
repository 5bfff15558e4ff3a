"""Links of the repository, on the site."""

from __future__ import annotations

import pytest

from documentation.links import anchored, forge_anchor, site_links

COPIED = {"README.md": "index.md", "results/a/README.md": "results/a/README.md"}


@pytest.mark.parametrize(
    ("source", "page", "link", "changed"),
    [
        ("README.md", "index.md", "[x](docs/lab.md)", "[x](lab.md)"),
        ("README.md", "index.md", "[x](docs/lab.md#top)", "[x](lab.md#top)"),
        ("docs/lab.md", "lab.md", "[x](../README.md#a)", "[x](index.md#a)"),
        ("docs/lab.md", "lab.md", "[x](profiles.md)", "[x](profiles.md)"),
        ("docs/lab.md", "lab.md", "[x](reference/a.md)", "[x](reference/a.md)"),
        ("docs/lab.md", "lab.md", "[x](../results/a/README.md)", "[x](results/a/README.md)"),
        (
            "results/a/README.md",
            "results/a/README.md",
            "[x](../../README.md)",
            "[x](../../index.md)",
        ),
        ("docs/lab.md", "lab.md", "[x](#here)", "[x](#here)"),
        ("docs/lab.md", "lab.md", "[x](https://a/b.md)", "[x](https://a/b.md)"),
        ("README.md", "index.md", "[a table](results/a.toml)", "a table (`results/a.toml`)"),
        ("README.md", "index.md", "[LICENSE](LICENSE)", "LICENSE"),
        ("README.md", "index.md", "![x](a.svg)", "![x](a.svg)"),
    ],
)
def test_a_link_leads_to_the_page_that_the_file_becomes(
    source: str, page: str, link: str, changed: str
) -> None:
    assert site_links(f"See {link}.", source, page, COPIED) == f"See {changed}."


def test_anchors_are_those_of_forges() -> None:
    assert forge_anchor("A-1  What it is: `x` (FAIL)") == "a-1--what-it-is-x-fail"


def test_a_heading_with_two_blanks_says_its_anchor() -> None:
    assert anchored("## A-1  What\n## B\ntext  here\n") == (
        "## A-1  What {#a-1--what}\n## B\ntext  here\n"
    )
    assert anchored("## D-1  What {#D-1}\n") == "## D-1  What {#D-1}\n"
