"""A saved training page: the run that had ended plays without a server."""

import re
from pathlib import Path

import pytest
from driving import unfold
from playwright.sync_api import Page, expect
from settling import until

DRAWN = """() => document.querySelector("#concept")?.getAttribute("aria-busy") === "false" """
SETTINGS = "layers=1&width=16&heads=2&steps=40&seed=3"
SHOWN = """() => ({
  numbers: ["step", "loss", "accuracy", "seconds"].map((name) => document.querySelector(`#shown-${name}`).textContent),
  readout: document.querySelector(".train-readout").textContent,
  tiles: [...document.querySelectorAll(".train-tile")].map((tile) => tile.textContent),
  pixels: [...document.querySelectorAll(".train-maps canvas:not(.is-ghost)")].map((canvas) =>
    [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data].join()),
  steps: [...document.querySelectorAll(".step")].map((step) => step.textContent),
})"""
MOST_BYTES = 500_000


def run(page: Page, query: str) -> None:
    page.goto(f"/training?{query}")
    page.locator("#guesses input").first.check()
    page.locator("#begin").click()
    expect(page.locator("#standing")).to_have_text(re.compile("^Finished"), timeout=240_000)


def save(page: Page, folder: Path) -> Path:
    unfold(page)
    with page.expect_download(timeout=120_000) as saved:
        page.locator("#save-html").click()
    saved.value.save_as(folder / "training.html")
    return folder / "training.html"


def at_each_step(page: Page) -> list[object]:
    """What the page shows at every place of the scrub bar."""
    scrub = page.get_by_label("Scrub")
    scrub.focus()
    page.keyboard.press("Home")
    seen = []
    for _ in range(int(scrub.get_attribute("max") or 0) + 1):
        until(page, DRAWN)
        seen.append(page.evaluate(SHOWN))
        page.keyboard.press("ArrowRight")
    return seen


def test_a_saved_run_is_scrubbed_without_a_server(
    page: Page, unplugged: tuple[Page, list[str]], tmp_path: Path
) -> None:
    run(page, SETTINGS)
    verdict = page.locator("#verdict").inner_text()
    live = at_each_step(page)
    page.get_by_label("Seed").fill("9")  # what is set for the next run is not of this one
    file = save(page, tmp_path)
    assert file.stat().st_size < MOST_BYTES
    copy, wrong = unplugged
    copy.goto(file.as_uri())
    until(copy, DRAWN)
    expect(copy.locator("#standing")).to_have_text("Finished after 40 steps")
    assert copy.locator("#verdict").inner_text() == verdict
    assert at_each_step(copy) == live
    assert len(live) == 21
    expect(copy.get_by_label("Seed")).to_have_value("3")
    expect(copy.get_by_label("Seed")).to_be_disabled()
    expect(copy.locator("#begin")).to_be_hidden()
    expect(copy.locator("#taking-note")).to_have_text("This file plays one run, with the maps of all its 21 updates.")
    copy.locator(".train-tile").nth(1).click()
    expect(copy.locator(".train-title")).to_have_text("L0 H1 at step 40")
    for name in ("loss", "previous_token", "induction", "answer"):
        assert copy.locator(f"[data-chart={name}] path").count() > 0
    assert wrong == []


def test_a_run_that_goes_on_is_not_saved_by_half(page: Page) -> None:
    page.goto("/training?width=16&heads=2&steps=2000")
    page.locator("#guesses input").first.check()
    page.locator("#begin").click()
    expect(page.locator("#standing")).to_have_text(re.compile("^Learning"))
    unfold(page)
    page.locator("#save-html").click()
    expect(page.locator("#save-status")).to_have_text(re.compile("^The run has not ended"))
    page.locator("#stop").click()
    expect(page.locator("#standing")).to_have_text(re.compile("^Stopped"))


@pytest.mark.full
def test_the_standard_run_keeps_its_curves_whole_and_fits(
    page: Page, unplugged: tuple[Page, list[str]], tmp_path: Path
) -> None:
    run(page, "")
    verdict = page.locator("#verdict").inner_text()
    file = save(page, tmp_path)
    assert file.stat().st_size < MOST_BYTES
    copy, wrong = unplugged
    copy.goto(file.as_uri())
    until(copy, DRAWN)
    expect(copy.locator("#taking-note")).to_contain_text(
        re.compile(r"all its 151 updates, and the maps of \d\d of them")
    )
    assert copy.locator("#verdict").inner_text() == verdict
    copy.get_by_label("Scrub").focus()
    copy.keyboard.press("Home")
    expect(copy.locator("#shown-step")).to_have_text("0")
    assert wrong == []
