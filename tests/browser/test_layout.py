"""What stands where: each concept's first screen, its presets' labels, a phone's header, and what is folded away."""

import re
from collections.abc import Callable
from itertools import pairwise
from urllib.parse import urlencode

import pytest
from driving import DRAWN, SETTLED, SMALL_TYPE, visit, visit_concept
from playwright.sync_api import Page, expect
from settling import settle, until
from test_looks import VIEWS

STEMS = sorted({*VIEWS, "training"})
PROMPTS = "The cat sat.\nThe dog ran."
FIRST_SCREENS = ({"width": 1440, "height": 900}, {"width": 1366, "height": 768})
BELOW = """() => {
  const [picture, controls] = [...document.querySelectorAll(":is(.concept-bench, .bench-left) > section:not(.why)")];
  const bottom = (element) => element.getBoundingClientRect().bottom;
  const own = [...controls.querySelectorAll("input, select, textarea, button, a")];
  // A run has four charts, one below the other beside its maps: the first is to be whole.
  const first = picture.querySelector(".train-charts > div") ?? picture;
  // The list of claims is long, and so is a head's portrait; one scrolls them.
  const main = own.filter((one) => one.checkVisibility() && !one.closest("#cards, .atlas-panel, details"));
  const named = (element) => element.id || element.dataset.bind || element.className;
  return [first, ...main].filter((one) => bottom(one) > innerHeight).map(named); }"""
"""What of the main picture, its value, legend and controls the first screen does not show whole."""
WHY_IS_SEEN = """() => [...document.querySelectorAll(".bench-left > .why > p:first-of-type, .why-link")].some((text) =>
  text.getBoundingClientRect().top + parseFloat(getComputedStyle(text).lineHeight) <= innerHeight)"""
"""Whether the first screen shows the first line of *Why*, or the way there where more than a picture fills it."""
BOX = """(one) => { const { width, top, bottom } = one.getBoundingClientRect(); return [width, top, bottom]; }"""
HEADER = ".site > .brand, .site .pages > a, .site .menu > summary, .site .site-tools > *, .site-open"
LOW_PLOTS = """() => [...document.querySelectorAll(
  ":is(.bench-picture, .concept-bench > section:first-of-type:not(.bench-column)) .plot-area")]
  .map((plot) => plot.offsetHeight).filter((height) => height < 190)"""
"""Heights of the main picture's charts in which curves are hard to tell apart."""
SIDES = """() => [...document.querySelectorAll(":is(.concept-bench, .bench-left) > section:not(.why)")]
.slice(0, 2).map((section) => {
  const { left, right, top } = section.getBoundingClientRect();
  return { left, right, top, drawn: section.querySelectorAll("svg, canvas, .sentence, [data-chart]").length }; })"""
COLLISIONS = """() => [...document.querySelectorAll(".concept-bench svg:not(.mark-key)")].flatMap((picture) => {
  const frame = picture.getBoundingClientRect();
  const isCut = getComputedStyle(picture).overflow !== "visible";
  const texts = [...picture.querySelectorAll("text")].filter((text) =>
    text.textContent.trim() && text.checkVisibility({ visibilityProperty: true }) && text.getScreenCTM().b === 0);
  // A line of text is higher than its letters.
  const boxes = texts.map((text) => {
    const { left, right, top, bottom, height } = text.getBoundingClientRect();
    return { said: text.textContent, left, right, top: top + height / 4, bottom: bottom - height / 5 }; });
  const over = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  const out = boxes.filter(({ left, right, top, bottom }) => isCut && (left < frame.left - 1 ||
    right > frame.right + 1 || top < frame.top - 1 || bottom > frame.bottom + 1));
  const pairs = boxes.flatMap((one, at) => boxes.slice(at + 1).filter((other) => over(one, other)).map((other) =>
    `${one.said} on ${other.said}`));
  return [...out.map(({ said }) => `${said} sticks out`), ...pairs]; })"""
"""Labels of pictures that leave their picture or stand on one another."""
CUT = """(selector) => [...document.querySelectorAll(selector)]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
  .map((one) => `${one.className}: ${one.scrollWidth} px in ${one.clientWidth}`)"""
"""What is wider than its place, so that columns are cut."""


