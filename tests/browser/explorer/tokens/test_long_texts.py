"""Long texts: tokens are virtualised, and each can be reached."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving import COLOURS_SEEN, PLOTTED, Traffic, cell, drawn, parameters, wait_for_map
from playwright.sync_api import Page, expect
from serving import serving
from settling import settle, until
from word_models import text_of, write_llama

TOKENS = 16_384
LONG = pytest.mark.parametrize("tokens", [TOKENS // 4, pytest.param(TOKENS, marks=pytest.mark.full)])
"""Longer than what is drawn whole, and the longest."""
IN_VIEW = """() => { const strip = document.querySelector(".tokens").getBoundingClientRect();
  return [...document.querySelectorAll(".token")].filter((chip) => { const box = chip.getBoundingClientRect();
    return box.bottom > strip.top && box.top < strip.bottom; }).map((chip) => Number(chip.dataset.index)); }"""


@pytest.fixture(scope="session")
def server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with a model that takes 16,384 tokens."""
    folder = tmp_path_factory.mktemp("models")
    write_llama(folder / "long-llama", tokens=TOKENS)
    settings = {"OBSERVATORY_MODELS_DIR": str(folder), "OBSERVATORY_MAX_TOKENS": str(TOKENS)}
    with serving(root, tmp_path_factory.mktemp("server") / "log", **settings) as address:
        yield address


def open_long(page: Page, tokens: int) -> Traffic:
    """Analyse a text of so many tokens; nothing is left for the server to compute when the test ends."""
    traffic = Traffic(page)
    page.goto("/?model=long-llama&text=w1+w2&layer=0&head=0")
    until(page, PLOTTED)
    page.locator("#text").fill(text_of(tokens))
    page.keyboard.press("Enter")
    until(page, f"() => document.querySelector('.token')?.getAttribute('aria-setsize') === '{tokens}'")
    traffic.settle()
    return traffic


@LONG
def test_a_long_text_stands_a_stretch_at_a_time(page: Page, tokens: int) -> None:
    open_long(page, tokens)
    assert page.locator(".grid-canvas").evaluate(COLOURS_SEEN) > 30
    assert page.locator(".token").count() == 512
    assert page.evaluate("() => document.getElementsByTagName('*').length") < 4000


def test_scrolling_puts_in_the_next_stretch_and_keeps_what_is_on_screen(page: Page) -> None:
    open_long(page, 2000)
    strip = page.locator(".tokens")
    for _ in range(12):
        before = page.evaluate(IN_VIEW)
        strip.evaluate("(strip) => { strip.scrollTop += strip.clientHeight / 2; }")
        settle(page)
        after = page.evaluate(IN_VIEW)
        assert set(before) & set(after), f"from {before} to {after}"
        assert after[-1] > before[-1]
    assert page.locator(".token").count() == 512


def test_any_token_is_gone_to_by_number_and_by_text(page: Page) -> None:
    open_long(page, 2000)
    field = page.get_by_label("Go to token")
    field.fill("1234")
    field.press("Enter")
    chosen = page.locator(".token[aria-selected=true]")
    expect(chosen).to_have_attribute("data-index", "1234")
    assert 1234 in page.evaluate(IN_VIEW)
    words = text_of(2000).split()
    field.fill("w77")
    field.press("Enter")
    after = next(index for index in range(1235, 2000) if words[index] == "w77")
    expect(chosen).to_have_attribute("data-index", str(after))
    field.fill("nowhere")
    field.press("Enter")
    expect(page.locator(".go-to .note")).to_have_text("No token holds “nowhere”.")
    expect(chosen).to_have_attribute("data-index", str(after))


