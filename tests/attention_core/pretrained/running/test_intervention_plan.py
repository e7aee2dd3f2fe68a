"""Combined interventions against a model with dense float64 attention, edited afterwards."""

import threading
from bisect import bisect_right
from collections import Counter
from contextvars import ContextVar
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

from attention_core.pretrained.errors import InterventionError, SelectionError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import (
    CutEdges,
    HeadOff,
    Intervention,
    ReplaceRow,
    SetPattern,
    Temperature,
)

Interventions = tuple[Intervention, ...]

_wanted: ContextVar[tuple[Interventions, list[Tensor]]] = ContextVar("wanted")


def written_out(
    module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, scaling: float, **_: Any
) -> tuple[Tensor, None]:
    """Attention of one text with every matrix whole, changed as the interventions say. Registered as a model's own."""
    interventions, seen = _wanted.get()
    layer = len(seen)
    groups = query.shape[1] // key.shape[1]
    query, key, value = (
        t[0].double() for t in (query, key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1))
    )
    scores = query @ key.mT * scaling
    readable = torch.ones(scores.shape[-2:], dtype=torch.bool)
    if attention_mask is not None:
        readable = attention_mask[0, 0] > -1e30
    weights = torch.empty_like(scores)
    outputs = torch.empty_like(query @ key.mT @ value)
    for head in range(len(scores)):
        mine = [
            one for one in interventions if one.layer in ("all", layer) and (one.heads == "all" or head in one.heads)
        ]
        weights[head] = changed_weights(scores[head], readable, mine)
        outputs[head] = weights[head] @ value[head]
        for one in mine:
            if isinstance(one, HeadOff):
                outputs[head] = 0 if one.mode == "zero" else outputs[head].mean(dim=0)
    seen.append(weights)
    return outputs.transpose(0, 1)[None].to(torch.float32), None


def changed_weights(scores: Tensor, readable: Tensor, interventions: list[Intervention]) -> Tensor:
    """Whole rows: numbers to be normalised, then what of them may be read, then what is dropped."""
    count = len(scores)
    kept = torch.ones(count, count, dtype=torch.bool)
    allowed = readable.clone()
    numbers = None
    for one in sorted(interventions, key=lambda one: isinstance(one, ReplaceRow)):  # a given row follows a pattern
        match one:
            case Temperature():
                scores = scores / one.temperature
            case SetPattern(pattern="causal"):
                allowed &= torch.ones(count, count).tril().bool()
            case SetPattern(pattern="uniform"):
                numbers = torch.ones_like(scores)
            case SetPattern(pattern="previous_token"):
                numbers = torch.eye(count).roll(1, dims=0).double()
                numbers[0] = torch.eye(count)[0]
            case ReplaceRow():
                numbers = (scores - scores.amax(dim=-1, keepdim=True)).exp() if numbers is None else numbers
                numbers[one.query] = torch.tensor(one.weights, dtype=torch.float64)
            case CutEdges():
                for query, key in one.edges:
                    window = (slice(None) if query is None else query, slice(None) if key is None else key)
                    (allowed if one.renormalise else kept)[window] = False
    if numbers is None:
        numbers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    numbers = numbers * allowed
    total = numbers.sum(dim=-1, keepdim=True)
    return numbers / torch.where(total == 0, 1.0, total) * kept


@pytest.fixture(scope="module", autouse=True)
def registered() -> None:
    AttentionInterface.register("written_out", written_out)
    AttentionMaskInterface.register("written_out", eager_mask)


def expected(loaded: LoadedModel, text: str, interventions: Interventions) -> tuple[list[Tensor], Tensor]:
    """Weights of each layer, and what stands at the end (logits, or the last hidden state)."""
    twin = eager_copy(loaded.model)
    twin.set_attn_implementation("written_out")
    seen: list[Tensor] = []
    token = _wanted.set((interventions, seen))
    try:
        with torch.inference_mode():
            outputs = twin(**tokenise(loaded, text)[0], **({"use_cache": False} if twin.can_generate() else {}))
    finally:
        _wanted.reset(token)
    return seen, outputs[0][0]


