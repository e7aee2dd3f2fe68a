"""Explaining an output: numbers match the library's own model, and the whole state is in the URL."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from driving import SENTENCE, expect_address, parameters
from playwright.sync_api import Browser, Page, expect
from settling import until
from torch import nn
from transformers import AutoModel, AutoTokenizer, GPT2LMHeadModel

from attention_core.pretrained.models import sources

DECODER = "observatory-gpt2-mini"
TEXT = "One black cat met two white dogs. One black cat met two"
OUTPUT = f"/?model={DECODER}&text={TEXT}&view=output"
FOLDER = Path(sources.__file__).parent / "shipped" / DECODER
LAST = 14
READY = """() => document.querySelector("#bench").getAttribute("aria-busy") === "false" &&
  document.querySelector(".output-results")?.getAttribute("aria-busy") === "false" &&
  document.querySelector(".output-meaning")?.textContent !== "" """


def output_view(page: Page, address: str) -> None:
    page.goto(address)
    until(page, READY)


def number(text: str | None) -> float:
    found = re.search(r"[-−+]?\d+\.\d+", text or "")
    assert found, text
    return float(found[0].replace("−", "-"))


def numbers(page: Page, selector: str) -> list[float]:
    return [number(text) for text in page.locator(selector).all_text_contents()]


@pytest.fixture(scope="module")
def model() -> Any:
    """The library's own decoder, with its own attention."""
    return GPT2LMHeadModel.from_pretrained(FOLDER, dtype=torch.float32, attn_implementation="eager").eval()


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return AutoTokenizer.from_pretrained(FOLDER)


def run(model: Any, tokenizer: Any) -> Any:
    """All that the library says of the text, with a graph behind every weight."""
    handle = model.transformer.wte.register_forward_hook(lambda _m, _a, out: out.detach().requires_grad_())
    result = model(**tokenizer(TEXT, return_tensors="pt"), output_attentions=True, output_hidden_states=True)
    handle.remove()
    return result


def test_the_lens_ends_at_what_the_library_predicts(page: Page, model: Any, tokenizer: Any) -> None:
    outputs = run(model, tokenizer)
    output_view(page, f"{OUTPUT}&query=9")
    expect(page.locator(".output-chooser .token-title")).to_have_text(".9 After this token the model predicts:")
    rows = page.locator(".lens-table tbody tr")
    expect(rows).to_have_count(7)
    chips = page.locator(".output-chip")
    probabilities = outputs.logits[0, 9].detach().softmax(0)
    best = probabilities.topk(10)
    assert numbers(page, ".output-share") == pytest.approx(best.values.tolist(), abs=6e-4)
    assert numbers(page, ".lens-table tbody tr:last-child .lens-number") == pytest.approx(
        best.values[:5].tolist(), abs=6e-4
    )
    expect(chips.nth(1)).to_contain_text(tokenizer.decode([int(best.indices[1])]).strip())
    page.locator(".output-chips input").nth(1).check(force=True)
    until(page, READY)
    followed = int(best.indices[1])
    expect_address(page, answer=str(followed))
    expect(page.locator(".lens-table .lens-followed").last).to_contain_text(f"{best.values[1]:.3f}")
    streams = outputs.hidden_states[:-1]  # the library has its last one behind the norm
    with torch.inference_mode():
        lens = [model.lm_head(model.transformer.ln_f(one[0, 9])).softmax(0) for one in streams] + [probabilities]
    expected = [one[followed].item() for one in lens]
    shown = page.locator(".lens-table tbody .lens-followed").all_text_contents()
    assert [0.0 if text.startswith("<") else number(text) for text in shown] == pytest.approx(expected, abs=1e-3)
    ranks = page.locator(".lens-table tbody td:nth-child(3)").all_text_contents()
    assert [int(rank) for rank in ranks] == [1 + int((one > one[followed]).sum()) for one in lens]
    entropies = [-(one * one.log()).sum().item() for one in lens]
    assert numbers(page, ".lens-table tbody td:nth-child(4)") == pytest.approx(entropies, abs=6e-3)


