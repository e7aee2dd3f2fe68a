"""The query–key plane: zooming, and selecting points."""

import re

import pytest
from driving import expect_address, head
from planes import PLOT, SERIES, data_of, drag, places, plane_in, show
from playwright.sync_api import Page, expect
from plotting import range_of
from settling import until


def test_zooming_keeps_both_axes_to_one_scale(page: Page) -> None:
    show(page)
    plot = page.locator(PLOT)
    handle = plot.locator(".plot-drawing").element_handle()
    units = """(plot) => { const { xaxis, yaxis } = plot.querySelector(".plot-drawing")._fullLayout;
      return [xaxis, yaxis].map(({ range, _length }) => (range[1] - range[0]) / _length); }"""
    whole = range_of(plot)
    keys = places(page, "key")
    drag(page, keys[2] - [30, 90], keys[2] + [200, 100])
    until(page, "([plot, low]) => plot._fullLayout.xaxis.range[0] !== low", arg=[handle, whole[0]])
    plane_in(page)
    across, up = plot.evaluate(units)
    assert across == pytest.approx(up, rel=1e-6)
    assert across < 0.5 * (whole[1] - whole[0]) / plot.evaluate("(plot) => plot.clientWidth")
    closer = range_of(plot)
    plot.get_by_role("button", name="query", exact=True).click()  # drawn again, and what is in view stays
    expect(plot.locator(".scatterlayer .trace")).to_have_count(2)
    assert range_of(plot) == pytest.approx(closer)
    plot.locator(".plot-frame").focus()
    page.keyboard.press("End")
    expect(page.locator(".plane-readout")).to_contain_text("key [SEP]12")
    until(page, "([plot, low]) => plot._fullLayout.xaxis.range[0] !== low", arg=[handle, closer[0]])
    low, high = range_of(plot)
    assert (low + high) / 2 == pytest.approx(data_of(page, "key")[12, 0]), "what the keyboard reads is in view"
    page.keyboard.press("0")
    until(page, "([plot, low]) => plot._fullLayout.xaxis.range[0] === low", arg=[handle, whole[0]])
    plot.get_by_role("button", name="Zoom in").click()
    until(page, "([plot, low]) => plot._fullLayout.xaxis.range[0] !== low", arg=[handle, whole[0]])
    assert range_of(plot)[1] - range_of(plot)[0] == pytest.approx((whole[1] - whole[0]) / 2)


@pytest.mark.parametrize("way", ["box", "lasso"])
def test_points_are_selected_with_a_box_or_a_lasso(page: Page, way: str) -> None:
    show(page)
    tool = page.locator(PLOT).get_by_role("button", name=f"Select with a {way}")
    tool.click()
    expect(tool).to_have_attribute("aria-pressed", "true")
    plane_in(page)
    queries, keys = places(page, "query"), places(page, "key")
    low, high = queries[[2, 6]].min(axis=0) - 12, queries[[2, 6]].max(axis=0) + 12
    wanted = {
        role: [index for index, place in enumerate(at) if (low < place).all() and (place < high).all()]
        for role, at in (("query", queries), ("key", keys))
    }
    assert {2, 6} <= set(wanted["query"])
    page.mouse.move(*low)
    page.mouse.down()
    if way == "lasso":
        page.mouse.move(high[0], low[1], steps=4)
    page.mouse.move(*high, steps=4)
    if way == "lasso":
        page.mouse.move(low[0], high[1], steps=4)
        page.mouse.move(*low, steps=4)
    page.mouse.up()
    box = page.locator(".plane-selection")
    expect(box).to_contain_text(f"Selected: {len(wanted['query'])} queries and {len(wanted['key'])} keys.")
    chips = box.get_by_role("list", name="Selected queries").get_by_role("button")
    expect(chips).to_have_count(len(wanted["query"]))
    plane_in(page)
    bright = """(series) => [...document.querySelectorAll(".plane .scatterlayer .trace")[series]
      .querySelectorAll(".point")].flatMap((point, index) => (point.style.opacity === "1" ? [index] : []))"""
    for role, found in wanted.items():
        assert page.evaluate(bright, SERIES.index(role)) == found
    for role, found in wanted.items():  # the strip of tokens shows them too
        marked = page.locator(f"#tokens .token.is-selected-{role}")
        expect(marked).to_have_count(len(found))
        assert marked.locator(".token-index").all_text_contents() == [str(index) for index in found]
    expect(page.locator("#tokens .token").nth(2)).to_have_attribute("aria-description", re.compile("^selected query"))
    page.mouse.move(5, 5)
    chips.first.focus()
    expect(page.locator(".plane-readout")).to_contain_text("query cat2 attends most to:")
    head(page, 2, 9).click()  # the same tokens, in another head's plane
    expect(page.locator("#head-title")).to_have_text("Layer 2, head 9")
    plane_in(page)
    expect(chips).to_have_count(len(wanted["query"]))
    assert page.evaluate(bright, SERIES.index("query")) == wanted["query"]
    chips.first.click()
    expect_address(page, query="2")
    page.locator(f"{PLOT}-frame").focus()
    page.keyboard.press("Escape")
    expect(box).to_contain_text("Select points with the box")
    expect(chips).to_have_count(0)


def shift_click_key(page: Page, key: int) -> None:
    """Shift and a click on this key, once the plane shows what was selected before and has seen the pointer there."""
    plane_in(page)
    page.mouse.move(*places(page, "key")[key])
    expect(page.locator(".plane-readout")).to_contain_text(f"key cat{key}")
    page.keyboard.down("Shift")
    page.mouse.down()
    page.mouse.up()
    page.keyboard.up("Shift")


def test_points_are_selected_one_by_one(page: Page) -> None:
    show(page)
    box = page.locator(".plane-selection")
    page.locator(f"{PLOT}-frame").focus()
    page.keyboard.press("Shift+Enter")
    expect(box).to_contain_text("Selected: 1 queries and 0 keys.")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Enter")
    expect(box).to_contain_text("Selected: 1 queries and 1 keys.")
    shift_click_key(page, 2)
    expect(box.get_by_role("list", name="Selected keys")).to_have_text(re.compile("cat.*it"))
    shift_click_key(page, 2)
    expect(box).to_contain_text("Selected: 1 queries and 1 keys.")
    box.get_by_role("button", name="Clear the selection").click()
    expect(box.get_by_role("button")).to_have_count(0)
