"""Multi-head page: maps and shapes match the API, one wide head beside two, exercises."""

import re
from typing import Any

import numpy as np
import pytest
from driving import shown_body
from playwright.sync_api import Page, expect
from settling import until

READY = "() => document.querySelector('#concept').getAttribute('aria-busy') === 'false'"
MAPS = """() => [...document.querySelectorAll("#picture .matrix-mark")].map((matrix) =>
  [...matrix.querySelectorAll(".mark-cell title")].map((cell) =>
    Number(cell.textContent.split(": ").at(-1).replace("−", "-"))))"""
"""What each cell says when pointed at, with numbers or without."""


def visit(page: Page, address: str) -> None:
    page.goto(address)
    until(page, READY)


def asked(page: Page) -> dict[str, Any]:
    """The request that the page shows."""
    request = shown_body(page)
    assert isinstance(request, dict)
    return request


def test_it_opens_on_trained_heads_that_do_different_things(page: Page) -> None:
    visit(page, "/multi_head")
    answer = page.request.post("/api/multi_head", data=asked(page)).json()
    bank = answer["tokens"].index("bank")
    drawn = np.reshape(page.evaluate(MAPS)[0], (12, len(answer["tokens"])))
    np.testing.assert_allclose(drawn, np.array(answer["weights"])[:, bank], atol=0.005001)
    for head, key, weight in ((4, "river", 0.69), (2, "the", 1), (5, "on", 0.46)):
        assert answer["tokens"][drawn[head].argmax()] == key
        assert drawn[head].max() == pytest.approx(weight, abs=0.005)
    expect(page.locator(".film-says")).to_contain_text("– / 7")
    page.get_by_role("link", name="Another sentence").click()
    expect(page.locator("#picture h3").first).to_have_text("Weights of “bank” in every head")
    until(page, READY)
    expect(page.locator("#steps .step-line")).to_be_visible()


@pytest.mark.gate("")
@pytest.mark.parametrize("state", ["", "&kvHeads=2&words=one+two+three&causal=1", "&heads=8&kvHeads=1&seed=3"])
def test_every_head_is_drawn_as_the_api_says(page: Page, state: str) -> None:
    visit(page, f"/multi_head?view=heads{state}")
    answer = page.request.post("/api/multi_head", data=asked(page)).json()
    drawn = page.evaluate(MAPS)[: len(answer["weights"])]
    np.testing.assert_allclose(drawn, np.array(answer["weights"]).reshape(len(drawn), -1), atol=0.005001)
    titles = page.locator("#picture h3").all_text_contents()[: len(drawn)]
    shared = answer["sizes"]["group"] > 1
    owners = answer["kv_head_of_query_head"]
    expected = [f"Head {head}, KV head {owner}" if shared else f"Head {head}" for head, owner in enumerate(owners)]
    assert titles == expected


@pytest.mark.parametrize(
    ("state", "first", "last"),
    [
        ("dModel=512&heads=8&kvHeads=8", "2 × 10 × 512", "2 × 10 × 512"),
        ("queries=3&keys=4", "2 × 3 × 16", "2 × 3 × 16"),
    ],
)
def test_the_way_of_the_shapes(page: Page, state: str, first: str, last: str) -> None:
    visit(page, f"/multi_head?view=shapes&{state}")
    rows = page.locator(".shapes tbody tr")
    sizes = [re.sub(r"[a-z_·]+", "", row.locator(".shape").text_content() or "") for row in rows.all()]
    assert (sizes[0], sizes[-1]) == (first, last)
    assert page.locator(".shapes tbody th").all_text_contents()[-2:] == ["concatenated", "output"]


def test_heads_are_concatenated_and_mixed(page: Page) -> None:
    visit(page, "/multi_head?view=heads&query=2&step=4")
    answer = page.request.post("/api/multi_head", data=asked(page)).json()
    drawn = page.evaluate(MAPS)
    for row, name in zip(drawn[4:], ("concatenated", "output"), strict=True):
        np.testing.assert_allclose(row, answer[name][2], atol=0.005001)
    assert page.locator("#picture [data-step].is-later").count() == 0


def test_the_film_splits_attends_concatenates_and_mixes(page: Page) -> None:
    visit(page, "/multi_head?view=heads&query=1")
    slider, says = page.locator("#film input"), page.locator(".film-says")
    expect(says).to_contain_text("– / 7")  # the whole picture is no moment of the film
    slider.press("Home")
    slider.fill("1")
    slider.fill("0")
    expect(says).to_contain_text("Split: 4 heads, each with queries and keys of 4.")
    slider.fill("3")
    expect(says).to_contain_text("Head 2: “cat” attends most to")
    slider.fill("5")
    expect(says).to_contain_text("Concatenate: the heads' outputs stand side by side, 16 numbers.")
    assert page.locator("#picture .is-later").count() == 1
    slider.fill("6")
    expect(says).to_contain_text("W_O mixes".replace("_", ""))


def test_sizes_of_keys_and_values_are_free(page: Page) -> None:
    visit(page, "/multi_head?view=shapes&dModel=64&headDim=8&valueDim=32")
    rows = page.locator(".shapes tbody tr")
    sizes = {
        row.locator("th").inner_text(): re.sub(r"[^\d×]", "", row.locator(".shape").text_content() or "")
        for row in rows.all()
    }
    assert sizes["queries_by_head"] == "2×4×10×8"
    assert sizes["head_outputs"] == "2×4×10×32"
    assert sizes["concatenated"] == "2×10×128"


@pytest.mark.parametrize("heads", ["1", "4"])
def test_parameters_do_not_depend_on_the_number_of_heads(page: Page, heads: str) -> None:
    visit(page, f"/multi_head?view=shapes&heads={heads}&kvHeads={heads}&step=5")
    expect(page.locator(".step-line")).to_contain_text("1,088")


def test_one_wide_head_blurs_what_two_keep_apart(page: Page) -> None:
    visit(page, "/multi_head?view=counts")
    expect(page.locator(".bars-mark")).to_have_count(3)
    steps = page.locator("#steps .step")
    steps.nth(0).click()
    until(page, READY)
    blurred = [float(one) for one in re.findall(r"\d\.\d{4}", page.locator(".step-line").inner_text())]
    assert blurred[0] == blurred[1] < 0.5
    steps.nth(1).click()
    until(page, READY)
    one, other, third, fourth = map(float, re.findall(r"\d\.\d{4}", page.locator(".step-line").inner_text()))
    assert (one, other) == (fourth, third), "each head has the other's peak where its own is not"
    assert one > 0.9


def test_the_server_works_out_the_exercises(page: Page) -> None:
    visit(page, "/multi_head")
    for exercise in page.locator("[data-exercise]").all():
        exercise.locator("summary").click()
        expect(exercise.locator(".exercise-served")).to_contain_text("The server computes:")
        said = exercise.locator("details").inner_text()
        answer, served = (re.search(rf"{name}: (.*)", said) for name in ("Answer", "The server computes"))
        assert answer is not None
        assert served is not None
        assert answer[1] == served[1]