@pytest.mark.gate
def test_direct_effects_add_up_to_the_librarys_logit(page: Page, model: Any, tokenizer: Any) -> None:
    logits = run(model, tokenizer).logits[0, LAST].detach()
    first, second = logits.topk(2).indices.tolist()
    output_view(page, f"{OUTPUT}&query={LAST}&look=direct_effect")
    cells = page.locator(".effect-table tr")
    expect(cells.last).to_contain_text(f"{float(logits[first]):.3f}".replace("-", "−"))
    *parts, total, own = numbers(page, ".effect-table td:nth-child(2)")
    assert sum(parts) == pytest.approx(total, abs=3e-3)
    assert total == pytest.approx(float(logits[first]), abs=2e-3) == pytest.approx(own, abs=2e-3)
    heads = numbers(page, ".shares-picture .mark-cell text")
    assert len(heads) == 36
    assert sum(heads) == pytest.approx(parts[1], abs=36 * 6e-3)
    assert sum(numbers(page, ".effect-layers .mark-cell text")) == pytest.approx(parts[2] + parts[3], abs=0.07)
    page.get_by_label("minus the logit of").select_option(str(second))
    difference = float(logits[first] - logits[second])
    expect(cells.last).to_contain_text(f"{difference:.3f}")
    expect_address(page, against=str(second))
    assert sum(numbers(page, ".effect-table td:nth-child(2)")[:5]) == pytest.approx(difference, abs=3e-3)
    page.go_back()
    expect(cells.last).to_contain_text(f"{float(logits[first]):.3f}".replace("-", "−"))


def test_a_head_of_the_last_layer_has_the_effect_that_its_output_has(page: Page, model: Any, tokenizer: Any) -> None:
    """Take the head's output out of the final stream, hold the norm's scale, and see how the logit falls."""
    seen: dict[str, Any] = {}
    last = model.transformer.h[5].attn
    handles = [
        last.c_proj.register_forward_pre_hook(lambda _m, args: seen.update(heads=args[0])),
        model.transformer.ln_f.register_forward_pre_hook(lambda _m, args: seen.update(final=args[0])),
    ]
    logits = run(model, tokenizer).logits[0, LAST].detach()
    for handle in handles:
        handle.remove()
    norm, final = model.transformer.ln_f, seen["final"][0, LAST]
    scale = (final.var(correction=0) + norm.eps).sqrt()
    output_view(page, f"{OUTPUT}&query={LAST}&look=direct_effect")
    shown = numbers(page, ".shares-picture .mark-cell text")[30:]
    for head in range(6):
        span = slice(32 * head, 32 * (head + 1))
        written = seen["heads"][0, LAST, span] @ last.c_proj.weight[span]
        effect = ((written - written.mean()) / scale * norm.weight) @ model.lm_head.weight[int(logits.argmax())]
        assert shown[head] == pytest.approx(effect.item(), abs=6e-3)


def test_gradients_are_those_of_autograd(page: Page, model: Any, tokenizer: Any) -> None:
    outputs = run(model, tokenizer)
    logits = outputs.logits[0, 9]
    first, second = logits.topk(2).indices.tolist()
    gradients = torch.autograd.grad(logits[first] - logits[second], outputs.attentions, retain_graph=True)
    shares = torch.cat([w * g for w, g in zip(outputs.attentions, gradients, strict=True)]).detach().numpy()
    output_view(page, f"{OUTPUT}&query=9&look=attribution&against={second}&layer=3&head=0")
    shown = np.array(numbers(page, ".shares-picture .mark-cell text")).reshape(6, 6)
    np.testing.assert_allclose(shown, shares.sum(axis=(-1, -2)), atol=6e-3)
    assert number(page.locator(".attribution-output strong").text_content()) == pytest.approx(
        (logits[first] - logits[second]).item(), abs=1e-3
    )
    best = np.unravel_index(np.abs(shares[3, 0]).argmax(), shares[3, 0].shape)
    items = page.locator(".attribution-weights .signed-list button")
    assert number(items.first.locator(".reads-value").text_content()) == pytest.approx(shares[3, 0][best], abs=6e-4)
    expect(page.locator(".attribution-map .readout .cell-value")).to_have_text(
        f"{shares[3, 0][best]:.4f}".replace("-", "−")
    )
    items.nth(1).click()
    expect(items.nth(1)).to_have_attribute("aria-pressed", "true")
    until(page, "() => new URLSearchParams(location.search).has('cell')")
    query, key = (int(index) for index in parameters(page)["cell"].split("."))
    expect(page.locator(".attribution-map .readout .cell-value")).to_have_text(
        f"{shares[3, 0][query, key]:.4f}".replace("-", "−")
    )


