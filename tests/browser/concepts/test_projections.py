"""Projections page: the curriculum's presets, editing, and the roles of Q, K and V."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving import DRAWN, expect_address, expect_server_agrees, saved_concept, shown_body, visit_concept
from playwright.sync_api import Browser, Page, expect
from settling import until

CELLS = """() => [...document.querySelectorAll("#picture svg.matrix-mark")].map((picture) =>
  [...picture.querySelectorAll(".mark-cell title")].map((one) => one.textContent.split(": ").pop()))"""
MATRICES = {"queries": 4, "keys": 4, "values": 4, "scaled_scores": 3, "weights": 3, "output": 4}
"""In the order of the picture, with their columns at the start."""


def visit(page: Page, address: str = "/projections") -> None:
    visit_concept(page, address)


def asked(page: Page) -> Any:
    return shown_body(page)


def cells(page: Page) -> list[np.ndarray]:
    return [np.array([float(text.replace("−", "-")) for text in one]) for one in page.evaluate(CELLS)]


def matrices(page: Page) -> dict[str, np.ndarray]:
    return {name: one.reshape(-1, columns) for (name, columns), one in zip(MATRICES.items(), cells(page), strict=True)}


def numbers(text: str) -> list[float]:
    return [float(one) for one in re.findall(r"-?\d+\.\d+", text.replace("−", "-"))]


def line(page: Page, step: int) -> list[float]:
    page.locator("#steps .step").nth(step).click()
    until(page, DRAWN)
    return numbers(page.locator(".step-line").text_content() or "")


def softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max(1, keepdims=True))
    return raised / raised.sum(1, keepdims=True)


@pytest.mark.gate
def test_three_unit_vectors(page: Page) -> None:
    visit(page)
    found = matrices(page)
    np.testing.assert_array_equal(found["queries"], np.eye(4)[:3])
    np.testing.assert_array_equal(found["keys"], 2 * np.eye(4)[:3])
    np.testing.assert_array_equal(found["scaled_scores"], np.eye(3))
    own, other = 0.5761, 0.2119
    expected = np.full((3, 3), other) + (own - other) * np.eye(3)
    np.testing.assert_allclose(found["weights"], expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found["output"][0], [0.6821, 0.6060, 0.3179, 0.1060], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found["output"][1], [0.5000, 0.7881, 0.5000, 0.1060], rtol=0, atol=1e-9)
    assert line(page, 0) == [1, 0, 0, 0]
    assert line(page, 4) == [own, other, other]
    assert line(page, 5) == [0.6821, 0.6060, 0.3179, 0.1060]
    picture = page.get_by_role("slider", name="Output")
    picture.focus()
    page.keyboard.press("ArrowDown")
    until(page, DRAWN)
    assert line(page, 5) == [0.5000, 0.7881, 0.5000, 0.1060]
    rows = page.locator(".step-table tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text("0.5000 0.7881 0.5000 0.1060")


def test_weights_are_edited_and_sizes_follow(page: Page) -> None:
    visit(page)
    page.locator("#wq").get_by_label("₀, number 1").fill("3")
    until(page, DRAWN)
    body = asked(page)
    x, q, k, v = (np.array(body[name]) for name in ("inputs", "query_weight", "key_weight", "value_weight"))
    assert q[0, 1] == 3
    found = matrices(page)
    weights = softmax((x @ q.T) @ (x @ k.T).T / 2)
    np.testing.assert_allclose(found["weights"], weights, rtol=0, atol=6e-5)
    np.testing.assert_allclose(found["output"], weights @ (x @ v.T), rtol=0, atol=6e-5)
    page.locator("#wk").get_by_role("button", name="Remove row").click()
    until(page, DRAWN)
    page.locator("#inputs").get_by_role("button", name="Add column").click()
    until(page, DRAWN)
    body = asked(page)
    shapes = {name: (len(rows), len(rows[0])) for name, rows in body.items()}
    assert shapes == {"inputs": (3, 5), "query_weight": (3, 5), "key_weight": (3, 5), "value_weight": (4, 5)}
    expect(page.locator("#problem")).to_be_hidden()


def test_a_query_weight_that_asks_for_the_next_token(page: Page) -> None:
    visit(page)
    page.get_by_role("link", name="Who looks for whom").click()
    until(page, DRAWN)
    weights = matrices(page)["weights"]
    np.testing.assert_array_equal(weights.argmax(1), [1, 2, 0])
    assert weights.max(1) == pytest.approx(np.exp(3) / (np.exp(3) + 2), abs=6e-5)


def test_the_same_numbers_are_told_as_stories(page: Page) -> None:
    visit(page)
    before = cells(page)
    page.get_by_label("Analogy").select_option("sky")
    until(page, DRAWN)
    expect(page.locator(".role-stage .note").first).to_have_text("Where each telescope points")
    for one, other in zip(before, cells(page), strict=True):
        np.testing.assert_array_equal(one, other)
    expect(page.locator(".preset[aria-current=true]")).to_have_text("Starry sky")


def test_a_value_of_its_own_passes_on_what_the_key_does_not_say(page: Page) -> None:
    visit(page)
    page.get_by_role("link", name="Keys and values differ").click()
    until(page, DRAWN)
    assert line(page, 4) == pytest.approx([0.8936, 0.0088, 0.0888, 0.0088], abs=1e-4)
    assert line(page, 5) == pytest.approx([0.89, 0.09], abs=5e-3)
    page.get_by_role("link", name="Values equal to keys").click()
    until(page, DRAWN)
    assert line(page, 5) == pytest.approx([3.93, 0.04, 3.57], abs=5e-3)
    expect(page.locator("#wk thead th")).to_have_text(["noun", "verb", "pronoun", "living", "cat", "mat"])
    expect(page.locator("#wk tbody th")).to_have_text(["noun", "verb", "living"])


def test_a_word_asks_the_others(page: Page) -> None:
    visit(page)
    page.get_by_label("Words").fill("the cat")
    expect_address(page, words="the cat")
    until(page, DRAWN)
    expect(page.locator(".step-table tbody tr")).to_contain_text(["the", "cat", "x₂"])
    page.locator("#film input").fill("4")
    expect_address(page, query="1", step="5")
    expect(page.locator(".film-says")).to_contain_text("Its own key matches best: “cat” gives itself a weight of 0.58.")


def test_roles_go_with_the_places(page: Page) -> None:
    visit(page, "/projections?view=roles&swap=queries_keys&tokens=4&size=3&seed=5")
    body = {"num_tokens": 4, "size": 3, "seed": 5, "swap": "queries_keys"}
    stages = page.request.post("/api/projections/roles", data=body).json()["stages"]
    q, k, v = (np.array(stages[name]) for name in ("queries", "keys", "values"))
    a, b, c, scores, turned, weights, other, output, mixed = cells(page)
    for shown, tensor in zip((a, b, c), (q, k, v), strict=True):
        np.testing.assert_allclose(shown, tensor.ravel(), rtol=0, atol=6e-3)
    np.testing.assert_allclose(scores, (q @ k.T).ravel(), rtol=0, atol=6e-3)
    np.testing.assert_array_equal(turned.reshape(4, 4), scores.reshape(4, 4).T)
    root = np.sqrt(3)
    np.testing.assert_allclose(weights, softmax(q @ k.T / root).ravel(), rtol=0, atol=6e-3)
    np.testing.assert_allclose(other, softmax(k @ q.T / root).ravel(), rtol=0, atol=6e-3)
    np.testing.assert_allclose(output, (softmax(q @ k.T / root) @ v).ravel(), rtol=0, atol=6e-3)
    np.testing.assert_allclose(mixed, (softmax(k @ q.T / root) @ v).ravel(), rtol=0, atol=6e-3)
    assert line(page, 2) == [1, 1, 1, 1]
    steps = page.locator(".role-step")
    expect(steps.first).to_contain_text("Q asks, K is asked for")
    expect(steps.nth(1)).to_contain_text("each row adds up to 1")
    expect(steps.last).to_contain_text("V is read")
    expect(page.locator(".role-stage").first).to_contain_text("acts as Q, exchanged: K")
    page.locator("[data-bind=swap]").select_option("none")
    until(page, DRAWN)
    expect(page.locator(".role-step.is-same")).to_have_count(3)


def test_the_server_agrees_with_every_exercise(page: Page) -> None:
    visit(page)
    expect_server_agrees(page, 6, by_hand=3)


def test_the_saved_file_holds_every_figure(page: Page, browser: Browser, tmp_path: Path) -> None:
    visit(page)
    with saved_concept(page, browser, tmp_path / "projections.html") as saved:
        expect(saved.locator(".role-stage svg.mark").last).to_contain_text("[SEP]")  # the head of a model
        saved.locator("#presets a").nth(-2).click()
        expect(saved.locator(".role-step")).to_have_count(3)
