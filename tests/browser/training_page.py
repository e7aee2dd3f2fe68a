"""The page of training in a test: open it, begin a run, wait for its end."""

import re

from playwright.sync_api import Page
from settling import until

TINY = "?width=16&heads=2&steps=40"
ENDED = """() => { const words = document.querySelector("#standing").textContent;
  return /^(Finished|Stopped|Failed|\\d+ ステップで終了|ステップ \\d+ で)/.test(words); }"""
LONG_ENOUGH = 240_000
"""Of a network that learns on a busy machine."""


def visit(page: Page, address: str) -> None:
    page.goto(f"/training{address}")
    page.wait_for_selector("#guesses input")


def begin(page: Page, guess: int = 0) -> str:
    """Predict, run; the run's id."""
    page.locator("#guesses input").nth(guess).check()
    with page.expect_response(re.compile(r"/api/training$"), timeout=LONG_ENOUGH) as answered:
        page.locator("#begin").click()
    return str(answered.value.json()["id"])


def ended(page: Page) -> None:
    until(page, ENDED, timeout=LONG_ENOUGH)


def number(page: Page, selector: str) -> float:
    return float((page.locator(selector).text_content() or "").split()[0])
