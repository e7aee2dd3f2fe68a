"""Texts analysed in one pass, against the same texts analysed one by one."""

from copy import deepcopy
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import torch
from odd_models import write_odd_model
from tiny_models import CONFIGS

from attention_core.pretrained.errors import Cancelled
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.batch_records import NotSplittableError, split_records
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.running import batch
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, PreparedText, analyse, prepare
from attention_core.pretrained.running.batch import LONGEST, MOST_CHARACTERS, analyse_together, batch_key, may_share
from attention_core.pretrained.running.interventions import HeadOff

TINY = [name for name in CONFIGS if name not in ("tiny-t5", "tiny-bart", "tiny-vit")]
ODD_TEXTS = ("llama4", "jetmoe", "gemma2", "falcon-alibi", "mpnet", "roformer", "longformer", "deberta", "xlnet")
"""Chunks, experts, capped scores, biases by head and text, windows, and biases from the content."""
WORDS = ("the", "cat", "sat", "on", "a", "mat")


def nobody_waits() -> bool:
    return True


def somebody_waits() -> bool:
    return False


def equally_long(loaded: LoadedModel, count: int, suffix: str = "") -> list[PreparedText]:
    """Texts with equally many tokens: the same words in other orders."""
    by_key: dict[object, list[PreparedText]] = {}
    for words in permutations(WORDS):
        text = prepare(loaded, AnalysisRequest(" ".join(words) + suffix), max_tokens=512)
        alike = by_key.setdefault(batch_key(text), [])
        alike.append(text)
        if len(alike) == count:
            assert batch_key(text) is not None
            return alike
    raise AssertionError("no texts of one length")


def assert_same(found: Analysis | Exception, expected: Analysis) -> None:
    assert isinstance(found, Analysis)
    assert found.tokens == expected.tokens
    assert found.request == expected.request
    assert found.nbytes == expected.nbytes
    for ours, alone in zip(found.parts, expected.parts, strict=True):
        assert (ours.name, ours.causal, ours.key_heads, ours.stages) == (
            alone.name,
            alone.causal,
            alone.key_heads,
            alone.stages,
        )
        for name, values in alone.metrics.items():
            np.testing.assert_allclose(ours.metrics[name], values, atol=1e-5, rtol=0, err_msg=name)
        assert int(np.abs(ours.overview.astype(int) - alone.overview).max()) <= 1
        for layer in range(alone.layers):
            for head in range(alone.heads):
                at = (alone.name, layer, head)
                np.testing.assert_allclose(found.window(*at), expected.window(*at), atol=1e-6, rtol=0)
                for stage in alone.stages:
                    window, other = found.window(*at, stage), expected.window(*at, stage)
                    np.testing.assert_allclose(window, other, atol=1e-5, rtol=1e-5, err_msg=f"{stage} {at}")
    assert [[each.id for each in one.candidates] for one in found.predictions] == [
        [each.id for each in one.candidates] for one in expected.predictions
    ]
    if expected.log_probabilities is not None:
        assert found.log_probabilities is not None
        np.testing.assert_allclose(found.log_probabilities, expected.log_probabilities, atol=1e-5, rtol=0)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    folder = tmp_path_factory.mktemp("odd")
    for name in ODD_TEXTS:
        write_odd_model(folder, name)
    return Catalog(models_dir=folder, device="cpu")


def check(loaded: LoadedModel, suffix: str = "") -> None:
    texts = equally_long(loaded, 4, suffix)
    together = analyse_together(texts, [somebody_waits] * 4)
    for found, text in zip(together, texts, strict=True):
        assert_same(found, analyse(loaded, text.request, max_tokens=512))


@pytest.mark.full
@pytest.mark.parametrize("model", TINY)
def test_each_text_of_a_batch_is_what_it_is_alone(catalog: Catalog, model: str) -> None:
    check(catalog.load(model))


@pytest.mark.full
@pytest.mark.parametrize("model", ODD_TEXTS)
def test_so_it_is_in_architectures_that_differ(odd: Catalog, model: str) -> None:
    check(odd.load(model))


