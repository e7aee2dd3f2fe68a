"""Interventions in every architecture, against eager attention with edited projections."""

import copy
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attention_core.pretrained.inputs.tokens import tokenise, tokenise_target
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

ARCHITECTURES = [
    "tiny-bert", "tiny-roberta", "tiny-distilbert", "tiny-modernbert", "tiny-gpt2", "tiny-gpt-neox", "tiny-llama",
    "tiny-qwen3", "tiny-mistral", "tiny-t5", "tiny-bart",
]  # fmt: skip
FIELDS = {"encoder": "encoder_attentions", "decoder": "decoder_attentions", "cross": "cross_attentions"}
HEAD, LAYERS = 2, (0, 1)

OUTPUT = re.compile(
    r"(attention\.output\.dense|attn\.c_proj|o_proj|attention\.dense|out_lin|attn\.Wo|Attention\.o|out_proj)$"
)
QUERY = re.compile(r"(self\.query|c_attn|q_norm|q_proj|query_key_value|q_lin|Wqkv|Attention\.q)$")
CROSS = re.compile(r"EncDecAttention|encoder_attn")


@pytest.fixture(scope="module")
def lively(catalog: Catalog) -> Callable[[str], LoadedModel]:
    """Models of the catalog with weights large enough for heads to be far from uniform."""
    made: dict[str, LoadedModel] = {}

    def make(name: str) -> LoadedModel:
        if name not in made:
            loaded = catalog.load(name)
            model = copy.deepcopy(loaded.model)
            generator = torch.Generator().manual_seed(0)
            for parameter in model.parameters():
                if parameter.ndim == 2:
                    parameter.normal_(std=0.2 if name == "tiny-t5" else 0.3, generator=generator)
            made[name] = replace(loaded, model=model)
        return made[name]

    return make


def request_for(loaded: LoadedModel, *interventions: Intervention) -> AnalysisRequest:
    mask = "" if loaded.model.can_generate() else f" {loaded.tokenizer.mask_token}"
    target = "A small text." if loaded.entry.kind == "encoder_decoder" else None
    return AnalysisRequest(f"The cat sat on the mat{mask}.", target_text=target, interventions=interventions)


def parts_of(loaded: LoadedModel) -> list[str]:
    return list(FIELDS) if loaded.entry.kind == "encoder_decoder" else [str(loaded.entry.kind)]


def modules_of(model: nn.Module, part: str, pattern: re.Pattern[str]) -> list[nn.Module]:
    """The projections of one part, first layer first; q_norm stands behind q_proj where there is one."""
    found = {name: module for name, module in model.named_modules() if pattern.search(name)}
    if any(name.endswith("q_norm") for name in found):
        found = {name: module for name, module in found.items() if name.endswith("q_norm")}
    if part == "cross" or (any("encoder." in name for name in found) and any("decoder." in name for name in found)):
        side = r"(^|\.)encoder\." if part == "encoder" else r"(^|\.)decoder\."
        found = {name: module for name, module in found.items() if re.search(side, name)}
        found = {name: module for name, module in found.items() if bool(CROSS.search(name)) == (part == "cross")}
    return list(found.values())


def without_head(heads: int) -> Callable[..., Any]:
    def hook(_: nn.Module, args: tuple[Tensor, ...]) -> tuple[Tensor]:
        merged = args[0].clone()
        size = merged.shape[-1] // heads
        merged[..., HEAD * size : (HEAD + 1) * size] = 0
        return (merged,)

    return hook


def scaled_query(name: str, heads: int, size: int, factor: float) -> Callable[..., Any]:
    def hook(_: nn.Module, __: Any, output: Tensor) -> Tensor:
        output = output.clone()
        if name == "tiny-qwen3":  # (batch, tokens, heads, size) after the norm
            output[:, :, HEAD] *= factor
        elif name == "tiny-gpt-neox":  # query, key and value of one head lie together
            output.view(*output.shape[:-1], heads, 3 * size)[..., HEAD, :size] *= factor
        else:  # query first, where key and value are there too
            output[..., HEAD * size : (HEAD + 1) * size] *= factor
        return output

    return hook


