"""What a page loads: one script and one style sheet, or in development the modules themselves, all preloaded."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from driving import DRAWN, PLOTTED, visit
from playwright.sync_api import Page, Route, expect
from profiles import Problems, Profiles
from serving import serving
from settling import until, until_resolved

from server.web.assets import Assets

LOADED = "() => performance.getEntriesByType('resource').map((one) => one.name)"
FIRST = r"""() => performance.getEntriesByType('resource').filter((one) => !/_later\.(js|css)$/.test(one.name))
  .map((one) => one.name)"""
"""Without what is loaded ahead once the page is idle."""
NAMED = (
    """() => [...document.querySelectorAll("link[rel=modulepreload], script[src]")].map((one) => one.href ?? one.src)"""
)
PAGES = {"/": PLOTTED, "/rope": DRAWN}
ENTRIES = {"/": "js/explorer/index.js", "/rope": "js/concepts/rope/index.js"}


@pytest.fixture(scope="module")
def sources_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in development."""
    with serving(root, tmp_path_factory.mktemp("sources") / "log", OBSERVATORY_BUNDLED="false") as address:
        yield address


def scripts_and_sheets(page: Page) -> list[str]:
    names = (urlsplit(name).path.rpartition("/")[2] for name in page.evaluate(FIRST))
    return sorted(name for name in names if name.endswith((".js", ".css")))


@pytest.mark.gate("/-explorer")
@pytest.mark.parametrize(("address", "stem"), [("/", "explorer"), ("/rope", "rope"), ("/embed/rope", "rope")])
def test_a_page_has_one_script_and_one_sheet(page: Page, address: str, stem: str) -> None:
    page.goto(address)
    until(page, PAGES["/" if stem == "explorer" else "/rope"])
    assert scripts_and_sheets(page) == [f"{stem}.css", f"{stem}.js"]


def test_a_first_visit_to_the_explorer_asks_for_little(page: Page) -> None:
    page.goto("/")
    until(page, PLOTTED)
    assert len(page.evaluate(LOADED)) <= 15


STYLED = "[...document.querySelectorAll('link[href*=_later]')].length"


@pytest.mark.parametrize("part", ["js", "css"])
def test_a_view_that_cannot_be_loaded_says_so_and_comes_styled_with_the_next_attempt(
    page: Page, problems: Problems, part: str
) -> None:
    problems.expect(f"_later.{part}")
    problems.expect("Failed to load resource")

    def refuse(route: Route) -> None:
        route.abort("connectionfailed")

    page.route(f"**/explorer_later.{part}*", refuse)
    visit(page)
    page.get_by_role("tab", name="Lines").click()
    panel = page.locator("#panel-lines")
    expect(panel.get_by_role("alert")).to_contain_text("could not be loaded")
    expect(panel.locator(".lines")).to_have_count(0)
    page.unroute(f"**/explorer_later.{part}*")
    panel.get_by_role("button", name="Try again").click()
    expect(panel.locator(".lines")).to_be_visible()
    expect(panel.locator(".lines")).to_have_css("display", "grid")
    assert page.evaluate(STYLED) == 1


@pytest.mark.parametrize("part", ["js", "css"])
def test_a_view_that_is_on_its_way_says_so_and_is_not_shown_without_its_sheet(page: Page, part: str) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(f"**/explorer_later.{part}*", hold)
    visit(page)
    page.get_by_role("tab", name="Lines").click()
    expect(page.locator("#panel-lines")).to_have_text("Loading this view …")
    for route in held:
        route.continue_()
    expect(page.locator("#panel-lines .lines")).to_be_visible()
    expect(page.locator("#panel-lines .lines")).to_have_css("display", "grid")


@pytest.mark.parametrize("address", PAGES)
def test_the_sources_are_the_same_program_and_all_preloaded(
    profiles: Profiles, problems: Problems, sources_url: str, address: str
) -> None:
    kind = (sources_url, 1440, "light", "en-US")
    profile = profiles.take(*kind)
    page = profile.open(problems)
    page.add_init_script("performance.setResourceTimingBufferSize(2000)")  # 250 unless one says so
    page.goto(address)
    until(page, PAGES[address])
    loaded = {name for name in page.evaluate(LOADED) if urlsplit(name).path.endswith(".js")}
    first = set(page.evaluate(NAMED))
    assert len(first) > 50
    assert first <= loaded
    late = {name.partition("/js/")[2] for name in loaded - first}
    if address == "/":
        until_resolved(page, f"() => ({LOADED})().some((name) => name.endsWith('/js/explorer/compare/panel.js'))")
    assert late <= {module.removeprefix("js/") for module in Assets().modules_of(ENTRIES[address], deferred=True)}
    profiles.give_back(profile, *kind)
    assert problems.found == []
