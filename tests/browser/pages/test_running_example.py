"""One sentence from page to page: what each page of the way shows is what transformers computes, run here directly."""

import math
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
import torch
from driving import DRAWN
from playwright.sync_api import Page, Response, expect
from settling import until
from transformers import AutoModel, AutoTokenizer

from attention_core.pretrained.models.sources import package_folders
from server.pages.running_example import CAT, HEAD, IT, LAYER, MINILM, SENTENCE, STATIONS

HEADS, SIZE = 12, 32
NUMBER = re.compile(r"[−-]?\d+\.\d+")
NAMES = {station.stem: station.name for station in reversed(STATIONS)}


@dataclass(frozen=True)
class Truth:
    """Of the sentence in MiniLM, by transformers alone."""

    embedding: Any
    before: Any
    after: Any
    queries: Any
    keys: Any
    values: Any
    weights: Any
    output: Any


@pytest.fixture(scope="module")
def truth() -> Truth:
    folder = next(place.folder for place in package_folders() if place.id == MINILM)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
    inputs = AutoTokenizer.from_pretrained(folder)(SENTENCE, return_tensors="pt")
    written: list[torch.Tensor] = []
    own = model.encoder.layer[LAYER].attention
    own.output.dense.register_forward_hook(lambda _module, _args, output: written.append(output))
    with torch.no_grad():
        found = model(**inputs, output_attentions=True, output_hidden_states=True)
        before = found.hidden_states[LAYER]
        part = slice(HEAD * SIZE, (HEAD + 1) * SIZE)
        q, k, v = (each(before)[0, :, part].numpy() for each in (own.self.query, own.self.key, own.self.value))
        table = model.get_input_embeddings()(inputs["input_ids"])[0].numpy()
    states = [state[0].numpy() for state in found.hidden_states]
    weights = found.attentions[LAYER][0].numpy()
    return Truth(table, states[LAYER], states[LAYER + 1], q, k, v, weights, written[0][0].numpy())


def numbers(text: str) -> list[float]:
    return [float(one.replace("−", "-")) for one in NUMBER.findall(text)]


def follow(page: Page, stem: str, path: str = "") -> Any:
    """Go to the next page of the way by its link; the answer to a call of that page, None where there is none."""
    answers: dict[str, Response] = {}
    page.on("response", lambda response: answers.update({urlsplit(response.url).path: response}))
    page.locator(".example-stations").get_by_role("link", name=NAMES[stem], exact=True).click()
    page.wait_for_url(f"**/{stem}?**")
    until(page, DRAWN)
    expect(page.locator("#presets [aria-current=true]")).to_have_text("The running example")
    found = answers.get(f"/api/{stem}{path}")
    return None if found is None else found.json()


def close(got: Any, want: Any, atol: float) -> None:
    np.testing.assert_allclose(np.asarray(got, dtype=float), want, atol=atol, rtol=0)


def test_the_numbers_are_the_same_from_page_to_page(page: Page, truth: Truth) -> None:
    raw = truth.queries[IT] @ truth.keys.T
    scaled, weights = raw / math.sqrt(SIZE), truth.weights[HEAD, IT]
    page.goto("/embedding")
    until(page, DRAWN)

    answer = follow(page, "embedding")
    close(answer["vectors"], truth.embedding, 1e-6)
    expect(page.get_by_text("Row 2009 of the table: “it”, 384 numbers")).to_be_visible()

    answer = follow(page, "projections")
    close(answer["inputs"], truth.before, 1e-5)
    close(answer["queries"], truth.queries, 2e-5)
    close(answer["keys"], truth.keys, 2e-5)
    close(answer["values"], truth.values, 2e-5)
    close(answer["raw_scores"][IT], raw, 1e-4)
    close(answer["weights"][IT], weights, 1e-5)
    shown = page.locator(".role-stage").filter(has_text="Weights").locator("svg.mark")
    expect(shown).to_contain_text(f"{weights[CAT]:.4f}")

    assert follow(page, "circle") is None
    rows = page.locator("#steps table tbody tr")
    close([numbers(row.inner_text())[2] for row in rows.all()[: len(raw)]], raw, 4e-4)
    expect(page.locator("#bars, .bench-column").first).to_contain_text(f"{weights[CAT]:.3f}".lstrip("0"))

    answer = follow(page, "scaling", "/saturation")
    close(answer["scaled"]["scores"], scaled, 1e-4)
    close(answer["scaled"]["weights"], weights, 1e-4)

    answer = follow(page, "softmax")
    close(answer["scores"], scaled, 2e-5)
    close(answer["stable"]["weights"], weights, 1e-5)
    expect(page.locator("#marks")).to_contain_text(f"{weights[CAT]:.4f}")

    answer = follow(page, "multi_head")
    close(answer["weights"], truth.weights, 1e-5)
    close(answer["output"], truth.output, 2e-5)
    cells = numbers(" ".join(page.locator(".heads-rows svg.mark text").all_text_contents()))
    close(np.reshape(cells, (HEADS, -1)), truth.weights[:, IT], 5.1e-4)

    answer = follow(page, "block")
    at = {station["name"]: station["vector"] for station in answer["stations"]}
    close(at["inputs"], truth.before[IT], 1e-5)
    close(at["outputs"], truth.after[IT], 1e-5)


@pytest.mark.gate
def test_the_prediction_follows_in_the_model(page: Page) -> None:
    page.goto("/block")
    page.locator(".example-stations").get_by_role("link", name="Prediction", exact=True).click()
    page.wait_for_url("**/decoder?**")
    page.get_by_role("link", name="See these numbers in the model").click()
    expect(page.locator("#predictions .reads-value").first).to_have_text("0.088")
