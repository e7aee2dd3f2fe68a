"""From a text to every head: against the library's own eager attention, predictions and published observations."""

import gc
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from attention_core.pretrained.errors import Cancelled, SelectionError, WindowTooLargeError
from attention_core.pretrained.inputs.tokens import tokenise, tokenise_target
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.files.mapped_files import mapped_bytes
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse

SENTENCE = "The cat sat on the mat because it was tired."
TEXTS = {
    "tiny-gpt2": "A small model reads a small text.",
    "tiny-llama": "Attention is a weighted mean of values.",
    "tiny-mistral": "Whoever reads this sentence twice has read it once more.",
    "tiny-modernbert": SENTENCE,
    "tiny-distilbert": SENTENCE,
    "tiny-t5": SENTENCE,
    "tiny-bart": SENTENCE,
}


@pytest.fixture(scope="module")
def cat(minilm: LoadedModel) -> Analysis:
    return analyse(minilm, AnalysisRequest(SENTENCE, parity=True), max_tokens=512)


def eager_attentions(loaded: LoadedModel, inputs: dict[str, Tensor], name: str = "attentions") -> list[np.ndarray]:
    with torch.inference_mode():
        outputs = eager_copy(loaded.model)(**inputs, output_attentions=True)
    return [weights[0].numpy() for weights in outputs[name]]


def assert_every_head(analysis: Analysis, part: str, expected: list[np.ndarray]) -> None:
    chosen = next(each for each in analysis.parts if each.name == part)
    assert (chosen.layers, chosen.heads) == (len(expected), expected[0].shape[0])
    for layer, weights in enumerate(expected):
        ours = np.stack([analysis.window(part, layer, head) for head in range(chosen.heads)])
        np.testing.assert_allclose(ours, weights, atol=1e-5, rtol=0)


@pytest.mark.gate
@pytest.mark.parametrize("tokens", [13, 128, 512])
def test_minilm_equals_eager_attention(minilm: LoadedModel, tokens: int) -> None:
    words = SENTENCE.rstrip(".").split()
    text = SENTENCE if tokens == 13 else " ".join(words[i % len(words)] for i in range(tokens - 2))
    analysis = analyse(minilm, AnalysisRequest(text), max_tokens=512)
    assert len(analysis.tokens) == tokens
    inputs, _ = tokenise(minilm, text)
    assert_every_head(analysis, "encoder", eager_attentions(minilm, inputs))


