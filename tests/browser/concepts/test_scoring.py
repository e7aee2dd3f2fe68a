"""Scoring lab: the curriculum's presets, editing, two computations compared."""

import re
from typing import Any

import numpy as np
import pytest
from driving import shown_body
from playwright.sync_api import Page, expect
from settling import until

DRAWN = """() => document.querySelector("#concept").getAttribute("aria-busy") === "false" """
# What a matrix says in its cells, row by row.
CELLS = """([stage, side]) => {
  const picture = document.querySelector(`[data-stage=${stage}] [data-side=${side}] svg`);
  const cells = [...picture.querySelectorAll(".mark-cell")];
  const rows = picture.querySelectorAll(".mark-row").length;
  const texts = cells.map((cell) => cell.querySelector("title").textContent.split(": ").pop());
  return Array.from({ length: rows }, (_, row) =>
    texts.slice((row * texts.length) / rows, ((row + 1) * texts.length) / rows)); }"""


def visit(page: Page, address: str = "/scoring") -> None:
    page.goto(address)
    until(page, DRAWN)


def choose(page: Page, name: str) -> None:
    page.locator("#presets").get_by_text(name, exact=True).click()
    expect(page.locator(".preset[aria-current=true]")).to_have_text(name)
    until(page, DRAWN)


def numbers(page: Page, stage: str, side: str = "first") -> np.ndarray:
    texts = page.evaluate(CELLS, [stage, side])
    signs = {"−": "-", "∞": "inf", "10⁵": "1e5"}
    return np.array([[float(re.sub("−|∞|10⁵", lambda found: signs[found[0]], text)) for text in row] for row in texts])


def near(found: np.ndarray, wanted: Any, atol: float = 6e-5) -> None:
    np.testing.assert_allclose(found, np.array(wanted), rtol=0, atol=atol)


def asked(page: Page) -> dict[str, Any]:
    return shown_body(page)


@pytest.mark.gate
def test_the_course_s_figures_stand_on_the_page(page: Page) -> None:
    visit(page)
    near(numbers(page, "weights"), [[0.6698, 0.3302], [0.3302, 0.6698]])
    near(numbers(page, "output"), [[16.605, 26.605], [23.395, 33.395]], 6e-4)
    choose(page, "One query")
    near(numbers(page, "weights"), [[0.8044, 0.1956]])
    near(numbers(page, "output"), [[5.978]], 6e-4)
    choose(page, "Three roles of one input")
    near(numbers(page, "scaled_scores"), np.eye(3))
    near(numbers(page, "weights"), np.full((3, 3), 0.2119) + np.eye(3) * (0.5761 - 0.2119))
    near(numbers(page, "output")[:2], [[0.6821, 0.6060, 0.3179, 0.1060], [0.5, 0.7881, 0.5, 0.1060]], 6e-4)
    choose(page, "Ten directions")
    near(numbers(page, "output"), [[0.316, 0.316]], 6e-4)
    weights = numbers(page, "weights")[0]
    assert (weights.argmax(), weights.max()) == (1, 0.2121)
    assert weights.sum() == pytest.approx(1, abs=5e-4)
    expect(page.locator("[data-stage=weights] .stage-caption")).to_have_text("Normalised: each row adds up to 1")


def test_the_numbers_of_the_story_are_true(page: Page) -> None:
    for address, wanted in (
        ("?keys=2_0__0_1", 0.8044),
        ("?mechanism=cosine", 0.7311),
        ("?mechanism=cosine&keys=2_0__0_1", 0.7311),
        ("?queries=1_0&keys=1_0__3_3", 0.1956),
        ("?queries=1_0&keys=1_0__3_3&mechanism=cosine", 0.5727),
    ):
        visit(page, "/scoring" + address)
        near(numbers(page, "weights")[0], [wanted, 1 - wanted])


def test_every_stage_is_what_the_api_says(page: Page) -> None:
    visit(page)
    names = page.locator("#presets a").all_text_contents()
    for name in names:
        choose(page, name)
        answer = page.request.post("/api/scoring", data=asked(page)).json()
        for stage in ("raw_scores", "scaled_scores", "weights", "output"):
            near(numbers(page, stage), answer[stage], 6e-3 if "scores" in stage else 6e-4)