@pytest.mark.parametrize("stem", STEMS)
def test_the_first_screen_shows_picture_and_controls(page: Page, stem: str) -> None:
    visit_concept(page, f"/{stem}")
    for size in FIRST_SCREENS:
        page.set_viewport_size(size)
        assert page.evaluate(BELOW) == [], size
        assert page.evaluate(WHY_IS_SEEN), size
        assert page.evaluate(LOW_PLOTS) == [], size
        assert page.evaluate(SMALL_TYPE) == [], size
        picture, controls = page.evaluate(SIDES)
        assert picture["drawn"] > 0
        assert picture["right"] < controls["left"]
        assert picture["top"] == controls["top"]


@pytest.mark.parametrize("width", [1440, pytest.param(390, marks=pytest.mark.full)])
@pytest.mark.parametrize("stem", STEMS)
def test_no_label_is_cut_or_overprinted(open_page: Callable[..., Page], stem: str, width: int) -> None:
    page = open_page(width=width, locale="ja" if width == 390 else "en-US")
    visit_concept(page, f"/{stem}")
    for preset in page.locator("#presets > *").all():
        preset.evaluate("(preset) => preset.click()")
        until(page, DRAWN)
        assert page.evaluate(COLLISIONS) == [], preset.text_content()


def test_no_column_of_a_calculation_is_cut(page: Page) -> None:
    for stem in ("circle", "scoring", "scaling", "masks", "kernel", "order", "context", "embedding"):
        visit_concept(page, f"/{stem}")
        page.locator("#steps .step").last.click()
        for size in FIRST_SCREENS:
            page.set_viewport_size(size)
            assert page.evaluate(CUT, ".table-scroller") == [], (stem, size)


def test_no_measure_of_heads_is_cut(page: Page) -> None:
    page.goto("/?view=heads")
    measuring = page.locator("#panel-heads").get_by_role("button")
    measuring.filter(has_text="Measure induction").click()
    expect(page.locator(".heads-sort", has_text="Induction")).to_be_visible()
    for size in FIRST_SCREENS:
        page.set_viewport_size(size)
        assert page.evaluate(CUT, "#panel-heads .heads-scroller") == [], size
    measuring.filter(has_text="Measure gradient").click()
    expect(page.locator(".heads-sort", has_text="Gradient")).to_be_visible()
    page.set_viewport_size(FIRST_SCREENS[0])
    assert page.evaluate(CUT, "#panel-heads .heads-scroller") == []
    page.goto(f"/?{urlencode({'view': 'prompts', 'prompts': PROMPTS})}")
    expect(page.locator(".prompts-measures tbody tr")).to_have_count(72)
    settle(page)
    assert page.evaluate(CUT, "#panel-prompts :is(.heads-scroller, .prompts-grid)") == []


def test_a_mask_of_three_tokens_fills_its_column(page: Page) -> None:
    visit_concept(page, "/masks")
    mask, place = page.locator(".masks-box .matrix-mark").first, page.locator(".masks-box").first
    sizes = [one.evaluate("(element) => element.getBoundingClientRect().width") for one in (mask, place)]
    assert sizes[0] > 0.75 * sizes[1]


def test_a_phone_has_its_header_in_one_row_and_the_rest_in_a_menu(phone: Page) -> None:
    visit_concept(phone, "/rope")
    shown = "(header) => [...header.children].filter((one) => one.checkVisibility()).length"
    brand, opening = phone.locator(".brand"), phone.get_by_role("button", name="Menu")
    assert phone.locator("header.site").evaluate(shown) == 2
    assert phone.locator("header.site").evaluate("(header) => header.offsetHeight") <= 64
    expect(phone.locator("#theme")).to_be_hidden()

    brand.focus()
    phone.keyboard.press("Tab")
    expect(opening).to_be_focused()
    phone.keyboard.press("Enter")
    menu = phone.locator("#site-menu")
    expect(menu.get_by_role("link", name="ALiBi")).to_be_visible()
    expect(menu.get_by_role("link", name="RoPE", exact=True)).to_have_attribute("aria-current", "page")
    phone.keyboard.press("Tab")
    expect(phone.get_by_role("button", name="Close")).to_be_focused()
    phone.keyboard.press("Escape")
    expect(menu.get_by_role("link", name="ALiBi")).to_be_hidden()
    expect(opening).to_be_focused()

    opening.click()
    phone.locator("#theme").select_option("night")
    expect(phone.locator("html")).to_have_attribute("data-theme", "night")
    phone.get_by_role("button", name="Present").click()
    phone.keyboard.press("Escape")
    expect(opening).to_be_visible()
    expect(phone.locator("#theme")).to_be_hidden()


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_header_of_a_page_with_a_long_name_fits_a_window_of_any_width(page: Page, lang: str) -> None:
    page.goto(f"/claims?lang={lang}")
    for width in (1024, 1248, 1249, 1280, 1366, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        ends = page.locator(HEADER).evaluate_all(
            """(all) => all.filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect())
              .map(({ left, right }) => [left, right])"""
        )
        for (_, right), (left, _) in pairwise([*ends, [width, width]]):
            assert right < left, (width, ends)


def test_what_is_said_of_a_copied_link_widens_no_window(page: Page) -> None:
    visit_concept(page, "/why")
    page.evaluate("() => Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#share-status")).to_contain_text("The browser does not allow copying")
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") == 0


