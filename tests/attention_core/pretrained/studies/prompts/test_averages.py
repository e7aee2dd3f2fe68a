"""Averages over prompts, against naive loops over the library's own eager weights."""

import math

import numpy as np
import pytest
import torch

from attention_core.pretrained.errors import SelectionError, WindowTooLargeError
from attention_core.pretrained.inputs.tokens import tokenise, tokenise_target
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.recording.metrics import METRICS
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.studies.prompts.alignment import AlignedPart, align, align_part
from attention_core.pretrained.studies.prompts.averages import (
    ABOVE,
    CELL,
    CellAverage,
    WeightAverage,
    collect_measures,
    measures_of,
)
from attention_core.pretrained.studies.prompts.prompt_set import prompt_set

TEMPLATE = "When {A} and {B} left, {A} smiled"
FILLINGS = [{"A": a, "B": b} for a, b in (("John", "Mary"), ("Mary", "John"), ("Jonathanwick", "Al"), ("Mary", "Tom"))]


@pytest.fixture(scope="module", params=["minilm", "decoder"])
def study(request):
    """A model, prompts from a template, their analyses, and the library's eager weights of each."""
    loaded = request.getfixturevalue(request.param)
    prompts = prompt_set(loaded, template=TEMPLATE, fillings=FILLINGS)
    analyses = [analyse(loaded, AnalysisRequest(each.text), max_tokens=64) for each in prompts.prompts]
    return prompts, analyses, [eager(loaded, each.text) for each in prompts.prompts]


def eager(loaded, text):
    """[layers, heads, N, N] by transformers' own attention."""
    model, before = loaded.model, loaded.model.config._attn_implementation
    model.set_attn_implementation("eager")
    try:
        with torch.inference_mode():
            found = model(**tokenise(loaded, text)[0], output_attentions=True).attentions
    finally:
        model.set_attn_implementation(before)
    return torch.stack(found)[:, 0].double().numpy()


def only_part(study, alignment):
    """Of a model with one part."""
    return AlignedPart(study[1][0].parts[0].name, alignment, alignment)


def naive(alignment, weights, layer, head, key_alignment=None):
    """Cell by cell: the values of all prompts that have both positions."""
    of_keys = key_alignment or alignment
    cells = [[[] for _ in of_keys.positions] for _ in alignment.positions]
    for places, key_places, whole in zip(alignment.places, of_keys.places, weights, strict=True):
        for row, queries in enumerate(places):
            for column, keys in enumerate(key_places):
                if queries is not None and keys is not None:
                    sums = [sum(whole[layer, head, query, key] for key in keys) for query in queries]
                    cells[row][column].append(sum(sums) / len(sums))
    return cells


def naive_above(alignment, causal, weights, at, query, key):
    """Each prompt's cell minus the mean of what the other tokens that may attend to these keys give them."""
    found = []
    for places, whole in zip(alignment.places, weights, strict=True):
        queries, keys = places[query], places[key]
        gives = [sum(whole[*at, row, column] for column in keys) for row in range(whole.shape[-1])]
        others = [row for row in range(len(gives)) if row not in (*queries, *keys) and not (causal and row < keys[0])]
        mean = sum(gives[row] for row in others) / len(others) if others else 0.0
        found.append(sum(gives[row] for row in queries) / len(queries) - mean)
    return found


