"""Rollout and flow in the Explorer, checked against products and maximum flows computed here."""

import json
import re
from typing import Any

import numpy as np
import pytest
from chaining import largest_flow, mean_weights, rollouts
from driving import Traffic, answers, expect_address, expect_drawn, parameters, read_number
from playwright.sync_api import Locator, Page, expect
from settling import until

WHOLE = ".rollout-whole"
READY = "#panel-rollout .rollout[aria-busy=false]"


def listed(page: Page) -> dict[int, list[float]]:
    """The numbers in the list of strongest tokens, by token, once all are there."""
    expect(page.locator(".rollout-tokens")).not_to_contain_text("…")
    rows = page.locator(".rollout-tokens tbody tr").evaluate_all(
        """(rows) => rows.map((row) => [row.querySelector("[data-key]").dataset.key,
          ...[...row.querySelectorAll("td")].map((cell) => cell.textContent)])"""
    )
    return {int(key): [read_number(text) for text in texts] for key, *texts in rows}


def cell(page: Page, heading: str, row: tuple[int, int], key: tuple[int, int]) -> tuple[float, float]:
    """The middle of a cell on screen: each as a place and how many there are."""
    hatch = page.locator(".rollout-section", has_text=heading).locator(".matrix-hatch")
    hatch.scroll_into_view_if_needed()
    box = hatch.bounding_box()
    assert box
    return box["x"] + (key[0] + 0.5) * box["width"] / key[1], box["y"] + (row[0] + 0.5) * box["height"] / row[1]


def shown_in(page: Page, heading: str) -> Locator:
    return page.locator(".rollout-section", has_text=heading).locator(".matrix-tip")


def open_rollout(page: Page, address: str = "/?view=rollout") -> None:
    page.goto(address)
    page.wait_for_selector(READY)


def test_rollout_and_mean_weights_are_those_of_every_layer(page: Page) -> None:
    open_rollout(page)
    means = mean_weights(page)
    products = rollouts(means)
    places = [(0, 8), (1, 0), (3, 12), (5, 2)]
    for heading, rows, name in (("Rollout", products, "after"), ("Mean of the heads", means, "in")):
        for layer, key in places:
            page.mouse.move(*cell(page, heading, (layer, 6), (key, 13)))
            tip = shown_in(page, heading)
            expect(tip.locator(".cell-value")).to_have_text(f"{rows[layer][8, key]:.4f}")
            expect(tip.locator(".cell-pair")).to_contain_text(f"{name} layer {layer}")
            expect(page.locator(f".token[data-index='{key}']")).to_have_class(re.compile("is-pointed-key"))
    readout = page.locator(".rollout-readout")
    expect(readout).to_contain_text(f"rollout {products[5][8, 2]:.4f}")
    expect(readout).to_contain_text(f"mean of heads {means[5][8, 2]:.4f}")


@pytest.mark.gate
def test_the_strongest_tokens_are_listed_with_the_flow(page: Page) -> None:
    open_rollout(page)
    means = mean_weights(page)
    product = rollouts(means)[5][8]
    found = listed(page)
    assert list(found)[:10] == [int(key) for key in np.argsort(-product)[:10]]
    for key, (rollout, mean, _) in found.items():
        assert rollout == pytest.approx(product[key], abs=6e-5)
        assert mean == pytest.approx(means[5][8, key], abs=6e-5)
    for key in (0, 2, 11):
        assert found[key][2] == pytest.approx(largest_flow(means, 8, key), abs=6e-5)
    rest = 1 - sum(product[key] for key in found)
    expect(page.locator(".rollout-tokens tfoot")).to_contain_text(f"{rest:.4f}")


