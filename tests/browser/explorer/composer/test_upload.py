"""Uploaded tensors in the Explorer: chosen from disk or opened by address, drawn unchanged."""

import io
import json
import re
from typing import Any

import numpy as np
import pytest
from driving import MODEL, PLOTTED, choose_model, expect_drawn, expect_fits, head, open_more, visit
from playwright.sync_api import Page, expect
from settling import until

TOKENS = ["[CLS]", "the", "猫", "<b>sat</b>", "[SEP]"]
WEIGHTS = np.random.default_rng(5).dirichlet(np.ones(5), (2, 3, 5)).astype(np.float32)


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def choose(page: Page, name: str, data: bytes) -> None:
    if not page.locator("#upload-file").is_visible():
        open_more(page, "upload")
    page.locator("#upload-file").set_input_files({"name": name, "mimeType": "", "buffer": data})


@pytest.mark.gate
def test_a_file_is_chosen_and_drawn_and_has_an_address(page: Page) -> None:
    visit(page)
    choose(page, "mine.npz", npz(weights=WEIGHTS, tokens=np.array(TOKENS)))
    expect(page.get_by_role("gridcell")).to_have_count(6)
    expect(page.locator(".token")).to_have_text([re.compile(re.escape(token)) for token in TOKENS])
    expect_drawn(page, WEIGHTS[0, 0])
    head(page, 1, 2).click()
    expect(page.locator("#head-title")).to_have_text("Layer 1, head 2")
    expect_drawn(page, WEIGHTS[1, 2])
    until(page, "() => new URLSearchParams(location.search).get('model').startsWith('tensors-')")
    expect(page.locator("#model-name")).to_have_text("Own tensors")
    page.reload()
    expect_drawn(page, WEIGHTS[1, 2])


def test_stages_that_are_not_known_cannot_be_chosen(page: Page) -> None:
    answer = page.request.post("/api/tensors", data=json.dumps({"weights": WEIGHTS.tolist()})).json()
    visit(page, f"/?model={answer['id']}&text=Some+words&stage=raw_scores")
    enabled = page.locator("input[name=stage]:enabled")
    expect(enabled).to_have_count(1)
    expect(enabled).to_have_value("weights")
    expect(page.locator("input[name=stage][value=weights]")).to_be_checked()
    choose_model(page, MODEL)
    page.locator("#text").fill("Words again.")
    page.keyboard.press("Enter")
    expect(page.get_by_role("gridcell")).to_have_count(72)
    expect(page.locator("input[name=stage]:disabled")).to_have_count(0)


def test_a_warning_is_shown_and_goes_with_what_it_is_about(page: Page) -> None:
    visit(page)
    expect(page.locator(".warnings")).to_be_hidden()
    choose(page, "half.json", json.dumps({"weights": (WEIGHTS / 2).tolist(), "tokens": TOKENS}).encode())
    expect(page.locator(".warnings")).to_contain_text("In 30 of 30 rows of weights the weights do not sum to 1")
    choose(page, "whole.json", json.dumps({"weights": WEIGHTS.tolist(), "tokens": TOKENS}).encode())
    expect(page.locator(".warnings")).to_be_hidden()


def test_what_is_wrong_is_said_beside_the_file_and_keeps_the_picture(page: Page, problems: Any) -> None:
    problems.expect("console: .*422")
    visit(page)
    choose(page, "bad.json", json.dumps({"weights": [[0.5, 0.5], [1.0, -1.0]]}).encode())
    expect(page.locator("#upload-error")).to_have_text("weights is negative at layer 0, head 0, query 1, key 1.")
    expect(page.locator(".token")).to_have_count(13)


def test_tensors_that_are_gone_are_asked_for_again(page: Page, problems: Any) -> None:
    problems.expect("console: .*404")
    page.goto(f"/?model=tensors-{'0' * 32}&text=+")
    expect(page.locator("#progress")).to_contain_text("Upload them again")


def test_a_file_with_warnings_fits_everyone(each_look: Page, axe: Any) -> None:
    visit(each_look)
    open_more(each_look, "upload")
    data = json.dumps({"weights": (WEIGHTS / 2).tolist(), "tokens": TOKENS}).encode()
    each_look.locator("#upload-file").set_input_files({"name": "half.json", "mimeType": "", "buffer": data})
    expect(each_look.locator(".warnings")).to_be_visible()
    until(each_look, PLOTTED)
    expect_fits(each_look, axe)