@pytest.mark.parametrize("rule", ["slots", "start", "end"])
def test_aligned_weights_are_those_of_a_naive_loop(study, rule):
    prompts, analyses, weights = study
    alignment = align(prompts, rule)
    for layer, head in ((0, 0), (3, 5)):
        average = WeightAverage(only_part(study, alignment), layer, head, max_cells=2**20)
        for index, analysis in enumerate(analyses):
            average.add(index, analysis)
        found, cells = average.result(), naive(alignment, weights, layer, head)
        size = range(len(cells))
        means = [[math.fsum(cell) / len(cell) if cell else 0.0 for cell in row] for row in cells]
        spreads = [
            [math.sqrt(sum((x - means[i][j]) ** 2 for x in cells[i][j]) / max(1, len(cells[i][j]))) for j in size]
            for i in size
        ]
        np.testing.assert_allclose(found.mean, means, atol=2e-6)
        np.testing.assert_allclose(found.deviation, spreads, atol=2e-5)
        assert found.counts.tolist() == [[len(cell) for cell in row] for row in cells]
        assert np.array(spreads).max() > 0.01
        assert found.allowed.tolist() == [[sum(value > 0 for value in cell) for cell in row] for row in cells]
        whole = found.counts.min(axis=1) == len(analyses)  # rows of positions that all have
        if rule == "slots":
            assert whole.all()
            np.testing.assert_allclose(found.mean.sum(axis=1), 1.0, atol=1e-5)


def test_one_cell_of_every_head_is_that_of_each_head_s_average(study):
    prompts, analyses, weights = study
    alignment = align(prompts, "slots")
    slots = [index for index, each in enumerate(alignment.positions) if each.slot]
    query, key = slots[2], slots[1]
    cell = CellAverage(only_part(study, alignment), query, key)
    for index, analysis in enumerate(analyses):
        cell.add(index, analysis)
    collected = cell.result()
    found = collected.summaries()[CELL]
    alone = naive(alignment, weights, 2, 3)[query][key]
    assert collected.of_head(2, 3)[CELL] == pytest.approx(alone, abs=2e-6)
    assert found.count == len(analyses)
    above = naive_above(alignment, analyses[0].parts[0].causal, weights, (2, 3), query, key)
    assert collected.of_head(2, 3)[ABOVE] == pytest.approx(above, abs=2e-6)
    for layer, head in ((0, 1), (2, 3), (5, 4)):
        average = WeightAverage(only_part(study, alignment), layer, head, max_cells=2**20)
        for index, analysis in enumerate(analyses):
            average.add(index, analysis)
        assert found.mean[layer, head] == pytest.approx(average.result().mean[query, key], abs=1e-6)
        assert found.deviation[layer, head] == pytest.approx(average.result().deviation[query, key], abs=1e-6)
    assert np.all(found.least <= found.mean)
    assert np.all(found.mean <= found.most)
    with pytest.raises(SelectionError, match="no prompt has both positions"):
        CellAverage(only_part(study, alignment), query, key).result()
    with pytest.raises(SelectionError, match="query must be from 0 to"):
        CellAverage(only_part(study, alignment), len(alignment.positions), 0)


@pytest.mark.full
def test_decoder_and_cross_attention_are_averaged_where_the_decoder_is_given_texts(models_dir):
    loaded = Catalog(models_dir=models_dir, device="cpu").load("tiny-bart")
    targets = ["{A} sat because", "{B} is"]
    fillings = [{"A": "The cat", "B": "A mean"}, {"A": "Attention", "B": "it"}]
    prompts = prompt_set(loaded, template="{A} and {B} sat.", fillings=fillings, target_texts=targets)
    texts = [(each.text, each.target.text) for each in prompts.prompts]
    assert [target for _, target in texts] == ["The cat sat because", "it is"]
    assert prompts.tokens == sum(len(each.tokens) + len(each.target.tokens) for each in prompts.prompts)
    analyses = [analyse(loaded, AnalysisRequest(text, None, target), max_tokens=40) for text, target in texts]
    found = [eager_parts(loaded, *each) for each in texts]
    for part, (queries, keys) in {"encoder": "ss", "decoder": "tt", "cross": "ts"}.items():
        aligned = align_part(prompts, "start", loaded.parts, part)
        sides = {"s": align(prompts, "start"), "t": align(prompts, "start", "target")}
        average = WeightAverage(aligned, 1, 2, max_cells=2**20)
        cell = CellAverage(aligned, 1, 0)
        for index, analysis in enumerate(analyses):
            average.add(index, analysis)
            cell.add(index, analysis)
        cells = naive(sides[queries], [each[part] for each in found], 1, 2, sides[keys])
        means = [[math.fsum(each) / len(each) if each else 0.0 for each in row] for row in cells]
        np.testing.assert_allclose(average.result().mean, means, atol=2e-6)
        assert average.result().counts.tolist() == [[len(each) for each in row] for row in cells]
        assert cell.result().of_head(1, 2)[CELL] == pytest.approx(cells[1][0], abs=2e-6)
        collected = collect_measures([measures_of(each, part) for each in analyses])
        own = [next(each for each in analysis.parts if each.name == part).metrics for analysis in analyses]
        assert (collected.part, [name for name in collected.values if name in METRICS]) == (part, list(own[0]))
        assert collected.of_head(1, 2)["entropy"] == [float(each["entropy"][1, 2]) for each in own]
    with pytest.raises(SelectionError, match="give target_texts") as refused:
        align_part(prompt_set(loaded, ["a cat"]), "start", loaded.parts, "cross")
    assert refused.value.field == "part"