def test_a_phone_has_its_presets_in_one_row_that_shows_the_pressed_one(phone: Page) -> None:
    visit_concept(phone, "/rope")
    presets = phone.locator("#presets > *")
    tops = presets.evaluate_all("(all) => new Set(all.map((one) => one.getBoundingClientRect().top)).size")
    assert tops == 1
    presets.last.evaluate("(preset) => preset.click()")
    until(
        phone,
        """() => { const { left, right } = document.querySelector("#presets > :last-child").getBoundingClientRect();
          return left >= 0 && right <= innerWidth; }""",
    )
    assert phone.evaluate("() => [scrollY, document.documentElement.scrollWidth - innerWidth]") == [0, 0]


def test_a_phone_says_numbers_where_colours_have_no_room_for_them(phone: Page) -> None:
    visit_concept(phone, "/parity")
    said = phone.locator(".parity-side .mark-read")
    expect(said.first).to_have_text("it → cat: 0.7118")
    phone.locator(".parity-sides svg").first.focus()
    phone.keyboard.press("ArrowUp")
    expect(said.nth(1)).to_have_text("because → cat: 0.4286")
    visit_concept(phone, "/order")
    expect(phone.locator(".mark-value")).to_have_count(5)


def test_what_few_need_is_folded_away_until_asked_for(page: Page) -> None:
    parts = {"lecture": "For a lecture", "api-call": "The same from the API"}
    visit_concept(page, "/softmax")
    for part, title in parts.items():
        expect(page.locator(f"#{part}")).to_be_hidden()
        page.locator("summary", has_text=re.compile(title)).click()
        expect(page.locator(f"#{part}")).to_be_visible()
    for part in parts:
        page.goto("about:blank")
        visit_concept(page, f"/softmax#{part}")
        expect(page.locator(f"#{part}")).to_be_visible()


@pytest.mark.parametrize("size", ["narrow", "large type"])
def test_nothing_scrolls_sideways(phone: Page, size: str) -> None:
    for stem in ("scoring", "training", "claims"):
        visit_concept(phone, f"/{stem}")
        if size == "narrow":
            phone.set_viewport_size({"width": 320, "height": 640})
        else:
            phone.evaluate("() => void (document.documentElement.style.fontSize = '200%')")
        assert phone.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0, stem


def test_a_warning_leaves_the_text_its_line_on_a_phone(phone: Page) -> None:
    visit(phone, "/?text=吾輩は猫である。名前はまだ無い。")
    expect(phone.locator(".warnings")).to_contain_text("4 of 16 tokens are [UNK]")
    boxes = [phone.locator(name).evaluate(BOX) for name in ("#text", "#fold", ".warnings")]
    (width, top, _), (_, _, bottom), (_, below, _) = boxes
    assert width > 200
    assert top < bottom <= below + 1


@pytest.mark.parametrize("width", [390, 320])
def test_no_view_of_the_explorer_is_wider_than_a_phone_in_large_type(phone: Page, width: int) -> None:
    phone.set_viewport_size({"width": width, "height": 844})
    visit(phone)
    for size in ("100%", "200%"):
        phone.evaluate("(size) => void (document.documentElement.style.fontSize = size)", size)
        for tab in phone.get_by_role("tab").all():
            tab.click()
            until(phone, SETTLED)
            wide = phone.evaluate("() => document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, (size, tab.text_content())
