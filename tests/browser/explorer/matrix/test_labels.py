"""Matrix labels: correct indices, in full, at any text length."""

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from driving import MODEL, SETTLED, cell, true_weights, visit
from playwright.sync_api import Page, expect
from settling import until

DECODER = "observatory-gpt2-mini"
NUMBERED = re.compile("(.+?)([₀-₉]+)")
RAISED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
KEEP_LABELS = """() => {
  const whole = CanvasRenderingContext2D.prototype.fillText;
  globalThis.labels = [];
  const reset = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    if (this.canvas.matches(".matrix-axes")) globalThis.labels = [];
    return reset.apply(this, box);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    if (this.canvas.matches(".matrix-axes")) {
      const width = this.measureText(text).width;
      const [from, to] = this.textAlign === "right" ? [x - width, x] : [x, x + width];
      const matrix = this.getTransform();
      const ends = [from, to].map((one) => matrix.transformPoint(new DOMPoint(one, y)));
      const { width: wide, height: high } = this.canvas;
      const isInside = ends.every((end) => end.x >= 0 && end.y >= 0 && end.x <= wide && end.y <= high);
      const isTurned = Math.abs(matrix.b) > 0;
      globalThis.labels.push({ text, isInside, isTurned, at: isTurned ? ends[0].x : ends[0].y });
    }
    return whole.call(this, text, x, y);
  };
}"""


def labels(page: Page) -> list[dict[str, Any]]:
    until(page, SETTLED)
    return list(page.evaluate("() => globalThis.labels"))


@pytest.mark.parametrize("width", [1440, 1366, 390])
def test_no_number_is_cut(page: Page, width: int) -> None:
    page.add_init_script(f"({KEEP_LABELS})()")
    page.set_viewport_size({"width": width, "height": 900})
    for count in (26, 40, 96, 298):
        words = ["weather", "Konstantinopel's", "a"]
        visit(page, f"/?model={MODEL}&text=" + "+".join(words[index % 3] for index in range(count // 2)))
        found = labels(page)
        tokens = page.request.post("/api/analyses", data={"model": MODEL, "text": " ".join(
            words[index % 3] for index in range(count // 2))}).json()["tokens"]  # fmt: skip
        shape = page.locator(".matrix-hatch").bounding_box()
        assert shape
        assert len(found) > 6
        for label in found:
            assert label["isInside"], label
        numbered = [match for label in found if (match := NUMBERED.fullmatch(label["text"]))]
        assert len(numbered) > 6
        for word, number in (match.groups() for match in numbered):
            text = tokens[int(number.translate(RAISED))]["text"].removeprefix("##")
            assert text.startswith(word.removesuffix("…")), (word, number)
        for side in (True, False):
            places = [label["at"] for label in found if label["isTurned"] is side]
            assert min(after - before for before, after in pairwise(places)) >= 12


def test_blanks_and_breaks_are_seen_and_said(page: Page) -> None:
    visit(page, f"/?model={DECODER}&text=He+said++hi%2C%0A%09then")
    strip = page.get_by_role("listbox", name="Query token")
    expect(strip.locator("bdi")).to_contain_text(["He", "·said", "·", "·h", "i", ",", "⏎", "⇥"])
    expect(strip.get_by_role("option", name=re.compile("^space said"))).to_have_count(1)
    candidates = page.locator("#predictions .reads-name")
    expect(candidates.nth(5)).to_be_visible()
    seen = candidates.all_text_contents()
    assert len(seen) == len(set(seen)) > 5
    assert all(name == name.strip() for name in seen)


def test_numbers_beside_long_words_stay_whole(page: Page) -> None:
    """A word is shortened, in lists and columns too; the number behind it stands inside all that could cut it."""
    long = "x" * 60
    visit(page, f"/?model={MODEL}&text={long}+{long}&words=1&view=matrix")
    cut = """() => [...document.querySelectorAll(".token-index")].filter((index) => index.checkVisibility())
      .filter((index) => { const box = index.getBoundingClientRect();
        for (let around = index.parentElement; around; around = around.parentElement) {
          const { overflowX } = getComputedStyle(around);
          const room = around.getBoundingClientRect();
          const isOut = box.right > room.right + 1 || box.left < room.left - 1;
          if (overflowX !== "visible" && overflowX !== "auto" && isOut) return true;
        }
        return false; }).map((index) => index.parentElement.textContent)"""
    for view in ("matrix", "lines", "token", "rollout"):
        page.locator(f"#tab-{view}").click()
        until(page, SETTLED)
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            until(page, SETTLED)
            assert page.evaluate(cut) == []
    page.set_viewport_size({"width": 1440, "height": 900})


@pytest.mark.gate
def test_equal_tokens_are_told_apart_wherever_they_are_named(page: Page) -> None:
    visit(page, f"/?model={MODEL}&text=the+cat+and+the+dog&layer=2&head=3&query=4")
    strip = page.get_by_role("listbox", name="Query token")
    expect(strip.get_by_role("option", name=re.compile("^the"))).to_have_text(["the1", "the4"])
    expect(page.locator("#reads .reads-title")).to_contain_text("the₄ attends to")
    listed = page.locator("#reads .reads-name").all_text_contents()
    assert {"the, token 1", "the, token 4"} <= set(listed)
    assert len(listed) == len(set(listed))
    page.mouse.move(*cell(page, 4, 1, 7))
    expect(page.locator(".matrix-tip .cell-pair")).to_have_text("the₄ → the₁")
    page.mouse.move(*cell(page, 5, 2, 7))
    expect(page.locator(".matrix-tip .cell-pair")).to_have_text("dog → cat")
    page.locator("#tab-token").click()
    until(page, SETTLED)
    expect(page.locator("#head-title")).to_have_text("All heads · “the₄”")


def test_what_was_done_so_that_a_map_is_not_blank_is_said(page: Page) -> None:
    """A head that spreads its weights over many tokens shows hardly anything on a scale from 0 to 1."""
    text = " ".join(["A quiet word and another one."] * 20)
    layer = next(layer for layer in range(6) if np.median(true_weights(page, text, layer, 0).max(axis=1)) < 0.1)
    visit(page, f"/?model={MODEL}&text={text.replace(' ', '+')}&layer={layer}&head=0")
    said, ends = page.locator("#stage-meaning"), page.locator("#legend .legend-ends span")
    expect(said).to_contain_text("Small weights:")
    automatic = ends.all_text_contents()
    page.locator("#faint").select_option("0")
    expect(said).not_to_contain_text("Small weights:")
    expect(ends).to_have_text(["0", "0.50", "1"])
    assert automatic != ["0", "0.50", "1"]
    page.locator("#faint").select_option("1")
    expect(ends).to_have_text(["0", "0.25", "1"])
    expect(said).not_to_contain_text("Small weights:")
