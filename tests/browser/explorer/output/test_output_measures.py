"""Sort, filter and colour heads by their contribution to one output.

Oracles: the logit taken apart by hand in plain transformers (direct effect), and the API's own sums (gradients), which
tests of the core compare with torch's.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from driving import MODEL, SETTLED, expect_address
from playwright.sync_api import Locator, Page, expect
from settling import until
from transformers import AutoTokenizer, GPT2LMHeadModel

from attention_core.pretrained.models import sources

DECODER = "observatory-gpt2-mini"
TEXT = "The cat sat on the mat. The cat sat on"
START = f"/?model={DECODER}&text={TEXT}&query=10"


@pytest.fixture(scope="module")
def effects() -> Callable[[int, int], np.ndarray[Any, Any]]:
    """Layers × heads: each head's output through W_O, the last norm's held scale and the token's row."""
    folder = Path(sources.__file__).parent / "shipped" / DECODER
    model = GPT2LMHeadModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
    tokens = AutoTokenizer.from_pretrained(folder)(TEXT, return_tensors="pt")
    layers, heads, size = model.config.n_layer, model.config.n_head, model.config.n_embd
    joined: list[torch.Tensor] = []
    hooks = [
        block.attn.c_proj.register_forward_pre_hook(lambda _, given: joined.append(given[0][0]))
        for block in model.transformer.h
    ]
    with torch.no_grad():
        states = model(**tokens, output_hidden_states=True)
        stream = [torch.zeros(0)]
        last = model.transformer.ln_f.register_forward_pre_hook(lambda _, given: stream.__setitem__(0, given[0][0]))
        model(**tokens)
    for hook in (*hooks, last):
        hook.remove()
    assert states.logits.shape[1] == 11

    @torch.no_grad()
    def of(position: int, token: int) -> np.ndarray[Any, Any]:
        state = stream[0][position]
        spread = (state.var(unbiased=False) + model.transformer.ln_f.eps).sqrt()
        row = model.lm_head.weight[token] * model.transformer.ln_f.weight
        found = np.empty((layers, heads))
        for layer, block in enumerate(model.transformer.h):
            cut = joined[layer][position].view(heads, size // heads)
            weight = block.attn.c_proj.weight.view(heads, size // heads, size)
            for number in range(heads):
                written = cut[number] @ weight[number]
                found[layer, number] = float((written - written.mean()) @ row / spread)
        return found

    return of


def column(page: Page, title: str) -> list[float]:
    """A measure in the table of heads, from above."""
    titles = [re.sub(r"\s*[▾▴]", "", one) for one in page.locator(".heads-table thead th").all_inner_texts()]
    cells = page.locator(f".heads-table tbody td:nth-child({titles.index(title) + 1})").all_text_contents()
    return [float(one.replace("−", "-")) for one in cells]


def measured(page: Page, title: str) -> Locator:
    return page.locator("#heads .metric-title", has_text=title)


def test_heads_are_sorted_by_what_they_add_to_the_logit(page: Page, effects: Any) -> None:
    page.goto(f"{START}&view=heads&layer=0&head=3")
    page.locator("#panel-heads").get_by_role("button", name="Measure direct effect").click()
    expect(measured(page, "Direct effect")).to_be_visible()
    said = page.locator("#panel-heads .measures", has_text="Direct effect:")
    expect(said).to_contain_text("Direct effect: logit of “·the”, at “·on₁₀”")
    token = page.request.get(page_output(page, 10)).json()["candidates"][0]["id"]
    expected = effects(10, token)
    page.locator(".heads-sort[data-order=direct_effect]").click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text(re.compile("Direct effect"))
    assert column(page, "Direct effect") == pytest.approx(sorted(expected.flat, reverse=True), abs=0.0051)
    value = page.locator("#heads .metric", has_text="Direct effect").locator(".metric-value")
    expect(value).to_have_text(f"{expected[0, 3]:.2f}")
    expect_address(page, order="-direct_effect")
    page.reload()
    expect(page.locator(".heads-table tbody th").first).to_contain_text(place(expected.argmax(), expected))
    page.locator(".heads-table thead").evaluate("(head) => head.scrollIntoView({ block: 'center', inline: 'nearest' })")
    expect(page.locator("th[aria-sort=descending]")).to_be_in_viewport(ratio=1)  # more columns than room
    page.locator("#tokens .token", has_text="mat").click()
    expect(said).to_contain_text("at “·mat”")
    other = page.request.get(page_output(page, 5)).json()["candidates"][0]["id"]
    at_mat = effects(5, other)
    assert column(page, "Direct effect") == pytest.approx(sorted(at_mat.flat, reverse=True), abs=0.0051)


def page_output(page: Page, position: int) -> str:
    analysis = page.request.post("/api/analyses", data={"model": DECODER, "text": TEXT}).json()
    return f"/api/analyses/{analysis['id']}/output?position={position}"


def place(index: Any, values: np.ndarray[Any, Any]) -> str:
    layer, number = np.unravel_index(int(index), values.shape)
    return f"L{layer} H{number}"


def test_the_followed_token_and_the_one_subtracted_count(page: Page, effects: Any) -> None:
    first, second = [one["id"] for one in page.request.get(page_output(page, 10)).json()["candidates"][1:3]]
    page.goto(f"{START}&view=heads&order=-direct_effect&answer={first}&against={second}")
    expect(measured(page, "Direct effect")).to_be_visible()
    expected = effects(10, first) - effects(10, second)
    assert column(page, "Direct effect") == pytest.approx(sorted(expected.flat, reverse=True), abs=0.0051)
    limit = np.sort(expected.flat)[5:7].mean()
    page.goto(f"{START}&view=heads&answer={first}&against={second}&limits=direct_effect~~{limit:.6f}")
    expect(page.locator(".heads-table tbody tr")).to_have_count(6)


@pytest.mark.parametrize("model", [DECODER, MODEL])
def test_the_grid_is_sorted_by_gradient_times_attention(page: Page, model: str) -> None:
    page.goto(f"/?model={model}&text={TEXT}&query=3&metric=attribution&sorted=1")
    analysis = page.request.post("/api/analyses", data={"model": model, "text": TEXT}).json()
    position = "&position=3" if model == DECODER else ""
    answer = page.request.get(f"/api/analyses/{analysis['id']}/attribution?{position}").json()
    expected = np.array(answer["parts"][0]["heads"])
    expect(page.locator(".grid-value")).to_have_count(expected.size)
    expect(page.locator(".grid-name").first).to_have_text(place(expected.argmax(), expected))
    expect(page.locator(".grid-name").last).to_have_text(place(expected.argmin(), expected))


def test_what_cannot_be_measured_is_said_in_place_and_never_asked(page: Page) -> None:
    page.goto(f"/?view=heads&text={'word+' * 500}")
    expect(page.get_by_role("button", name="Measure direct effect")).to_have_count(0)  # an encoder writes no logit
    page.locator("#panel-heads").get_by_role("button", name="Measure gradient × attention").click()
    problem = page.locator("#panel-heads .measures .field-error")
    expect(problem).to_contain_text("Gradient × attention keeps the gradients of at most")
    page.locator("#panel-heads").get_by_role("button", name="Remove").click()
    expect(problem).to_have_count(0)
    until(page, SETTLED)
