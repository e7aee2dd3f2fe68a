"""How specific a weight is, against loops over the library's own eager attention and against masks."""

import numpy as np
import pytest
import torch

from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.recording.specificity import others_mean
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.studies.claims.claims import DECODER, MINILM

CAT = "The cat sat on the mat because it was tired."


def eager(loaded: LoadedModel, text: str) -> np.ndarray:
    with torch.inference_mode():
        found = body(eager_copy(loaded.model))(**tokenise(loaded, text)[0], output_attentions=True).attentions
    return torch.cat(found).double().numpy()


def test_cat_is_strong_for_every_query_of_one_head_and_specific_to_it_in_another(minilm: LoadedModel) -> None:
    """“it” is token 8 of 13, “cat” token 2. Head 5.11 gives “cat” 0.71 and most others as much; head 3.1 does not."""
    weights = eager(minilm, CAT)
    for layer, head, own, rest in ((5, 11, 0.71, 0.61), (3, 1, 0.49, 0.14)):
        others = np.mean([weights[layer, head, query, 2] for query in range(13) if query not in (8, 2)])
        given = torch.from_numpy(weights[layer, head])
        found = float(others_mean(given, torch.ones_like(given, dtype=torch.bool), 8, 2))
        assert found == pytest.approx(others, abs=1e-12)
        assert (weights[layer, head, 8, 2], others) == pytest.approx((own, rest), abs=0.005)
    assert weights[5, 11, 12, 2] == pytest.approx(0.69, abs=0.005)  # from [SEP]


@pytest.mark.full
@pytest.mark.parametrize("name", [MINILM, DECODER])
def test_totals_of_an_analysis_give_the_mean_of_the_queries_that_may_attend(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    analysis = analyse(loaded, AnalysisRequest(CAT), max_tokens=60)
    weights, totals = eager(loaded, CAT), analysis.parts[0].key_totals
    assert totals is not None
    size = weights.shape[-1]
    for layer, head, query, key in ((0, 1, 5, 2), (3, 1, 8, 2), (5, 5, size - 2, 0)):
        readers = range(key, size) if analysis.parts[0].causal else range(size)
        expected = np.mean([weights[layer, head, each, key] for each in readers if each not in (query, key)])
        total, count = totals[layer, head, :, key].tolist()
        assert count == len(readers) - 1
        assert (total - weights[layer, head, query, key]) / (count - 1) == pytest.approx(expected, abs=1e-5)


def test_a_text_longer_than_a_thumbnail_has_none(minilm: LoadedModel) -> None:
    assert analyse(minilm, AnalysisRequest("a cat sat " * 30), max_tokens=120).parts[0].key_totals is None
