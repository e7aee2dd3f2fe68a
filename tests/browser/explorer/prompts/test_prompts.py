"""Several prompts: averages match the library's own eager model; sets come from lines, templates, links and files."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from driving import drawn, expect_address, parameters, read_number, source_url, wait_for_map
from playwright.sync_api import Page, expect
from settling import until
from transformers import AutoTokenizer, GPT2LMHeadModel

from attention_core.pretrained.models import sources

DECODER = "observatory-gpt2-mini"
FOLDER = Path(sources.__file__).parent / "shipped" / DECODER
LINES = ["The cat sat on the mat.", "The cat saw it. The", "The dog sat on the mat."]
TEMPLATE, SLOTS = "So {A} met {B}, and {A}", "A: John, Mary\nB: Tom, Mary"
TEXTS = ["So John met Tom, and John", "So John met Mary, and John", "So Mary met Tom, and Mary"]
MAP = ".prompts-pattern"
RINGS = """async () => {
  const { styledCopy } = await import("SOURCE");
  const grid = document.querySelector(".prompts-grid svg");
  const copied = [...styledCopy(grid).querySelectorAll("rect")];
  return [grid.querySelectorAll(".mark-keyboard .mark-halo").length,
    copied.filter((one) => parseFloat(one.getAttribute("stroke-width")) === 7).length]; }"""
"""Marks of the keyboard in the grid of heads: on the page, where they are hidden, and in an exported image."""
DONE = """() => document.querySelector("#bench").getAttribute("aria-busy") === "false" &&
  document.querySelector(".prompts-results")?.getAttribute("aria-busy") === "false" &&
  !document.querySelector(".prompts-results [aria-busy=true]") && document.querySelector(".prompts-table tbody tr")"""


@pytest.fixture(scope="module")
def eager() -> Any:
    """[layers, heads, N, N] of a text, by the library's own attention."""
    model = GPT2LMHeadModel.from_pretrained(FOLDER, dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)

    def weights(text: str) -> np.ndarray[Any, Any]:
        with torch.inference_mode():
            found = model(**tokenizer(text, return_tensors="pt"), output_attentions=True).attentions
        return torch.stack(found)[:, 0].numpy()

    return weights


def softmax_of(text: str, token: str) -> tuple[float, int]:
    """Probability and rank of the token after the text, by the library alone."""
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    model = GPT2LMHeadModel.from_pretrained(FOLDER, dtype=torch.float32).eval()  # the file is in half precision
    with torch.inference_mode():
        logits = model(**tokenizer(text, return_tensors="pt")).logits[0, -1]
    (wanted,) = tokenizer(token)["input_ids"]
    return float(torch.softmax(logits, dim=-1)[wanted]), 1 + int((logits > logits[wanted]).sum())


def merged(weights: np.ndarray[Any, Any], groups: list[slice]) -> np.ndarray[Any, Any]:
    """The mean over the queries of each group, the sum over its keys."""
    rows = np.stack([weights[..., group, :].mean(axis=-2) for group in groups], axis=-2)
    return np.stack([rows[..., group].sum(axis=-1) for group in groups], axis=-1)


def from_template(eager: Any, text: str) -> np.ndarray[Any, Any]:
    """By word: "Mary" is two tokens of this vocabulary, every other word and the comma one."""
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    groups: list[slice] = []
    pieces = tokenizer.convert_ids_to_tokens(tokenizer(text)["input_ids"])
    for at, piece in enumerate(pieces):
        if groups and not piece.startswith("Ġ") and piece != ",":
            groups[-1] = slice(groups[-1].start, at + 1)
        else:
            groups.append(slice(at, at + 1))
    return merged(eager(text), groups)


def grid(page: Page) -> np.ndarray[Any, Any]:
    texts = page.locator(".prompts-grid .mark-cell text").all_text_contents()
    return np.array([float(text) for text in texts]).reshape(6, 6)


