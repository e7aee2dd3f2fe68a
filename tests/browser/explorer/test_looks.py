"""The Explorer in every view and state: accessible by axe, no wider than its window, no longer than what is on it.

As in `../test_looks.py` at a desk, light, in English; on a phone, dark, in Japanese; the full tier has the others.
"""

from collections.abc import Callable

import pytest
from driving import COLOURS_SEEN, MODEL, SETTLED, expect_fits, visit
from playwright.sync_api import Page
from settling import until

OUTPUT = (
    "/?model=observatory-gpt2-mini&text=One black cat met two white dogs. One black cat met two&view=output&query=9"
)
CHANGED = "/?model=tiny-gpt2&layer=0&head=1&query=5&key=2&changes=off-0.1_cut-0.0-5.2_temperature-1.3-0.25"
SELECTED = f"model={MODEL}&heads=3.1_0.2&lock=query"
STATES = {
    "matrix": (f"/?model={MODEL}&metric=entropy", ".matrix-frame[aria-busy=false]"),
    "presented": (f"/?model={MODEL}&present=1", ".matrix-frame[aria-busy=false]"),
    "framed": (f"/embed/explorer?model={MODEL}", ".matrix-frame[aria-busy=false]"),
    "lines": (f"/?view=lines&{SELECTED}", ".lines-token"),
    "vectors": (f"/?view=vectors&{SELECTED}", ".plane .plot"),
    "token": (f"/?view=token&{SELECTED}", ".token-scroller[aria-busy=false]"),
    "rollout": (f"/?view=rollout&{SELECTED}", ".rollout-whole .matrix-frame[aria-busy=false]"),
    "flow": (f"/?view=flow&{SELECTED}&flow=11.8.h11.2", ".flow-list [aria-pressed=true]"),
    "heads": (f"/?view=heads&{SELECTED}", ".heads-table tbody tr"),
    "attribution": (f"/?view=output&{SELECTED}", ".attribution-map .matrix-frame"),
    "attribution of logits": (f"{OUTPUT}&look=attribution", ".output-meaning:not(:empty)"),
    "logit lens": (f"{OUTPUT}&look=logit_lens", ".output-meaning:not(:empty)"),
    "direct effect": (f"{OUTPUT}&look=direct_effect", ".output-meaning:not(:empty)"),
    "compared": (
        f"/?view=compare&model={MODEL}&other_text=The dog sat on the mat because it was happy.",
        "#panel-compare canvas",
    ),
    "prompts": (
        f"/?view=prompts&model={MODEL}&prompts=A cat sat.%0AThe dog ran away.&prompt_measure=cell&prompt_cell=2.1",
        ".prompts-table tbody tr",
    ),
    "two segments": (
        f"/?model={MODEL}&text=Where does the river begin?&pair=It begins in the mountains.&layer=3&head=1",
        ".segments button",
    ),
    "changed": (CHANGED, "#head-actions [aria-pressed=true]"),
    "measured": ("/?model=tiny-gpt2&text=The cat sat on the mat.&view=heads&metric=induction", ".grid-value"),
    "predicted": ("/?model=tiny-bert&text=The [MASK] sat on the mat.&query=3", "#predictions .reads button"),
    "picture": ("/?model=tiny-vit&picture=night&query=0&key=2", ".picture-board[aria-busy=false]"),
}


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


@pytest.mark.parametrize("state", STATES)
def test_a_state(each_look: Page, axe: Callable[[Page], None], state: str) -> None:
    page = each_look
    address, ready = STATES[state]
    page.goto(address)
    page.wait_for_selector(ready)
    until(page, SETTLED)
    # What only screen readers see, in a long table, must not lengthen the page.
    assert page.evaluate("() => document.documentElement.scrollHeight - document.body.offsetHeight") <= 0
    for summary in page.locator("main summary:visible").all():
        summary.press("Enter")
    until(page, SETTLED)
    expect_fits(page, axe)
    for canvas in page.locator("canvas:visible").all():
        assert canvas.evaluate(COLOURS_SEEN) > 1  # something is drawn
    assert page.evaluate("() => document.getAnimations().length") == 0


def test_targets_are_large_enough_for_a_finger(phone: Page) -> None:
    visit(phone)
    sizes = phone.evaluate(
        """() => [...document.querySelectorAll("button, select, summary, a, [role=option]")]
          .map((one) => [one, one.getBoundingClientRect()])
          .filter(([one, box]) => box.width > 0 && !one.matches(".skip"))
          .filter(([, box]) => box.width < 23.9 || box.height < 23.9)
          .map(([one, box]) => `${one.className || one.id || one.textContent} ${box.width}×${box.height}`)"""
    )
    assert sizes == []
