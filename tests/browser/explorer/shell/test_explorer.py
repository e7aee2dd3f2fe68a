"""The Explorer's basic use: initial view, agreement with the API, mouse, keyboard and address."""

import base64
import re

import numpy as np
import pytest
from driving import (
    COLOURS_SEEN,
    MAPS,
    PLOTTED,
    SENTENCE,
    address,
    answers,
    cell,
    drawn,
    expect_address,
    expect_drawn,
    head,
    parameters,
    source_url,
    true_weights,
    visit,
    wait_for_map,
    without_answers,
)
from playwright.sync_api import Page, Route, expect
from settling import settle, until

SCALE_SOURCES = [source_url(f"js/base/theme/{name}.js") for name in ("color", "theme")]


@pytest.mark.gate
def test_opens_drawn_on_the_pronoun(page: Page) -> None:
    visit(page)
    expect(page.locator("#text")).to_have_value(SENTENCE)
    expect(page.locator("#head-title")).to_have_text("Layer 5, head 11")
    assert page.locator(".grid-canvas").evaluate(COLOURS_SEEN) > 30
    first = page.locator(".reads-item").first
    expect(first).to_contain_text("cat")
    expect(first.locator(".reads-value")).to_have_text("0.71")
    expect(first).to_have_accessible_name(re.compile(r"^cat ?, token 2 ?, 0\.71$"))
    expect(page.locator("#matrix .readout")).to_have_text(re.compile(r"it → cat\s*0\.71\d\d"))
    expect(page.locator("#panel-matrix .axes")).to_contain_text("query ↓ attends to key →")
    expect(page.get_by_role("gridcell")).to_have_count(72)


@pytest.mark.gate
def test_cells_are_the_api_s_numbers(page: Page) -> None:
    visit(page)
    for layer, number in ((5, 11), (0, 2), (3, 7)):
        head(page, layer, number).click()
        expect(page.locator("#head-title")).to_have_text(f"Layer {layer}, head {number}")
        expect_drawn(page, true_weights(page, SENTENCE, layer, number))


def test_cells_have_the_colours_of_the_scale(page: Page) -> None:
    """Each pixel in the middle of a cell, the chosen ones aside, against the scale's own stops mixed at its weight."""
    visit(page)
    expected = true_weights(page, SENTENCE, 5, 11)
    expect_drawn(page, expected)
    off = page.evaluate(
        """async ([weights, sources]) => {
          const [{ mix }, { scaleStops }] = await Promise.all(sources.map((source) => import(source)));
          const canvas = document.querySelector(".matrix-cells");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return Math.max(...weights.flatMap((row, at) => row.map((weight, key) => {
            const x = Math.floor((key + 0.5) * canvas.width / row.length);
            const y = Math.floor((at + 0.5) * canvas.height / weights.length);
            const pixel = data.subarray(4 * (y * canvas.width + x));
            const wanted = mix(scaleStops("weight"), weight);
            return Math.max(...wanted.map((channel, index) => Math.abs(channel - pixel[index])));
          }))); }""",
        [expected.tolist(), SCALE_SOURCES],
    )
    assert off <= 1.5  # of 255: 1024 steps of the scale, rounded to whole numbers