def test_roles_follow_from_what_is_done_with_a_tensor(page: Page) -> None:
    visit(page)
    choose(page, "Swap keys and values")
    first, second = (numbers(page, "weights", side) for side in ("first", "second"))
    for weights in (first, second):
        near(weights.sum(1), np.ones(3), 2e-4)
    near(numbers(page, "weights", "difference"), second - first, 2e-4)
    assert np.abs(second - first).max() > 0.1
    page.get_by_role("button", name="Swap K and V").click()
    until(page, DRAWN)
    near(numbers(page, "weights"), second)
    near(numbers(page, "weights", "second"), first)


def test_length_counts_for_the_dot_product_and_not_for_the_cosine(page: Page) -> None:
    visit(page)
    choose(page, "Cosine compared with dot product")
    long_dot, long_cosine = numbers(page, "weights"), numbers(page, "weights", "second")
    for column, value in enumerate(("-0.7", "1.3", "0.2")):
        page.locator(f'[data-field="keys.1.{column}"]').fill(value)
    until(page, DRAWN)
    near(numbers(page, "weights", "second"), long_cosine, 2e-4)
    assert np.abs(numbers(page, "weights") - long_dot).max() > 0.2


def test_temperature_sharpens_and_flattens(page: Page) -> None:
    visit(page)
    choose(page, "Cold")
    assert numbers(page, "weights").max(1).min() > 0.95
    choose(page, "Hot")
    near(numbers(page, "weights"), np.full((3, 3), 1 / 3), 0.03)
    page.locator("#temperature").fill("-2")
    expect(page.locator("output[data-out=temperature]")).to_have_text("0.01")
    until(page, DRAWN)
    assert asked(page)["temperature"] == 0.01
    assert numbers(page, "weights").max(1).min() > 0.999


def test_known_bugs_show_what_they_do(page: Page) -> None:
    visit(page)
    choose(page, "Bug: wrong axis")
    near(numbers(page, "weights", "second").sum(0), np.ones(3), 2e-4)
    assert np.abs(numbers(page, "weights", "second").sum(1) - 1).max() > 0.2
    stage = page.locator("[data-stage=weights]")
    expect(stage.locator(".stage-caption")).not_to_contain_text("row")
    expect(stage.locator("[data-side=first] figcaption")).to_have_text("chosen above: each row adds up to 1")
    expect(stage.locator("[data-side=second] figcaption")).to_have_text(
        "softmax along the wrong axis: each column adds up to 1"
    )
    choose(page, "Bug: no 1/d")
    near(numbers(page, "scaled_scores", "second"), numbers(page, "raw_scores"))
    choose(page, "Bug: −1e5 for −∞")
    near(numbers(page, "masked_scores")[0], [-np.inf] * 3)
    near(numbers(page, "weights")[0], [0, 0, 0])
    near(numbers(page, "weights", "second")[0], [0.7846, 0.1195, 0.0959])
    expect(page.locator("[data-stage=weights]")).to_contain_text("−1e5 in place of −∞")


def test_a_row_that_may_attend_to_nothing_is_not_said_to_add_up_to_1(page: Page) -> None:
    visit(page)
    choose(page, "Bug: −1e5 for −∞")
    near(numbers(page, "weights")[0], [0, 0, 0])
    expect(page.locator("[data-stage=weights] .stage-caption")).to_contain_text(
        "but for what may attend to nothing: q0 stays 0"
    )
    page.locator(".step").nth(3).click()
    expect(page.locator(".step-says")).to_contain_text("Query 0 may attend to nothing")
    drawn = page.locator("[data-stage=mask] [data-side=second] .mark-cell text").all_text_contents()
    assert "−10⁵" in drawn, "short enough for its cell"
    page.locator("[data-stage=weights] [data-side=first] .mark-cell").nth(3).click()
    expect(page.locator(".step-says")).to_contain_text("adds up to 1")


