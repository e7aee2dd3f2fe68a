"""Top weights of one token against sorted rows and columns of the library's weights."""

import numpy as np
import pytest
import torch

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.inputs.tokens import tokenise, tokenise_target
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import MIN_TEMPERATURE, Temperature
from attention_core.pretrained.studies.token_reads import TopTokens, token_reads

SENTENCE = "A small model reads a small text and says what comes next."


def eager(loaded: LoadedModel, name: str, target: str | None = None) -> np.ndarray:
    inputs, _ = tokenise(loaded, SENTENCE)
    if target is not None:
        inputs |= tokenise_target(loaded, target)[0]
    with torch.inference_mode():
        outputs = eager_copy(loaded.model)(**inputs, output_attentions=True)
    return torch.stack(outputs[name])[:, 0].numpy()


def assert_top(top: TopTokens | None, expected: np.ndarray, count: int) -> None:
    """``expected``: (L, H, N), the row or column itself."""
    assert top is not None
    best = -np.sort(-expected, axis=-1)[..., :count]
    np.testing.assert_allclose(top.weights, best, atol=1e-5)
    taken = np.take_along_axis(expected, top.indices.clip(min=0), axis=-1)
    np.testing.assert_allclose(np.where(top.indices < 0, 0, taken), best, atol=1e-5)
    np.testing.assert_allclose(top.totals, expected.sum(axis=-1), atol=1e-4)


@pytest.mark.parametrize("name", ["tiny-bert", "tiny-mistral", "tiny-gpt2"])
@pytest.mark.parametrize(("index", "count"), [(0, 1), (6, 5), (9, 32)])
def test_rows_and_columns(catalog: Catalog, name: str, index: int, count: int) -> None:
    loaded = catalog.load(name)
    weights = eager(loaded, "attentions")
    found = token_reads(analyse(loaded, AnalysisRequest(SENTENCE), max_tokens=64), index, count=count)
    assert (found.side, found.index, len(found.parts)) == ("source", index, 1)
    assert_top(found.parts[0].reads, weights[:, :, index], count)
    assert_top(found.parts[0].read_by, weights[:, :, :, index], count)


def test_what_the_mask_forbids_is_not_listed(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    analysis = analyse(loaded, AnalysisRequest(SENTENCE), max_tokens=64)
    count = len(analysis.tokens)
    for index in (0, 2, count - 1):
        part = token_reads(analysis, index, count=count).parts[0]
        assert part.reads is not None
        assert part.read_by is not None
        for head in part.reads.indices.reshape(-1, count):
            assert sorted(head) == [-1] * (count - index - 1) + list(range(index + 1))
        for head in part.read_by.indices.reshape(-1, count):
            assert sorted(head) == [-1] * index + list(range(index, count))


def test_a_weight_that_underflows_is_listed_all_the_same(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    change = Temperature(layer="all", heads="all", temperature=MIN_TEMPERATURE)
    analysis = analyse(loaded, AnalysisRequest(SENTENCE, interventions=(change,)), max_tokens=64)
    part = token_reads(analysis, 4, count=8).parts[0]
    assert part.reads is not None
    assert (part.reads.weights == 0).sum(axis=-1).max() > 3, "some weights are 0"
    assert ((part.reads.indices >= 0).sum(axis=-1) == 5).all()


def test_each_side_in_the_parts_where_it_stands(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-bart")
    target = "A small text."
    analysis = analyse(loaded, AnalysisRequest(SENTENCE, target_text=target), max_tokens=64)
    crossing = eager(loaded, "cross_attentions", target)
    source = token_reads(analysis, 3, count=4)
    assert [(part.name, part.reads is None) for part in source.parts] == [("encoder", False), ("cross", True)]
    assert_top(source.parts[1].read_by, crossing[:, :, :, 3], 4)
    written = token_reads(analysis, 2, side="target", count=4)
    assert [(part.name, part.read_by is None) for part in written.parts] == [("decoder", False), ("cross", True)]
    assert_top(written.parts[1].reads, crossing[:, :, 2], 4)


SPLIT = "Unbelievably, the cartographer was right."


@pytest.mark.parametrize("hide_special", [False, True])
@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("index", [0, 2, 5])
def test_special_tokens_are_left_out_and_words_stand_for_their_tokens(
    minilm: LoadedModel, hide_special: bool, words: bool, index: int
) -> None:
    analysis = analyse(minilm, AnalysisRequest(SPLIT), max_tokens=64)
    pieces = [token.token for token in analysis.tokens]
    assert [pieces[0], pieces[-1]] == ["[CLS]", "[SEP]"]
    assert sum(piece.startswith("##") for piece in pieces) >= 2
    joined: list[list[int]] = []
    for place, piece in enumerate(pieces):
        if words and piece.startswith("##"):
            joined[-1].append(place)
        elif not (hide_special and piece in {"[CLS]", "[SEP]"}):
            joined.append([place])
    own = next((tokens for tokens in joined if index in tokens), [index])
    layers = np.stack(
        [[analysis.window(None, layer, head) for head in range(12)] for layer in range(analysis.parts[0].layers)]
    )
    row, column = layers[:, :, own].mean(axis=2), layers[:, :, :, own].sum(axis=3)
    reads = np.stack([row[:, :, tokens].sum(axis=2) for tokens in joined], axis=2)
    read_by = np.stack([column[:, :, tokens].mean(axis=2) for tokens in joined], axis=2)
    found = token_reads(analysis, index, count=4, hide_special=hide_special, words=words).parts[0]
    firsts = [tokens[0] for tokens in joined]
    for top, expected in ((found.reads, reads), (found.read_by, read_by)):
        assert top is not None
        assert set(top.indices.flat) <= set(firsts)
        places = np.searchsorted(firsts, top.indices)
        assert_top(TopTokens(places, top.weights, top.totals), expected, 4)


def test_where_every_token_is_special_nothing_is_listed(minilm: LoadedModel) -> None:
    analysis = analyse(minilm, AnalysisRequest("[SEP] [CLS]"), max_tokens=64)
    assert all(token.special for token in analysis.tokens)
    found = token_reads(analysis, 1, hide_special=True).parts[0]
    assert found.reads is not None
    assert found.reads.indices.shape == (6, 12, 0)
    np.testing.assert_array_equal(found.reads.totals, np.zeros((6, 12)))


@pytest.fixture(scope="module")
def analysis(catalog: Catalog) -> Analysis:
    return analyse(catalog.load("tiny-gpt2"), AnalysisRequest("A small text."), max_tokens=64)


@pytest.mark.parametrize(
    ("asked", "field", "message"),
    [
        ({"index": 99}, "index", r"index must be from 0 to \d+, not 99"),
        ({"index": -1}, "index", r"index must be from 0 to \d+, not -1"),
        ({"index": 0, "side": "target"}, "side", "side must be one of source, not 'target'"),
        ({"index": 0, "count": 65}, "count", "count must be from 1 to 64, not 65"),
        ({"index": 0, "count": 0}, "count", "count must be from 1 to 64, not 0"),
    ],
)
def test_out_of_range(analysis: Analysis, asked: dict, field: str, message: str) -> None:
    with pytest.raises(SelectionError, match=message) as error:
        token_reads(analysis, **asked)
    assert error.value.field == field
