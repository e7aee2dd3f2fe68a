"""Masks page: the curriculum's presets, every mask kind, a custom mask, and leaks."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from settling import until

READY = "() => document.querySelector('#concept').getAttribute('aria-busy') === 'false'"
# The mask, the masked scores, the weights and, if there are any, the leaks, as they stand in the cells.
MATRICES = """() => [...document.querySelectorAll("#picture .matrix-mark")].map((matrix) =>
  [...matrix.querySelectorAll(".mark-cell text")].map((cell) => {
    const text = cell.textContent.replace("−", "-");
    return text === "-∞" ? null : Number(text); }))"""
SIX = "0.4_1.9_-0.6_1.1_0.2_0.8__" * 5 + "0.5_1.2_0.1_0.9_1.6_2"


def visit(page: Page, address: str) -> None:
    page.goto(address)
    until(page, READY)


@pytest.mark.gate
def test_causal_three_by_three(page: Page) -> None:
    visit(page, "/masks")
    mask, _, weights = page.evaluate(MATRICES)
    assert mask == [0, None, None, 0, 0, None, 0, 0, 0]
    assert weights == [1, 0, 0, 0.2689, 0.7311, 0, 0.2567, 0.1721, 0.5713]
    expect(page.get_by_text("Here nothing leaks")).to_be_visible()  # not twelve zeros


def test_causal_four_by_four(page: Page) -> None:
    visit(page, "/masks")
    page.get_by_role("link", name="Causal, 4 × 4").click()
    until(page, f"() => ({MATRICES})()[2].length === 16")
    assert page.evaluate(MATRICES)[2][-4:] == [0.0671, 0.2722, 0.0550, 0.6057]


POSITIONAL = ["causal", "sliding_window", "prefix", "padding&causal=1", "custom&causal=1"]


@pytest.mark.parametrize("kind", POSITIONAL)
def test_queries_never_outnumber_the_keys_of_a_mask_by_position(page: Page, kind: str) -> None:
    """The server would refuse that; the page asks for nothing of the kind."""
    shape = "() => [...document.querySelectorAll('#scores tr')].map((row) => row.querySelectorAll('input').length)"
    visit(page, f"/masks?kind={kind}")
    for _ in range(2):
        page.get_by_role("button", name="Remove column").click()
    assert page.evaluate(shape) == [1]
    page.get_by_role("button", name="Add row").click()
    assert page.evaluate(shape) == [2, 2]
    until(page, READY)
    expect(page.locator("#problem")).to_be_hidden()
    visit(page, f"/masks?scores=1__2__3&kind={kind}")
    assert page.evaluate(shape) == [3, 3, 3]


def test_without_positions_there_may_be_more_queries_than_keys(page: Page) -> None:
    visit(page, "/masks?kind=none")
    page.get_by_role("button", name="Remove column").click()
    expect(page.locator("#scores input")).to_have_count(6)
    page.locator("[data-bind=kind]").select_option("causal")
    expect(page.locator("#scores input")).to_have_count(9)
    until(page, READY)
    expect(page.locator("#problem")).to_be_hidden()


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        ("kind=padding&first=3&sentence=0", lambda query, key: key < 3),
        ("kind=padding&second=5&sentence=1", lambda query, key: key < 5),
        ("kind=padding&second=5&sentence=1&causal=1", lambda query, key: key < 5 and key <= query),
        ("kind=sliding_window&window=2", lambda query, key: 0 <= query - key < 2),
        ("kind=sliding_window&window=2&back=0", lambda query, key: abs(query - key) < 2),
        ("kind=prefix&prefix=3", lambda query, key: key < 3 or key <= query),
        ("kind=none", lambda query, key: True),
    ],
)
def test_every_kind(page: Page, state: str, allowed: Callable[[int, int], bool]) -> None:
    visit(page, f"/masks?{state}&scores={SIX}")
    mask, _, weights, *_ = page.evaluate(MATRICES)
    expected = np.array([[allowed(query, key) for key in range(6)] for query in range(6)])
    assert [cell == 0 for cell in mask] == expected.ravel().tolist()
    rows = np.array(weights).reshape(6, 6)
    assert (rows[~expected] == 0).all()
    np.testing.assert_allclose(rows.sum(-1), 1, atol=4e-4)


def test_a_row_with_nothing_to_read_is_zero_and_leaks_where_the_number_is_finite(page: Page) -> None:
    visit(page, f"/masks?kind=padding&first=0&scores={SIX}")
    _, _, weights, leaks = page.evaluate(MATRICES)
    assert weights == [0] * 36
    page.locator(".step").last.click()
    expect(page.locator(".step-says")).to_contain_text("the row is 0")
    by_fill = np.array(leaks).reshape(4, 3)  # −10⁴, −10⁵, −10⁹, −∞; float16, bfloat16, float32
    assert by_fill[3].tolist() == [0, 0, 0]
    assert by_fill[0].tolist() == [1, 1, 1], "all of it, and never more than all"
    assert by_fill[1, 0] == 0, "float16 holds no −10⁵: it is −∞ there"


def test_a_finite_number_leaks_where_scores_are_as_large(page: Page) -> None:
    visit(page, "/masks")
    page.get_by_role("link", name="A finite number leaks").click()
    until(page, f"() => ({MATRICES})()[2].length === 4")
    _, _, weights, leaks = page.evaluate(MATRICES)
    assert weights == [1, 0, 0.5, 0.5]
    by_fill = np.array(leaks).reshape(4, 3)
    assert by_fill[0].tolist() == [1, 1, 1]
    assert by_fill[1:].tolist() == [[0, 0, 0]] * 3


def test_the_sentence_hides_what_the_query_may_not_see(page: Page) -> None:
    visit(page, "/masks")
    words = page.locator(".masks-word")
    expect(words).to_have_text(["The", "cat", "sat(hidden)"])
    page.locator("#film input").fill("0")
    expect(words).to_have_text(["The", "cat(hidden)", "sat(hidden)"])
    expect(page.locator(".film-says")).to_contain_text(
        "“The” must help to guess “cat”, so it may not see it. It attends most to “The”."
    )
    page.get_by_label("Words").fill("we saw")
    expect(words).to_have_text(["we", "saw(hidden)", "2(hidden)"])
    visit(page, "/masks?kind=padding&first=2&sentence=0")
    expect(words).to_have_text(["The", "cat", "[PAD](hidden)"])


def test_a_mask_is_built_with_mouse_and_keyboard(page: Page) -> None:
    visit(page, "/masks?kind=custom")
    mask = page.locator("#picture .matrix-mark").first
    mask.locator(".mark-cell").nth(5).click()
    until(page, f"() => ({MATRICES})()[0][5] === null")
    assert page.evaluate(MATRICES)[0] == [0, 0, 0, 0, 0, None, 0, 0, 0]
    mask.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    until(page, f"() => ({MATRICES})()[0][2] === null")
    assert page.evaluate(MATRICES)[0] == [0, 0, None, 0, 0, None, 0, 0, 0]
    page.keyboard.press("Enter")
    until(page, f"() => ({MATRICES})()[0][2] === 0")
    expect(page).to_have_url(re.compile("allowed="))
    page.reload()
    until(page, READY)
    assert page.evaluate(MATRICES)[0] == [0, 0, 0, 0, 0, None, 0, 0, 0]


def test_scores_are_typed_and_what_is_no_number_is_said(page: Page) -> None:
    visit(page, "/masks")
    cell = page.locator("#scores input").nth(3)
    cell.fill("1.5")
    until(page, f"() => ({MATRICES})()[2][3] === 0.5")
    cell.fill("word")
    expect(page.locator("#scores .field-error")).to_be_visible()
    assert page.evaluate(MATRICES)[2][3:5] == [0.5, 0.5]
