"""What a concept's page says before its script runs: the server and the script agree on it."""

from typing import Any

import pytest
from driving import visit_concept
from playwright.sync_api import Page, expect

from server.pages.pages import PAGES

CONCEPTS = [page.stem for page in PAGES if page.group]
BOTH = """async () => {
  const html = await (await fetch(location.href)).text();
  const query = (link) => {
    const found = Object.fromEntries(new URLSearchParams(link.getAttribute("href").split("?")[1]));
    return JSON.stringify(Object.entries(found).filter(([name]) => name !== "lang").sort()); };
  const seen = (root) => ({
    notice: root.querySelector("#notice").textContent,
    presets: [...root.querySelectorAll("#presets a")].map((link) =>
      [link.textContent, query(link), link.getAttribute("aria-current")]),
  });
  return [seen(new DOMParser().parseFromString(html, "text/html")), seen(document)]; }"""
"""What is served, and what the script has made of it."""


def served_and_shown(page: Page) -> tuple[dict[str, Any], dict[str, Any]]:
    served, shown = page.evaluate(BOTH)
    return served, shown


@pytest.mark.parametrize("stem", CONCEPTS)
def test_the_page_is_served_as_its_script_leaves_it(page: Page, stem: str) -> None:
    visit_concept(page, f"/{stem}")
    served, shown = served_and_shown(page)
    assert served == shown
    queries = [query for _, query, _ in shown["presets"]]
    assert len(set(queries)) == len(queries) > 0


def test_a_preset_is_an_address_and_acts_in_place(page: Page) -> None:
    visit_concept(page, "/alibi?lang=en&theme=night&heads=12&head=8&step=2")
    served, shown = served_and_shown(page)
    assert served["notice"] == shown["notice"]
    current = page.locator("#presets [aria-current=true]")
    expect(current).to_have_text("12 heads")
    page.evaluate("() => { globalThis.isSame = true; }")
    page.get_by_role("link", name="16 heads").click()
    expect(current).to_have_text("16 heads")
    assert page.evaluate("() => globalThis.isSame && document.documentElement.dataset.theme") == "night"
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="In an encoder").click(modifiers=["ControlOrMeta"])
    expect(opened.value.locator("#presets [aria-current=true]")).to_have_text("In an encoder")
    assert opened.value.evaluate("() => new URLSearchParams(location.search).get('theme')") == "night"
    expect(current).to_have_text("16 heads")
