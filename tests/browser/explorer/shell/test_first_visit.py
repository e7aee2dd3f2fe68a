"""The Explorer's first visit: little to load, nothing that moves, the whole picture on the first screen."""

import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from driving import (
    MAPS,
    PLOTTED,
    SENTENCE,
    answers,
    before_the_script,
    expect_drawn,
    true_weights,
    visit,
    without_answers,
)
from playwright.sync_api import Browser, Page, Route, expect
from profiles import Problems
from settling import settle, until

LONG = ("the cat sat on the mat because it was tired and then the dog ran over to it " * 4)[:290].strip()
SLOW = {"offline": False, "latency": 100, "downloadThroughput": 5e6 / 8, "uploadThroughput": 5e6 / 8}
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries())
    if (!hadRecentInput)
      window.shifts.push([value, ...sources.map(({ node }) => node?.id || node?.className || node?.nodeName)]);
}).observe({ type: "layout-shift", buffered: true });"""
TRANSFERRED = r"""() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
  .filter(({ name }) => !/_later\.(js|css)$/.test(name)).map(({ name, encodedBodySize }) => [name, encodedBodySize])"""
WHOLE = """(selectors) => selectors.filter((selector) => {
  const { top, bottom, width } = document.querySelector(selector).getBoundingClientRect();
  return width === 0 || top < 0 || bottom > innerHeight; })"""
ABOVE = """() => ({ map: document.querySelector(".matrix-cells").getBoundingClientRect().top,
  right: document.querySelector("#bench").getBoundingClientRect().right })"""
FIRST_SCREEN = [
    *("#text", "#choose-model", "#run", "#examples-menu", "#tokens", "#head-title", "#views", "#stages"),
    *("#matrix .matrix-frame", "#matrix .readout", "#legend", "#faint", "#zoom-all", "#grid"),
]
WHAT_IF = ["#quick-off", "#quick-cut", "#quick-find"]
"""What a short text leaves room for."""


@pytest.mark.parametrize("path", ["/", "/embed/explorer", "/?text=Something+else.&view=lines"])
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_moves_on_a_slow_network(open_page: Callable[..., Page], width: int, path: str) -> None:
    page = open_page(width=width)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW)
    page.add_init_script(SHIFTS)
    page.goto(path)
    expect(page.locator("#bench")).to_have_attribute("aria-busy", "false")
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    shifts = page.evaluate("() => window.shifts")
    assert sum(shift[0] for shift in shifts) < 0.1, shifts


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_moves_when_a_busy_server_lets_the_page_wait(
    open_page: Callable[..., Page], problems: Problems, width: int
) -> None:
    problems.expect("console: .*503")
    page = open_page(width=width)
    without_answers(page)
    page.add_init_script(SHIFTS)
    told: list[str] = []

    def busy(route: Route) -> None:
        if told:
            return route.continue_()
        error = {"code": "queue_full", "message": "Full.", "field": None, "limit": 64}
        return route.fulfill(status=503, headers={"Retry-After": "1"}, json={"error": error})

    with answers(page, "**/api/analyses", busy):
        page.goto("/?text=Something+else.")
        expect(page.get_by_role("button", name="Stop waiting")).to_be_visible()
        expect(page.locator("#progress")).to_contain_text("Full.")
        told.append("the page waits")
        expect(page.locator("#bench")).to_have_attribute("aria-busy", "false")
    shifts = page.evaluate("() => window.shifts")
    assert sum(shift[0] for shift in shifts) < 0.1, shifts


def test_the_first_sentence_needs_few_requests_and_bytes(page: Page) -> None:
    visit(page)
    found = page.evaluate(TRANSFERRED)
    assert len(found) <= 15
    assert not [name for name, _ in found if "/api/" in name]
    assert sum(size for _, size in found) <= 150_000, found
    expect_drawn(page, true_weights(page, SENTENCE, 5, 11))


def test_the_first_screen_is_whole(page: Page) -> None:
    for model in ("sentence-transformers/all-MiniLM-L6-v2", "observatory-gpt2-mini"):
        for text in (SENTENCE, LONG):
            visit(page, "/?" + urlencode({"model": model, "text": text}))
            for width, height in ((1440, 900), (1366, 768), (1920, 1080), (2560, 1440)):
                page.set_viewport_size({"width": width, "height": height})
                parts = FIRST_SCREEN + (WHAT_IF if text == SENTENCE else [])
                assert page.evaluate(WHOLE, parts) == [], (model, text, width)
                below = page.evaluate(ABOVE)
                assert below["map"] <= (345 if text == SENTENCE else 415)  # pixels above the first cell
                assert below["right"] >= width - 48  # the whole window is used


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ({"view": "flow", "model": "observatory-gpt2-mini"}, [".flow-frame"]),
        ({"view": "compare", "other_head": "2.7"}, [".compare-maps .matrix-frame"]),
        (
            {"view": "prompts", "prompts": "The cat sat.\nThe dog ran."},
            [".prompts-pattern .matrix-frame", ".prompts-grid"],
        ),
    ],
)
def test_what_a_view_is_for_is_whole_on_the_first_screen(page: Page, asked: dict[str, str], parts: list[str]) -> None:
    page.goto("/?" + urlencode(asked))
    for width, height in ((1366, 768), (1440, 900), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        for part in parts:
            expect(page.locator(f"#panel-{asked['view']} {part}").first).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(f"#panel-{asked['view']} {parts[0]}").first).to_be_in_viewport(ratio=0.6)


def test_on_a_phone_the_matrix_comes_first(phone: Page) -> None:
    visit(phone)
    tops = [phone.locator(one).evaluate("(element) => element.getBoundingClientRect().top")
            for one in ("#examples-menu", "#tokens", "#matrix", "#stages", "#grid")]  # fmt: skip
    assert tops == sorted(tops)
    assert phone.evaluate(WHOLE, ["#text", "#tokens", "#matrix .matrix-frame", "#matrix .readout", "#legend"]) == []
    assert phone.evaluate(ABOVE)["map"] <= 450
    # Without the explanation, which is put away for good, there is less above it.
    phone.get_by_role("button", name="Put this explanation away").click()
    assert phone.evaluate(ABOVE)["map"] <= 310
    visit(phone)
    assert phone.evaluate(ABOVE)["map"] <= 310
    # The rest of the input is folded into one button, and comes back while one writes.
    run, model = phone.locator("#run"), phone.locator("#choose-model")
    expect(run).to_be_hidden()
    phone.locator("#fold summary").click()
    expect(run).to_be_visible()
    assert model.evaluate("(button) => button.scrollWidth <= button.clientWidth")
    phone.locator("#fold summary").click()
    expect(run).to_be_hidden()
    phone.locator("#text").fill("The dog ran.")
    expect(run).to_be_visible()
    run.click()
    expect(phone.locator(".token")).to_have_count(6)
    phone.locator(".tab").first.focus()
    expect(run).to_be_hidden()
    # What says that the model was changed pushes the picture nowhere.
    visit(phone, "/?changes=off-5.3")
    expect(phone.locator("#changed")).to_be_visible()
    assert phone.evaluate(ABOVE)["map"] <= 310


def test_a_sentence_says_what_the_chosen_cell_is(page: Page) -> None:
    visit(page)
    lead, explain = page.locator("#lead"), page.get_by_role("button", name="Explain this picture")
    expect(lead).to_contain_text("In this head, “it” gives 71 % of its attention to “cat”.")
    expect(lead).to_contain_text("A row is the token that attends (the query)")
    expect(explain).to_be_hidden()
    page.locator("#matrix .matrix-frame").focus()
    page.keyboard.press("ArrowLeft")
    expect(lead).to_contain_text("1 % of its attention to “the₁”")
    below = page.evaluate(ABOVE)["map"]
    lead.get_by_role("button", name="Put this explanation away").press("Enter")
    expect(explain).to_be_focused()
    assert page.evaluate(ABOVE)["map"] <= below - 48
    page.reload()
    expect(lead).to_be_hidden()
    explain.press("Enter")
    expect(lead.get_by_role("button", name="Put this explanation away")).to_be_focused()
    visit(page, "/embed/explorer")
    expect(lead).to_be_visible()


def test_on_a_phone_the_chosen_tab_is_in_view(phone: Page) -> None:
    phone.goto("/?view=heads")
    expect(phone.get_by_role("tab", name="Heads")).to_have_attribute("aria-selected", "true")
    expect(phone.get_by_role("tab", name="Heads")).to_be_in_viewport()
    phone.keyboard.press("Tab")
    phone.get_by_role("tab", name="Heads").focus()
    phone.keyboard.press("Home")
    expect(phone.get_by_role("tab", name="Matrix")).to_be_in_viewport()


def test_what_is_at_hand_is_there_before_the_script(browser: Browser, page: Page, server_url: str) -> None:
    visit(page)  # from now on the analysis is at hand
    strip = page.locator("#tokens").bounding_box()
    matrix = page.locator("#matrix .matrix-frame").bounding_box()
    grid = page.locator("#grid .grid-cell").last.bounding_box()
    context = browser.new_context(base_url=server_url, viewport={"width": 1440, "height": 900}, locale="en-US")
    early = context.new_page()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    early.route("**/explorer.js", hold)
    early.goto("/", wait_until="commit")
    expect(early.locator("footer")).to_be_visible()
    expect(early.locator("#text")).to_have_value(SENTENCE)
    expect(early.locator("#model")).to_have_value(re.compile("MiniLM"))
    expect(early.locator("#model-name")).to_contain_text("MiniLM")
    expect(early.locator("#examples button")).to_have_count(7)
    expect(early.locator("#examples [aria-pressed=true]")).to_have_text("A pronoun")
    expect(early.locator(".token")).to_have_count(13)
    expect(early.locator(".token.is-chosen")).to_have_text("it8")
    expect(early.get_by_role("status").first).to_have_text("Loading the Explorer …")
    assert (
        early.evaluate("""() => [...document.querySelectorAll("button, select, summary")].filter((one) =>
      one.checkVisibility() && !(one.textContent.trim() || one.getAttribute("aria-label"))).length""")
        == 0
    )
    place = early.locator("#matrix .matrix-waiting").bounding_box()
    cell = early.locator(".grid-waiting span").last.bounding_box()
    assert strip
    assert matrix
    assert grid
    assert early.locator("#tokens").bounding_box() == pytest.approx(strip, abs=1)
    for side in ("x", "y", "height"):
        assert place
        assert cell
        assert place[side] == pytest.approx(matrix[side], abs=8)
        assert cell[side] == pytest.approx(grid[side], abs=2)
    for route in held:
        route.continue_()
    until(early, PLOTTED)
    assert len(early.evaluate(MAPS)) == 1
    context.close()


@pytest.mark.parametrize("width", [1440, 390])
def test_what_is_below_the_first_screen_has_its_place(open_page: Callable[..., Page], width: int) -> None:
    page = open_page(width=width)
    places = """() => Object.fromEntries([...document.querySelectorAll("#bench section, .site-footer")].map((one) =>
      [one.className + one.querySelector("h2")?.id, one.getBoundingClientRect().top + scrollY]))"""
    visit(page)
    with before_the_script(page, "/?lang=en", "explorer"):
        before = page.evaluate(places)
    until(page, PLOTTED)
    expect(page.locator("#computation dt").first).to_be_visible()
    settle(page)
    assert before == pytest.approx(page.evaluate(places), abs=24)


def test_no_half_screen_under_the_matrix_is_empty(page: Page) -> None:
    visit(page)
    settle(page)
    corners = """(all) => all.filter((one) => one.offsetWidth > 0).map((one) => one.getBoundingClientRect())
      .map(({ left, right, top, bottom }) => [left, right, top, bottom])"""
    names = (".one-head", ".cards", ".bench-side", "#head-actions button")
    head, cards, side, actions = (page.locator(name).evaluate_all(corners) for name in names)
    (left, right, _, end), (card_left, card_right, top, _), (_, _, _, side_end) = head[0], cards[0], side[0]
    assert (card_left, card_right) == pytest.approx((left, right), abs=1)
    assert end <= top <= end + 20
    assert side_end > top
    assert len({row for _, _, row, _ in actions}) == 1  # what one does with the chosen head is one row


def test_on_a_phone_the_tokens_are_one_row_that_shows_the_chosen_one(phone: Page) -> None:
    visit(phone)
    tokens = phone.locator(".token")
    assert tokens.evaluate_all("(all) => new Set(all.map((one) => one.offsetTop)).size") == 1
    inside = """(token) => {
      const [inner, outer] = [token, token.parentElement].map((one) => one.getBoundingClientRect());
      return inner.left >= outer.left && inner.right <= outer.right; }"""
    assert phone.locator(".token[aria-selected=true]").evaluate(inside)
    phone.locator(".token[aria-selected=true]").focus()
    phone.keyboard.press("Home")
    assert tokens.first.evaluate(inside)
    assert phone.evaluate("() => scrollX") == 0


def test_without_scripts_the_page_says_so_and_shows_what_it_has(browser: Browser, page: Page, server_url: str) -> None:
    visit(page)
    context = browser.new_context(base_url=server_url, java_script_enabled=False)
    bare = context.new_page()
    bare.goto("/?lang=en")
    assert '<noscript><p class="field-error">This page needs JavaScript.' in (bare.request.get("/?lang=en").text())
    expect(bare.locator("#text")).to_have_value(SENTENCE)
    expect(bare.locator(".token")).to_have_count(13)
    context.close()
