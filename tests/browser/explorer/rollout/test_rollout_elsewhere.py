"""Rollout of other models, of uploaded tensors, and in offline files."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chaining import Array, mean_weights, means_of, rollouts
from driving import MODEL, SENTENCE, Traffic, read_number
from playwright.sync_api import Browser, Page, expect

READY = ".rollout[aria-busy=false]"


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


def listed(page: Page) -> list[list[float]]:
    """Token, rollout and mean weight of every line in the list of strongest tokens."""
    rows = page.locator(".rollout-tokens tbody tr").evaluate_all(
        """(rows) => rows.map((row) => [row.querySelector("[data-key]").dataset.key,
          ...[...row.querySelectorAll("td")].slice(0, 2).map((cell) => cell.textContent)])"""
    )
    return [[read_number(text) for text in row] for row in rows]


def expect_listed(page: Page, means: list[Array], layer: int, query: int) -> None:
    row = rollouts(means)[layer][query]
    best = np.argsort(-row, kind="stable")[:10]
    found = np.array(listed(page))[: len(best)]
    np.testing.assert_allclose(found[:, 1], row[best], atol=6e-5)
    np.testing.assert_allclose(found[:, 2], means[layer][query][found[:, 0].astype(int)], atol=6e-5)


def test_between_two_texts_there_is_none_and_nothing_is_asked(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    traffic = Traffic(page)
    page.goto("/?model=tiny-t5&text=The cat sat on the mat.&target=A small model reads&part=cross&view=rollout")
    expect(page.locator("#panel-rollout")).to_contain_text("neither rollout nor flow")
    traffic.settle()
    assert [url for url in asked if "/api/analyses/" in url and ("/rollout" in url or "/flow" in url)] == []
    body = {"model": "tiny-t5", "text": "The cat sat on the mat.", "target_text": "A small model reads"}
    analysis = page.request.post("/api/analyses", data=body).json()
    page.locator("#parts label").nth(1).click()
    page.wait_for_selector(READY)
    expect(page.locator(".token")).to_have_count(analysis["parts"][1]["query_tokens"])
    page.locator(".token").nth(2).click()
    expect(page.locator(".rollout-title .token-index")).to_have_text("2")
    page.wait_for_selector(READY)
    layer = int((page.locator(".rollout-tokens caption").text_content() or "").split()[-1])
    whole = page.request.get(f"/api/analyses/{analysis['id']}/rollout?part=decoder&layer={layer}&encoding=json").json()[
        "matrix"
    ]
    for key, rollout, _ in listed(page):
        assert rollout == pytest.approx(whole[2][int(key)], abs=6e-5)
    assert all(weight == 0 for weight in whole[2][3:]), "the decoder reads nothing later"


def test_patches_are_tokens(page: Page) -> None:
    with page.expect_response("**/api/analyses/image") as response:
        page.goto("/?model=tiny-vit&picture=shapes&view=rollout&layer=1&query=2")
    page.wait_for_selector(READY)
    means = means_of(page, response.value.json())
    expect_listed(page, means, 1, 2)
    expect(page.locator(".rollout-title")).to_contain_text("row 0, column 1")


def test_uploaded_weights_are_chained_too(page: Page) -> None:
    weights = np.random.default_rng(5).dirichlet(np.ones(5), (3, 2, 5))
    body = {"weights": weights.tolist(), "tokens": ["[CLS]", "the", "猫", "sat", "[SEP]"]}
    answer = page.request.post("/api/tensors", data=json.dumps(body)).json()
    page.goto(f"/?model={answer['id']}&view=rollout&layer=2&query=3")
    page.wait_for_selector(READY)
    expect_listed(page, list(weights.mean(axis=1)), 2, 3)


@pytest.fixture
def open_file(browser: Browser, page: Page, tmp_path: Path) -> Any:
    """An exported analysis in a browser without a network. Any complaint fails the test."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True)
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))

    def open_one(body: dict[str, Any], **query: Any) -> Page:
        analysis = page.request.post("/api/analyses", data=body).json()
        exported = page.request.get(f"/api/analyses/{analysis['id']}/export", params={"format": "html", **query})
        path = tmp_path / "file.html"
        path.write_bytes(exported.body())
        opened = context.new_page()
        opened.goto(path.as_uri())
        expect(opened.locator(".matrix-frame")).to_have_count(1)  # nothing is computed before it is asked for
        opened.get_by_role("tab", name="Rollout").click()
        expect(opened.locator("#panel-rollout .rollout-notes")).to_be_visible()
        return opened

    yield open_one
    context.close()
    assert complaints == []


def test_a_saved_file_computes_the_rollout_from_its_weights(page: Page, open_file: Any) -> None:
    saved = open_file({"model": MODEL, "text": SENTENCE}, layer=5, head=11, query=8, key=2)
    means = mean_weights(page)
    expect_listed(saved, means, 5, 8)
    product = rollouts(means)
    expect(saved.locator(".rollout-readout")).to_contain_text(f"rollout {product[5][8, 2]:.4f}")
    expect(saved.locator("#panel-rollout")).to_contain_text("The flow is not in this file")
    hatch = saved.locator(".rollout-section .matrix-hatch").first
    hatch.scroll_into_view_if_needed()
    box = hatch.bounding_box()
    assert box
    saved.mouse.click(box["x"] + 9.5 * box["width"] / 13, box["y"] + 2.5 * box["height"] / 6)
    expect(saved.locator("#heads-name")).to_have_text("Layer 2, head 11")
    expect(saved.locator(".rollout-readout")).to_contain_text(f"rollout {product[2][8, 9]:.4f}")
    expect(saved.locator(".rollout-whole .readout .cell-value")).to_have_text(f"{product[2][8, 9]:.4f}")
    saved.locator("#tokens .token").nth(4).click()
    expect(saved.locator(".rollout-title")).to_contain_text("on")
    expect_listed(saved, means, 2, 4)


def test_a_saved_file_without_all_weights_says_so(open_file: Any) -> None:
    text = " ".join(f"Line {number} of a long text." for number in range(40))
    saved = open_file({"model": MODEL, "text": text}, layer=1, head=8)
    expect(saved.locator("#panel-rollout")).to_contain_text("Rollout needs the weights of all heads")
    expect(saved.locator(".rollout-section:visible")).to_have_count(0)