MASKS = [
    ("causal", {}),
    ("padding", {"length": 2}),
    ("sliding_window", {"window": 2}),
    ("prefix", {"prefix": 2}),
    ("custom", {"allowed": "1_0_1_0__0_0_0_0__1_1_1_1"}),
]


@pytest.mark.parametrize(("mask", "options"), MASKS)
def test_the_page_s_masks_are_the_server_s(page: Page, mask: str, options: dict[str, Any]) -> None:
    """The soft mask is made on the page; where it says −100,000 the server's own says −∞."""
    rows = "1_0__0_1__1_1__0.5_2"
    query = "&".join(f"{name}={value}" for name, value in options.items())
    visit(page, f"/scoring?queries=1_0__0_1__1_1&keys={rows}&values={rows}&mask={mask}&beside=soft_mask&{query}")
    np.testing.assert_array_equal(numbers(page, "mask", "second") == -100_000, np.isneginf(numbers(page, "mask")))


def test_tensors_are_typed_pasted_and_resized(page: Page) -> None:
    visit(page)
    cell = page.locator('[data-field="queries.0.0"]')
    cell.fill("2")
    expect(page.locator("#notice")).to_have_text("Your own settings. The address bar holds them.")
    until(page, "() => location.search.includes('queries=2_0__0_1')")
    cell.fill("many")
    expect(cell).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#queries .field-error")).to_have_text("Enter a number from -10000 to 10000.")
    cell.press("Tab")
    expect(cell).to_have_value("2")
    page.evaluate(
        """() => { const data = new DataTransfer(); data.setData("text/plain", "1\\t2\\t3\\n4\\t5\\t6\\n7\\t8\\t9\\n");
        document.querySelector('[data-field="keys.0.0"]').dispatchEvent(
          new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); }"""
    )
    expect(page.locator('[data-field="keys.2.2"]')).to_have_value("9")
    expect(page.locator('[data-field="queries.0.2"]')).to_have_value("0")  # as long as keys
    expect(page.locator('[data-field="values.2.1"]')).to_have_value("0")  # as many as keys
    until(page, DRAWN)
    near(numbers(page, "raw_scores"), [[2, 8, 14], [2, 5, 8]])
    page.locator("#keys").get_by_role("button", name="Remove row").click()
    expect(page.locator("#values tbody tr")).to_have_count(2)
    page.go_back()
    expect(page.locator("#values tbody tr")).to_have_count(3)


def test_cells_are_walked_with_the_keyboard(page: Page) -> None:
    visit(page)
    page.locator('[data-field="queries.0.1"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator('[data-field="queries.1.1"]')).to_be_focused()
    page.keyboard.press("Control+ArrowLeft")
    expect(page.locator('[data-field="queries.1.0"]')).to_be_focused()
    matrix = page.get_by_role("slider", name="Weights")
    matrix.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(matrix).to_have_attribute("aria-valuetext", "q₁, k₁: 0.6698")
    page.locator(".step").last.click()
    expect(page.locator(".step-table .is-chosen")).to_contain_text("0.6698")


def test_steps_uncover_the_stages(page: Page) -> None:
    visit(page)
    page.locator("main").focus()
    expect(page.locator(".is-later")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-stage=raw_scores]")).to_have_class(re.compile("is-now"))
    expect(page.locator("[data-stage=weights]")).to_have_class(re.compile("is-later"))
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-stage=scaled_scores]")).to_have_class(re.compile("is-now"))
    expect(page.locator("[data-stage=scaled_scores]")).not_to_have_class(re.compile("is-later"))


def cells_of(page: Page, stage: str, index: int = 0) -> list[np.ndarray]:
    """The rows of a matrix of the hidden layer, as they stand in its cells."""
    picture = page.locator(f"[data-stage={stage}] svg").nth(index)
    texts = [float(one.replace("−", "-")) for one in picture.locator(".mark-cell text").all_text_contents()]
    return list(np.array(texts).reshape(picture.locator(".mark-row").count(), -1))