def test_a_token_gone_to_comes_into_sight_in_every_view(page: Page) -> None:
    open_long(page, 2000)
    for _ in range(4):
        page.locator("#zoom-in").click()
    until(page, "() => new URLSearchParams(location.search).has('rows')")
    until(page, PLOTTED)
    before, across = plotted_window(page)
    field = page.get_by_label("Go to token")
    field.fill("1234")
    field.press("Enter")
    until(page, f"() => !location.search.includes('rows={before[0]}%3A')")
    after, columns = plotted_window(page)
    assert abs((after[0] + after[1]) / 2 - 1234.5) <= 1
    assert after[1] - after[0] == before[1] - before[0]
    assert columns[1] - columns[0] == across[1] - across[0]
    wait_for_map(page, "rows.join() === arg.join()", after)
    expect(page.locator(".matrix-row-mark")).to_be_visible()
    page.get_by_role("tab", name="Lines").click()
    expect(page.locator(".lines-column.is-query [data-place='1234']")).to_be_in_viewport()
    field.fill("77")
    field.press("Enter")
    expect(page.locator(".lines-column.is-query [data-place='77']")).to_be_in_viewport()
    expect(page.locator(".lines-column.is-key [data-place='77']")).to_be_in_viewport()
    page.get_by_role("tab", name="Matrix").click()
    page.locator("#zoom-all").click()
    x, y = cell(page, 1900, 5, 2000)
    page.mouse.click(x, y)
    chosen = page.locator(".token[aria-selected=true]")
    expect(chosen).to_have_attribute("data-index", re.compile("^1[89]"))
    assert int(chosen.get_attribute("data-index") or 0) in page.evaluate(IN_VIEW)


def test_the_keyboard_leads_from_one_end_to_the_other(page: Page) -> None:
    open_long(page, 2000)
    page.locator(".token[tabindex='0']").focus()
    page.keyboard.press("End")
    expect(page.locator(".token:focus")).to_have_attribute("data-index", "1999")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".token:focus")).to_have_attribute("data-index", "1998")
    page.keyboard.press("Home")
    expect(page.locator(".token:focus")).to_have_attribute("data-index", "0")


ADDRESS_FOLLOWED = "new URLSearchParams(location.search).get('rows') === rows.join(':')"
"""While fingers move, the address is written less often than the picture."""


def plotted_window(page: Page) -> tuple[list[int], list[int]]:
    """Rows and columns in view, as the address says them."""
    found = parameters(page)
    rows, cols = ([int(end) for end in found[name].split(":")] for name in ("rows", "cols"))
    return rows, cols


def middle(page: Page) -> tuple[float, float]:
    """The middle of the matrix on screen."""
    return cell(page, 0, 0, 1)


def test_from_the_pooled_picture_to_exact_cells_and_along(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: "/weights?" in request.url and asked.append(request.url))
    open_long(page, 2000)
    until(page, PLOTTED)
    page.locator(".matrix-frame").focus()
    page.mouse.move(*middle(page))
    for _ in range(5):
        page.mouse.wheel(0, -240)
    span = "(new URLSearchParams(location.search).get('rows') ?? '0:2000').split(':').reduce((a, b) => b - a)"
    until(page, f"() => {span} < 100 && ({PLOTTED})()")
    rows, cols = plotted_window(page)
    assert 55 <= rows[1] - rows[0] <= 70
    assert rows[0] < 1000 < rows[1]
    x, y = middle(page)
    page.mouse.down()
    page.mouse.move(x - 120, y - 200, steps=8)
    page.mouse.up()
    until(page, f"() => !location.search.includes('rows={rows[0]}%3A') && ({PLOTTED})()")
    until(page, "() => document.querySelector('.minimap-words').textContent.includes('of 2,000')")
    moved, _ = plotted_window(page)
    assert moved[0] > rows[0]
    assert moved[1] - moved[0] == rows[1] - rows[0]
    wait_for_map(page, "rows.join() === arg.join()", moved)
    (rows, cols) = plotted_window(page)
    answer = page.evaluate(
        """async ([asked, rows, cols]) => { const url = new URL(asked);
           for (const [name, range] of [["rows", rows], ["cols", cols]]) url.searchParams.set(name, range.join(":"));
           url.searchParams.set("encoding", "json"); url.searchParams.delete("max_size");
           return (await fetch(url)).json(); }""",
        [asked[-1], rows, cols],
    )
    np.testing.assert_allclose(drawn(page), np.array(answer["matrix"], dtype=float), atol=1e-6)
    windows = [url for url in asked if f"rows={rows[0]}" not in url and "cols=" in url]
    assert len(windows) >= 5
    assert all("max_size=256" in url for url in windows)
    page.keyboard.press("Escape")
    until(page, "() => !new URLSearchParams(location.search).has('rows')")