def text_of(loaded: LoadedModel, count: int) -> str:
    """A text of exactly so many tokens."""
    words = ("The cat sat on the mat because it was tired and the small model reads a small text " * 9).split()

    def tokens(number: int, more: int = 0) -> int:
        return len(tokenise(loaded, " ".join([*words[:number], *"a" * more]))[1])

    above = 1
    while tokens(above) <= count:
        above *= 2
    longest = bisect_right(range(1, above), count, key=tokens)
    texts = ((longest - fewer, more) for fewer in range(4) for more in range(4))
    number, more = next(one for one in texts if tokens(*one) == count)
    return " ".join([*words[:number], *"a" * more])


def everything(count: int, heads: int) -> Interventions:
    """Every kind at once, several on one head, over all layers and in single ones; fits a causal model too."""
    row = [0.0] * count
    row[3], row[5] = 3.0, 1.0
    return (
        Temperature(layer="all", heads=(0, 1), temperature=0.3),
        CutEdges(layer=0, heads=(0,), edges=((None, 0), (7, 3), (count - 1, count - 2)), renormalise=True),
        CutEdges(layer=0, heads=(0, 2), edges=((6, None), (None, 1)), renormalise=False),
        ReplaceRow(layer="all", heads=(1, 3), query=9, weights=tuple(row)),
        ReplaceRow(layer=1, heads=(3,), query=count - 1, weights=(*([0.0] * (count - 2)), 0.5, 0.5), normalise=False),
        SetPattern(layer=0, heads=(2,), pattern="uniform"),
        SetPattern(layer=0, heads=(2, 3), pattern="causal"),
        SetPattern(layer=1, heads=(0, 3), pattern="previous_token"),
        HeadOff(layer=1, heads=(1,), mode="zero"),
        HeadOff(layer="all", heads=(heads - 1,), mode="mean"),
    )


def assert_all_weights(analysis: Analysis, weights: list[Tensor], atol: float = 1e-5) -> None:
    (part,) = analysis.parts
    assert part.layers == len(weights)
    for layer, whole in enumerate(weights):
        ours = np.stack([analysis.window(None, layer, head) for head in range(part.heads)])
        np.testing.assert_allclose(ours, whole.numpy(), atol=atol, rtol=0)


@pytest.fixture(scope="module")
def long_text(minilm: LoadedModel) -> str:
    return text_of(minilm, 149)


@pytest.fixture(scope="module")
def changed(minilm: LoadedModel, long_text: str) -> tuple[Analysis, list[Tensor]]:
    """149 tokens: three blocks of rows, and pictures that are pooled."""
    interventions = everything(149, 12)
    analysis = analyse(minilm, AnalysisRequest(long_text, interventions=interventions), max_tokens=512)
    return analysis, expected(minilm, long_text, interventions)[0]


def test_everything_at_once_over_several_blocks(changed: tuple[Analysis, list[Tensor]]) -> None:
    assert_all_weights(*changed)


def test_the_pictures_show_what_was_computed(changed: tuple[Analysis, list[Tensor]]) -> None:
    analysis, weights = changed
    (part,) = analysis.parts
    whole = torch.stack(weights)
    cells = torch.nn.functional.max_pool2d(whole.flatten(0, 1)[:, None], 3, ceil_mode=True)[:, 0]
    np.testing.assert_allclose(part.overview.reshape(cells.shape), (cells * 255).numpy(), atol=0.51)