def assert_equals(analysis: Analysis, twin: nn.Module, loaded: LoadedModel, request: AnalysisRequest) -> None:
    """Every weight of every part, and what is predicted in the end."""
    inputs, tokens = tokenise(loaded, request.text)
    if request.target_text is not None:
        inputs |= tokenise_target(loaded, request.target_text)[0]
    with torch.inference_mode():
        eager = twin(**inputs, output_attentions=True)
    for part in analysis.parts:
        attentions = eager[FIELDS[part.name] if len(analysis.parts) > 1 else "attentions"]
        assert len(attentions) == part.layers
        for layer, weights in enumerate(attentions):
            ours = np.stack([analysis.window(part.name, layer, head) for head in range(part.heads)])
            np.testing.assert_allclose(ours, weights[0].numpy(), atol=2e-5, rtol=0)
    positions = [token.index for token in tokens if token.id == loaded.tokenizer.mask_token_id]
    logits = eager.logits[0, [-1] if loaded.model.can_generate() else positions].double()
    expected = logits - logits.logsumexp(dim=-1, keepdim=True)
    assert analysis.log_probabilities is not None
    np.testing.assert_allclose(analysis.log_probabilities, expected.numpy(), atol=2e-4, rtol=0)


@contextmanager
def hooked(handles: list[Any]) -> Iterator[None]:
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@pytest.mark.full("tiny-bart", "tiny-t5")
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_head_off_is_its_slice_zeroed_before_the_output_projection(
    lively: Callable[[str], LoadedModel], name: str
) -> None:
    loaded = lively(name)
    plain = analyse(loaded, request_for(loaded), max_tokens=64)
    for part in parts_of(loaded):
        request = request_for(loaded, *(HeadOff(part=part, layer=layer, heads=(HEAD,)) for layer in LAYERS))
        twin = eager_copy(loaded.model)
        projections = modules_of(twin, part, OUTPUT)
        assert len(projections) == next(shape.layers for shape in loaded.parts if shape.name == part)
        analysis = analyse(loaded, request, max_tokens=64)
        with hooked([projections[layer].register_forward_pre_hook(without_head(4)) for layer in LAYERS]):
            assert_equals(analysis, twin, loaded, request)
        assert np.abs(analysis.log_probabilities - plain.log_probabilities).max() > 1e-2


@pytest.mark.full("tiny-bart", "tiny-t5")
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_temperature_is_a_scale_of_the_queries(lively: Callable[[str], LoadedModel], name: str) -> None:
    loaded = lively(name)
    plain = analyse(loaded, request_for(loaded), max_tokens=64)
    for part in parts_of(loaded):
        request = request_for(loaded, Temperature(part=part, layer="all", heads=(HEAD,), temperature=0.25))
        twin = eager_copy(loaded.model)
        size = loaded.entry.head_dim
        assert size is not None
        queries = modules_of(twin, part, QUERY)
        assert len(queries) == next(shape.layers for shape in loaded.parts if shape.name == part)
        analysis = analyse(loaded, request, max_tokens=64)
        with hooked([module.register_forward_hook(scaled_query(name, 4, size, 4.0)) for module in queries]):
            assert_equals(analysis, twin, loaded, request)
        assert np.abs(analysis.window(part, 0, HEAD) - plain.window(part, 0, HEAD)).max() > 1e-2
        scaled = analysis.window(part, 0, HEAD, "scaled_scores")
        np.testing.assert_allclose(scaled, 4 * plain.window(part, 0, HEAD, "scaled_scores"), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["tiny-bert", "tiny-gpt2", "tiny-llama"])
def test_edges_cut_are_an_additive_mask(lively: Callable[[str], LoadedModel], name: str) -> None:
    loaded = lively(name)
    edges = ((5, 3), (6, 2), (4, 4), (None, 1))
    request = request_for(loaded, CutEdges(layer="all", heads=(0, HEAD), edges=edges))
    analysis = analyse(loaded, request, max_tokens=64)
    inputs, tokens = tokenise(loaded, request.text)
    mask = torch.zeros(1, 4, len(tokens), len(tokens))
    if loaded.entry.kind == "decoder":
        mask += torch.full((len(tokens), len(tokens)), -math.inf).triu(1)
    for query, key in edges:
        mask[:, [0, HEAD], slice(None) if query is None else query, key] = -math.inf
    with torch.inference_mode():
        eager = eager_copy(loaded.model)(**{**inputs, "attention_mask": mask}, output_attentions=True)
    for layer, weights in enumerate(eager.attentions):
        ours = np.stack([analysis.window(None, layer, head) for head in range(4)])
        np.testing.assert_allclose(ours, weights[0].numpy(), atol=2e-5, rtol=0)
        assert ours[0, 5, 3] == ours[HEAD, -1, 1] == 0 < ours[1, -1, 1]


