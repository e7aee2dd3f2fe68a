"""The embedding before and after a change, against the library's attention with a head's output zeroed by a hook."""

from typing import Any

import pytest
import torch
from torch import Tensor

from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import HeadOff
from attention_core.pretrained.studies.differences.embedding_difference import (
    embedding_difference,
    has_embedding_alone,
)

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
SENTENCE = "The cat sat on the mat because it was tired."


def library_embedding(loaded: LoadedModel, off: tuple[int, int] | None) -> Tensor:
    """The mean of the last states, without what a head passes on to its output projection."""
    model: Any = eager_copy(loaded.model)
    if off is not None:
        layer, head = off
        width = model.config.hidden_size // model.config.num_attention_heads

        def zero(_module: object, args: tuple[Tensor]) -> tuple[Tensor]:
            passed = args[0].clone()
            passed[..., head * width : (head + 1) * width] = 0
            return (passed,)

        model.encoder.layer[layer].attention.output.dense.register_forward_pre_hook(zero)
    inputs, _ = tokenise(loaded, SENTENCE)
    with torch.inference_mode():
        return model(**inputs).last_hidden_state[0].double().mean(0)


def test_a_head_switched_off(catalog: Catalog) -> None:
    loaded = catalog.load(MINILM)
    off = (HeadOff(layer=5, heads=(11,)),)
    plain, changed = (
        analyse(loaded, AnalysisRequest(SENTENCE, interventions=changes), max_tokens=64) for changes in ((), off)
    )
    found = embedding_difference(loaded, plain, changed)
    before, after = library_embedding(loaded, None), library_embedding(loaded, (5, 11))
    assert found.length == pytest.approx(float(before.norm()), rel=1e-5)
    assert found.other_length == pytest.approx(float(after.norm()), rel=1e-5)
    assert found.cosine == pytest.approx(float(torch.cosine_similarity(before, after, dim=0)), abs=1e-5)
    assert found.length - found.other_length > 0.1
    assert has_embedding_alone(loaded, plain)
    assert not has_embedding_alone(catalog.load("tiny-gpt2"), plain)