@pytest.mark.gate
def test_lines_are_averaged_opened_and_kept_in_the_link(page: Page, axe: Any, eager: Any) -> None:
    page.goto(f"/?model={DECODER}&layer=2&head=3&view=prompts")
    lines = page.get_by_label("Prompts, one a line")
    lines.fill("\n".join([LINES[0], "", *LINES[1:]]))
    expect(page.locator(".prompts-actions [role=status]")).to_have_text("3 prompts")
    page.get_by_role("button", name="Average over the prompts").click()
    until(page, DONE)
    weights = [eager(text) for text in LINES]
    sizes = [each.shape[-1] for each in weights]
    longest = max(sizes)
    padded = np.stack([np.pad(each[2, 3], (0, longest - len(each[2, 3])), constant_values=np.nan) for each in weights])
    np.testing.assert_allclose(drawn(page, MAP), np.nanmean(padded, axis=0), atol=2e-6)
    expect(page.locator(".prompts-column > .note").first).to_contain_text(f"{min(sizes)} to {longest} tokens")
    page.locator(".prompts-controls select").first.select_option("first_token")
    first = np.stack([each[..., 0].mean(axis=-1) for each in weights])
    expect(page.locator(".prompts-readout")).to_contain_text(
        f"{first[:, 2, 3].mean():.3f} ± {first[:, 2, 3].std():.3f}"
    )
    np.testing.assert_allclose(grid(page), first.mean(axis=0), atol=0.0051)
    assert page.evaluate(RINGS.replace("SOURCE", source_url("js/page/image_file.js"))) == [1, 0]
    listed = page.locator(".prompts-list tbody tr")
    for at, text in enumerate(LINES):
        expect(listed.nth(at)).to_contain_text(text)
        expect(listed.nth(at).locator(".heads-value")).to_have_text(f"{first[at, 2, 3]:.3f}")
    page.locator(".prompts-list .heads-sort").nth(2).click()  # by the measure, largest first
    expect(listed).to_contain_text([LINES[at] for at in np.argsort(-first[:, 2, 3])])
    expect(page.locator(".prompts-list [aria-sort]")).to_have_attribute("aria-sort", "descending")
    page.locator(".prompts-controls input[value=spread]").check(force=True)
    wait_for_map(page, "map.limits[1] < 1", place=MAP)
    np.testing.assert_allclose(drawn(page, MAP), np.nanstd(padded, axis=0), atol=2e-6)
    axe(page)

    page.reload()
    until(page, DONE)
    assert parameters(page)["prompts"] == "\n".join([LINES[0], "", *LINES[1:]])
    page.get_by_role("button", name="Open prompt 2").click()
    expect(page.locator("#tab-matrix")).to_have_attribute("aria-selected", "true")
    expect_address(page, text=LINES[1], layer="2", head="3")
    wait_for_map(page, f"map.cells.length === {sizes[1]}", place="#matrix")
    np.testing.assert_allclose(drawn(page, "#matrix"), weights[1][2, 3], atol=2e-6)


def test_a_template_aligns_its_slots_and_a_cell_is_seen_in_every_head(
    page: Page, eager: Any, tmp_path: Path, problems: Any
) -> None:
    problems.expect("422")
    page.goto(f"/?model={DECODER}&layer=1&head=2&view=prompts")
    page.locator(".prompts-form .segmented input[value=template]").check(force=True)
    page.get_by_label("Template, with slots").fill(TEMPLATE)
    page.get_by_label("Words of the slots").fill(SLOTS)
    expect(page.locator(".prompts-preview li").first).to_have_text(TEXTS[0])
    page.get_by_role("button", name="Average over the prompts").click()
    until(page, DONE)
    expect(page.locator(".prompts-list tbody tr")).to_have_count(3)  # Mary met Mary is left out
    aligned = np.stack([from_template(eager, text) for text in TEXTS])
    np.testing.assert_allclose(drawn(page, MAP), aligned[:, 1, 2].mean(axis=0), atol=2e-6)
    page.locator(f"{MAP} .matrix-frame").focus()
    with page.expect_request("**/cell?*") as cell_call:
        page.keyboard.press("ArrowDown")  # from no cell to the first
    until(page, "() => new URLSearchParams(location.search).get('prompt_measure') === 'cell'")
    query, key = map(int, parameters(page)["prompt_cell"].split("."))
    cells = aligned[:, :, :, query, key]
    chosen = f"{cells[:, 1, 2].mean():.3f} ± {cells[:, 1, 2].std():.3f}"
    expect(page.locator(".prompts-readout")).to_contain_text(chosen)  # the grid is drawn with it
    np.testing.assert_allclose(grid(page), cells.mean(axis=0), atol=0.0051)
    above = page.request.get(cell_call.value.url).json()["above"]["mean"]
    headings = page.locator(".prompts-table thead th").all_inner_texts()
    assert headings == ["Head", "mean ▾", "Above other queries", "±", "least", "most"]
    page.get_by_role("button", name="Above other queries").click()
    listed = [read_number(text) for text in page.locator(".prompts-table tbody td:nth-child(3)").all_text_contents()]
    assert listed == pytest.approx(sorted(np.array(above).flat, reverse=True), abs=0.00051)
    expect(page.locator(".prompts-readout")).to_contain_text(f"Above other queries: {above[1][2]:.3f}")
    page.get_by_role("button", name="mean", exact=True).click()
    page.locator(".prompts-table tbody button").first.click()
    best = np.unravel_index(cells.mean(axis=0).argmax(), (6, 6))
    expect_address(page, layer=str(best[0]), head=str(best[1]))

    page.locator(".prompts-editor summary").click()
    page.get_by_label("Expected next tokens").fill("the")
    page.get_by_role("button", name="Average over the prompts").click()
    page.locator(".prompts-expected").first.wait_for()
    rated = [softmax_of(text, " the") for text in TEXTS]
    for at, (probability, rank) in enumerate(rated):
        columns = page.locator(".prompts-list tbody tr").nth(at).locator("td")
        assert read_number(columns.nth(-3).text_content() or "") == pytest.approx(probability, rel=0.05)
        expect(columns.nth(-2)).to_have_text(str(rank))
    expect(page.locator(".prompts-rated")).to_contain_text(
        f"{np.mean([each for each, _ in rated]):.3f} ± {np.std([each for each, _ in rated]):.3f}"
    )
    assert parameters(page)["answers"] == "the"
    page.locator(".prompts-editor summary").click()
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save the set").click()
    saved = tmp_path / "prompts.json"
    saving.value.save_as(saved)
    assert json.loads(saved.read_text("utf-8"))["template"] == TEMPLATE
    page.locator("#prompts-file").set_input_files(
        {"name": "bad.jsonl", "mimeType": "application/json", "buffer": b'"a"\n{'}
    )
    expect(page.locator("#prompts-problem")).to_have_text("bad.jsonl: Line 2 is not valid JSON.")
    page.locator("#prompts-file").set_input_files(
        {"name": "lines.txt", "mimeType": "text/plain", "buffer": b"a cat\n" + b"a " * 600}
    )
    expect(page.locator("#panel-prompts .failure")).to_contain_text("Prompt 2: The text has")
    assert page.evaluate("() => getSelection().toString().startsWith('a a ')")
    expect(page.locator(".prompts-results")).to_have_attribute("aria-busy", "false")
    page.locator("#prompts-file").set_input_files(saved)
    until(page, DONE)
    expect(page.locator(".prompts-list tbody tr")).to_have_count(3)