def test_metrics_are_those_of_the_changed_weights(changed: tuple[Analysis, list[Tensor]]) -> None:
    analysis, weights = changed
    whole, metrics = torch.stack(weights), analysis.parts[0].metrics
    entropy = torch.special.entr(whole).sum(dim=-1).mean(dim=-1)
    np.testing.assert_allclose(metrics["entropy"], entropy.numpy(), atol=1e-4)
    np.testing.assert_allclose(metrics["first_token"], whole[..., 0].mean(dim=-1).numpy(), atol=1e-5)
    previous = whole.diagonal(-1, dim1=-2, dim2=-1).mean(dim=-1)
    np.testing.assert_allclose(metrics["previous_token"], previous.numpy(), atol=1e-5)
    assert metrics["previous_token"][1, 0] == 1.0


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (0, 2), (1, 3), (1, 0), (5, 11)])
@pytest.mark.parametrize("pooling", ["max", "mean"])
def test_pooled_windows(changed: tuple[Analysis, list[Tensor]], layer: int, head: int, pooling: Any) -> None:
    analysis, weights = changed
    window = analysis.window(None, layer, head, "weights", (10, 149), (0, 147), 21, pooling)
    part = weights[layer][head, 10:149, 0:147]
    cells = [[getattr(part[i : i + 7, j : j + 7], pooling)() for j in range(0, 147, 7)] for i in range(0, 139, 7)]
    np.testing.assert_allclose(window, cells, atol=1e-5)


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (0, 2), (1, 0), (3, 0)])
def test_a_distribution_leaves_out_what_was_cut(changed: tuple[Analysis, list[Tensor]], layer: int, head: int) -> None:
    analysis, weights = changed
    scores = analysis.window(None, layer, head, "masked_scores")
    seen = weights[layer][head].numpy()[np.isfinite(scores)]
    found = analysis.distribution(None, layer, head, "weights", bins=9)
    assert found.masked == scores.size - seen.size
    assert (found.masked > 0) == (layer < 2)
    assert found.counts.sum() == seen.size
    assert (found.mean, found.maximum) == pytest.approx((seen.mean(), seen.max()), abs=1e-6)
    assert found.row_entropy == pytest.approx(torch.special.entr(weights[layer][head]).sum(-1).numpy(), abs=1e-4)


@pytest.mark.parametrize("name", ["tiny-gpt2", "tiny-llama", "tiny-mistral", "tiny-qwen3", "tiny-bert"])
def test_everything_at_once_in_other_architectures(catalog: Catalog, name: str) -> None:
    """Causal masks, grouped heads, sliding windows (of 5: a row may give nothing outside)."""
    loaded = catalog.load(name)
    text = text_of(loaded, 21)
    row = tuple(2.0 if key in (7, 9) else 0.0 for key in range(21))
    interventions = (
        *(one for one in everything(21, 4) if not (isinstance(one, ReplaceRow) and one.query == 9)),
        ReplaceRow(layer="all", heads=(1, 3), query=9, weights=row),
    )
    analysis = analyse(loaded, AnalysisRequest(text, interventions=interventions), max_tokens=64)
    weights, logits = expected(loaded, text, interventions)
    assert_all_weights(analysis, weights)
    if analysis.log_probabilities is not None:
        last = logits[-1].double()
        np.testing.assert_allclose(analysis.log_probabilities[0], (last - last.logsumexp(-1)).numpy(), atol=1e-4)


@pytest.mark.full
def test_analyses_in_threads_never_mix(minilm: LoadedModel) -> None:
    sentence = "The cat sat on the mat because it was tired."
    asked: list[Interventions] = [
        (),
        (HeadOff(layer=0, heads="all"),),
        (Temperature(layer="all", heads="all", temperature=0.2),),
        (SetPattern(layer=2, heads="all", pattern="uniform"),),
        (CutEdges(layer="all", heads="all", edges=((None, 0),)),),
        (SetPattern(layer="all", heads=(5,), pattern="causal"), HeadOff(layer=1, heads=(5,), mode="mean")),
    ]

    def last(interventions: Interventions) -> np.ndarray:
        analysis = analyse(minilm, AnalysisRequest(sentence, interventions=interventions), max_tokens=512)
        return np.stack([analysis.window(None, 5, head) for head in range(12)])

    alone = [last(interventions) for interventions in asked]
    assert all(np.abs(one - alone[0]).max() > 1e-2 for one in alone[1:])
    together: list[np.ndarray | None] = [None] * len(asked)
    barrier = threading.Barrier(len(asked))

    def work(index: int) -> None:
        barrier.wait()
        for _ in range(3):
            together[index] = last(asked[index])

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(asked))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for ours, theirs in zip(together, alone, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6, rtol=0)


