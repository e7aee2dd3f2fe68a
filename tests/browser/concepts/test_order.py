"""Order page: without positions outputs only move, with them they change; every way to move words."""

import re
from typing import Any

import numpy as np
import pytest
from driving import shown_body
from playwright.sync_api import Page, expect
from settling import until

READY = "() => document.querySelector('#concept').getAttribute('aria-busy') === 'false'"
COLOURS = """() => [0, 1].map((row) =>
  [...document.querySelectorAll(`.order-word[data-row="${row}"]`)].map((word) =>
    [word.querySelector("text").textContent,
      ...[...word.querySelectorAll("rect[fill]")].map((one) => one.getAttribute("fill"))]))"""
WAYS = ["none", "causal", "sinusoidal", "rope", "alibi"]


def visit(page: Page, address: str = "/order") -> Any:
    """Open the page; answers what the API says to the call that it shows."""
    page.goto(address)
    until(page, READY)
    return answer_of(page)


def answer_of(page: Page) -> Any:
    body = shown_body(page)
    return page.request.post("/api/order", data=body).json()


def rows(page: Page) -> list[list[list[str]]]:
    """Word and colours of its output, in both orders."""
    found: list[list[list[str]]] = page.evaluate(COLOURS)
    return found


def marks(page: Page) -> list[str]:
    return page.locator(".order-way text").all_text_contents()


def number(text: str) -> float:
    plain = text.replace("−", "-").replace("\u00a0×\u00a010", "e")
    return float(
        re.sub("[⁰-⁹⁻¹²³]+", lambda found: found[0].translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")), plain)
    )


@pytest.mark.gate
def test_without_positions_outputs_only_move(page: Page) -> None:
    answer = visit(page)
    first, second = rows(page)
    assert [word for word, *_ in first] == ["the", "dog", "chased", "the", "cat"]
    assert second == [first[index] for index in (0, 4, 2, 3, 1)], "each word keeps its colours"
    assert all(len(word) == 1 + 16 for word in first)
    assert first[0] == first[3], "equal words, equal outputs"
    assert marks(page) == ["="] * 5
    page.locator(".step").last.click()
    expect(page.locator(".step-says")).to_contain_text("The order does not matter.")
    total = page.locator(".step-table tfoot td").last.inner_text()
    assert number(total) == pytest.approx(answer["outcomes"][0]["largest_difference"], rel=0.05)
    assert number(total) <= 1e-6
    expect(page.locator(".step-says")).to_contain_text("The order does not matter.")


@pytest.mark.parametrize("way", WAYS[1:])
def test_what_tells_the_order_changes_outputs(page: Page, way: str) -> None:
    answer = visit(page, f"/order?way={way}&step=4")
    outcome = answer["outcomes"][WAYS.index(way)]
    first, second = rows(page)
    assert second != [first[index] for index in (0, 4, 2, 3, 1)]
    assert "≠" in marks(page)
    table = page.locator(".step-table tbody tr")
    differences = np.abs(np.array(outcome["outputs"])[[0, 4, 2, 3, 1]] - outcome["permuted_outputs"]).max(axis=1)
    shown = [number(table.nth(index).locator("td").last.inner_text()) for index in (0, 4, 2, 3, 1)]
    np.testing.assert_allclose(shown, differences, atol=6e-5)
    assert outcome["largest_difference"] > 1e-2


def test_float32_stays_within_a_millionth(page: Page) -> None:
    answer = visit(page, "/order?precision=float32&order=4_3_2_1_0")
    assert 0 < answer["outcomes"][0]["largest_difference"] <= 1e-6
    assert marks(page) == ["="] * 5


def test_backwards_is_the_same_to_symmetric_alibi(page: Page) -> None:
    visit(page, "/order?way=alibi")
    assert "≠" in marks(page)
    page.get_by_role("link", name="Read backwards").click()
    expect(page.locator(".order-way text")).to_have_text(["="] * 5)
    expect(page.locator("#notice")).to_contain_text("Symmetric ALiBi sees only distances")


def test_weights_are_those_of_the_api_in_each_order(page: Page) -> None:
    outcome = visit(page, "/order?way=rope")["outcomes"][3]
    matrices = page.locator("#weights .matrix-mark")
    for index, name in enumerate(("weights", "permuted_weights")):
        cells = [number(cell) for cell in matrices.nth(index).locator(".mark-cell text").all_text_contents()]
        np.testing.assert_allclose(cells, np.ravel(outcome[name]), atol=0.0051)


def test_words_are_moved_by_button_and_pointer(page: Page) -> None:
    visit(page)
    expect(page.locator("#word option:checked")).to_have_text("1 dog")
    page.get_by_role("button", name="Move left").click()
    expect(page).to_have_url(re.compile("order=0_4_2_1_3"))
    page.get_by_role("button", name="Original order").click()
    expect(page).to_have_url(re.compile("order=0_1_2_3_4"))
    expect(page.locator('.order-word[data-row="1"] .order-name')).to_have_text(["the", "dog", "chased", "the", "cat"])
    until(page, READY)
    page.locator(".order-mark").scroll_into_view_if_needed()
    words = page.locator('.order-word[data-row="1"] .order-frame')
    start, end = words.nth(4).bounding_box(), words.nth(0).bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + 20, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(end["x"] + 20, end["y"] + 20, steps=6)
    page.mouse.up()
    expect(page).to_have_url(re.compile("order=4_0_1_2_3"))
    expect(page.locator('.order-word[data-row="1"] .order-name')).to_have_text(["cat", "the", "dog", "chased", "the"])
    expect(page.locator("#word option:checked")).to_have_text("4 cat")


def test_a_japanese_page_has_japanese_words_and_the_same_numbers(page: Page) -> None:
    english = visit(page)["outcomes"]
    japanese = visit(page, "/order?lang=ja")["outcomes"]
    expect(page.locator('.order-word[data-row="1"] .order-name')).to_have_text(["あの", "猫", "を追う", "あの", "犬"])
    assert japanese == english


def test_other_words_and_the_explorer(page: Page, problems: Any) -> None:
    visit(page)
    page.get_by_label("Words, separated by spaces").fill("犬 が 猫 を 追いかけた")
    expect(page.locator('.order-word[data-row="0"] .order-name')).to_have_text(["犬", "が", "猫", "を", "追いかけた"])
    expect(page.locator("#to-explorer")).to_have_attribute("href", re.compile("view=compare&text=.*&other_text="))
    problems.expect("422")
    page.get_by_label("Words, separated by spaces").fill(" ")
    expect(page.locator("#problem")).to_contain_text("words: must not be empty.")
    page.get_by_label("Words, separated by spaces").fill("one two")
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#word option")).to_have_text(["0 one", "1 two"])


def test_exercises_are_checked_by_the_server(page: Page) -> None:
    visit(page)
    exercise = page.locator("[data-exercise=order-causal]")
    exercise.get_by_role("textbox").nth(0).fill("2")
    exercise.get_by_role("textbox").nth(1).fill("5")
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.locator(".exercise-verdict")).to_have_text("Right.")
    for name, said in (("order-causal", "2, 5"), ("order-distinct", "4")):
        one = page.locator(f"[data-exercise={name}]")
        one.locator("summary").click()
        expect(one.locator(".exercise-served")).to_have_text(f"The server computes: {said}")