def test_a_row_chooses_the_layer_and_back_leads_back(page: Page) -> None:
    open_rollout(page)
    means = mean_weights(page)
    page.mouse.click(*cell(page, "Rollout", (1, 6), (9, 13)))
    expect(page.locator("#heads-name")).to_have_text("Layer 1, head 11")
    expect(page.locator(".rollout-tokens caption")).to_have_text("Strongest after layer 1")
    expect_address(page, view="rollout", layer="1", key="9")
    expect(page.locator(".rollout-readout")).to_contain_text(f"rollout {rollouts(means)[1][8, 9]:.4f}")
    expect(page.locator(".rollout-readout")).to_contain_text(f"flow {largest_flow(means[:2], 8, 9):.4f}")
    page.locator(".token[data-index='3']").click()
    expect(page.locator(".rollout-title")).to_contain_text("sat")
    page.wait_for_selector(READY)
    assert next(iter(listed(page))) == int(np.argmax(rollouts(means)[1][3]))
    page.go_back()
    expect(page.locator(".rollout-title")).to_contain_text("it")
    page.go_back()
    expect(page.locator(".rollout-tokens caption")).to_have_text("Strongest after layer 5")


def test_the_keyboard_does_all_of_it(page: Page) -> None:
    open_rollout(page)
    products = rollouts(mean_weights(page))
    page.locator(".rollout-section .matrix-frame").first.focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.locator(".rollout-readout")).to_contain_text(f"after layer 3 · sat3rollout {products[3][8, 3]:.4f}")
    page.keyboard.press("+")
    expect(page.locator("#panel-rollout .can-pan").first).to_be_visible()
    until(page, "() => new URLSearchParams(location.search).has('cols')")
    first, end = map(int, parameters(page)["cols"].split(":"))
    assert end - first == 7  # of 13
    assert first <= 3 < end
    page.mouse.move(*cell(page, "Rollout", (4, 6), (1, 7)))
    expect(shown_in(page, "Rollout").locator(".cell-value")).to_have_text(f"{products[4][8, first + 1]:.4f}")
    page.keyboard.press("Escape")
    expect(page.locator("#panel-rollout .can-pan")).to_have_count(0)
    page.locator(".rollout-token").nth(1).press("Enter")
    expect(page.locator(".rollout-token[aria-pressed=true]")).to_have_count(1)
    chosen = page.locator(".rollout-token").nth(1).get_attribute("data-key")
    expect(page.locator(".rollout-token[aria-pressed=true]")).to_have_attribute("data-key", chosen or "")


def test_a_shorter_text_may_come_while_the_pointer_is_on_a_map(page: Page) -> None:
    open_rollout(page)
    x, y = cell(page, "Rollout", (3, 6), (12, 13))
    place = {"clientX": x, "clientY": y, "bubbles": True, "pointerId": 1}
    page.locator(".rollout-section .matrix-frame").first.dispatch_event("pointermove", place)
    expect(shown_in(page, "Rollout")).to_be_visible()
    page.locator("#text").fill("The cat sat.")
    page.locator("#text").press("Enter")
    expect(page.locator(".token")).to_have_count(6)
    page.wait_for_selector(READY)
    expect(shown_in(page, "Rollout")).to_be_hidden()


def test_every_query_at_once_is_the_whole_product(page: Page) -> None:
    open_rollout(page, "/?view=rollout&layer=2")
    product = rollouts(mean_weights(page))[2]
    expect_drawn(page, product, atol=1e-5, place=WHOLE)
    hatch = page.locator(".rollout-whole .matrix-hatch")
    hatch.scroll_into_view_if_needed()
    box = hatch.bounding_box()
    assert box
    page.mouse.click(box["x"] + 4.5 * box["width"] / 13, box["y"] + 10.5 * box["height"] / 13)
    expect(page.locator(".rollout-whole .readout .cell-value")).to_have_text(f"{product[10, 4]:.4f}")
    expect(page.locator(".rollout-title")).to_contain_text("tired")
    until(page, "() => new URLSearchParams(location.search).get('query') === '10'")


