"""Why attention: three ways to take in a sentence, influence against distance, a translator, asymmetric scores."""

import re
from typing import Any

import numpy as np
import pytest
from driving import expect_address, expect_server_agrees, shown_body, solve, visit_concept
from playwright.sync_api import Locator, Page, expect
from plotting import plot_in, series_in

SENTENCE = ["The", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired."]


def answer_of(page: Page) -> Any:
    body = shown_body(page)
    return page.request.post("/api/why", data=body).json()


def numbers(row: Locator) -> list[float]:
    texts = row.locator(".mark-value:not(.ways-unread)").all_text_contents()
    return [float(text.replace("<", "")) for text in texts]


def cells(matrix: Locator) -> list[float]:
    return [float(cell.replace("−", "-")) for cell in matrix.locator(".mark-cell text").all_text_contents()]


def step(page: Page, name: str) -> list[float]:
    """The numbers of a step, once it is chosen."""
    page.locator(".step", has_text=re.compile(rf"^\d+{re.escape(name)}$")).click()
    expect(page.locator(".step[aria-current=step]")).to_contain_text(name)
    return [float(one.replace("−", "-")) for one in re.findall(r"−?\d+\.\d+", page.locator(".step-line").inner_text())]


@pytest.mark.gate
def test_three_rows_of_bars_over_the_words(page: Page) -> None:
    visit_concept(page, "/why")
    answer = answer_of(page)
    assert answer["words"] == SENTENCE
    assert page.locator(".ways-name").all_text_contents() == SENTENCE
    rows = page.locator(".ways-row")
    expect(rows).to_have_count(3)
    np.testing.assert_allclose(numbers(rows.nth(0)), [0.1] * 10)
    np.testing.assert_allclose(numbers(rows.nth(1)), answer["recurrent"][0]["shares"][:8], atol=5.1e-4)
    expect(rows.nth(1)).to_contain_text("not read yet")
    np.testing.assert_allclose(numbers(rows.nth(2)), answer["weights"][7], atol=6e-4)
    expect(rows.nth(2)).to_contain_text("Attention: “it” asks for “cat”")
    shown = step(page, "Compare")
    wanted = [0.1, answer["recurrent"][0]["shares"][1], answer["weights"][7][1]]
    np.testing.assert_allclose(shown, wanted, atol=5.1e-5)
    influence = answer["recurrent"][0]["influences"]
    np.testing.assert_allclose(
        step(page, "Recurrent network"), [influence[1]] * 2 + [sum(influence), wanted[1]], atol=6e-5
    )


def test_a_reader_is_chosen_by_its_column(page: Page) -> None:
    visit_concept(page, "/why")
    page.locator(".ways-hit").nth(5).click()
    expect_address(page, reader="5")
    rows = page.locator(".ways-row")
    expect(rows.nth(2)).to_contain_text("Attention: “mat” asks at random")
    assert len(numbers(rows.nth(1))) == 6
    np.testing.assert_allclose(numbers(rows.nth(0)), [0.1] * 10)


def test_words_are_inserted_between_the_two(page: Page) -> None:
    visit_concept(page, "/why?inserted=40")
    answer = answer_of(page)
    assert len(answer["words"]) == 50
    assert answer["words"][:3] == ["The", "cat", "which"]
    assert answer["words"][42:] == SENTENCE[2:]
    assert (answer["reader"], answer["asks"], answer["wanted"]) == (47, 47, 1)
    expect(page.locator(".ways-row").nth(1).locator(".is-wanted")).to_have_text("< 0.001")
    table = page.locator(".why-effort tbody tr")
    effort = [row.locator("td").all_text_contents() for row in table.all()]
    assert effort[:3] == [["1", "50", "1"], ["1", "46", "1"], ["0", "0", "2500"]]


def test_the_film_reads_word_after_word(page: Page) -> None:
    visit_concept(page, "/why")
    says = page.locator(".film-says")
    page.locator("#film input").fill("0")
    expect(says).to_contain_text("“The” has been read: the state comes from it alone.")
    last = 1.0
    for word in range(1, 10):
        page.locator("#film input").fill(str(word))
        expect(says).to_contain_text(f"“{SENTENCE[word]}” has been read.")
        share = answer_of(page)["recurrent"][0]["shares"][0]
        expect(says).to_contain_text(f"still has {share:.3f}")
        assert share < last
        last = share


def test_influence_against_distance(page: Page) -> None:
    visit_concept(page, "/why?view=distance&inserted=40")
    answer = answer_of(page)
    assert [one["gain"] for one in answer["recurrent"]] == [0.9, 0.5, 1.1, 1.3]
    drawn = series_in(plot_in(page))
    assert list(drawn) == ["gain 0.5", "gain 0.9", "gain 1.1", "gain 1.3", "average", "attention"]
    for one in answer["recurrent"]:
        read = np.array(one["influences"][:48])[::-1]
        relative = read / read.max()
        seen = relative >= 1e-6
        shown = drawn[f"gain {one['gain']:.1f}"]
        np.testing.assert_allclose(shown["x"], np.flatnonzero(seen))
        np.testing.assert_allclose(shown["y"], relative[seen], rtol=1e-9)
    weights = np.array(answer["weights"][47][:48])[::-1]
    np.testing.assert_allclose(drawn["attention"]["y"], weights / weights.max(), rtol=1e-9)
    assert drawn["attention"]["x"][int(np.argmax(drawn["attention"]["y"]))] == 46


def test_the_bound_of_a_gain(page: Page) -> None:
    visit_concept(page, "/why?view=distance&gain=0.5")
    bounds = answer_of(page)["recurrent"][0]["bounds"]
    assert bounds[1] == pytest.approx(0.5**6 * bounds[7])
    assert step(page, "A bound")[-1] == pytest.approx(bounds[1], abs=5.1e-5)
    expect(page.locator(".step-says")).to_contain_text("no more can be left")


def test_a_translator(page: Page) -> None:
    visit_concept(page, "/why?view=translation")
    answer = page.request.post("/api/why/translation", data={"gain": 0.9, "dim": 32, "seed": 0}).json()
    marks = page.locator("#picture .matrix-mark")
    np.testing.assert_allclose(cells(marks.nth(0)), np.ravel(answer["through_one_vector"]), atol=5.1e-3)
    np.testing.assert_allclose(cells(marks.nth(1)), np.ravel(answer["weights"]), atol=5.1e-3)
    marks.nth(1).locator(".mark-cell").nth(17).click()
    expect_address(page, target="3")
    np.testing.assert_allclose(step(page, "Weights"), answer["weights"][3], atol=5.1e-5)
    features = page.locator("#design .matrix-mark")
    np.testing.assert_allclose(cells(features.nth(0)), np.ravel(answer["source_features"]), atol=0.051)
    np.testing.assert_allclose(cells(features.nth(1)), np.ravel(answer["target_features"]), atol=0.051)


def test_who_attends_to_whom(page: Page) -> None:
    visit_concept(page, "/why?view=asymmetry")
    pairs = page.locator(".why-pair")
    expect(pairs.nth(0)).to_have_text("“名前” → “吾輩”: 1.59, “吾輩” → “名前”: 1.59")
    expect(pairs.nth(1)).to_contain_text("0.00")
    expect(pairs.nth(2)).to_have_text("“名前” → “吾輩”: 6.36, “吾輩” → “名前”: 0.00")
    expect(pairs.nth(3)).to_contain_text("1.22")
    assert step(page, "Asymmetry") == [pytest.approx(1.5**0.5, abs=5.1e-5)]
    page.get_by_label("How much").fill("0")
    expect(pairs.nth(2)).to_have_text("“名前” → “吾輩”: 1.59, “吾輩” → “名前”: 1.59")
    assert step(page, "Asymmetry") == [0.0]


def test_japanese_words_have_meanings_where_they_help(page: Page) -> None:
    for lang, name in (("en", "吾輩 I"), ("ja", "吾輩")):
        visit_concept(page, f"/why?view=asymmetry&lang={lang}")
        expect(page.locator("#picture .mark-row").first).to_have_text(name)


def test_exercises_are_checked_by_the_server(page: Page) -> None:
    visit_concept(page, "/why")
    solve(page, "why-fading", "0.0156")
    expect_server_agrees(page, 3)
