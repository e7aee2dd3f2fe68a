"""What heads do: numbers as the API answers them, heads and words to choose, links to what comes next."""

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect
from plotting import plot_in, series_in
from settling import until

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
DRAWN = """() => document.querySelector("#concept").getAttribute("aria-busy") === "false" &&
  !document.querySelector("[data-undrawn]")"""


def visit(page: Page, address: str = "/head_roles") -> None:
    page.goto(address)
    until(page, DRAWN)


def roles_of(page: Page, model: str = MINILM) -> Any:
    return page.request.post("/api/head_roles", data={"model": model}).json()


def relation_of(roles: Any, name: str, direction: str = "dependent_to_head") -> Any:
    return next(each for each in roles["relations"] if (each["relation"], each["direction"]) == (name, direction))


def parameters(page: Page, selector: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(page.locator(selector).get_attribute("href") or "").query))


def test_a_relation_beside_its_baseline(page: Page) -> None:
    visit(page)
    pronouns = relation_of(roles_of(page), "antecedent")
    best = pronouns["best"]
    expect(page.locator("#found")).to_have_text(
        f"pronoun → its noun: L{best['layer']} H{best['head']} finds {best['value']:.2f}, "
        f"the best fixed offset {pronouns['baseline']:.2f} ({-pronouns['offset']} words before)"
    )
    expect(page.locator("#heads svg")).to_contain_text(f"{pronouns['found'][1][3]:.2f}")
    example = page.request.post(
        "/api/head_roles/example", data={"model": MINILM, "role": "relation", "relation": "antecedent"}
    ).json()
    pair = example["pairs"][0]
    reader, right = example["words"][pair["reader"]], example["words"][pair["right"]]
    expect(page.locator("#sentence .roles-word.is-query")).to_have_text(reader)
    expect(page.locator("#sentence .roles-word.is-key")).to_have_text(right)
    weight = example["word_weights"][pair["reader"]][pair["strongest"]]
    expect(page.locator("#pair")).to_contain_text(f"“{reader}” attends most to")
    expect(page.locator("#pair")).to_contain_text(f"({weight:.2f})")
    page.locator(".step").nth(4).click()
    expect(page.locator(".step-line")).to_contain_text(f"{best['value'] - pronouns['baseline']:.4f}")
    series = series_in(plot_in(page, "#relations"))
    assert max(abs(one - two) for one, two in zip(series["best head"]["y"][:1], [best["value"]], strict=True)) < 1e-6
    assert parameters(page, "#to-atlas a")["layer"] == str(best["layer"])
    explorer = parameters(page, "#to-explorer")
    assert (explorer["text"], explorer["head"]) == (example["text"], str(best["head"]))


@pytest.mark.gate
def test_another_head_another_word_and_back(page: Page) -> None:
    visit(page)
    start = page.locator("#found").inner_text()
    page.locator("#heads svg").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"layer=\d+&head=\d+"))
    until(page, DRAWN)
    expect(page.locator("#found")).not_to_have_text(start)
    page.locator("#strongest").click()
    expect(page.locator("#found")).to_have_text(start)
    page.locator("#sentence .roles-hit").first.click()
    expect(page).to_have_url(re.compile("query=0"))
    first = page.locator("#sentence .roles-word").first
    expect(first).to_have_class(re.compile("is-query"))
    page.locator("[data-bind=query]").select_option("2")
    expect(page.locator("#sentence .roles-word").nth(2)).to_have_class(re.compile("is-query"))


def test_other_roles_and_models(page: Page) -> None:
    visit(page, "/head_roles?role=sink")
    roles = roles_of(page)
    sink = roles["standing_out"]["sink"][0]
    given = f"Layer {sink['layer']}, head {sink['head']} gives {sink['value']:.2f} of its attention"
    expect(page.locator("#found")).to_have_text(f"{given} to the first token and separators.")
    page.locator("[data-bind=role]").select_option("previous_token")
    expect(page.locator("#found")).to_have_text("Layer 0, head 2 gives 1.00 of its attention to the previous token.")
    page.locator("#presets").get_by_text("Induction, in a decoder").click()
    expect(page.locator("#found")).to_contain_text("Layer 1, head 0 gives 0.8")
    expect(page.locator("#profile")).to_contain_text("induction")


def test_the_prediction_and_the_misconception_are_true(page: Page) -> None:
    visit(page)
    roles = roles_of(page)
    surnames = relation_of(roles, "flat")
    assert (surnames["best"]["value"], surnames["baseline"]) == (1.0, 1.0)
    assert (surnames["best"]["layer"], surnames["best"]["head"]) == (0, 2)
    page.locator(".predict-option").nth(1).click()
    expect(page.locator(".predict-verdict")).to_have_text("Yes.")
    page.locator(".predict-because a").click()
    expect(page.locator(".step-line")).to_contain_text("1.0000−1.0000=0.0000")
    page.locator(".misconception .is-right a").click()
    assert roles["values"]["sink"][3][1] > 0.5
    expect(page.locator("#found")).to_contain_text(f"Layer 3, head 1 gives {roles['values']['sink'][3][1]:.2f}")
    over_half = len(roles["standing_out"]["sink"])
    assert over_half > 72 / 3