def eager_parts(loaded, text, target):
    """[layers, heads, queries, keys] of each part by transformers' own attention."""
    model, before = loaded.model, loaded.model.config._attn_implementation
    model.set_attn_implementation("eager")
    try:
        with torch.inference_mode():
            inputs = tokenise(loaded, text)[0] | tokenise_target(loaded, target)[0]
            found = model(**inputs, output_attentions=True)
    finally:
        model.set_attn_implementation(before)
    names = {"encoder": "encoder_attentions", "decoder": "decoder_attentions", "cross": "cross_attentions"}
    return {part: torch.stack(getattr(found, name))[:, 0].double().numpy() for part, name in names.items()}


def test_measures_are_those_of_single_analyses_each_counted_once(study):
    _, analyses, _ = study
    found = collect_measures([measures_of(each) for each in analyses])
    summaries = found.summaries()
    own = list(analyses[0].parts[0].metrics)
    assert list(summaries)[: len(own)] == own
    for name, summary in ((name, summaries[name]) for name in own):
        alone = [each.parts[0].metrics[name] for each in analyses]
        assert np.array_equal(found.values[name], np.stack(alone))  # exactly those of single analyses
        mean = sum(each.astype(np.float64) for each in alone) / len(alone)
        spread = np.sqrt(sum((each - mean) ** 2 for each in alone) / len(alone))
        np.testing.assert_allclose(summary.mean, mean, atol=1e-6)
        np.testing.assert_allclose(summary.deviation, spread, atol=1e-6)
        assert np.array_equal(summary.least, np.minimum.reduce(alone))
        assert np.array_equal(summary.most, np.maximum.reduce(alone))
        assert summary.count == len(analyses)
        assert found.of_head(3, 5)[name] == [float(each[3, 5]) for each in alone]
    with pytest.raises(SelectionError, match="head must be from 0 to"):
        found.of_head(0, 12)


def test_a_text_of_one_token_has_no_previous_token(decoder):
    analyses = [analyse(decoder, AnalysisRequest(text), max_tokens=64) for text in ("The", "The cat")]
    found = collect_measures([measures_of(each) for each in analyses])
    assert (found.defined["previous_token"], found.defined["entropy"]) == ([1], [0, 1])
    summary = found.summaries()["previous_token"]
    assert summary.count == 1
    assert np.array_equal(summary.mean, analyses[1].parts[0].metrics["previous_token"])
    assert not summary.deviation.any()
    assert found.of_head(1, 2)["previous_token"] == [None, float(summary.mean[1, 2])]


def test_a_prompt_with_more_cells_than_may_be_computed_at_once_is_refused(study):
    prompts, _, _ = study
    longest = max(len(each.tokens) for each in prompts.prompts)
    alignment = align(prompts, "slots")
    WeightAverage(only_part(study, alignment), 0, 0, max_cells=longest**2)
    with pytest.raises(WindowTooLargeError, match=f"{longest} tokens") as refused:
        WeightAverage(only_part(study, alignment), 0, 0, max_cells=longest**2 - 1)
    assert refused.value.limit == longest**2 - 1
