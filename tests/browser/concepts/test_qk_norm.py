"""QK norm page: norms, cosines and bounds, and the effect of a longer key."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving import DRAWN, expect_server_agrees, saved_concept, shown_body, visit_concept
from playwright.sync_api import Browser, Page, expect
from settling import until

CELLS = """() => [...document.querySelectorAll(".norm-card svg.matrix-mark")].map((picture) =>
  [...picture.querySelectorAll(".mark-cell title")].map((one) => one.textContent.split(": ").pop()))"""
KINDS = ("none", "layer", "rms", "l2")


def visit(page: Page, address: str = "/qk_norm") -> None:
    visit_concept(page, address)


def choose(page: Page, name: str) -> None:
    page.locator("#presets").get_by_role("link", name=name, exact=True).click()
    until(page, DRAWN)


def asked(page: Page) -> Any:
    return shown_body(page)


def cells(page: Page, shape: tuple[int, int] = (3, 4)) -> dict[str, np.ndarray]:
    """What each norm's matrix holds."""
    found = page.evaluate(CELLS)
    numbers = [np.array([float(text.replace("−", "-")) for text in one]).reshape(shape) for one in found]
    return dict(zip(KINDS, numbers, strict=True))


def numbers(text: str) -> list[float]:
    return [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-").replace(",", " "))]


def line(page: Page, name: str) -> list[float]:
    page.locator(f'#steps .step[data-name="{name}"]').click()
    until(page, DRAWN)
    return numbers(page.locator(".step-line").text_content() or "")


@pytest.mark.gate
def test_every_norm_is_what_its_formula_says(page: Page) -> None:
    visit(page)
    body = asked(page)
    q, k = np.array(body["queries"]), np.array(body["keys"])
    lengths = np.linalg.norm(q, axis=1)[:, None] * np.linalg.norm(k, axis=1)
    centred_q, centred_k = q - q.mean(1, keepdims=True), k - k.mean(1, keepdims=True)
    centred = np.linalg.norm(centred_q, axis=1)[:, None] * np.linalg.norm(centred_k, axis=1)
    cosines = q @ k.T / lengths
    found = cells(page)
    np.testing.assert_allclose(found["none"], q @ k.T, rtol=0, atol=6e-3)
    np.testing.assert_allclose(found["l2"], cosines, rtol=0, atol=6e-3)
    np.testing.assert_allclose(found["rms"], 4 * cosines, rtol=0, atol=6e-3)
    np.testing.assert_allclose(found["layer"], 4 * (centred_q @ centred_k.T) / centred, rtol=0, atol=6e-3)
    assert line(page, "Lengths") == pytest.approx([np.sqrt(6), np.sqrt(54)], abs=6e-5)
    assert line(page, "Without a norm")[-1] == 17
    assert line(page, "L2 norm") == [1, 1]
    assert line(page, "Dot product")[-1] == pytest.approx(17 / np.sqrt(6 * 54), abs=6e-5)
    page.get_by_label("Calculate with").select_option("layer")
    until(page, DRAWN)
    assert line(page, "LayerNorm") == pytest.approx([2, 2], abs=1e-4)
    expect(page.locator(".norm-card.is-chosen h3")).to_have_text("LayerNorm")
    page.locator('#steps .step[data-name="Dot product"]').click()
    expect(page.locator(".step-says")).to_contain_text("±4.00")


def test_the_story_s_numbers_are_the_page_s(page: Page) -> None:
    visit(page)
    answer = page.request.post("/api/qk_norm", data=asked(page)).json()
    none, _, rms, l2 = answer["norms"]
    np.testing.assert_allclose(answer["cosines"][0][:2], [0.943, 0.944], rtol=0, atol=5e-4)
    np.testing.assert_allclose(none["key_norms"][:2], [1.73, 7.35], rtol=0, atol=5e-3)
    np.testing.assert_allclose(none["scores"][0][:2], [2, 8.5], rtol=0, atol=1e-9)
    np.testing.assert_allclose(none["weights"][0][1], 0.998, rtol=0, atol=5e-4)
    np.testing.assert_allclose(l2["weights"][0][:2], [0.47, 0.47], rtol=0, atol=5e-3)
    np.testing.assert_allclose(rms["dot_products"][0][1], 3.78, rtol=0, atol=5e-3)
    np.testing.assert_allclose(l2["dot_products"][0][1], 0.944, rtol=0, atol=5e-4)


def test_cards_of_norms_recede_until_their_step(page: Page) -> None:
    visit(page)
    expect(page.locator(".norm-card.is-later")).to_have_count(0)
    page.locator(".step").first.click()
    expect(page.locator(".norm-card.is-later")).to_have_count(3)
    page.locator('#steps .step[data-name="L2 norm"]').click()
    expect(page.locator(".norm-card.is-later")).to_have_count(0)


def test_a_longer_key_changes_only_what_has_no_norm(page: Page) -> None:
    visit(page, "/qk_norm?stage=weights")
    before = cells(page)
    assert before["none"][0, 1] > 0.99
    page.locator("#stretch").fill("-1")
    until(page, DRAWN)
    assert asked(page)["keys"][1] == [0.3, 0.5, -0.2, -0.4]
    after = cells(page)
    for kind in ("layer", "rms", "l2"):
        np.testing.assert_allclose(after[kind], before[kind], rtol=0, atol=0.011)
    assert after["none"][0, 1] < 0.5
    np.testing.assert_allclose(after["none"].sum(1), 1, rtol=0, atol=0.02)


def test_the_order_of_norm_and_rope_matters_only_with_a_scale(page: Page) -> None:
    visit(page)
    choose(page, "RMS after RoPE: nanochat")
    step = page.locator('#steps .step[data-name="Norm and RoPE swapped"]')
    step.click()
    until(page, DRAWN)
    differences = [one for one in page.locator(".step-line math > mrow > :is(mn, mrow)").all_text_contents() if one]
    assert all(one in {"0", "0.0000"} or re.search("10−1[4-9]", one) for one in differences), differences
    choose(page, "RMS before RoPE: Qwen3")
    assert asked(page)["learned_scale"] == [1, 1, 2, 0.5]
    assert min(line(page, "Norm and RoPE swapped")[-2:]) > 0.01
    choose(page, "L2 with a scale: nGPT")
    assert asked(page)["learned_scale"] == [1.5] * 4
    *_, score, _weight = line(page, "Score")
    assert score == pytest.approx(2 * 1.5**2 * 17 / np.sqrt(6 * 54), abs=2e-4)
    expect(step).to_have_count(0)


def test_lengths_gather_as_dimensions_are_added(page: Page) -> None:
    visit(page, "/qk_norm?view=lengths")
    rows = page.locator(".step-table tbody tr").all()
    table = np.array([[float(one) for one in row.locator("th, td").all_text_contents()] for row in rows])
    d = table[:, 0]
    np.testing.assert_array_equal(d, [2, 8, 32, 128, 512])
    lengths = np.sqrt(d)
    # Of two components, LayerNorm leaves ± a / √(a² + ε) with a half-normal: 2/√π · √ε shorter in the mean.
    lengths[0] *= 1 - 2 / np.sqrt(np.pi) * np.sqrt(1e-5)
    np.testing.assert_allclose(table[:, 5], lengths, rtol=1e-3)
    np.testing.assert_allclose(table[:, 3], table[:, 4], rtol=0.12)
    np.testing.assert_allclose(table[2:, 4], 100 / np.sqrt(2 * d[2:]), rtol=0.02)
    np.testing.assert_allclose(table[:, 9], 1 / np.sqrt(d), rtol=0.12)
    assert (np.diff(table[:, 3]) < 0).all()
    assert table[-1, 7] < table[1, 7]
    expect(page.locator("#picture .plot")).to_have_count(2)


def test_vectors_are_edited_and_both_sides_keep_one_size(page: Page) -> None:
    visit(page, "/qk_norm?rope=half_split")
    page.locator("#queries").get_by_role("button", name="Remove column").click()
    until(page, DRAWN)
    body = asked(page)
    assert [len(row) for row in body["queries"] + body["keys"]] == [3] * 7
    assert body["rope"] == "none"
    expect(page.locator("#problem")).to_be_hidden()
    page.get_by_label("q₀, number 1").fill("5")
    until(page, DRAWN)
    assert asked(page)["queries"][0] == [1, 5, 0]
    q, k = np.array(asked(page)["queries"]), np.array(asked(page)["keys"])
    np.testing.assert_allclose(cells(page)["none"], q @ k.T, rtol=0, atol=6e-3)


def test_the_server_agrees_with_every_exercise(page: Page) -> None:
    visit(page)
    expect_server_agrees(page, 4)


def test_the_saved_file_holds_every_figure(page: Page, browser: Browser, tmp_path: Path) -> None:
    visit(page)
    with saved_concept(page, browser, tmp_path / "qk_norm.html") as saved:
        expect(saved.locator("#picture .plot")).to_have_count(2)
