"""Explaining outputs of other models: masked tokens, encoder–decoders, image classes."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving import expect_address
from odd_models import write_odd_model
from playwright.sync_api import Page, expect
from serving import serving
from settling import until
from tiny_models import write_classifier_folder, write_model_folder

READY = """() => document.querySelector("#bench").getAttribute("aria-busy") === "false" &&
  document.querySelector(".output-results")?.getAttribute("aria-busy") === "false" &&
  document.querySelector(".shares-picture .mark-cell")"""


@pytest.fixture(scope="module")
def server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory = tmp_path_factory.mktemp("models")
    for name in ("tiny-bert", "tiny-t5"):
        write_model_folder(directory, name)
    write_classifier_folder(directory)
    write_odd_model(directory, "gemma2")
    log = tmp_path_factory.mktemp("server") / "log"
    with serving(root, log, OBSERVATORY_MODELS_DIR=str(directory)) as address:
        yield address


def asked(page: Page, path: str) -> Any:
    """The API's own answer, asked for beside the page."""
    answer = page.request.get(path)
    assert answer.ok, answer.text()
    return answer.json()


def assert_heads(page: Page, found: Any, part: str) -> None:
    """Every number in the picture, as exactly as it is said there."""
    heads = np.array(next(one["heads"] for one in found["parts"] if one["name"] == part))
    texts = [text.replace("−", "-") for text in page.locator(".shares-picture .mark-cell text").all_text_contents()]
    bound = 0.501 * 10.0 ** -len(texts[0].partition(".")[2])
    np.testing.assert_allclose(np.array(texts, dtype=float).reshape(heads.shape), heads, rtol=0, atol=bound)


def test_a_masked_token(page: Page) -> None:
    page.goto("/?model=tiny-bert&text=A small [MASK] reads.&view=output&query=2")
    until(page, READY)
    title = page.locator(".output-chooser .token-title")
    expect(title).to_contain_text("In place of this token the model predicts:")
    expect(page.locator(".output-looks")).to_be_hidden()
    page.get_by_role("button", name="Go to the masked token").click()
    expect(title).to_contain_text("[MASK]")
    expect(page.get_by_role("button", name="Go to the masked token")).to_have_count(0)
    analysis = page.request.post("/api/analyses", data={"model": "tiny-bert", "text": "A small [MASK] reads."}).json()
    first = analysis["predictions"][0]["candidates"][0]
    place = analysis["predictions"][0]["index"]
    expect_address(page, query=str(place))
    expect(page.locator(".output-chips input:checked")).to_have_value(str(first["id"]))
    expect(page.locator(".attribution-output strong")).to_have_text(f"{first['logit']:.3f}".replace("-", "−"))
    found = asked(page, f"/api/analyses/{analysis['id']}/attribution?position={place}&token={first['id']}")
    assert_heads(page, found, "encoder")


def test_a_model_with_two_sides(page: Page) -> None:
    text, target = "The cat sat.", "A small model reads"
    page.goto(f"/?model=tiny-t5&text={text}&target={target}&view=output&part=cross&query=3")
    until(page, READY)
    expect(page.locator(".output-note")).to_contain_text(
        "Logit lens and direct effect are available for decoders with one residual stream"
    )
    body = {"model": "tiny-t5", "text": text, "target_text": target}
    analysis = page.request.post("/api/analyses", data=body).json()
    last = len(analysis["target_tokens"]) - 1
    found = asked(page, f"/api/analyses/{analysis['id']}/attribution?position=3")
    assert_heads(page, found, "cross")
    page.locator("#parts label").first.click()
    expect(page.locator("#grid-size")).to_have_text("2 layers × 4 heads")
    expect(page.locator(".output-chooser .token-index")).to_have_text(str(last))
    expect(page.locator(".shares-picture .mark-cell")).to_have_count(8)
    found = asked(page, f"/api/analyses/{analysis['id']}/attribution?position={last}")
    expect(page.locator(".attribution-output strong")).to_have_text(f"{found['output']:.3f}".replace("-", "−"))
    assert_heads(page, found, "encoder")


def test_a_class_of_a_picture_less_another(page: Page) -> None:
    page.goto("/?model=tiny-vit-classes&view=output&picture=shapes")
    until(page, READY)
    expect(page.locator(".output-chooser .token-title")).to_have_text("The model classifies the whole input as:")
    names = page.locator(".output-chip bdi")
    assert sorted(names.all_text_contents()) == ["circle", "square", "star"]
    first, second = names.nth(0).text_content(), names.nth(1).text_content()
    page.get_by_label("minus the logit of").select_option(label=second)
    expect(page.locator(".attribution-output")).to_have_text(
        re.compile(rf"^logit of “{first}” minus that of “{second}”: 0\.\d{{3}}$")
    )
    expect(page.locator("#panel-output > .field-error")).to_be_hidden()
    expect(page.locator(".attribution-weights .signed-list button").first).to_contain_text("[CLS]")


def test_a_model_that_norms_what_it_writes_and_caps_its_logits(page: Page) -> None:
    text = "A small model reads"
    analysis = page.request.post("/api/analyses", data={"model": "gemma2", "text": text}).json()
    last = len(analysis["tokens"]) - 1
    page.goto(f"/?model=gemma2&text={text}&view=output&query={last}&look=direct_effect")
    until(page, READY)
    found = asked(page, f"/api/analyses/{analysis['id']}/direct_effect?position={last}")
    rows = page.locator(".effect-table tr")
    expect(rows.last).to_contain_text("as the model computes it, before its cap")
    expect(rows.last.locator("td").first).to_have_text(f"{found['logit']:.3f}".replace("-", "−"))
    capped = 6 * np.tanh(found["logit"] / 6)
    assert capped == pytest.approx(analysis["predictions"][0]["candidates"][0]["logit"], abs=1e-4)
    notes = page.locator(".effect-sum .note")
    expect(notes).to_have_count(2)
    expect(notes.first).to_contain_text("The scale of these norms is held fixed, too")
    expect(notes.last).to_contain_text("c · tanh(logit / c) with c = 6.")
    page.get_by_label("Logit lens").check()
    until(page, "() => document.querySelector('.lens-table tbody tr:last-child .lens-number')")
    expect(page.locator(".lens-table tbody tr")).to_have_count(3)
