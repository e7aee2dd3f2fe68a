"""Deep zoom in long texts: from a head's pooled map to exact cells, windows fetched while panning."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from driving import PLOTTED, Traffic, cell, expect_drawn, parameters
from playwright.sync_api import Page, expect
from serving import serving
from settling import until
from word_models import text_of, write_llama

TOKENS = 16_384
MODEL = "long-llama"
CAN_PAN = re.compile("can-pan")


@pytest.fixture(scope="session")
def server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with a model of one layer with rotary embeddings, for 16,384 tokens."""
    folder = tmp_path_factory.mktemp("models")
    write_llama(folder / MODEL, tokens=TOKENS)
    settings = {"OBSERVATORY_MODELS_DIR": str(folder), "OBSERVATORY_MAX_TOKENS": str(TOKENS)}
    with serving(root, tmp_path_factory.mktemp("server") / "log", **settings) as address:
        yield address


@pytest.fixture(params=[TOKENS // 4, pytest.param(TOKENS, marks=pytest.mark.full)])
def tokens(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def analysis_id(page: Page, tokens: int) -> str:
    """The text, analysed; the page then opens on what is kept."""
    answer = page.request.post("/api/analyses", data={"model": MODEL, "text": text_of(tokens)}, timeout=600_000)
    assert answer.ok, answer.text()
    return str(answer.json()["id"])


def window(page: Page, analysis: str, rows: list[int], cols: list[int], **more: str) -> np.ndarray[Any, Any]:
    """Any window of layer 0, head 1, as the API has it."""
    spans = {"rows": f"{rows[0]}:{rows[1]}", "cols": f"{cols[0]}:{cols[1]}"}
    query: dict[str, Any] = {"layer": "0", "head": "1", "encoding": "json", **spans, **more}
    answer = page.request.get(f"/api/analyses/{analysis}/weights", params=query)
    assert answer.ok, answer.text()
    return np.array(answer.json()["matrix"], dtype=float)


def in_view(page: Page) -> tuple[list[int], list[int]]:
    """Rows and columns, as the address says them."""
    rows, cols = ([int(end) for end in parameters(page)[name].split(":")] for name in ("rows", "cols"))
    return rows, cols


def spans_less_than(page: Page, tokens: int) -> None:
    """Until the address says so and what stands there is drawn in full."""
    span = f"(new URLSearchParams(location.search).get('rows') ?? '0:{TOKENS}').split(':').reduce((a, b) => b - a)"
    until(page, f"(most) => {span} < most && ({PLOTTED})()", arg=tokens)


def open_text(page: Page, tokens: int) -> None:
    """The text in the page, and its head 1 drawn as a whole."""
    page.goto(f"/?model={MODEL}&text=w1+w2&layer=0&head=1")
    until(page, PLOTTED)
    page.locator("#text").fill(text_of(tokens))
    page.keyboard.press("Enter")
    until(page, f"() => document.querySelector('.token')?.getAttribute('aria-setsize') === '{tokens}'")
    until(page, PLOTTED)


def test_from_the_pooled_matrix_to_exact_cells(page: Page, analysis_id: str, tokens: int) -> None:
    traffic = Traffic(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.extend([request.url] if "/weights?" in request.url else []))
    open_text(page, tokens)
    whole = [0, tokens]
    expect_drawn(page, window(page, analysis_id, whole, whole, max_size="256"))

    page.locator(".matrix-frame").focus()
    page.mouse.move(*cell(page, 2, 1, 4))
    for most in (tokens // 2, tokens // 8, 400, 60):
        while parameters(page).get("rows") is None or np.diff(in_view(page)[0])[0] >= most:
            page.mouse.wheel(0, -240)
        spans_less_than(page, most)
    rows, cols = in_view(page)
    assert rows[1] < tokens - 1000
    assert cols[0] > 1000
    expect_drawn(page, window(page, analysis_id, rows, cols))

    x, y = cell(page, 0, 0, 1)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 150, steps=6)
    page.mouse.up()
    until(page, f"() => !location.search.includes('rows={rows[0]}%3A') && ({PLOTTED})()")
    moved, still = in_view(page)
    assert moved[0] > rows[0]
    assert still == cols
    expect_drawn(page, window(page, analysis_id, moved, still))
    traffic.settle()

    queries = [parse_qs(urlsplit(url).query) for url in asked]
    pooled = [query for query in queries if "cols" in query]
    assert len(pooled) >= 4
    assert all(query["max_size"] == ["256"] for query in pooled)
    row_requests = [query for query in queries if "cols" not in query and query["head"] == ["1"]]
    for query in row_requests:  # the whole picture, or one query's row: never a square of tokens
        first, end = (int(one) for one in query.get("rows", ["0:2"])[0].split(":"))
        assert end - first <= 2 or query["max_size"] == ["256"]


def test_a_key_ends_a_zoom_that_still_moves(page: Page) -> None:
    traffic = Traffic(page)
    page.goto(f"/?model={MODEL}&text={'+'.join(['w1', 'w2', 'w3'] * 40)}&layer=0&head=1")
    until(page, PLOTTED)
    frame = page.locator(".matrix-frame")
    for key, whole in (("Escape", True), ("-", True), ("+", False)):
        frame.focus()
        page.evaluate(
            """(key) => { const frame = document.querySelector(".matrix-frame");
              const { left, top, width, height } = frame.getBoundingClientRect();
              const at = { clientX: left + width / 2, clientY: top + height / 2, bubbles: true, cancelable: true };
              frame.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: -240 }));
              frame.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); }""",
            key,
        )
        if whole:
            expect(frame).not_to_have_class(CAN_PAN)
            until(page, "() => !new URLSearchParams(location.search).has('rows')")
        else:
            spans_less_than(page, 40)
        until(page, PLOTTED)
    traffic.settle()