@pytest.mark.parametrize(("name", "query"), [("tiny-bert", 2), ("tiny-gpt2", 0), ("tiny-t5", 1)])
def test_a_query_whose_every_edge_is_cut_is_told(lively: Callable[[str], LoadedModel], name: str, query: int) -> None:
    loaded = lively(name)
    part = parts_of(loaded)[-1]
    cut = CutEdges(layer=1, heads=(HEAD,), edges=((query, None),), **({"part": part} if part == "cross" else {}))
    plain, changed = (analyse(loaded, request_for(loaded, *each), max_tokens=64) for each in [(), (cut,)])
    assert plain.warnings == ()
    (warning,) = changed.warnings
    assert warning.code == "rows_without_keys"
    assert str(warning.message).startswith("In 1 of ")
    assert str(warning.message).endswith(f"the first is layer 1, head {HEAD}, query {query}.")
    assert (changed.window(part, 1, HEAD)[query] == 0).all()


def test_what_an_analysis_was_asked_stands_in_it(lively: Callable[[str], LoadedModel]) -> None:
    loaded = lively("tiny-bert")
    interventions = (HeadOff(layer=1, heads="all", mode="mean"), CutEdges(layer=0, heads=(1,), edges=((2, 3),)))
    analysis = analyse(loaded, request_for(loaded, *interventions), max_tokens=64)
    plain = analyse(loaded, request_for(loaded), max_tokens=64)
    assert analysis.interventions == interventions
    assert plain.interventions == ()
    assert analysis.nbytes == plain.nbytes + 2 * 40


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: HeadOff(layer=-1, heads="all"), r"layer must be counted from 0, not -1"),
        (lambda: HeadOff(layer=True, heads="all"), r"layer must be counted from 0, not True"),
        (lambda: HeadOff(layer=0, heads=()), r"heads must name at least one head, or be 'all'"),
        (lambda: HeadOff(layer=0, heads=(1, -2)), r"heads must be counted from 0, not -2"),
        (lambda: HeadOff(layer=0, heads=(1, 2, 1)), r"heads must name each head once, not \[1, 2, 1\]"),
        (lambda: CutEdges(layer=0, heads="all", edges=()), r"edges must name at least one edge"),
        (lambda: CutEdges(layer=0, heads="all", edges=((0, -1),)), r"edges must be counted from 0, not -1"),
        (lambda: CutEdges(layer=0, heads="all", edges=((None, None),)), r"edges must name a query or a key, not null"),
        (lambda: ReplaceRow(layer=0, heads="all", query=-1, weights=(1.0,)), r"query must be counted from 0, not -1"),
        (lambda: ReplaceRow(layer=0, heads="all", query=0, weights=(0.5, -0.5)), r"weights must be .*, not -0\.5 at 1"),
        (lambda: ReplaceRow(layer=0, heads="all", query=0, weights=(math.nan,)), r"weights must be .*, not nan at 0"),
        (lambda: ReplaceRow(layer=0, heads="all", query=0, weights=(math.inf,)), r"weights must be .*, not inf at 0"),
        (lambda: ReplaceRow(layer=0, heads="all", query=0, weights=(0.0, 0.0)), r"weights must sum to .*, not 0"),
        (
            lambda: ReplaceRow(layer=0, heads="all", query=0, weights=(0.5, 0.25), normalise=False),
            r"weights must sum to 1 unless normalise is true, not 0\.75",
        ),
        (lambda: Temperature(layer=0, heads="all", temperature=0.0), r"temperature must be from 1e-06 to .*, not 0\.0"),
        (lambda: Temperature(layer=0, heads="all", temperature=-1.0), r"temperature must be .*, not -1\.0"),
        (lambda: Temperature(layer=0, heads="all", temperature=math.nan), r"temperature must be .*, not nan"),
        (lambda: Temperature(layer=0, heads="all", temperature=1e7), r"temperature must be .*, not 10000000\.0"),
    ],
)
def test_what_no_model_could_do(make: Callable[[], Intervention], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_every_kind_has_its_name() -> None:
    kinds = [each.kind for each in (HeadOff, CutEdges, ReplaceRow, Temperature, SetPattern)]
    assert kinds == ["head_off", "cut_edges", "replace_row", "temperature", "pattern"]