def test_two_fingers_zoom(open_page: Any) -> None:
    page = open_page(width=390)
    traffic = open_long(page, 2000)
    page.locator("#zoom-in").click()
    page.locator("#zoom-in").click()
    until(page, PLOTTED)
    rows, _ = plotted_window(page)
    page.locator(".matrix-frame").scroll_into_view_if_needed()
    client = page.context.new_cdp_session(page)
    x, y = middle(page)
    fingers = [{"x": x - 40, "y": y}, {"x": x + 40, "y": y}]
    client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": fingers})
    for step in range(1, 9):
        fingers = [{"x": x - 40 - 8 * step, "y": y}, {"x": x + 40 + 8 * step, "y": y}]
        client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": fingers})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    until(page, f"() => !location.search.includes('rows={rows[0]}%3A{rows[1]}') && ({PLOTTED})()")
    wait_for_map(page, ADDRESS_FOLLOWED)
    closer, _ = plotted_window(page)
    assert (closer[1] - closer[0]) / (rows[1] - rows[0]) == pytest.approx(80 / 208, abs=0.05)
    traffic.settle()


def test_the_lines_of_a_long_text_never_hold_every_token(page: Page) -> None:
    open_long(page, 2000)
    page.evaluate(
        """() => { window.most = 0; const count = () => document.getElementsByClassName("lines-token").length;
          new MutationObserver(() => { window.most = Math.max(window.most, count()); })
            .observe(document.body, { childList: true, subtree: true }); }"""
    )
    page.get_by_role("tab", name="Lines").click()
    page.locator(".lines-column.is-query [data-place='1995']").hover()
    expect(page.locator(".lines-readout")).to_contain_text("attends to")
    assert 20 < page.evaluate("() => window.most") < 160


@LONG
def test_rollout_of_a_long_text_is_that_of_one_query(page: Page, tokens: int) -> None:
    traffic = open_long(page, tokens)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    chip = page.locator(".token").nth(400)
    at = int(chip.get_attribute("data-index") or "")
    chip.click()
    with page.expect_response("**/rollout/layers*") as response:
        page.get_by_role("tab", name="Rollout").click()
    analysis = response.value.url.split("/rollout/")[0]
    page.wait_for_selector(".rollout[aria-busy=false]")
    traffic.settle()
    expect(page.locator(".rollout")).to_contain_text(f"Flow is computed for up to 64 tokens; this text has {tokens:,}.")
    expect(page.locator(".rollout-whole")).to_contain_text(
        f"Available for up to 1,024 tokens; this text has {tokens:,}."
    )
    assert [url for url in asked if "/flow" in url or "/rollout?" in url] == []
    assert page.evaluate("() => document.getElementsByTagName('*').length") < 4000
    rows = [
        page.request.get(f"{analysis}/weights?layer=0&head={head}&rows={at}:{at + 1}&encoding=json").json()["matrix"][0]
        for head in range(2)
    ]
    row = np.mean(rows, axis=0) / 2
    row[at] += 0.5
    first = page.locator(".rollout-tokens tbody tr").first
    expect(first.locator(f"[data-key='{at}']")).to_have_count(1)
    expect(first.locator("td").first).to_have_text(f"{row[at]:.4f}")
    hatch = page.locator(".rollout-section .matrix-hatch").first
    hatch.scroll_into_view_if_needed()
    box = hatch.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * (at + 0.5) / tokens, box["y"] + box["height"] / 2)
    tip = page.locator(".rollout-section .matrix-tip").first
    expect(tip).to_contain_text("rollout, largest in the cell")
    expect(tip.locator(".cell-value")).to_have_text(f"{row[at]:.4f}")
    page.get_by_role("tabpanel", name="Rollout").get_by_role("button", name="Zoom in", exact=True).click()
    until(page, "() => new URLSearchParams(location.search).get('cols') !== null")
    first_key, end = map(int, parameters(page)["cols"].split(":"))
    assert end - first_key == tokens // 2