def induction(weights: np.ndarray[Any, Any], ids: list[int]) -> np.ndarray[Any, Any]:
    """[layers, heads]: the mean weight on the key after a token's last occurrence, by a loop."""
    last = {at: max((before for before in range(at) if ids[before] == ids[at]), default=-1) for at in range(len(ids))}
    cells = [(query, key + 1) for query, key in last.items() if 0 <= key < query - 1]
    return np.mean([weights[:, :, query, key] for query, key in cells], axis=0)


def test_every_measure_and_a_set_too_long_for_a_link_that_the_browser_keeps(page: Page, axe: Any, eager: Any) -> None:
    texts = [f"The cat {word} a dog. " * 40 for word in ("saw", "met", "left", "heard", "found", "called", "took")]
    texts += [f"A bird {word} the tree. " * 40 for word in ("saw", "met", "left", "heard", "found", "took")]
    page.goto(f"/?model={DECODER}&layer=2&head=3&view=prompts")
    page.get_by_label("Prompts, one a line").fill("\n".join(texts))
    page.get_by_role("button", name="Average over the prompts").click()
    until(page, DONE)
    assert "prompts" not in parameters(page)
    page.reload()
    until(page, DONE)
    expect(page.locator(".prompts-list tbody tr")).to_have_count(len(texts))

    page.locator("#prompts-measure").select_option("induction")
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    mean = np.mean([induction(eager(text.strip()), tokenizer(text.strip())["input_ids"]) for text in texts], axis=0)
    expect(page.locator(".prompts-readout")).to_contain_text(f"{mean[2, 3]:.3f} ± ")
    np.testing.assert_allclose(grid(page), mean, atol=0.0051)
    page.locator(".prompts-measures button[data-order=induction]").click()
    best = np.unravel_index(mean.argmax(), mean.shape)
    row = page.locator(".prompts-measures tbody tr").first
    expect(row.locator("button")).to_contain_text(f"L{best[0]} H{best[1]}")
    expect(row).to_contain_text(f"{mean.max():.2f} ± ")
    page.locator(".prompts-measures select").first.select_option("induction")
    expect(page.locator(".prompts-measures .scatter")).to_have_attribute("aria-label", re.compile("by Induction and"))
    expect_address(page, prompt_measure="induction", prompt_order="-induction", across="induction")
    page.locator("#prompts-measure").select_option("direct_effect")
    expect(page.locator(".prompts-measures button[data-order=direct_effect]")).to_be_visible()
    expect(page.locator(".prompts-definition")).to_contain_text("On the most probable next token.")
    axe(page)

    page.locator(".prompts-editor summary").click()
    page.get_by_label("Prompts, one a line").fill("Typed, not averaged")
    page.locator("#tab-matrix").click()
    expect(page.locator("#panel-prompts")).to_be_hidden()
    page.reload()
    page.locator("#tab-prompts").click()
    expect(page.get_by_label("Prompts, one a line")).to_have_value("Typed, not averaged")
    page.get_by_role("button", name="Discard what was typed").click()
    expect(page.get_by_label("Prompts, one a line")).to_have_value(re.compile("^The cat saw"))
