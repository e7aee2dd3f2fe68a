"""A patching study in a saved file: without a network it shows the numbers of the API, and asks nothing anew."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Locator, Page, expect
from settling import until

READY = """() => document.querySelector(".patching-results:not([hidden])")?.getAttribute("aria-busy") === "false" """
PROMPTS = {
    "model": "observatory-gpt2-mini",
    "clean": "Pacific Duke Sonic Norfolk Juliet Burma Madonna . Pacific Duke Sonic",
    "corrupt": "Pacific Duke Burma Norfolk Juliet Sonic Madonna . Pacific Duke Sonic",
}
STUDY = {"model": PROMPTS["model"], "text": PROMPTS["clean"], "corrupt": PROMPTS["corrupt"], "view": "patching"}


@pytest.fixture
def saved(browser: Browser, page: Page, tmp_path: Path) -> Any:
    """The page of an address saved as a file and opened without a network. Any complaint fails the test."""
    contexts, complaints = [], []

    def open_one(*, width: int = 1440, scheme: Any = "light", **more: Any) -> Page:
        page.goto(f"/?{urlencode(STUDY | more)}")
        if more.get("corrupt") != "":
            until(page, READY)
        page.locator("#export > summary").click()
        with page.expect_download() as download:
            page.locator(".export-groups").get_by_role("button", name="HTML").click()
        path = tmp_path / "file.html"
        download.value.save_as(path)
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
        contexts.append(context)
        context.on("console", lambda message: complaints.append(message.text))
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        context.on(
            "request", lambda request: complaints.append(request.url) if "file.html" not in request.url else None
        )
        opened = context.new_page()
        opened.goto(path.as_uri())
        expect(opened.locator("#bench")).to_have_attribute("aria-busy", "false")
        return opened

    yield open_one
    for context in contexts:
        context.close()
    assert complaints == []


def shown(number: float, digits: int) -> str:
    return f"{number:.{digits}f}".replace("-", "−")


def effects_in(panel: Locator) -> NDArray[np.float64]:
    """The table of all effects, without its names of layers."""
    panel.get_by_text("Show as a table").click()
    rows = panel.locator("table.numbers tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))"
    )
    return np.array([[float(cell.replace("−", "-")) for cell in row] for row in rows])


def expect_numbers(panel: Locator, answer: dict[str, Any]) -> None:
    expect(panel.locator(".patching-runs strong")).to_have_text(
        [shown(answer[side]["difference"], 2) for side in ("clean", "corrupt")]
    )
    expect(panel.locator(".patching-meaning li")).to_have_text(answer["caveats"])
    assert effects_in(panel) == pytest.approx(np.array(answer["effects"]), abs=0.00051)


def test_a_saved_file_holds_the_grid_of_heads(page: Page, saved: Callable[..., Page]) -> None:
    opened = saved(patched="pattern", layer=0, head=0)
    answer = page.request.post("/api/patching", data={**PROMPTS, "what": "pattern", "by": "head"}).json()
    panel = opened.locator("#panel-patching")
    expect(opened.get_by_role("tab", name="Patching")).to_have_attribute("aria-selected", "true")
    expect(panel.locator(".patching-title")).to_have_text("Effect of patching each head: pattern (weights)")
    expect(panel.locator(".patching-verdict")).to_have_text("13 tokens in each prompt; the underlined ones differ.")
    expect(panel.locator(".patching-tokens .is-other")).to_have_count(4)
    expect_numbers(panel, answer)
    # Pointing at a cell, and choosing a head of the sorted list, which is chosen in the whole file.
    panel.locator(".mark-cell").nth(6).hover()
    expect(panel.locator(".shares-readout")).to_contain_text("Layer 1, head 0")
    flat = [(effect, layer, head) for layer, row in enumerate(answer["effects"]) for head, effect in enumerate(row)]
    _, layer, head = max(flat, key=lambda one: abs(one[0]))
    panel.locator(".shares-list button").first.click()
    expect(panel.locator(".shares-list li").first).to_contain_text(f"Layer {layer}, head {head}")
    expect(panel.locator(".shares-list button").first).to_have_attribute("aria-pressed", "true")
    # Nothing can be asked, and it says why.
    field = panel.get_by_label("Corrupt prompt")
    expect(field).to_have_value(PROMPTS["corrupt"])
    expect(field).not_to_be_editable()
    expect(panel.locator("select:enabled, .patching-examples, .patching-prompt button")).to_have_count(0)
    expect(panel.locator("select:disabled")).to_have_count(8)
    reason = "This file holds one patching study. For another, open the live page."
    expect(panel.get_by_text(reason)).to_be_visible()
    expect(field).to_have_accessible_description(reason)
    # Another view, and back.
    opened.get_by_role("tab", name="Matrix").click()
    expect(opened.locator("#head-title")).to_have_text(f"Layer {layer}, head {head}")
    opened.get_by_role("tab", name="Patching").click()
    expect(panel.locator(".patching-results")).to_be_visible()
    expect(panel.get_by_role("alert")).to_have_count(0)
    expect(opened.locator("#open-page")).to_have_attribute("href", re.compile("view=patching.*patched=pattern"))


def test_a_saved_file_holds_positions(page: Page, saved: Callable[..., Page]) -> None:
    opened = saved(patched="residual", noising="1")
    body = {**PROMPTS, "what": "residual", "by": "position", "direction": "noising"}
    answer = page.request.post("/api/patching", data=body).json()
    panel = opened.locator("#panel-patching")
    expect(panel.locator(".patching-title")).to_have_text("Effect of patching each position: residual stream")
    expect(panel.locator(".mark-cell")).to_have_count(6 * 13)
    expect_numbers(panel, answer)
    panel.locator(".shares-list button").nth(1).click()
    expect(panel.locator(".shares-list button").nth(1)).to_have_attribute("aria-pressed", "true")


def test_a_saved_file_holds_paths_to_the_head_that_was_chosen(page: Page, saved: Callable[..., Page]) -> None:
    opened = saved(paths="receiver", via="keys", layer=1, head=1)
    body = {**PROMPTS, "fixed": "receiver", "layer": 1, "head": 1, "via": "keys"}
    answer = page.request.post("/api/patching/paths", data=body).json()
    panel = opened.locator("#panel-patching")
    title = "Effect of the paths from other heads to L1 H1, through its keys"
    expect(panel.locator(".patching-title")).to_have_text(title)
    expect_numbers(panel, answer)
    # Another head is chosen; the paths are still those of the first.
    panel.locator(".shares-list button").first.click()
    expect(panel.locator(".shares-list button").first).to_have_attribute("aria-pressed", "true")
    expect(panel.locator(".patching-title")).to_have_text(title)
    expect(panel.get_by_role("alert")).to_have_count(0)


def test_without_a_study_there_is_no_patching_in_the_file(page: Page, saved: Callable[..., Page]) -> None:
    opened = saved(corrupt="")
    expect(page.locator(".export-groups")).to_contain_text("Patching is not in it: there is no study yet.")
    expect(opened.get_by_role("tab", name="Patching")).to_be_hidden()
    expect(opened.locator("#panel-matrix .matrix-frame")).to_be_visible()


@pytest.mark.parametrize(
    ("width", "scheme", "lang"),
    [(1440, "light", "en"), (1440, "dark", "ja"), (390, "dark", "en"), (390, "light", "ja")],
)
def test_a_saved_study_is_accessible_and_fits(
    saved: Callable[..., Page], axe: Callable[[Page], None], width: int, scheme: str, lang: str
) -> None:
    opened = saved(width=width, scheme=scheme, lang=lang, patched="pattern")
    expect(opened.locator(".patching-results")).to_be_visible()
    axe(opened)
    assert opened.evaluate("() => document.documentElement.scrollWidth") <= width
    assert opened.evaluate("() => document.documentElement.lang") == lang
