"""Predictions of two analyses, against whole distributions of the library's own models."""

from collections.abc import Iterable

import pytest
import torch

from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.inputs.vocabulary_text import vocabulary_text
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import HeadOff
from attention_core.pretrained.studies.differences.difference import summarise
from attention_core.pretrained.studies.differences.prediction_difference import PredictionChange, prediction_difference

TEXT = "A small model reads"


def run(loaded: LoadedModel, text: str = TEXT, *interventions: HeadOff) -> Analysis:
    return analyse(loaded, AnalysisRequest(text, interventions=interventions), max_tokens=64)


def distribution(loaded: LoadedModel, text: str = TEXT, *, without_layer: int | None = None) -> torch.Tensor:
    """Of the next token, from the library's eager attention in float64's softmax."""
    twin = eager_copy(loaded.model)
    if without_layer is not None:
        block = twin.transformer.h[without_layer]
        block.attn.c_proj.register_forward_pre_hook(lambda _, args: (torch.zeros_like(args[0]),))
    with torch.inference_mode():
        return torch.softmax(twin(**tokenise(loaded, text)[0]).logits[0, -1].double(), -1)


def only(found: Iterable[PredictionChange]) -> PredictionChange:
    (change,) = found
    return change


def test_one_vocabulary(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    first, second = run(loaded), run(loaded, TEXT, HeadOff(layer=1, heads="all"))
    p, q = distribution(loaded), distribution(loaded, without_layer=1)
    listed = set(p.topk(10).indices.tolist()) | set(q.topk(10).indices.tolist())
    change = only(prediction_difference(first, second).predictions)
    assert (change.kind, change.index, change.other_index) == ("next_token", 3, 3)
    assert {each.id for each in change.candidates} == listed
    assert summarise(first, second, None).predictions == [change]
    whole = only(prediction_difference(first, second, (loaded, loaded)).predictions)
    assert {each.id for each in whole.candidates} == listed | set((p - q).abs().topk(10).indices.tolist())
    for each in whole.candidates:
        assert each.id is not None
        assert (each.before, each.after) == pytest.approx((float(p[each.id]), float(q[each.id])), rel=1e-4)
        assert each.text == vocabulary_text(loaded.tokenizer, each.id)
    sizes = [abs((each.after or 0) - (each.before or 0)) for each in whole.candidates]
    assert sizes == sorted(sizes, reverse=True)
    assert whole.divergence == pytest.approx(float((p * (p / q).log()).sum()), abs=1e-6)
    assert whole.total_variation == pytest.approx(float((p - q).abs().sum() / 2), abs=1e-6)
    same = only(prediction_difference(first, first).predictions)
    assert (same.divergence, same.total_variation) == (0, 0)


def test_texts_of_other_lengths(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    change = only(prediction_difference(run(loaded), run(loaded, "A model"), (loaded, loaded)).predictions)
    p, q = distribution(loaded), distribution(loaded, "A model")
    assert change.index > change.other_index
    assert change.total_variation == pytest.approx(float((p - q).abs().sum() / 2), abs=1e-6)


@pytest.mark.full
def test_two_models_are_compared_by_the_text_of_tokens(catalog: Catalog) -> None:
    models = (catalog.load("tiny-gpt2"), catalog.load("observatory-gpt2-mini"))
    first, second = (run(loaded, "The cat sat on the") for loaded in models)
    change = only(prediction_difference(first, second, models).predictions)
    assert (change.divergence, change.total_variation) == (None, None)
    sides = [
        (loaded, distribution(loaded, "The cat sat on the"), {each.text for each in one.predictions[0].candidates})
        for loaded, one in zip(models, (first, second), strict=True)
    ]
    assert {each.text for each in change.candidates} == sides[0][2] | sides[1][2]
    for each in change.candidates:
        for value, (loaded, probabilities, _) in zip((each.before, each.after), sides, strict=True):
            every = [vocabulary_text(loaded.tokenizer, id_) for id_ in range(len(probabilities))]
            alike = [id_ for id_, text in enumerate(every) if text == each.text]
            if value is not None:
                assert min(abs(value - float(probabilities[id_])) for id_ in alike) < 1e-5
            else:
                assert len(alike) != 1
    assert any(each.after is not None for each in change.candidates if each.text not in sides[1][2])


def test_two_models_that_are_not_loaded_are_compared_by_what_is_listed(catalog: Catalog) -> None:
    first, second = (run(catalog.load(name)) for name in ("tiny-gpt2", "tiny-gpt-neox"))
    change = only(prediction_difference(first, second).predictions)
    listed = [{each.text: each.probability for each in one.predictions[0].candidates} for one in (first, second)]
    assert {each.text for each in change.candidates} == {*listed[0], *listed[1]}
    for each in change.candidates:
        assert each.id is None
        for value, known in zip((each.before, each.after), listed, strict=True):
            assert value is None or value == pytest.approx(known[each.text])
            assert value is not None or each.text not in known or len(known) < 10  # several read alike
