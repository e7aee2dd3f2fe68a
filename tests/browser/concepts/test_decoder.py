"""Decoder page: stations in order, with the API's numbers at each."""

import re
from typing import Any

import numpy as np
import pytest
from driving import shown_body
from playwright.sync_api import Locator, Page, expect
from settling import until

READY = "() => document.querySelector('#concept').getAttribute('aria-busy') === 'false'"
START, END = ["norm", "project", "heads"], ["scores", "weights", "mix", "attention", "feed_forward", "next"]
STATIONS = {
    "": [*START, "rope", "qk_norm", "cache", "share", *END],
    "?before=1": [*START, "qk_norm", "rope", "cache", "share", *END],
    "?form=llama&kvHeads=4": [*START, "rope", "cache", *END],
    "?form=gpt2": [*START, "cache", *END],
}


def visit(page: Page, address: str = "/decoder") -> Any:
    """Open the page; answers what the API says to the call that it shows."""
    page.goto(address)
    until(page, READY)
    body = shown_body(page)
    return page.request.post("/api/decoder", data=body).json()


def go(page: Page, station: str) -> str:
    """Choose a station by pointing; answers its numbers."""
    page.locator(f".decoder-station[data-station={station}] .decoder-name").click()
    expect(page.locator(f".decoder-station[data-station={station}]")).to_have_class(re.compile("is-chosen"))
    until(page, READY)
    return page.locator(".step-line").inner_text().replace("−", "-").replace("\n", "")


def cells(mark: Locator) -> list[float]:
    texts = [cell.replace("−", "-").replace("∞", "inf") for cell in mark.locator(".mark-cell text").all_text_contents()]
    return [float(text) for text in texts]


@pytest.mark.gate("")
@pytest.mark.parametrize("state", STATIONS)
def test_stations_stand_in_the_order_in_which_they_work(page: Page, state: str) -> None:
    answer = visit(page, f"/decoder{state}")
    shown = page.locator(".decoder-station").evaluate_all("(all) => all.map((one) => one.dataset.station)")
    assert shown == STATIONS[state]
    expect(page.locator(".step")).to_have_count(len(shown))
    made = [step["name"] for step in answer["blocks"][0]["attention_steps"]]
    keys = [f"keys_{name}" for name in ("turned", "normed")]
    by_page = [{"rope": keys[0], "qk_norm": keys[1]}[one] for one in shown if one in {"rope", "qk_norm"}]
    assert sorted((name for name in made if name in keys), key=made.index) == by_page


def test_each_station_shows_the_numbers_of_the_api(page: Page) -> None:
    answer = visit(page)
    block = answer["blocks"][0]
    attention = block["attention"]
    marks = page.locator("#stages .matrix-mark")
    expected = {
        "norm": [block["inputs"], block["attention_normed"]],
        "project": [attention[f"{name}_projected"] for name in ("queries", "keys", "values")],
        "heads": [attention["queries_by_head"][1], attention["keys_by_head"][0], attention["values_by_head"][0]],
        "rope": [attention["queries_turned"][1], attention["keys_turned"][0]],
        "qk_norm": [attention["queries_normed"][1], attention["keys_normed"][0]],
        "cache": [attention["keys_normed"][0], attention["values_by_head"][0]],
        "share": [np.repeat(np.eye(2), 2, axis=0)],
        "weights": [attention["weights"][1]],
        "mix": [attention["head_outputs"][1]],
        "attention": [block["attention_output"], block["after_attention"]],
        "feed_forward": [block["feed_forward_output"], block["outputs"]],
        "next": [answer["probabilities"]],
    }
    for station, matrices in expected.items():
        go(page, station)
        expect(marks).to_have_count(len(matrices))
        for mark, matrix in zip(marks.all(), matrices, strict=True):
            np.testing.assert_allclose(cells(mark), np.ravel(matrix), atol=0.051, err_msg=station)
    go(page, "scores")
    masked = np.array(
        [[float(str(one).replace("Infinity", "inf")) for one in row] for row in attention["masked_scores"][1]]
    )
    np.testing.assert_allclose(cells(marks.first), np.ravel(masked), atol=0.0051)


