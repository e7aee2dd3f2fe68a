"""What a page loads: one script and one style sheet, or in development the modules themselves, all preloaded."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from driving import DRAWN, PLOTTED
from playwright.sync_api import Page
from profiles import Problems, Profiles
from serving import serving

LOADED = "() => performance.getEntriesByType('resource').map((one) => one.name)"
NAMED = (
    """() => [...document.querySelectorAll("link[rel=modulepreload], script[src]")].map((one) => one.href ?? one.src)"""
)
PAGES = {"/": PLOTTED, "/rope": DRAWN}


@pytest.fixture(scope="module")
def sources_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in development."""
    with serving(root, tmp_path_factory.mktemp("sources") / "log", OBSERVATORY_BUNDLED="false") as address:
        yield address


def scripts_and_sheets(page: Page) -> list[str]:
    names = (urlsplit(name).path.rpartition("/")[2] for name in page.evaluate(LOADED))
    return sorted(name for name in names if name.endswith((".js", ".css")))


@pytest.mark.parametrize(("address", "stem"), [("/", "explorer"), ("/rope", "rope"), ("/embed/rope", "rope")])
def test_a_page_has_one_script_and_one_sheet(page: Page, address: str, stem: str) -> None:
    page.goto(address)
    page.wait_for_function(PAGES["/" if stem == "explorer" else "/rope"])
    assert scripts_and_sheets(page) == [f"{stem}.css", f"{stem}.js", "theme_init.js"]


def test_a_first_visit_to_the_explorer_asks_for_little(page: Page) -> None:
    page.goto("/")
    page.wait_for_function(PLOTTED)
    assert len(page.evaluate(LOADED)) <= 15


@pytest.mark.parametrize("address", PAGES)
def test_the_sources_are_the_same_program_and_all_preloaded(
    profiles: Profiles, problems: Problems, sources_url: str, address: str
) -> None:
    kind = (sources_url, 1440, "light", "en-US")
    profile = profiles.take(*kind)
    page = profile.open(problems)
    page.add_init_script("performance.setResourceTimingBufferSize(2000)")  # 250 unless one says so
    page.goto(address)
    page.wait_for_function(PAGES[address])
    loaded = {name for name in page.evaluate(LOADED) if urlsplit(name).path.endswith(".js")}
    assert len(loaded) > 50
    assert loaded == set(page.evaluate(NAMED))
    profiles.give_back(profile, *kind)
    assert problems.found == []
