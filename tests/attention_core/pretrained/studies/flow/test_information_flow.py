"""The graph against one made naively: the library's eager model, its parts one vector at a time, then breadth first."""

import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from naive_flow import DECODERS, Eager, Sums, bert_sums, breadth_first, gpt2_sums, shares_of, vit_sums
from PIL import Image
from tiny_models import write_classifier_folder
from torch import Tensor
from torch.testing import assert_close

from attention_core.pretrained.errors import Cancelled, ModelUnavailableError, SelectionError, WindowTooLargeError
from attention_core.pretrained.inputs.images import prepare as prepare_image
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.running.image_analysis import analyse_image
from attention_core.pretrained.running.interventions import HeadOff
from attention_core.pretrained.studies.flow import information_flow as studied
from attention_core.pretrained.studies.flow.importances import importances
from attention_core.pretrained.studies.flow.information_flow import (
    FLOOR,
    InformationFlow,
    information_flow,
    most_tokens,
)
from attention_core.pretrained.studies.flow.stream_sums import stream_sums

TEXT = "The cat sat on the mat because it was tired. The cat sat"
MINI = "observatory-gpt2-mini"
PARALLEL = {
    "tiny-gpt-neox",
    "gptj",
    "codegen",
    "phi",
    "falcon",
    "falcon-groups",
    "cohere",
    "cohere2",
    "stablelm-parallel",
}
ODD = (
    "gptj",
    "codegen",
    "phi",
    "phi3",
    "falcon",
    "falcon-groups",
    "falcon-alibi",
    "bloom",
    "mpt",
    "gpt_neo",
    "opt",
    "opt-post",
    "gemma2",
    "gemma3",
    "olmo2",
    "olmo3",
    "granite",
    "cohere",
    "cohere2",
    "stablelm",
    "stablelm-parallel",
    "starcoder2",
    "mixtral",
    "qwen2_moe",
    "qwen3_moe",
)
SEVERAL = ("tiny-llama", "tiny-mistral", "tiny-gpt-neox", "tiny-distilbert", "tiny-modernbert", *ODD)


@pytest.fixture(scope="module")
def mini() -> LoadedModel:
    return Catalog(device="cpu").load(MINI)


STATIONS = {"after_attention": 1, "after_feed_forward": 2}


def places(found: InformationFlow) -> list[tuple[int, int]]:
    is_one = any(each.station == "after_block" for each in found.nodes)  # one sum a block
    depths = {"after_block": 1, **STATIONS}
    return [
        ((1 if is_one else 2) * max(each.layer, 0) + depths.get(each.station, 0), each.position) for each in found.nodes
    ]


NAIVE: dict[str, Callable[[Eager], Sums]] = {
    "mini": gpt2_sums,
    "minilm": bert_sums,
    "tiny-vit-classes": vit_sums,
    **{name: sums for name, sums in DECODERS.items() if name not in {"tiny-gpt2", "gpt_neo"}},
}


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    directory = write_classifier_folder(tmp_path_factory.mktemp("classifier")).parent
    return Catalog(models_dir=directory, device="cpu").load("tiny-vit-classes")


def seen(classifier: LoadedModel) -> tuple[Analysis, dict[str, Tensor]]:
    """The analysis of a picture of noise, and what the model is given."""
    picture = Image.fromarray(np.random.default_rng(5).integers(0, 256, (30, 40, 3), dtype=np.uint8))
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG")
    assert classifier.images is not None
    pixels, _ = prepare_image(picture, classifier.images)
    return analyse_image(classifier, buffer.getvalue(), max_tokens=64, max_pixels=10**6), {"pixel_values": pixels}


@pytest.fixture(scope="module", params=NAIVE)
def case(
    request: pytest.FixtureRequest,
    mini: LoadedModel,
    minilm: LoadedModel,
    classifier: LoadedModel,
    decoder: Callable[[str], LoadedModel],
) -> Iterator[Any]:
    name = request.param
    at_hand = {"mini": mini, "minilm": minilm, "tiny-vit-classes": classifier}
    loaded = at_hand.get(name) or decoder(name)
    with torch.inference_mode():
        if loaded is classifier:
            analysis, inputs = seen(loaded)
            inputs = {key: each.double() for key, each in inputs.items()}
        else:
            analysis = analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)
            inputs, _ = tokenise(loaded, TEXT)
        yield loaded, analysis, NAIVE[name](Eager(loaded, inputs))


@pytest.mark.full("mini", "minilm")
@pytest.mark.sampled(3)
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
            assert_close(total, state, rtol=0, atol=5e-6)  # the oracle itself; RMSNorms round to float32
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


@pytest.mark.full("mini--1", "minilm--1", "minilm-4")
@pytest.mark.sampled(3)
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


@pytest.mark.full
@pytest.mark.parametrize("name", SEVERAL)
def test_parts_add_up_in_every_kind_of_block(decoder: Callable[[str], LoadedModel], name: str) -> None:
    loaded = decoder(name)
    analysis = analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)
    found = information_flow(loaded, analysis, 3)
    assert found.largest_error < 1e-5
    assert {each.station for each in found.nodes} == (
        {"embedding", "after_block"} if name in PARALLEL else {"embedding", *STATIONS}
    )
    shares = [0.0] * len(found.nodes)
    for edge in found.edges:
        shares[edge.target] += edge.importance
    for node, share in zip(found.nodes, shares, strict=True):
        assert share + node.bias <= 1 + 1e-9
    if loaded.entry.kind == "decoder":  # its own logits, read from the last node
        inputs, _ = tokenise(loaded, TEXT)
        with torch.inference_mode(), record():
            logits = loaded.model(**inputs).logits[0, 3]
        assert found.nodes[0].candidates[0].id == int(logits.argmax())
        assert found.nodes[0].candidates[0].logit == pytest.approx(float(logits.max()), abs=1e-4)
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


@pytest.mark.full
def test_what_a_decoder_would_predict_from_each_node(mini: LoadedModel, minilm: LoadedModel) -> None:
    analysis = analyse(mini, AnalysisRequest(TEXT), max_tokens=64)
    found = information_flow(mini, analysis, len(analysis.tokens) - 1)
    top = analysis.predictions[-1].candidates[0]
    assert found.nodes[0].candidates[0].id == top.id
    assert found.nodes[0].candidates[0].probability == pytest.approx(top.probability, rel=1e-3)
    assert all(len(each.candidates) == studied.CANDIDATES for each in found.nodes)
    encoder = information_flow(minilm, analyse(minilm, AnalysisRequest(TEXT), max_tokens=64), 0)
    assert all(each.candidates == [] for each in encoder.nodes)


def test_what_a_classifier_would_predict_from_the_class_token(classifier: LoadedModel) -> None:
    analysis, inputs = seen(classifier)
    found = information_flow(classifier, analysis, 0)
    with torch.inference_mode():
        chances = classifier.model(**inputs).logits[0].softmax(dim=-1)
    best = found.nodes[0].candidates[0]
    assert (best.id, best.text) == (int(chances.argmax()), classifier.model.config.id2label[int(chances.argmax())])
    assert best.probability == pytest.approx(float(chances.max()), abs=1e-5)
    assert found.nodes[0].station == "after_feed_forward"


@pytest.mark.full
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
    for loaded in (t5, catalog.load("tiny-bart")):
        with pytest.raises(ModelUnavailableError, match=f"{loaded.entry.id} has two residual streams, an encoder’s"):
            information_flow(loaded, analyse(loaded, AnalysisRequest(TEXT), max_tokens=64), 0)
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