def test_the_numbers_of_each_step(page: Page) -> None:
    answer = visit(page)
    block = answer["blocks"][0]
    assert go(page, "project").endswith("768")  # 16·16 + 16·8 + 16·8 + 16·16
    assert go(page, "heads").endswith("=0")
    length = np.linalg.norm(block["attention"]["queries_by_head"][1][4])
    assert go(page, "rope").count(f"{length:.4f}") == 2
    assert "2.0000" in go(page, "qk_norm")  # √4
    assert go(page, "cache").endswith("128bytes")  # 2·2·2·4·4
    assert answer["cached_difference"] <= 1e-5
    scaled = block["attention"]["scaled_scores"][1][4][1]
    raw = block["attention"]["raw_scores"][1][4][1]
    assert scaled == pytest.approx(raw / 2, abs=1e-6)
    assert f"{raw:.4f}" in go(page, "scores")
    assert go(page, "scores").endswith(f"{scaled:.4f}")
    inputs, added = block["inputs"][4][0], block["attention_output"][4][0]
    assert go(page, "attention").endswith(f"{inputs + added:.4f}")


def test_controls_change_the_block(page: Page) -> None:
    visit(page)
    expect(page.locator("#facts")).to_contain_text("7,888, 1,536")
    page.get_by_role("combobox", name="Key/value heads").select_option("1")
    expect(page.locator("#facts dd").nth(2)).to_have_text("64")  # 2·2·1·4·4 bytes
    go(page, "share")
    expect(page.locator("#stages .mark-cell")).to_have_count(4)
    page.locator("[data-bind=form]").select_option("gpt2")
    expect(page.locator("#facts dd").first).to_have_text("in every layer")
    expect(page.locator(".decoder-station[data-station=rope]")).to_have_count(0)
    page.get_by_label("Words, separated by spaces").fill("one two")
    expect(page.locator(".decoder-station[data-station=weights]")).to_contain_text("4 × 2 × 2")
    until(page, READY)
    go(page, "weights")
    expect(page.locator("#stages .mark-row")).to_have_text(["one", "two"])


def test_the_picture_begins_whole_and_a_station_shows_what_is_before_it(page: Page, problems: Any) -> None:
    visit(page)
    later = page.locator(".decoder-station.is-later")
    expect(later).to_have_count(0)
    expect(page.locator("#notice")).to_contain_text("the order of nanochat")
    page.locator(".step").nth(4).click()
    expect(later).to_have_count(8)
    problems.expect("422")
    page.get_by_label("Words, separated by spaces").fill(" ")
    expect(page.locator("#problem")).to_contain_text("There are no words: give at least one.")


def test_norming_first_changes_no_score(page: Page) -> None:
    after = visit(page)["blocks"][0]["attention"]["scaled_scores"]
    before = visit(page, "/decoder?before=1")["blocks"][0]["attention"]["scaled_scores"]
    np.testing.assert_allclose(before, after, atol=1e-5)


def test_exercises_are_checked_by_the_server(page: Page) -> None:
    visit(page)
    exercise = page.locator("[data-exercise=decoder-parameters]")
    exercise.get_by_role("textbox").fill("768")
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.locator(".exercise-verdict")).to_have_text("Right.")
    for name, said in (("parameters", "768"), ("cache", "128"), ("norm", "2, 2")):
        one = page.locator(f"[data-exercise=decoder-{name}]")
        one.locator("summary").click()
        expect(one.locator(".exercise-served")).to_have_text(f"The server computes: {said}")


def test_the_block_of_2026_marks_what_was_added_and_shows_its_numbers(page: Page) -> None:
    answer = visit(page, "/decoder?form=nanochat_2026&layer=1")
    expect(page.get_by_text("+ marks what nanochat did not have in 2025.")).to_be_visible()
    names = page.locator(".decoder-name")
    expect(names.filter(has_text=re.compile(r"^\d+ \+ "))).to_have_count(3)
    block = answer["blocks"][1]
    attention, row, gate = block["attention"], block["value_embedding"][0][4][0], block["value_gate"][0][4]
    line = go(page, "value_embedding")
    assert line.endswith(f"={attention['values_by_head'][0][4][0] + gate * row:.4f}")
    assert f"{gate:.4f}" in line
    length = np.linalg.norm(attention["queries_normed"][1][4])
    assert go(page, "sharpen") == f"1.2·{length:.4f}={1.2 * length:.4f}"
    assert go(page, "window").endswith("<3")
    assert cells(page.locator("#stages .matrix-mark")) == np.tril(np.triu(np.ones((5, 5)), -2)).ravel().tolist()
    page.get_by_role("link", name="nanochat, 2025").click()
    expect(page.get_by_text("+ marks what nanochat did not have in 2025.")).to_be_hidden()
    expect(page.locator(".decoder-station")).to_have_count(13)