def test_an_encoder_without_a_head_shows_its_embedding(page: Page) -> None:
    folder = next(place.folder for place in sources.package_folders() if place.id.endswith("MiniLM-L6-v2"))
    minilm = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    for embedding in [one for one in minilm.modules() if isinstance(one, nn.Embedding)]:
        embedding.register_forward_hook(lambda _m, _a, out: out.detach().requires_grad_())
    outputs = minilm(**AutoTokenizer.from_pretrained(folder)(SENTENCE, return_tensors="pt"), output_attentions=True)
    embedding = outputs.last_hidden_state[0].mean(dim=0)
    gradients = torch.autograd.grad(embedding @ (embedding / embedding.norm()).detach(), outputs.attentions)
    shares = torch.cat([w * g for w, g in zip(outputs.attentions, gradients, strict=True)]).detach().numpy()
    output_view(page, "/?view=output")
    expect(page.locator(".output-chooser .token-title")).to_contain_text("This model predicts no tokens.")
    expect(page.locator(".output-chips")).to_have_count(0)
    expect(page.locator(".output-looks")).to_be_hidden()
    assert number(page.locator(".attribution-output").text_content()) == pytest.approx(
        float(embedding.norm().detach()), abs=1e-3
    )
    shown = np.array(numbers(page, ".shares-picture .mark-cell text")).reshape(6, 12)
    np.testing.assert_allclose(shown, shares.sum(axis=(-1, -2)), atol=6e-3)


