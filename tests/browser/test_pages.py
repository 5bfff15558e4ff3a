"""What a reader does with the pages: open, filter, follow, read in any light and on any screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

NARROW = {"width": 390, "height": 844}
FAILED = "rfc8166-4.0-responder-does-what-is-asked-0.html"
SIXTH = "rfc8166-4.0-responder-does-what-is-asked-50.html"


def address(folder: Path, name: str = "report.html") -> str:
    return (folder / name).as_uri()


def shown(page: Page) -> int:
    return page.locator("tr[data-v]:not([hidden])").count()


def test_the_first_page_opens_from_disk_with_what_failed_on_its_first_screen(
    page: Page, pages: Path, tmp_path: Path
) -> None:
    page.goto(address(pages))
    expect(page.locator(".cause").first).to_be_in_viewport()
    expect(page.locator(".statement")).to_contain_text("mine does not meet 1 binding statement")
    assert page.screenshot(path=tmp_path / "first.png")


def test_words_filter_the_cases_and_stay_in_the_address(page: Page, pages: Path) -> None:
    page.goto(address(pages))
    page.keyboard.press("/")
    page.keyboard.type("4.3 asked[3]")
    assert shown(page) == 1
    assert page.url.endswith("#q=4.3%20asked%5B3%5D")
    page.reload()
    assert shown(page) == 1


def test_a_verdict_filters_too_and_goes_again(page: Page, pages: Path) -> None:
    page.goto(address(pages))
    fails = page.locator("a.tile.FAIL")
    fails.click()
    expect(page.locator("tr[data-v]:not([hidden])")).to_have_count(40)
    assert page.url.endswith("#verdict=FAIL")
    expect(fails).to_have_attribute("aria-current", "true")
    fails.click()
    expect(page.locator("tr[data-v]:not([hidden])")).to_have_count(2000)


def test_an_address_with_a_filter_opens_filtered(page: Page, pages: Path) -> None:
    page.goto(address(pages) + "#verdict=FAIL&q=asked[100]")
    assert shown(page) == 1
    expect(page.locator("[role=status]")).to_have_text("1 of 2000 shown")


def test_keys_go_from_row_to_row_and_from_page_to_page(page: Page, pages: Path) -> None:
    page.goto(address(pages) + "#verdict=FAIL")
    for key in ("n", "n", "p"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{FAILED}")
    page.keyboard.press("n")
    page.wait_for_url(f"**/{SIXTH}")
    page.keyboard.press("p")
    page.wait_for_url(f"**/{FAILED}")


def test_an_arrow_leads_to_the_message_with_the_guilty_field_marked(
    page: Page, pages: Path
) -> None:
    page.goto(address(pages / "report", FAILED))
    assert page.locator(".sequence .step").count() == 3
    page.locator(".sequence a", has_text="Reply").click()
    message = page.locator("article.decoded:target")
    expect(message.locator("tr.guilty")).to_contain_text("is none that the tester speaks")
    expect(message.locator("pre mark")).to_have_text("00000007")
    # What is selected can be copied: the diagram is text.
    assert "RDMA Read by device" in page.locator(".sequence").inner_text()


def test_links_lead_from_a_matrix_to_the_case_that_decides(page: Page, side_by_side: Path) -> None:
    page.goto(address(side_by_side))
    page.locator("td.cell a.FAIL").first.click()
    expect(page.locator("h1")).to_contain_text("FAIL")
    page.locator("nav a").first.click()
    page.locator("nav a", has_text="All runs").click()
    expect(page.locator("h1")).to_contain_text("2 runs")


@pytest.mark.parametrize("name", ["report.html", f"report/{FAILED}", "report/readings.html"])
def test_nothing_is_wider_than_a_narrow_screen(page: Page, pages: Path, name: str) -> None:
    page.set_viewport_size(NARROW)
    page.goto(address(pages, name))
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_light_and_dark_are_the_readers_choice(page: Page, pages: Path) -> None:
    page.goto(address(pages))
    colours = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert colours == ["rgb(255, 255, 255)", "rgb(20, 24, 30)"]


def test_paper_gets_the_summary_and_what_failed(page: Page, pages: Path) -> None:
    page.goto(address(pages))
    page.emulate_media(media="print")
    expect(page.locator(".cause").first).to_be_visible()
    expect(page.locator("#cases")).to_be_hidden()
    expect(page.locator("nav")).to_be_hidden()


def test_without_script_everything_is_there(browser: Browser, pages: Path) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(address(pages))
    assert page.locator("tr[data-v]").count() == 2000
    page.locator("a.tile.FAIL").click()
    expect(page.locator("#cases h2")).to_be_in_viewport()
    page.locator(".cause li a").first.click()
    expect(page.locator("h1")).to_contain_text("FAIL")
    context.close()


def findings(page: Page) -> list[str]:
    # It would fetch the stylesheet once more, which no page from disk may do.
    violations = Axe().run(page, options={"preload": False}).response["violations"]
    return [f"{one['id']}: {node['html'][:120]}" for one in violations for node in one["nodes"][:3]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name",
    ["report.html", f"report/{FAILED}", "report/requirements-rfc8166.html", "report/readings.html"],
)
def test_axe_finds_nothing_in_the_pages_of_a_run(
    page: Page, pages: Path, name: str, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)
    # Of two thousand rows that are alike, those of one verdict are enough for axe.
    page.goto(address(pages, name) + "#verdict=FAIL")
    assert findings(page) == []


@pytest.mark.parametrize("name", ["report.html", "report/cases-rfc8166.html"])
def test_axe_finds_nothing_in_pages_of_several_runs(
    page: Page, side_by_side: Path, name: str
) -> None:
    page.goto(address(side_by_side, name))
    assert findings(page) == []