def test_nothing_of_size_n_by_n_is_kept(changed: tuple[Analysis, list[Tensor]]) -> None:
    edits = [edit for layer in changed[0].parts[0].record.layers for edit in layer.attention.edits.values()]
    assert len(edits) == 5 + 5 * 4
    tensors = [
        tensor for edit in edits for tensor in (*(row.log_weights for row in edit.rows), *edit.cuts, *edit.drops)
    ]
    assert max(tensor.numel() for tensor in tensors) == 149
    assert max(Counter(tensor.data_ptr() for tensor in tensors).values()) == 12, "heads and layers share them"


def row(count: int, **weights: float) -> tuple[float, ...]:
    given = {int(key[1:]): weight for key, weight in weights.items()}
    return tuple(given.get(index, 0.0) for index in range(count))


@pytest.mark.parametrize(
    ("name", "interventions", "error", "field", "message"),
    [
        ("tiny-bert", [HeadOff(layer=2, heads="all")], SelectionError, "0.layer", "layer must be from 0 to 1, not 2"),
        ("tiny-bert", [HeadOff(layer=0, heads=(1, 4))], SelectionError, "0.heads", "head must be from 0 to 3, not 4"),
        ("tiny-bert", [HeadOff(part="cross", layer=0, heads="all")], SelectionError, "0.part", "one of encoder, not"),
        ("tiny-bert", [CutEdges(layer=0, heads="all", edges=((9, 0),))], SelectionError, "0.edges", "query .* not 9"),
        ("tiny-bert", [CutEdges(layer=0, heads="all", edges=((0, 9),))], SelectionError, "0.edges", "key .* not 9"),
        (
            "tiny-bert", [ReplaceRow(layer=0, heads="all", query=9, weights=row(9, k1=1.0))],
            SelectionError, "0.query", "query must be from 0 to 8, not 9",
        ),
        (
            "tiny-bert", [ReplaceRow(layer=0, heads="all", query=1, weights=row(8, k1=1.0))],
            InterventionError, "0.weights", "weights must be one for each of the 9 keys, not 8",
        ),
        (
            "tiny-gpt2",
            [HeadOff(layer=0, heads=(1,)), ReplaceRow(layer=1, heads="all", query=2, weights=row(9, k3=1.0))],
            InterventionError, "1.weights", "weights include key 3, which query 2 may not attend to",
        ),
        (
            "tiny-bert", [HeadOff(layer="all", heads=(1, 2)), HeadOff(layer=1, heads=(2, 3), mode="mean")],
            InterventionError, "1", "interventions 0 and 1 both set the output of head 2 in layer 1",
        ),
        (
            "tiny-bert",
            [
                SetPattern(layer=0, heads="all", pattern="uniform"),
                SetPattern(layer=0, heads=(1,), pattern="previous_token"),
            ],
            InterventionError, "1", "both set the pattern of head 1 in layer 0",
        ),
        (
            "tiny-bert",
            [Temperature(layer=0, heads=(0,), temperature=2.0), Temperature(layer=0, heads="all", temperature=2.0)],
            InterventionError, "1", "both set the temperature of head 0 in layer 0",
        ),
        (
            "tiny-t5", [SetPattern(part="cross", layer=0, heads="all", pattern="causal")],
            InterventionError, "0.pattern", "causal has no meaning between two texts",
        ),
        ("tiny-t5", [HeadOff(part="decoder", layer=3, heads="all")], SelectionError, "0.layer", "0 to 2, not 3"),
        ("tiny-t5", [HeadOff(layer=2, heads="all")], SelectionError, "0.layer", "0 to 1, not 2"),
    ],
)  # fmt: skip
def test_what_this_model_cannot_do(
    catalog: Catalog, name: str, interventions: list[Intervention], error: type[Exception], field: str, message: str
) -> None:
    loaded = catalog.load(name)
    text = text_of(loaded, 9)
    with pytest.raises(error, match=message) as raised:
        analyse(loaded, AnalysisRequest(text, interventions=tuple(interventions)), max_tokens=64)
    assert raised.value.field == f"interventions.{field}"


def test_parity_has_nothing_to_compare_with(minilm: LoadedModel) -> None:
    request = AnalysisRequest("A cat.", parity=True, interventions=(HeadOff(layer=0, heads=(0,)),))
    with pytest.raises(InterventionError, match="parity must be false with interventions") as raised:
        analyse(minilm, request, max_tokens=512)
    assert raised.value.field == "parity"