@pytest.mark.full
def test_in_minilm_only_the_rounding_of_its_own_products_differs(minilm: LoadedModel) -> None:
    """In float64 nothing is left; in float32 six layers add up to a few units in the last place."""
    check(replace(minilm, model=deepcopy(minilm.model).double(), dtype=torch.float64))
    texts = equally_long(minilm, 4)
    for found, text in zip(analyse_together(texts, [somebody_waits] * 4), texts, strict=True):
        alone = analyse(minilm, text.request, max_tokens=512)
        assert isinstance(found, Analysis)
        for layer in range(6):
            for head in range(12):
                at = ("encoder", layer, head)
                np.testing.assert_allclose(found.window(*at), alone.window(*at), atol=5e-6, rtol=0)


@pytest.mark.full
@pytest.mark.parametrize("model", ["tiny-bert", "tiny-roberta"])
def test_each_mask_is_filled_from_its_own_text(catalog: Catalog, model: str) -> None:
    loaded = catalog.load(model)
    check(loaded, f" {loaded.tokenizer.mask_token}")


def test_a_pass_stops_when_nobody_waits_and_a_text_when_nobody_waits_for_it(minilm: LoadedModel) -> None:
    texts = equally_long(minilm, 3)
    one_left = analyse_together(texts, [somebody_waits, nobody_waits, somebody_waits])
    assert [type(each) for each in one_left] == [Analysis, Cancelled, Analysis]
    assert_tokens(one_left[2], texts[2])
    assert [type(each) for each in analyse_together(texts, [nobody_waits] * 3)] == [Cancelled] * 3


def test_the_record_of_one_text_does_not_hold_the_batch(minilm: LoadedModel) -> None:
    found = analyse_together(equally_long(minilm, 4), [somebody_waits] * 4)[1]
    assert isinstance(found, Analysis)
    for layer in found.parts[0].record.layers:
        for tensor in (layer.attention.queries, layer.attention.keys, layer.attention.values, layer.log_sum_exp):
            assert tensor.untyped_storage().nbytes() == tensor.nbytes


def test_what_cannot_share_a_pass_has_no_key(minilm: LoadedModel, catalog: Catalog) -> None:
    def key(request: AnalysisRequest, loaded: LoadedModel = minilm) -> object:
        return batch_key(prepare(loaded, request, max_tokens=512))

    assert key(AnalysisRequest("a cat")) == key(AnalysisRequest("the mat")) is not None
    others = (AnalysisRequest("a cat sat"), AnalysisRequest("a [MASK]"))
    assert len({key(each) for each in (*others, AnalysisRequest("a cat"))}) == 3
    assert key(AnalysisRequest("a cat"), catalog.load("tiny-bert")) != key(AnalysisRequest("a cat"))
    assert key(AnalysisRequest("a cat", parity=True)) is None
    assert key(AnalysisRequest("a cat", interventions=(HeadOff(layer=0, heads=(0,)),))) is None
    assert key(AnalysisRequest("a cat"), catalog.load("tiny-t5")) is None
    assert key(AnalysisRequest("cat " * LONGEST)) is None
    assert not may_share(AnalysisRequest("cat" * MOST_CHARACTERS))
    assert key(AnalysisRequest("cat " * (LONGEST - 2))) is not None


def test_a_record_of_another_number_of_texts_is_refused_and_each_is_run_alone(
    minilm: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = equally_long(minilm, 2)
    with torch.inference_mode(), record() as recording:
        minilm.model(**texts[0].inputs)
    with pytest.raises(NotSplittableError):
        split_records(recording.layers, 2)
    # A model that folds its batch: every call has another number of texts than there are.
    monkeypatch.setattr(batch, "split_records", lambda layers, _: split_records(layers, 3))
    for found, text in zip(analyse_together(texts, [somebody_waits] * 2), texts, strict=True):
        alone = analyse(minilm, text.request, max_tokens=512)
        assert isinstance(found, Analysis)
        np.testing.assert_array_equal(found.window(None, 3, 2), alone.window(None, 3, 2))


def assert_tokens(found: Analysis | Exception, text: PreparedText) -> None:
    assert isinstance(found, Analysis)
    assert found.tokens == text.tokens
