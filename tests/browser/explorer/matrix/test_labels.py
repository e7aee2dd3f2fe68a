"""Matrix labels: correct indices, in full, at any text length."""

import re
from itertools import pairwise
from typing import Any

import pytest
from driving import MODEL, SETTLED, visit
from playwright.sync_api import Page, expect

DECODER = "observatory-gpt2-mini"
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
    page.wait_for_function(SETTLED)
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
            word, _, number = label["text"].rpartition(" ")
            if number.isdigit() and word:
                text = tokens[int(number)]["text"].removeprefix("##")
                assert text.startswith(word.removesuffix("…")), label
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
        page.wait_for_function(SETTLED)
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_function(SETTLED)
            assert page.evaluate(cut) == []
    page.set_viewport_size({"width": 1440, "height": 900})
