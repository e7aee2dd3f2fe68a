"""Embedding page: shapes, rows, neighbours and cosines match the model's table."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving import DRAWN, MODEL, expect_server_agrees, saved_concept, shown_body, visit_concept
from playwright.sync_api import Browser, Page, expect
from settling import until

STRIP = """() => [...document.querySelectorAll(".strip title")].map((one) => one.textContent.split(": ")[1])"""
COSINES = """() => [...document.querySelectorAll(".ids-box .mark-cell title")]
  .map((one) => one.textContent.split(": ").pop())"""


def visit(page: Page, address: str = "/embedding") -> None:
    visit_concept(page, address)


def answered(page: Page) -> Any:
    """What the API says to the call that the page shows."""
    body = shown_body(page)
    return page.request.post("/api/embedding", data=body).json()


def numbers(texts: list[str]) -> np.ndarray:
    return np.array([float(text.replace("−", "-")) for text in texts])


def line(page: Page, step: int) -> str:
    page.locator("#steps .step").nth(step).click()
    until(page, DRAWN)
    return (page.locator(".step-line").text_content() or "").replace("−", "-")


@pytest.mark.gate
def test_one_id_picks_a_row_of_different_numbers(page: Page) -> None:
    visit(page)
    answer = answered(page)
    assert answer["ids_shape"] == [1, 9]
    assert answer["vectors_shape"] == [1, 9, 384]
    assert answer["table_shape"] == [30522, 384]
    tokens = page.locator(".id-token")
    expect(tokens).to_have_count(9)
    assert tokens.locator(".id-number").all_inner_texts() == [str(token["id"]) for token in answer["tokens"]]
    row = np.array(answer["vectors"][2])
    np.testing.assert_allclose(numbers(page.evaluate(STRIP)), row, rtol=0, atol=6e-5)
    assert line(page, 0) == "cat→4937"
    assert [float(one) for one in re.findall(r"-?\d\.\d{4}", line(page, 1))] == pytest.approx(row[:4], abs=6e-5)
    assert line(page, 2) == "(1,9)→(1,9,384)"
    assert line(page, 3) == f"{len(np.unique(row))}/384"
    other = np.array(answer["vectors"][3])
    cosine = row @ other / np.linalg.norm(row) / np.linalg.norm(other)
    assert float(line(page, 4).split("=")[1]) == pytest.approx(cosine, abs=6e-5)
    lengths = page.locator(".step-table tbody tr td:nth-child(4)").all_inner_texts()
    np.testing.assert_allclose(numbers(lengths), np.linalg.norm(answer["vectors"], axis=1), rtol=0, atol=6e-5)


def test_neighbours_and_cosines_are_those_of_the_table(page: Page) -> None:
    visit(page)
    page.get_by_role("link", name="Neighbours in the table").click()
    until(page, DRAWN)
    answer = answered(page)
    near = page.locator(".near-list li")
    expect(near).to_have_count(8)
    assert near.locator(".near-token").all_inner_texts() == [one["token"] for one in answer["neighbours"][1]]
    shown = numbers(near.locator(".near-value").all_inner_texts())
    np.testing.assert_allclose(shown, [one["cosine"] for one in answer["neighbours"][1]], rtol=0, atol=6e-4)
    expect(near.first).to_contain_text("cats")
    assert shown[0] == pytest.approx(0.815, abs=1e-9)
    vectors = np.array(answer["vectors"])
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = numbers(page.evaluate(COSINES)).reshape(7, 7)
    np.testing.assert_allclose(cosines, unit @ unit.T, rtol=0, atol=6e-3)
    page.get_by_label("Nearest rows").select_option("4")
    until(page, DRAWN)
    expect(near).to_have_count(4)


def test_ids_beside_each_other_are_names_of_unlike_tokens(page: Page) -> None:
    visit(page)
    page.get_by_role("link", name="Ids are names").click()
    until(page, DRAWN)
    answer = answered(page)
    ids = {one["token"]: one["id"] for one in answer["tokens"]}
    assert (ids["1915"], ids["cat"], ids["anthony"], ids["cats"]) == (4936, 4937, 4938, 8870)
    cosines = dict(zip(ids, answer["similarity"][2], strict=True))
    wanted = {"1915": -0.047, "anthony": 0.037, "cats": 0.815, "dog": 0.424}
    assert {token: cosines[token] for token in wanted} == pytest.approx(wanted, abs=5e-4)


def test_the_same_word_is_the_same_row_wherever_it_stands(page: Page) -> None:
    visit(page)
    page.get_by_role("link", name="The same word twice").click()
    until(page, DRAWN)
    expect(page.locator(".id-token[aria-pressed=true]")).to_have_text(re.compile("^bank"))
    first = page.evaluate(STRIP)
    assert float(line(page, 4).split("=")[1]) == 1
    page.locator(".id-token").nth(8).click()
    until(page, DRAWN)
    assert page.evaluate(STRIP) == first
    page.locator(".ids-box svg").focus()
    page.keyboard.press("ArrowUp")
    until(page, DRAWN)
    expect(page.locator(".id-token[aria-pressed=true] .id-text")).to_have_text("the")
    expect(page.locator("#to-explorer")).to_have_attribute("href", re.compile("query=7"))


def test_a_text_of_ones_own_and_one_that_is_refused(page: Page, problems: Any) -> None:
    visit(page)
    page.locator("#text").fill("Stars turn.")
    until(page, DRAWN)
    expect(page.locator(".id-text")).to_have_text(["[CLS]", "stars", "turn", ".", "[SEP]"])
    problems.expect("422")
    page.locator("#text").fill("")
    expect(page.locator("#problem")).to_be_visible()
    page.locator("#text").fill("Stars")
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator(".id-text")).to_have_text(["[CLS]", "stars", "[SEP]"])


def test_the_server_agrees_with_every_exercise(page: Page) -> None:
    visit(page)
    expect_server_agrees(page, 3)


def test_the_saved_file_holds_every_figure(page: Page, browser: Browser, tmp_path: Path) -> None:
    visit(page)
    expect(page.locator(f'#model option[value="{MODEL}"]')).to_be_attached()
    with saved_concept(page, browser, tmp_path / "embedding.html") as saved:
        saved.locator("#presets a").nth(-2).click()
        expect(saved.locator(".id-text", has_text="[UNK]").first).to_be_visible()