def test_heads_are_picked_by_mouse_and_keyboard_and_everything_is_in_the_address(page: Page) -> None:
    output_view(page, f"{OUTPUT}&query=9&look=direct_effect&layer=2&head=3")
    picture = page.get_by_role("slider", name="Direct effect of each head")
    picture.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#heads-name")).to_have_text("Layer 1, head 4")
    expect(picture).to_have_attribute("aria-valuetext", re.compile(r"^1, 4: "))
    page.locator(".shares-picture .mark-cell").nth(13).hover()
    expect(page.locator(".shares-readout")).to_contain_text("Layer 2, head 1: ")
    page.locator(".shares-list button").first.click()
    expect(page.locator(".shares-list button").first).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Draw these heads as lines").click()
    expect(page.locator("#panel-lines .series")).to_be_visible()
    until(page, "() => new URLSearchParams(location.search).get('heads')?.split('_').length === 5")
    page.go_back()
    page.get_by_label("Logit lens").check(force=True)
    expect(page.locator(".lens-table")).to_be_visible()
    page.locator(".lens-token").nth(3).click()
    expect(page.locator(".lens-token").nth(3)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Go to the last token").click()
    expect(page.locator(".output-chooser .token-title")).to_contain_text(f"two{LAST} After this token")
    expect_address(page, view="output", look="logit_lens", query=str(LAST))
    state = parameters(page)
    header = page.locator(".lens-table thead .lens-followed").text_content()
    page.reload()
    until(page, READY)
    expect(page.locator(".lens-table thead .lens-followed")).to_have_text(header or "")
    expect_address(page, **state)
    page.go_back()
    expect(page.locator(".output-chooser .token-title")).to_contain_text(".9 After this token")


def test_a_change_in_the_model_changes_its_output_in_place(page: Page) -> None:
    output_view(page, f"{OUTPUT}&query={LAST}&look=direct_effect&layer=4&head=4")
    before = page.locator(".effect-table tr").last.text_content()
    cell = page.locator(".shares-picture .mark-cell").nth(28)
    expect(cell.locator("text")).not_to_have_text("0.00")
    page.goto(f"{OUTPUT}&query={LAST}&look=direct_effect&layer=4&head=4&changes=off-4.4")
    until(page, READY)
    expect(cell.locator("text")).to_have_text("0.00")
    expect(page.locator(".effect-table tr").last).not_to_have_text(before or "")


def test_a_text_too_long_for_gradients_is_told_before_it_is_asked_for(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    words = "cat " * 490
    page.goto(f"/?view=output#text={words}")
    expect(page.locator(".output-note")).to_contain_text(
        "keeps the gradients of at most 16,777,216 weights; this text has"
    )
    expect(page.locator("#panel-output .field-error")).to_be_hidden()
    assert not [url for url in asked if "/attribution?" in url]


def test_own_tensors_have_no_output(page: Page) -> None:
    sent = page.request.post("/api/tensors", data={"weights": [[1, 0], [0.25, 0.75]], "tokens": ["a", "b"]})
    page.goto(f"/?model={sent.json()['id']}&view=output")
    expect(page.locator(".output-note")).to_contain_text("No model ran here on these tensors")
    expect(page.locator("#panel-output .field-error")).to_be_hidden()


def test_a_token_that_the_vocabulary_does_not_have_is_not_asked_for(page: Page) -> None:
    output_view(page, f"{OUTPUT}&query={LAST}&answer=999999&against=888888&look=direct_effect&cell=99.1")
    expect(page.locator(".output-chips input").first).to_be_checked()
    expect(page.locator("#panel-output .field-error")).to_be_hidden()


def test_tokens_that_are_no_candidates_are_named_too(page: Page, model: Any, tokenizer: Any) -> None:
    logits = run(model, tokenizer).logits[0, LAST].detach()
    unlikely = logits.argsort(descending=True)[100:].tolist()
    first, second = [one for one in unlikely if re.fullmatch(r" [a-z]{4,}", tokenizer.decode([one]))][:2]
    output_view(page, f"{OUTPUT}&query={LAST}&look=direct_effect&answer={first}&against={second}")
    names = [tokenizer.decode([one]).replace(" ", "·") for one in (first, second)]
    expect(page.locator(".effect-table tr").last.locator("th")).to_have_text(
        f"logit of “{names[0]}” minus that of “{names[1]}” as the model computes it"
    )
    own = page.locator(".effect-table tr").last.locator("td").first.text_content()
    assert number(own) == pytest.approx((logits[first] - logits[second]).item(), abs=2e-3)
    expect(page.get_by_label("minus the logit of")).to_have_value(str(second))
    expect(page.locator(".output-selects select").first).to_have_value(str(first))
    expect(page.locator(".output-chips input:checked")).to_have_count(0)


def test_a_saved_file_holds_every_look_at_the_output(page: Page, browser: Browser, tmp_path: Path) -> None:
    output_view(page, f"{OUTPUT}&query=9&look=attribution&layer=3&head=0&answer=304&cell=9.9")
    heads = numbers(page, ".shares-picture .mark-cell text")
    chosen = page.locator(".attribution-map .cell-value").first.text_content()
    page.locator("#export > summary").click()
    with page.expect_download() as download:
        page.get_by_role("group", name="A page that works offline").get_by_role("button").click()
    download.value.save_as(tmp_path / "saved.html")
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="Direct effect").check(force=True)
    expect(page.locator(".effect-table")).to_be_visible()
    total = page.locator(".effect-table").inner_text()
    context = browser.new_context(offline=True)
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    saved = context.new_page()
    saved.goto((tmp_path / "saved.html").as_uri())
    expect(saved.locator("#panel-output .attribution-map .cell-value").first).to_have_text(chosen or "")
    assert numbers(saved, "#panel-output .shares-picture .mark-cell text") == heads
    expect(saved.locator("#panel-output").locator("input:not([name]), select, .output-chips input")).to_have_count(0)
    expect(saved.locator("#panel-output .output-chips .is-followed")).to_have_count(1)
    saved.locator("#panel-output .shares-list button").nth(1).click()
    expect(saved.locator("#panel-output .output-note")).to_contain_text("only the weights of Layer 3, head 0")
    expect(saved.locator("#heads-name")).not_to_have_text("Layer 3, head 0")
    saved.get_by_label("Direct effect").check(force=True)
    expect(saved.locator("#panel-output .effect-table")).to_have_text(total, use_inner_text=True)
    saved.get_by_label("Logit lens").check(force=True)
    expect(saved.locator("#panel-output .lens-table tbody tr")).to_have_count(7)
    context.close()
    assert complaints == []
