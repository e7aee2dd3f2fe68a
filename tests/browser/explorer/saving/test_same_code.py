"""The code that the Explorer shows, run: it gives the numbers of the API, and of the client for Python."""

import json
import subprocess
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
import torch
from driving import MODEL, PLOTTED, SENTENCE
from playwright.sync_api import Page, expect
from settling import until

from attention_core.pretrained.models.sources import package_folders
from attention_observatory import Observatory

MINI = "observatory-gpt2-mini"
STATES: dict[str, dict[str, Any]] = {
    "an encoder": {"model": MODEL, "text": SENTENCE, "layer": 5, "head": 11, "query": 8},
    "two texts": {"model": MODEL, "text": 'She said "no".', "pair": "It's 猫だ。", "layer": 2, "head": 3, "query": 1},
    "a decoder": {"model": MINI, "text": SENTENCE, "layer": 3, "head": 2, "query": 4},
    "several heads": {"model": MODEL, "text": SENTENCE, "layer": 5, "head": 11, "heads": "3.1_0.2", "view": "lines"},
    "their mean": {"model": MODEL, "text": SENTENCE, "layer": 5, "head": 11, "heads": "3.1_0.2", "mean": 1},
}
T5 = {"model": "tiny-t5", "text": "The cat sat on the mat.", "target": "A small model reads", "layer": 1, "head": 3}


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


def shown_code(page: Page, state: dict[str, Any], kind: str = "With transformers alone") -> str:
    page.goto("/?" + urlencode(state))
    page.wait_for_selector("#bench[aria-busy=false]")
    page.locator("#same-code > summary").click()
    page.get_by_label(kind).check()
    until(page, "() => document.querySelector('#code code')?.textContent !== ''")
    return page.locator("#code code").text_content() or ""


def weights_of(code: str, folder: Path) -> np.ndarray[Any, Any]:
    """What the code, which has nothing but what it imports itself, calls ``weights``."""
    for model in package_folders():  # as from the hub, without a network
        code = code.replace(json.dumps(model.id), json.dumps(str(model.folder)))
    code = code.replace('"tiny-t5"', json.dumps(str(folder / "tiny-t5")))
    found: dict[str, Any] = {}
    with torch.enable_grad(), warnings.catch_warnings():
        warnings.simplefilter("default")  # as where users run it
        exec(code, found)  # noqa: S102 - our own code
    return np.array(found["weights"].tolist())


def api_weights(url: str, state: dict[str, Any], heads: list[tuple[int, int]], part: str | None = None) -> list[Any]:
    asked = {"text_pair": state.get("pair"), "target_text": state.get("target")}
    analysis = Observatory(url).analyse(state["text"], state["model"], **asked)
    return [analysis.weights(layer, head, part=part) for layer, head in heads]


@pytest.mark.parametrize("name", STATES)
def test_transformers_alone_gives_the_weights_of_the_api(
    page: Page, server_url: str, tmp_path: Path, name: str
) -> None:
    state = STATES[name]
    got = weights_of(shown_code(page, state), tmp_path)
    heads = [(state["layer"], state["head"])]
    heads += [tuple(map(int, one.split("."))) for one in state.get("heads", "").split("_") if one]
    want = np.array(api_weights(server_url, state, heads))
    want = want.mean(0) if "mean" in state else want if len(heads) > 1 else want[0]
    np.testing.assert_allclose(got, want, atol=1e-5)


@pytest.mark.parametrize("part", ["encoder", "decoder", "cross"])
def test_every_part_of_an_encoder_decoder(page: Page, server_url: str, models_folder: Path, part: str) -> None:
    code = shown_code(page, {**T5, "part": part})
    [want] = api_weights(server_url, T5, [(T5["layer"], T5["head"])], part)
    np.testing.assert_allclose(weights_of(code, models_folder), want, atol=1e-5)


@pytest.mark.parametrize("name", ["an encoder", "two texts", "a decoder"])
def test_the_client_writes_the_same_code(page: Page, server_url: str, name: str) -> None:
    state = STATES[name]
    analysis = Observatory(server_url).analyse(state["text"], state["model"], text_pair=state.get("pair"))
    assert shown_code(page, state) == analysis.code(state["layer"], state["head"], query=state["query"])


def test_the_client_writes_the_same_code_of_a_part(page: Page, server_url: str) -> None:
    analysis = Observatory(server_url).analyse(T5["text"], T5["model"], target_text=T5["target"])
    wanted = analysis.code(T5["layer"], T5["head"], part="cross", query=2)
    assert shown_code(page, {**T5, "part": "cross", "query": 2}) == wanted


@pytest.mark.parametrize("stage", ["raw_scores", "weights"])
def test_the_client_s_code_and_the_calls_give_the_stage_on_screen(page: Page, server_url: str, stage: str) -> None:
    state = {**STATES["an encoder"], "stage": stage, "changes": "off-4.2"}
    off = [{"kind": "head_off", "layer": 4, "heads": [2], "mode": "zero"}]
    analysis = Observatory(server_url).analyse(SENTENCE, MODEL, interventions=off)
    want = analysis.weights(5, 11, stage=stage)
    found: dict[str, Any] = {}
    exec(shown_code(page, state, "With our Python client"), found)  # noqa: S102 - our own code
    np.testing.assert_allclose(found["weights"], want, atol=1e-6)
    post, get = shown_code(page, state, "From the API").splitlines()
    answers = [
        json.loads(subprocess.run(["bash", "-c", call], capture_output=True, text=True, check=True).stdout)
        for call in (post, get)
    ]
    assert answers[0]["id"] == analysis.id
    np.testing.assert_allclose(answers[1]["matrix"], want, atol=1e-6)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"changes": "off-4.2"}, "Transformers has no switch for changes inside the model"),
        ({"stage": "scaled_scores"}, "Transformers returns weights only"),
    ],
)
def test_where_transformers_gives_other_numbers_a_sentence_says_so(
    page: Page, more: dict[str, str], reason: str
) -> None:
    page.goto("/?" + urlencode({**STATES["an encoder"], **more}))
    until(page, PLOTTED)
    page.locator("#same-code > summary").click()
    expect(page.locator("#code > .note")).to_contain_text(reason)
    expect(page.locator("#code pre")).to_be_hidden()
    expect(page.get_by_role("button", name="Copy code")).to_be_disabled()


def test_the_code_follows_the_head_and_is_copied(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    before = shown_code(page, STATES["an encoder"])
    page.get_by_role("gridcell", name="Layer 3, head 2").click()
    expect(page.locator("#code code")).not_to_have_text(before)
    expect(page.locator("#code code")).to_contain_text("output.attentions[3][0, 2]")
    page.get_by_role("button", name="Copy code").click()
    expect(page.locator("#code [role=status]")).to_have_text("Copied.")
    assert page.evaluate("() => navigator.clipboard.readText()") == page.locator("#code code").text_content()