def test_the_film_follows_a_pair_through_the_hidden_layer(page: Page) -> None:
    visit(page)
    expect(page.locator(".film-says")).to_contain_text("5 / 5")
    choose(page, "Additive")
    page.locator("[data-stage=raw_scores] .mark-cell").nth(6).click()  # query 1, key 2
    until(page, DRAWN)
    call = asked(page)
    layer = page.request.post("/api/scoring", data=call).json()["additive"]
    queries, keys = np.array(call["queries"]), np.array(call["keys"])
    inner = np.hstack([layer["query_weight"], layer["key_weight"]])
    both = np.concatenate([queries[1], keys[2]])
    sums = inner @ both + layer["bias"]
    parts = np.tanh(sums) * layer["combine"]

    near(cells_of(page, "pair", 0)[0], both, 6e-3)
    for found, wanted in zip(cells_of(page, "pair", 1), (sums, np.tanh(sums), layer["combine"], parts), strict=True):
        near(found, wanted, 6e-3)
    every = np.tanh([inner @ np.concatenate([queries[1], key]) + layer["bias"] for key in keys])
    near(np.array(cells_of(page, "keys")), every, 6e-3)
    near(numbers(page, "raw_scores")[1], every @ layer["combine"], 6e-3)
    expect(page.locator("[data-stage=pair] .stage-caption")).to_contain_text(f"{parts.sum():.4f}".replace("-", "−"))

    slider, receding = page.locator("#film input"), page.locator("[data-stage=pair] .mark-cell.is-later")
    for moment, later in enumerate((32, 24, 16, 0, 0, 0)):
        slider.fill(str(moment))
        expect(receding).to_have_count(later)
        expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^{moment + 1} / 6: \S"))
    slider.fill("3")
    expect(page.locator(".film-says")).to_contain_text(f"the score {parts.sum():.4f}".replace("-", "−"))
    expect(page.locator(".step[aria-current]")).to_contain_text("One number")
    slider.fill("4")
    expect(page.locator("[data-stage=keys]")).to_have_class(re.compile("is-now"))
    expect(page.locator("[data-stage=pair]")).not_to_have_class(re.compile("is-now"))


def test_what_the_server_refuses_is_said_where_it_stands(page: Page, problems: Any) -> None:
    problems.expect("422")
    visit(page)
    choose(page, "Additive")
    page.get_by_role("radio", name="dot", exact=True).check(force=True)
    problem = page.locator("#problem")
    expect(problem).to_contain_text("keys")
    expect(page.locator("[data-refused]").first).to_be_visible()
    expect(page.locator("[data-stage=weights]")).to_be_visible()  # the last picture stays
    page.get_by_role("radio", name="additive").check(force=True)
    expect(problem).to_be_hidden()
    expect(page.locator("[data-refused]")).to_have_count(0)


def test_exercises_are_checked_and_remembered(page: Page) -> None:
    visit(page)
    exercise = page.locator("[data-exercise=scoring-one-query]")
    for field, value in zip(exercise.locator("input").all(), ("0.8", ".1956", "5.978"), strict=True):
        field.fill(value)
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.locator(".exercise-verdict")).to_have_text("2 of 3 are right. Too few digits: α0.")
    exercise.locator("input").first.fill("0.8044")
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.locator(".exercise-verdict")).to_have_text("Right.")
    visit(page)
    expect(exercise.locator(".exercise-mark")).to_have_text("solved")


def test_the_server_agrees_with_every_exercise(page: Page) -> None:
    visit(page)
    for exercise in page.locator(".exercise").all():
        exercise.locator("summary").click()
        answer = (exercise.get_by_text(re.compile("^Answer: ")).text_content() or "").removeprefix("Answer: ")
        served = exercise.locator(".exercise-served")
        if exercise.get_by_role("button", name="Show it on the page").count():
            expect(served).to_have_text(f"The server computes: {answer}")


def test_an_address_that_the_server_refuses_says_why(page: Page, problems: Any) -> None:
    problems.expect("422")
    visit(page, "/scoring?queries=1_2_3&keys=1_2__3_4&values=1__2&mechanism=cosine")
    expect(page.locator("#problem")).to_contain_text("keys")
    page.locator('[data-field="queries.0.2"]').fill("4")
    expect(page.locator("[data-stage=weights]")).to_be_visible()  # now keys are as long as queries
    expect(page.locator("#problem")).to_be_hidden()