def test_a_first_visit_needs_no_plotting_library(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    visit(page)
    settle(page)
    assert [url for url in asked if "plotly" in url] == []


@pytest.mark.parametrize("stage", ["raw_scores", "scaled_scores", "masked_scores"])
def test_stages_switch(page: Page, stage: str) -> None:
    visit(page)
    page.locator(f"input[name=stage][value={stage}]").check()
    expected = true_weights(page, SENTENCE, 5, 11, stage)
    expect_drawn(page, expected, atol=1e-5)
    [low, high] = page.evaluate(MAPS)[0]["limits"]
    assert high == pytest.approx(np.abs(expected[np.isfinite(expected)]).max())
    assert low == -high  # 0 is the middle of the scale
    expect_address(page, stage=stage)


@pytest.mark.parametrize("stage", ["value_weighted", "norm_weighted"])
def test_what_becomes_of_weights(page: Page, stage: str) -> None:
    visit(page)
    page.locator(f"input[name=stage][value={stage}]").check()
    expected = true_weights(page, SENTENCE, 5, 11, stage)
    expect_drawn(page, expected, atol=1e-6)
    assert page.evaluate(MAPS)[0]["limits"] == [0, pytest.approx(expected.max())]  # of one sign: no middle
    row = expected[8]
    listed = page.locator("#reads .reads-item")
    assert [float(text) for text in listed.locator(".reads-value").all_text_contents()] == pytest.approx(
        sorted(row, reverse=True)[: listed.count()], abs=0.005
    )
    expect(page.locator("#reads .reads-title")).to_have_text(re.compile("^it receives from"))
    page.locator("#option-hide").check()
    expect_drawn(page, expected[1:-1, 1:-1])
    page.locator("#faint").select_option("1")
    expect_address(page, stage=stage)
    page.go_back()
    expect_drawn(page, true_weights(page, SENTENCE, 5, 11))


def test_hover_tells_query_key_value_and_stage(page: Page) -> None:
    visit(page)
    expected = true_weights(page, SENTENCE, 5, 11)
    page.mouse.move(*cell(page, 10, 0, 13))
    tip = page.locator(".matrix-tip")
    expect(tip).to_be_visible()
    expect(tip).to_have_text(f"tired → [CLS]{expected[10, 0]:.4f}weights")
    expect(page.locator(".token.is-pointed-query")).to_have_text(re.compile("^tired"))
    expect(page.locator(".token.is-pointed-key")).to_have_text(re.compile(r"^\[CLS\]"))


def test_masked_cells_are_gaps_and_are_named(page: Page) -> None:
    def hide_future(route: Route) -> None:
        answer = route.fetch()
        json = answer.json()
        rows, cols = (int(size) for size in json["matrix"]["shape"].split(","))
        values = np.where(np.tri(rows, cols, dtype=bool), np.float32(0.5), np.float32(-np.inf)).astype("<f4")
        json["matrix"]["bdata"] = base64.b64encode(values.tobytes()).decode()
        route.fulfill(response=answer, json=json)

    without_answers(page)
    with answers(page, "**/weights?*stage=masked_scores*", hide_future):
        visit(page, "/?stage=masked_scores")
        assert drawn(page)[3].tolist() == [0.5] * 4 + [-np.inf] * 9
        page.mouse.move(*cell(page, 3, 8, 13))
        expect(page.locator(".matrix-tip")).to_have_text("sat → it−∞masked scores")
        expect(page.locator(".legend-masked")).to_be_visible()


def test_a_click_on_a_cell_keeps_it(page: Page) -> None:
    visit(page)
    page.mouse.click(*cell(page, 6, 2, 13))
    expect(page.locator("#matrix .readout")).to_contain_text("mat → cat")
    expect_address(page, query="6", key="2")
    expect(page.locator(".token[aria-selected=true]")).to_have_text(re.compile("^mat"))


def test_heads_are_picked_by_keyboard(page: Page) -> None:
    visit(page)
    head(page, 5, 11).focus()
    for key in ("ArrowLeft", "ArrowUp", "Home"):
        page.keyboard.press(key)
    expect(head(page, 4, 0)).to_be_focused()
    expect(page.locator("#head-title")).to_have_text("Layer 5, head 11")  # moving is not picking
    page.keyboard.press("Enter")
    expect(page.locator("#head-title")).to_have_text("Layer 4, head 0")
    expect(head(page, 4, 0)).to_have_attribute("aria-selected", "true")


def test_tokens_and_cells_are_reached_by_keyboard(page: Page) -> None:
    visit(page)
    page.locator(".token[aria-selected=true]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".reads-title")).to_have_text("was attends to")
    page.locator(".matrix-frame").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    expect(page.locator("#matrix .readout")).to_contain_text("tired → [SEP]")


def test_the_address_is_the_picture(page: Page) -> None:
    visit(
        page, "/?text=Hello+there%2C+world&layer=2&head=3&query=2&key=1&stage=scaled_scores&numbering=1&metric=entropy"
    )
    expect(page.locator("#text")).to_have_value("Hello there, world")
    expect(page.locator("#head-title")).to_have_text("Layer 3, head 4")
    expect(page.locator("input[name=stage][value=scaled_scores]")).to_be_checked()
    expect(page.locator("#metric")).to_have_value("entropy")
    expect(page.locator("#matrix .readout")).to_contain_text("there → hello")
    expect(head(page, 3, 4)).to_have_accessible_name(re.compile(r"^Layer 3, head 4, Entropy \d?\.\d+$"))


def test_back_and_forward(page: Page) -> None:
    visit(page)
    head(page, 0, 2).click()
    head(page, 3, 1).click()
    page.go_back()
    expect(page.locator("#head-title")).to_have_text("Layer 0, head 2")
    page.go_back()
    expect(page.locator("#head-title")).to_have_text("Layer 5, head 11")
    page.go_forward()
    expect(page.locator("#head-title")).to_have_text("Layer 0, head 2")
    expect_address(page, layer="0")


def test_going_back_over_a_text_brings_it_back(page: Page) -> None:
    visit(page)
    page.locator("#text").fill("Dogs bark.")
    page.keyboard.press("Enter")
    expect(page.locator(".token")).to_have_count(5)
    page.go_back()
    expect(page.locator("#text")).to_have_value(SENTENCE)
    expect(page.locator(".token")).to_have_count(13)


def test_typing_enter_and_shift_enter(page: Page) -> None:
    visit(page)
    page.locator("#text").fill("One")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    expect(page.locator("#text")).to_have_value("One\ntwo")
    expect(page.locator("#run")).to_have_class(re.compile("is-primary is-edited"))
    page.keyboard.press("Enter")
    expect(page.locator(".token")).to_have_count(4)
    expect(page.locator("#run")).not_to_have_class(re.compile("is-edited"))


NAMES_BESIDE_THEIR_HEADS = """() => [...document.querySelectorAll(".grid-name")].filter((one) => {
  const words = document.createRange();
  words.selectNodeContents(one);
  const [name, cell] = [words.getBoundingClientRect(), one.closest(".grid-cell").getBoundingClientRect()];
  return name.width > 0 && (name.left < cell.left || name.right > cell.right);
}).map((one) => one.textContent)"""


def test_a_measure_is_written_under_each_head_and_sorts(page: Page) -> None:
    visit(page)
    page.locator("#metric").select_option("previous_token")
    expect(page.locator(".grid-value")).to_have_count(72)
    page.locator("#sorted").check()
    expect(page.get_by_role("gridcell").first).to_have_accessible_name(re.compile("^Layer 0, head 2, Previous"))
    values = [float(text) for text in page.locator(".grid-value").all_text_contents()]
    assert values == sorted(values, reverse=True)
    for width in (1440, 1920):  # where there is no room for "L5 H11" in one line, and where there is
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(NAMES_BESIDE_THEIR_HEADS) == []


def test_zoom_by_dragging_buttons_and_back(page: Page) -> None:
    visit(page)
    page.mouse.move(*cell(page, 4, 1, 13))
    page.mouse.down()
    page.mouse.move(*cell(page, 9, 8, 13), steps=5)
    page.mouse.up()
    until(page, "() => new URLSearchParams(location.search).get('rows') === '4:10'")
    expect_address(page, cols="1:9")
    page.locator("#zoom-all").click()
    until(page, "() => !new URLSearchParams(location.search).has('rows')")
    page.locator("#zoom-in").click()
    until(page, "() => new URLSearchParams(location.search).has('rows')")
    rows = [int(end) for end in parameters(page)["rows"].split(":")]
    assert rows[0] <= 8 < rows[1]  # the chosen query stays in view


LONG_TEXT = " ".join(["The river runs past the old mill and the children count the boats."] * 25)


def test_a_long_text_is_pooled_and_exact_when_zoomed(page: Page) -> None:
    visit(page)
    page.locator("#text").fill(LONG_TEXT)
    page.keyboard.press("Enter")
    wait_for_map(page, "tokens === 2")
    expected = true_weights(page, LONG_TEXT, 5, 11)
    tokens = len(expected)
    assert 256 < tokens <= 512
    pooled = drawn(page)
    even = tokens // 2 * 2
    np.testing.assert_allclose(
        pooled[: even // 2, : even // 2],
        expected[:even, :even].reshape(even // 2, 2, even // 2, 2).max(axis=(1, 3)),
        atol=1e-6,
    )
    page.goto(address(page).replace("stage=weights", "stage=weights&rows=100:140&cols=200:260"))
    expect_drawn(page, expected[100:140, 200:260])


def test_the_table_says_the_same(page: Page) -> None:
    visit(page)
    page.get_by_text("Show as a table").click()
    rows = page.locator(".numbers tbody tr")
    expect(rows).to_have_count(13)
    expected = true_weights(page, SENTENCE, 5, 11)
    texts = rows.nth(8).locator("td").all_text_contents()
    assert texts[2] == f"{expected[8, 2]:.4f}"
    expect(rows.nth(8).locator("th")).to_have_text(re.compile("^it"))


def test_comparison_with_the_library(page: Page) -> None:
    visit(page)
    page.get_by_role("button", name="Compare with the library's own attention").click()
    expect(page.locator(".parity .is-good")).to_have_text("✓ They agree within 1.0 × 10⁻⁵.")


MIDDLE = """([selector, place]) => {
  const found = [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility() && !one.disabled)[place];
  found?.scrollIntoView({ block: "center", behavior: "instant" });
  const box = found?.getBoundingClientRect();
  return box ? [box.x + box.width / 2, box.y + box.height / 2] : null;
}"""


def test_everything_may_be_double_clicked(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit(page)
    for selector in (
        "button",
        ".grid-cell",
        "select",
        "input",
        "summary",
        ".token",
        ".matrix-frame",
        "h2",
        ".reads-item",
    ):
        for place in range(
            24
        ):  # what stands there may be redrawn at any moment, as an earlier one changed the analysis
            if middle := page.evaluate(MIDDLE, [f"#main {selector}, header {selector}", place]):
                page.mouse.dblclick(*middle)
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Matrix").click()
    until(page, PLOTTED)


def test_the_link_is_copied(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit(page)
    head(page, 2, 9).click()
    page.locator("#share").click()
    expect(page.locator("#share-status")).to_have_text("Link copied.")
    link = page.evaluate("() => navigator.clipboard.readText()")
    visit(page, link)
    expect(page.locator("#head-title")).to_have_text("Layer 2, head 9")


def test_five_hundred_tokens_are_drawn(page: Page) -> None:
    visit(page)
    page.locator("#text").fill("the cat sat " * 165)
    page.keyboard.press("Enter")
    expect(page.locator(".token")).to_have_count(497)
    settle(page)
    assert page.locator(".grid-canvas").evaluate(COLOURS_SEEN) > 30
