"""What a concept's page says before its script runs: the server and the script agree on it."""

from typing import Any

import pytest
from driving import DRAWN, visit_concept
from playwright.sync_api import Page, Route, expect
from settling import until

from server.pages.site import PAGES

CONCEPTS = [page.stem for page in PAGES if page.has_frame]
WITH_EXAMPLES = ["decoder", "masks", "multi_head", "order", "projections"]
"""Their words are in the reader's language."""
BOTH = """async () => {
  const html = await (await fetch(location.href)).text();
  const query = (link) => {
    const found = Object.fromEntries(new URLSearchParams(link.getAttribute("href").split("?")[1]));
    return JSON.stringify(Object.entries(found).filter(([name]) => name !== "lang").sort()); };
  const seen = (root) => ({
    notice: root.querySelector("#notice").textContent,
    presets: [...root.querySelectorAll("#presets a")].map((link) =>
      [link.textContent, query(link), link.getAttribute("aria-current")]),
    controls: [...root.querySelectorAll("[data-bind], .arrow-line input")]
      .filter((one) => !one.closest("#part-field, .atlas-choice")) // only an answer says which there are
      .map((one) => [one.dataset.bind ?? one.id, one.value, one.checked, one.getAttribute("aria-valuetext")]),
    outputs: [...root.querySelectorAll("[data-out]")].map((one) => [one.dataset.out, one.textContent]),
    conditions: [...root.querySelectorAll("[data-when]")].map((one) => [one.dataset.when, one.hidden]),
  });
  return [seen(new DOMParser().parseFromString(html, "text/html")), seen(document)]; }"""
"""What is served, and what the script has made of it."""
EMPTY = """async () => {
  const html = await (await fetch(location.href)).text();
  const served = new DOMParser().parseFromString(html, "text/html");
  return [...served.querySelectorAll("button, select, h1, h2, h3, legend, a, summary, label")]
    .filter((one) => one.textContent.trim() === "" && !one.closest("[hidden]")).map((one) => one.outerHTML); }"""
"""What looks broken before the script runs."""


def served_and_shown(page: Page) -> tuple[dict[str, Any], dict[str, Any]]:
    served, shown = page.evaluate(BOTH)
    return served, shown


@pytest.mark.parametrize("address", [*CONCEPTS, *(f"{stem}?lang=ja" for stem in WITH_EXAMPLES)])
def test_the_page_is_served_as_its_script_leaves_it(page: Page, address: str) -> None:
    visit_concept(page, f"/{address}")
    served, shown = served_and_shown(page)
    assert served == shown
    assert page.evaluate(EMPTY) == []
    queries = [query for _, query, _ in shown["presets"]]
    assert len(set(queries)) == len(queries) > 0
    for link in page.locator("#presets a").all():
        link.click()
        until(page, DRAWN)
        expect(link).to_have_attribute("aria-current", "true")
        served, shown = served_and_shown(page)
        assert served == shown


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


@pytest.mark.parametrize(
    "address",
    [
        "/rope?view=clocks&base=1e3&theta=9&position=2.5&pair=63&dim=16",
        "/rope?view=nothing&x=−0.5&y=3",
        "/circle?q=45,0&t=0.5&theta=0.2&n=5&k=1,2,3,4,5&key=3&lengths=1,1,1,2,1&query=1&shift=80",
        "/scaling?view=saturation&scores=1,x&bias=0",
        "/scaling?source=linear&bias=0&sizes=8;64&samples=1000",
        "/kv_cache?view=steps&chunks=2+2&prefill=1&head=3&preset=gpt2",
        "/kernel?turn=-30&constant=-2.5&gamma=0.031",
    ],
)
def test_an_address_is_served_as_its_script_reads_it(page: Page, address: str) -> None:
    visit_concept(page, address)
    served, shown = served_and_shown(page)
    for name in ("controls", "outputs", "conditions"):
        assert served[name] == shown[name]


def test_the_page_says_what_it_waits_for(page: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    loading = {"model": "m", "state": "reading", "done_bytes": 0, "total_bytes": 0, "message": None}
    page.route("**/api/models/loading*", lambda route: route.fulfill(json=loading))
    page.route("**/api/parity", hold)
    page.goto("/parity")
    waiting = page.locator("#waiting")
    expect(waiting).to_be_visible()
    expect(waiting).to_have_text("Loading the model …")
    page.unroute("**/api/parity")
    for route in held:
        route.continue_()
    until(page, DRAWN)
    expect(waiting).to_be_hidden()
    place = page.locator(".concept-bench").bounding_box()
    assert place
    page.route("**/api/parity", hold)
    page.get_by_role("spinbutton", name="Head").fill("3")
    expect(waiting).to_be_visible()
    assert page.locator(".concept-bench").bounding_box() == pytest.approx(place, abs=1)
    held[-1].continue_()
    until(page, DRAWN)