def test_the_maps_are_read_as_a_table(page: Page) -> None:
    open_rollout(page, "/?view=rollout&layer=1")
    means = mean_weights(page)
    page.locator(".rollout summary").click()
    rows = page.locator(".rollout .numbers tbody tr")
    expect(rows).to_have_count(13)
    found = [[read_number(text) for text in row.locator("td").all_text_contents()] for row in rows.all()]
    expected = np.array([each[8] for each in (*rollouts(means), *means)]).T
    np.testing.assert_allclose(found, expected, atol=6e-5)


def test_special_tokens_are_hidden(page: Page) -> None:
    open_rollout(page, "/?view=rollout&layer=4&hide=1")
    product = rollouts(mean_weights(page))[4]
    expect_drawn(page, product[1:-1, 1:-1], atol=1e-5, place=WHOLE)
    assert set(listed(page)) <= set(range(11))  # places
    expect(page.locator(".rollout-tokens")).not_to_contain_text("[CLS]")
    page.mouse.move(*cell(page, "Rollout", (4, 6), (1, 11)))
    expect(shown_in(page, "Rollout").locator(".cell-value")).to_have_text(f"{product[8, 2]:.4f}")
    page.get_by_label("Hide special tokens").uncheck()
    expect_drawn(page, product, atol=1e-5, place=WHOLE)


def test_a_decoder_is_mixed_from_earlier_tokens_alone(page: Page) -> None:
    text = "The keys to the cabinet are on the table."
    open_rollout(page, f"/?model=observatory-gpt2-mini&text={text}&view=rollout&layer=3&query=4")
    means = mean_weights(page, "observatory-gpt2-mini", text)
    product = rollouts(means)[3]
    for key, (rollout, mean, flow) in listed(page).items():
        assert rollout == pytest.approx(product[4, key], abs=6e-5)
        assert mean == pytest.approx(means[3][4, key], abs=6e-5)
        assert (rollout > 0) == (flow > 0) == (key <= 4)
    expect_drawn(page, product, atol=1e-5, place=WHOLE)


def test_a_changed_model_is_followed(page: Page) -> None:
    open_rollout(page, "/?view=rollout&changes=off-0.0")
    off = {"kind": "head_off", "layer": 0, "heads": [0], "mode": "zero"}
    product = rollouts(mean_weights(page, interventions=[off]))[5]
    assert abs(product - rollouts(mean_weights(page))[5]).max() > 1e-3
    expect_drawn(page, product, atol=1e-5, place=WHOLE)
    expect(page.locator(".rollout-readout")).to_contain_text(f"rollout {product[8, 2]:.4f}")


def test_a_longer_text_has_no_flow_and_asks_for_none(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    traffic = Traffic(page)
    text = " ".join(["The cat sat on the mat because it was tired."] * 7)
    open_rollout(page, f"/?text={text}&view=rollout&layer=5&query=8")
    traffic.settle()
    expect(page.locator(".rollout-section").last).to_contain_text(
        "Flow is computed for up to 64 tokens; this text has 79."
    )
    assert [url for url in asked if "/flow" in url] == []
    product = rollouts(mean_weights(page, text=text))[5]
    expect_drawn(page, product, atol=1e-5, place=WHOLE)
    found = listed(page)
    assert list(found) == [int(key) for key in np.argsort(-product[8])[:10]]
    for key, (rollout, _) in found.items():
        assert rollout == pytest.approx(product[8, key], abs=6e-5)


def test_what_cannot_be_had_is_said_in_its_place(page: Page, problems: Any) -> None:
    problems.expect("503")
    body = {"error": {"code": "server_busy", "message": "The server is busy.", "field": None, "limit": 66}}
    with answers(page, "**/rollout/layers*", lambda route: route.fulfill(status=503, body=json.dumps(body))):
        page.goto("/?view=rollout")
        expect(page.locator("#panel-rollout .failure [role=alert]")).to_have_text("The server is busy.")
    page.locator(".token[data-index='3']").click()
    page.wait_for_selector(READY)
    expect(page.locator("#panel-rollout .failure [role=alert]")).to_be_hidden()