@pytest.mark.parametrize("name", TEXTS)
def test_local_models_equal_eager_attention(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    request = AnalysisRequest(TEXTS[name], target_text="A small text." if name in {"tiny-t5", "tiny-bart"} else None)
    analysis = analyse(loaded, request, max_tokens=512)
    inputs, _ = tokenise(loaded, request.text)
    if request.target_text is None:
        assert_every_head(analysis, str(loaded.entry.kind), eager_attentions(loaded, inputs))
        return
    target, _ = tokenise_target(loaded, request.target_text)
    assert [part.name for part in analysis.parts] == ["encoder", "decoder", "cross"]
    for part in ("encoder", "decoder", "cross"):
        assert_every_head(analysis, part, eager_attentions(loaded, {**inputs, **target}, f"{part}_attentions"))


def test_the_published_observations(cat: Analysis) -> None:
    texts = [token.text for token in cat.tokens]
    it, cat_ = texts.index("it"), texts.index("cat")
    assert cat.window(None, 5, 11)[it, cat_] == pytest.approx(0.71, abs=0.005)
    assert cat.window(None, 3, 1)[it, cat_] == pytest.approx(0.49, abs=0.005)
    assert cat.window(None, 0, 2)[it, it - 1] == pytest.approx(1.00, abs=0.005)
    previous = cat.parts[0].metrics["previous_token"]
    assert np.unravel_index(previous.argmax(), previous.shape) == (0, 2)


def test_what_comes_with_it(cat: Analysis) -> None:
    (part,) = cat.parts
    assert (part.name, part.layers, part.heads, part.kv_heads, part.causal) == ("encoder", 6, 12, 12, False)
    assert (part.query_side, part.key_side, part.query_tokens, part.key_tokens) == ("source", "source", 13, 13)
    assert part.overview.shape == (6, 12, 13, 13)
    assert set(cat.timings_ms) == {"tokenize", "forward", "overview", "metrics"}
    assert all(milliseconds > 0 for milliseconds in cat.timings_ms.values())
    assert cat.parity is not None
    assert max(cat.parity.weights, cat.parity.last_hidden_state) <= cat.parity.bound == 1e-5
    assert (cat.device, cat.dtype, cat.predictions, cat.target_tokens) == ("cpu", "float32", [], None)


def test_masked_stage_shows_minus_infinity(catalog: Catalog) -> None:
    analysis = analyse(catalog.load("tiny-gpt2"), AnalysisRequest("A small text."), max_tokens=512)
    scores = analysis.window(None, 0, 0, "masked_scores")
    upper = np.triu(np.ones_like(scores, dtype=bool), k=1)
    assert np.all(scores[upper] == -np.inf)
    assert np.all(np.isfinite(scores[~upper]))
    assert np.all(np.isfinite(analysis.window(None, 0, 0, "raw_scores")))


def test_next_token(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    analysis = analyse(loaded, AnalysisRequest("A small model reads"), max_tokens=512)
    inputs, tokens = tokenise(loaded, "A small model reads")
    with torch.inference_mode():
        expected = torch.softmax(eager_copy(loaded.model)(**inputs).logits[0, -1].double(), dim=-1)
    (prediction,) = analysis.predictions
    assert (prediction.kind, prediction.index) == ("next_token", len(tokens) - 1)
    best = expected.topk(10)
    assert [candidate.id for candidate in prediction.candidates] == best.indices.tolist()
    assert [candidate.probability for candidate in prediction.candidates] == pytest.approx(best.values.tolist())


def test_masked_tokens(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-bert")
    text = "The [MASK] sat on the [MASK] because it was tired."
    analysis = analyse(loaded, AnalysisRequest(text), max_tokens=512)
    inputs, tokens = tokenise(loaded, text)
    with torch.inference_mode():
        logits = eager_copy(loaded.model)(**inputs).logits[0].double()
    masked = [token.index for token in tokens if token.text == "[MASK]"]
    assert [(each.kind, each.index) for each in analysis.predictions] == [("masked_token", i) for i in masked]
    for prediction, position in zip(analysis.predictions, masked, strict=True):
        best = torch.softmax(logits[position], dim=-1).topk(10)
        assert [candidate.id for candidate in prediction.candidates] == best.indices.tolist()
        assert [each.probability for each in prediction.candidates] == pytest.approx(best.values.tolist())


@pytest.mark.parametrize(("name", "mask"), [("tiny-bert", "[MASK]"), ("tiny-roberta", "<mask>"), ("tiny-gpt2", None)])
def test_a_model_says_what_masks_a_token(catalog: Catalog, name: str, mask: str | None) -> None:
    loaded = catalog.load(name)
    assert analyse(loaded, AnalysisRequest("The cat sat."), max_tokens=512).model.mask_token == mask
    if mask is not None:
        tokens = tokenise(loaded, f"The {mask} sat.")[1]
        assert [token.id for token in tokens].count(loaded.tokenizer.mask_token_id) == 1


@pytest.mark.full("observatory-gpt2-mini")
@pytest.mark.parametrize("name", ["tiny-gpt2", "observatory-gpt2-mini", "tiny-llama"])
def test_a_candidate_written_behind_the_text_is_that_token(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    text = "The cat sat on the mat because"
    (prediction,) = analyse(loaded, AnalysisRequest(text), max_tokens=512).predictions
    written = [each.written for each in prediction.candidates if each.written is not None]
    assert len(written) >= 3
    for candidate in prediction.candidates:
        if candidate.written is None:
            is_part = "\N{REPLACEMENT CHARACTER}" in candidate.text
            assert is_part or candidate.id in loaded.tokenizer.all_special_ids
        else:
            read = loaded.tokenizer(text + candidate.written)["input_ids"]
            alone = loaded.tokenizer.decode(read, skip_special_tokens=True)
            assert alone == text + candidate.written
            if candidate.written.startswith(" "):  # a new word: nothing merges across it
                assert candidate.id in read[-2:]


def test_a_candidate_written_for_the_mask_is_that_token(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-bert")
    analysis = analyse(loaded, AnalysisRequest("The [MASK] sat on the mat."), max_tokens=512)
    whole = [each for each in analysis.predictions[0].candidates if each.written and not each.written.startswith("##")]
    assert whole
    for candidate in whole:
        tokens = tokenise(loaded, f"The {candidate.written} sat on the mat.")[1]
        assert tokens[2].id == candidate.id
    special = loaded.tokenizer.all_special_ids
    assert all(each.written is None for each in analysis.predictions[0].candidates if each.id in special)


def test_distribution_of_a_masked_stage(catalog: Catalog) -> None:
    analysis = analyse(catalog.load("tiny-mistral"), AnalysisRequest(TEXTS["tiny-mistral"]), max_tokens=512)
    scores = analysis.window(None, 1, 2, "scaled_scores").astype(np.float64)
    allowed = np.isfinite(analysis.window(None, 1, 2, "masked_scores"))
    found = analysis.distribution(None, 1, 2, "scaled_scores", bins=7)
    seen = scores[allowed]
    assert found.masked == scores.size - seen.size > 0
    counts, edges = np.histogram(seen, bins=7)
    np.testing.assert_array_equal(found.counts, counts)
    np.testing.assert_allclose(found.edges, edges)
    moments = (found.mean, found.standard_deviation, found.minimum, found.maximum)
    assert moments == pytest.approx((seen.mean(), seen.std(), seen.min(), seen.max()))
    weights = analysis.window(None, 1, 2).astype(np.float64)
    entropy = -(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=-1)
    np.testing.assert_allclose(found.row_entropy, entropy, atol=1e-5)


@pytest.mark.parametrize(
    ("selection", "field", "message"),
    [
        ({"part": "cross"}, "part", r"part must be one of encoder, not 'cross'"),
        ({"layer": 6}, "layer", r"layer must be from 0 to 5, not 6"),
        ({"layer": -1}, "layer", r"layer must be from 0 to 5, not -1"),
        ({"head": 12}, "head", r"head must be from 0 to 11, not 12"),
        ({"stage": "logits"}, "stage", r"stage must be one of raw_scores, .*, not 'logits'"),
        ({"rows": (3, 3)}, "rows", r"rows must be a:b with 0 ≤ a < b ≤ 13, not 3:3"),
        ({"cols": (0, 14)}, "cols", r"cols must be a:b with 0 ≤ a < b ≤ 13, not 0:14"),
    ],
)
def test_what_is_not_there(cat: Analysis, selection: dict[str, object], field: str, message: str) -> None:
    with pytest.raises(SelectionError, match=message) as raised:
        cat.window(**{"part": None, "layer": 0, "head": 0, **selection})
    assert raised.value.field == field


def test_too_large_a_window_can_be_pooled(cat: Analysis) -> None:
    with pytest.raises(WindowTooLargeError, match="13 × 13 cells is larger than 100") as raised:
        cat.window(None, 0, 0, max_cells=100)
    assert raised.value.limit == 100
    assert cat.window(None, 0, 0, max_size=7, max_cells=100).shape == (7, 7)


def test_cancelled(minilm: LoadedModel) -> None:
    with pytest.raises(Cancelled):
        analyse(minilm, AnalysisRequest(SENTENCE), max_tokens=512, cancelled=lambda: True)


@pytest.mark.full
@pytest.mark.parametrize("name", ["tiny-bert", "tiny-llama", "tiny-mistral", "tiny-modernbert", "tiny-t5"])
def test_what_is_kept_keeps_no_model(tmp_path: Path, make_model_folder: Callable[[Path, str], Path], name: str) -> None:
    file = make_model_folder(tmp_path, name) / "model.safetensors"
    loaded = Catalog(models_dir=tmp_path, device="cpu").load(name)
    assert len(loaded.projections) >= loaded.entry.layers
    analysis = analyse(loaded, AnalysisRequest("the cat sat on the mat"), max_tokens=512)
    part = analysis.parts[0].record
    projection = part.layers[0].projection
    assert projection is not None
    pieces = [part.layers[0].attention, part.layers[0].log_sum_exp, projection.weight, projection.bias]
    assert part.layers[0].nbytes == sum(piece.nbytes for piece in pieces if piece is not None)
    before = analysis.window(None, 1, 2, "norm_weighted")
    modules = [weakref.ref(module) for module in loaded.model.modules()]
    del loaded, projection, pieces
    gc.collect()
    assert [module() for module in modules if module() is not None] == []
    assert mapped_bytes([file]) == 0
    np.testing.assert_array_equal(analysis.window(None, 1, 2, "norm_weighted"), before)
