"""The graph against one made naively: the library's eager model, its parts one vector at a time, then breadth first."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from attention_core.pretrained.errors import Cancelled, ModelUnavailableError, SelectionError, WindowTooLargeError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import HeadOff
from attention_core.pretrained.studies import information_flow as studied
from attention_core.pretrained.studies.importances import importances
from attention_core.pretrained.studies.information_flow import FLOOR, InformationFlow, information_flow, most_tokens
from attention_core.pretrained.studies.stream_sums import stream_sums

TEXT = "The cat sat on the mat because it was tired. The cat sat"
MINI = "observatory-gpt2-mini"
SEVERAL = ("tiny-llama", "tiny-mistral", "tiny-gpt-neox", "tiny-distilbert", "tiny-modernbert")

Part = tuple[str, int | None, int]
"""Kind, head and source token; kind ``bias`` comes from nowhere."""
Station = list[tuple[Tensor, dict[Part, Tensor]]]
"""By token: the state, and its parts."""
Sums = list[Station]
"""From the first station to the last."""


@pytest.fixture(scope="module")
def mini() -> LoadedModel:
    return Catalog(device="cpu").load(MINI)


class Eager:
    """The library's own run, in float64: what each module read and wrote."""

    def __init__(self, loaded: LoadedModel, text: str) -> None:
        self.model: Any = deepcopy(loaded.model).double()
        self.model.set_attn_implementation("eager")
        self.read: dict[str, Any] = {}
        self.written: dict[str, Any] = {}
        for name, module in self.model.named_modules():
            module.register_forward_hook(self._note(name), with_kwargs=True)
        inputs, _ = tokenise(loaded, text)
        with torch.inference_mode():
            self.weights = [each[0] for each in self.model(**inputs, output_attentions=True).attentions]

    def _note(self, name: str) -> Any:
        def note(_module: Any, args: Any, kwargs: Any, output: Any) -> None:
            read = args[0] if args else kwargs.get("hidden_states")
            self.read[name] = read[0] if isinstance(read, Tensor) else None
            self.written[name] = (output[0] if isinstance(output, tuple) else output)[0]

        return note

    def of_heads(self, layer: int, values: Tensor, written: Tensor, query: int) -> dict[Part, Tensor]:
        """``written`` is W_O with one row for each number of the concatenated heads."""
        weights = self.weights[layer]
        heads, size = len(weights), len(written) // len(weights)
        group = heads * size // values.shape[-1]
        parts: dict[Part, Tensor] = {}
        for head in range(heads):
            own = values[:, head // group * size : (head // group + 1) * size]
            rows = written[head * size : (head + 1) * size]
            for key in range(len(values)):
                parts["head", head, key] = float(weights[head, query, key]) * (own[key] @ rows)
        return parts


def gpt2_sums(run: Eager) -> Sums:
    sums: Sums = []
    for layer, block in enumerate(run.model.transformer.h):
        name = f"transformer.h.{layer}"
        values = run.written[f"{name}.attn.c_attn"].chunk(3, dim=-1)[2]
        before, middle, after = run.read[name], run.read[f"{name}.ln_2"], run.written[name]
        attention: Station = []
        fed: Station = []
        for token in range(len(before)):
            parts: dict[Part, Tensor] = {
                ("residual", None, token): before[token],
                ("bias", None, -1): block.attn.c_proj.bias,
            }
            parts |= run.of_heads(layer, values, block.attn.c_proj.weight, token)
            attention.append((middle[token], parts))
            written = run.written[f"{name}.mlp"][token]
            fed.append(
                (after[token], {("residual", None, token): middle[token], ("feed_forward", None, token): written})
            )
        sums += [attention, fed]
    return sums


def llama_sums(run: Eager) -> Sums:
    sums: Sums = []
    for layer, block in enumerate(run.model.model.layers):
        name = f"model.layers.{layer}"
        values = run.written[f"{name}.self_attn.v_proj"]
        before, middle, after = run.read[name], run.read[f"{name}.post_attention_layernorm"], run.written[name]
        attention: Station = []
        fed: Station = []
        for token in range(len(before)):
            parts: dict[Part, Tensor] = {("residual", None, token): before[token]}
            parts |= run.of_heads(layer, values, block.self_attn.o_proj.weight.T, token)
            attention.append((middle[token], parts))
            written = run.written[f"{name}.mlp"][token]
            fed.append(
                (after[token], {("residual", None, token): middle[token], ("feed_forward", None, token): written})
            )
        sums += [attention, fed]
    return sums


def bert_sums(run: Eager) -> Sums:
    sums: Sums = []
    for layer, block in enumerate(run.model.encoder.layer):
        name = f"encoder.layer.{layer}"
        values = run.written[f"{name}.attention.self.value"]
        before, middle, after = run.read[name], run.written[f"{name}.attention.output"], run.written[name]
        attention: Station = []
        fed: Station = []
        for token in range(len(before)):
            output = block.attention.output
            parts: dict[Part, Tensor] = {
                ("residual", None, token): before[token],
                ("bias", None, -1): output.dense.bias,
            }
            parts |= run.of_heads(layer, values, output.dense.weight.T, token)
            attention.append((middle[token], through_norm(output.LayerNorm, parts)))
            written = run.written[f"{name}.output.dense"][token]
            parts = {("residual", None, token): middle[token], ("feed_forward", None, token): written}
            fed.append((after[token], through_norm(block.output.LayerNorm, parts)))
        sums += [attention, fed]
    return sums


def through_norm(norm: Any, parts: dict[Part, Tensor]) -> dict[Part, Tensor]:
    """``(z − mean z) / σ · g`` of every part, with σ of their sum; the norm's own bias joins the biases."""
    total = torch.stack(list(parts.values())).sum(dim=0)
    sigma = (total.var(correction=0) + norm.eps).sqrt()
    normed = {part: (each - each.mean()) / sigma * norm.weight for part, each in parts.items()}
    bias = ("bias", None, -1)
    return {**normed, bias: normed.get(bias, 0.0) + norm.bias}


def shares_of(state: Tensor, parts: dict[Part, Tensor]) -> dict[Part, float]:
    near = {part: max(0.0, float(state.abs().sum() - (state - each).abs().sum())) for part, each in parts.items()}
    return {part: each / sum(near.values()) for part, each in near.items()}


def breadth_first(sums: Sums, position: int, threshold: float) -> tuple[set[Any], dict[Any, float]]:
    """Nodes as (depth, token), and edges with their importance."""
    nodes, edges, level = {(len(sums), position)}, {}, {position}
    for depth in range(len(sums), 0, -1):
        found = set()
        for token in level:
            for (kind, head, source), share in shares_of(*sums[depth - 1][token]).items():
                if share >= threshold and kind != "bias":
                    edges[kind, head, (depth - 1, source), (depth, token)] = share
                    found.add(source)
        nodes |= {(depth - 1, token) for token in found}
        level = found
    return nodes, edges


STATIONS = {"after_attention": 1, "after_feed_forward": 2}


def places(found: InformationFlow) -> list[tuple[int, int]]:
    return [(2 * max(each.layer, 0) + STATIONS.get(each.station, 0), each.position) for each in found.nodes]


@pytest.fixture(scope="module", params=["mini", "tiny-llama", "minilm"])
def case(request: pytest.FixtureRequest, mini: LoadedModel, minilm: LoadedModel, catalog: Catalog) -> Iterator[Any]:
    name = request.param
    loaded = {"mini": mini, "minilm": minilm}.get(name) or catalog.load(name)
    of = {"mini": gpt2_sums, "tiny-llama": llama_sums, "minilm": bert_sums}[name]
    with torch.inference_mode():
        yield loaded, analyse(loaded, AnalysisRequest(TEXT), max_tokens=64), of(Eager(loaded, TEXT))


def test_parts_add_up_and_importances_are_the_naive_ones(case: Any) -> None:
    loaded, analysis, sums = case
    count = len(analysis.tokens)
    everywhere = torch.arange(count)
    ours = stream_sums(loaded, analysis).sums
    assert len(ours) == len(sums)
    for one, naive in zip(ours, sums, strict=True):
        found = importances(one, everywhere, count)
        assert float(found.error.max()) < 1e-5
        for token, (state, parts) in enumerate(naive):
            total = torch.stack(list(parts.values())).sum(dim=0)
            assert_close(total, state, rtol=0, atol=1e-6)  # the oracle itself
            assert_close(one.total[token].double(), state, rtol=0, atol=1e-4)
            expected = shares_of(state, parts)
            assert sum(expected.values()) == pytest.approx(1.0)
            heads = torch.zeros(0) if found.heads is None else torch.zeros_like(found.heads[token])
            for (kind, head, source), share in expected.items():
                if kind == "head":
                    heads[head, source] = share
                else:
                    mine: Any = getattr(found, kind)
                    assert float(mine[token]) == pytest.approx(share, abs=2e-5)
            if found.heads is not None:
                assert_close(found.heads[token], heads, rtol=0, atol=2e-5)


@pytest.mark.parametrize("position", [4, -1])
def test_the_graph_is_the_one_found_breadth_first(case: Any, position: int) -> None:
    loaded, analysis, sums = case
    position %= len(analysis.tokens)
    found = information_flow(loaded, analysis, position)
    assert (found.floor, found.position, found.largest_error < 1e-5) == (FLOOR, position, True)
    for threshold in (FLOOR, 0.01, 0.0437, 0.2):
        graph = found.above(threshold)
        at = places(graph)
        mine = {(each.kind, each.head, at[each.source], at[each.target]): each.importance for each in graph.edges}
        assert len(mine) == len(graph.edges)
        nodes, edges = breadth_first(sums, position, threshold)
        # What is so near the threshold that rounding decides may be on either side.
        unsure = any(abs(share - threshold) < 1e-5 for share in edges.values()) or mine.keys() != edges.keys()
        if unsure:
            nodes, edges = breadth_first(sums, position, threshold + 2e-5)
            assert edges.keys() <= mine.keys() <= breadth_first(sums, position, threshold - 2e-5)[1].keys()
        else:
            assert set(at) == nodes
        for edge, share in edges.items():
            assert mine[edge] == pytest.approx(share, abs=2e-5)
    assert places(found)[0] == (len(sums), position)
    assert [each.strength for each in found.edges] == sorted((each.strength for each in found.edges), reverse=True)


@pytest.mark.parametrize("name", SEVERAL)
def test_parts_add_up_in_every_kind_of_block(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    analysis = analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)
    found = information_flow(loaded, analysis, 3)
    assert found.largest_error < 1e-5
    assert {each.station for each in found.nodes} == (
        {"embedding", "after_block"} if name == "tiny-gpt-neox" else {"embedding", *STATIONS}
    )
    shares = [0.0] * len(found.nodes)
    for edge in found.edges:
        shares[edge.target] += edge.importance
    for node, share in zip(found.nodes, shares, strict=True):
        assert share + node.bias <= 1 + 1e-9
    with torch.inference_mode():
        for one in stream_sums(loaded, analysis).sums:
            each = importances(one, torch.tensor([3]), len(analysis.tokens))
            whole = each.residual + each.bias + (0 if each.feed_forward is None else each.feed_forward)
            whole = whole + (0 if each.heads is None else each.heads.sum(dim=(1, 2)))
            assert_close(whole, torch.ones_like(whole))


@pytest.mark.parametrize("mode", ["zero", "mean"])
def test_with_a_head_off_the_parts_still_add_up(mini: LoadedModel, mode: Any) -> None:
    off = HeadOff(layer=0, heads=(5,), mode=mode)
    changed = analyse(mini, AnalysisRequest(TEXT, interventions=(off,)), max_tokens=64)
    found = information_flow(mini, changed, 6)
    assert found.largest_error < 1e-5
    is_used = any((each.kind, each.layer, each.head) == ("head", 0, 5) for each in found.edges)
    assert is_used == (mode == "mean")


def test_what_a_decoder_would_predict_from_each_node(mini: LoadedModel, minilm: LoadedModel) -> None:
    analysis = analyse(mini, AnalysisRequest(TEXT), max_tokens=64)
    found = information_flow(mini, analysis, len(analysis.tokens) - 1)
    top = analysis.predictions[-1].candidates[0]
    assert found.nodes[0].candidates[0].id == top.id
    assert found.nodes[0].candidates[0].probability == pytest.approx(top.probability, rel=1e-3)
    assert all(len(each.candidates) == studied.CANDIDATES for each in found.nodes)
    encoder = information_flow(minilm, analyse(minilm, AnalysisRequest(TEXT), max_tokens=64), 0)
    assert all(each.candidates == [] for each in encoder.nodes)


def test_the_strongest_edges_are_kept(minilm: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = analyse(minilm, AnalysisRequest(TEXT), max_tokens=64)
    whole = information_flow(minilm, analysis, 2)
    monkeypatch.setattr(studied, "MAX_EDGES", 100)
    cut = information_flow(minilm, analysis, 2)
    assert 80 < len(cut.edges) <= 100
    assert cut.floor == cut.edges[-1].strength > FLOOR
    expected = whole.above(cut.floor)
    assert (cut.nodes, cut.edges) == (expected.nodes, expected.edges)


def test_what_it_refuses(catalog: Catalog, mini: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    t5 = catalog.load("tiny-t5")
    assert (most_tokens(t5), most_tokens(mini)) == (0, 512)
    with pytest.raises(ModelUnavailableError, match=r"models of these types: bert, .*; tiny-t5 is of another type"):
        information_flow(t5, analyse(t5, AnalysisRequest(TEXT), max_tokens=64), 0)
    analysis = analyse(mini, AnalysisRequest(TEXT), max_tokens=64)
    with pytest.raises(SelectionError, match=r"position must be from 0 to \d+, not 99") as error:
        information_flow(mini, analysis, 99)
    assert error.value.field == "position"
    with pytest.raises(Cancelled):
        information_flow(mini, analysis, 3, cancelled=lambda: True)
    monkeypatch.setattr(studied, "MAX_TOKENS", 4)
    information_flow(mini, analysis, 3)
    with pytest.raises(WindowTooLargeError, match="5 tokens can reach this output") as too_many:
        information_flow(mini, analysis, 4)
    assert (too_many.value.field, too_many.value.limit) == ("position", 4)
