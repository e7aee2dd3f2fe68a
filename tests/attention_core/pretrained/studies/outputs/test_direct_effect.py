"""Direct effects against those of the library's own eager run in float64, one part at a time, by hand."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from naive_flow import DECODERS, LOGIT_FACTORS, Eager, epsilon, last_norm
from torch import Tensor

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.inputs.vocabulary_text import vocabulary_text
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.studies.outputs.direct_effect import direct_effect

TEXT = "A small model reads a small text."
SEVERAL = (
    "tiny-gpt2",
    "tiny-qwen3",
    "tiny-mistral",
    "tiny-gpt-neox",
    "codegen",
    "phi3",
    "falcon",
    "falcon-groups",
    "falcon-alibi",
    "bloom",
    "mpt",
    "opt",
)


def analysed(loaded: LoadedModel) -> Analysis:
    return analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)


@pytest.mark.parametrize("name", SEVERAL)
def test_shares_add_up_to_the_models_logit(decoder: Callable[[str], LoadedModel], name: str) -> None:
    loaded, position = decoder(name), 5
    inputs, _ = tokenise(loaded, TEXT)
    with torch.inference_mode(), record():
        logits = loaded.model(**inputs).logits[0, position].double()
    analysis = analysed(loaded)
    for token, against in ((7, None), (300, 12), (None, None)):
        found = direct_effect(loaded, analysis, position, token=token, against=against)
        assert found.token_id == (int(logits.argmax()) if token is None else token)
        expected = float(logits[found.token_id]) - (0.0 if against is None else float(logits[against]))
        assert found.token_text == vocabulary_text(loaded.tokenizer, found.token_id)
        assert found.against_text == (None if against is None else vocabulary_text(loaded.tokenizer, against))
        assert found.heads.shape == (2, 4)
        shares = [found.heads, found.attention_bias, found.feed_forward, np.array([found.embedding, found.constant])]
        assert sum(each.sum() for each in shares) == pytest.approx(expected, abs=3e-5)
        assert found.total == pytest.approx(expected, abs=3e-5)
        assert found.logit == pytest.approx(expected, abs=3e-5)


class ByHand:
    """What a part of the final stream brings to a logit, the last norm's scale that of the whole stream."""

    def __init__(self, name: str, run: Eager, position: int, token: int, against: int) -> None:
        self.norm = last_norm(run.model)
        path = next(path for path, module in run.model.named_modules() if module is self.norm)
        weight = run.model.get_output_embeddings().weight
        self.direction = LOGIT_FACTORS.get(name, 1.0) * (weight[token] - weight[against])
        final = run.read[path][position]
        self.centring = "LayerNorm" in type(self.norm).__name__
        spread = final.var(correction=0) if self.centring else final.square().mean()
        self.scale = (spread + epsilon(self.norm)).sqrt()

    def __call__(self, part: Tensor) -> float:
        centred = part - part.mean() if self.centring else part
        gain = self.norm.weight + (1.0 if "Gemma" in type(self.norm).__name__ else 0.0)
        return float((centred / self.scale * gain) @ self.direction)


@pytest.mark.parametrize("name", DECODERS)
def test_every_share_is_what_its_vector_brings(decoder: Callable[[str], LoadedModel], name: str) -> None:
    """Each head, layer and bias of the library's run in float64; scales of norms are those of whole sums."""
    loaded, position, token, against = decoder(name), 6, 41, 12
    inputs, _ = tokenise(loaded, TEXT)
    with torch.inference_mode():
        run = Eager(loaded, inputs)
        sums = DECODERS[name](run)
        by_hand = ByHand(name, run, position, token, against)
        heads, biases, fed = np.zeros((2, 4)), np.zeros(2), np.zeros(2)
        for number, station in enumerate(sums):
            layer = number * 2 // len(sums)
            for (kind, head, _), part in station[position][1].items():
                if kind == "head":
                    heads[layer, head] += by_hand(part)
                elif kind != "residual":
                    (biases if kind == "bias" else fed)[layer] += by_hand(part)
        (embedding,) = [part for (kind, *_), part in sums[0][position][1].items() if kind == "residual"]
        started = by_hand(embedding)
    found = direct_effect(loaded, analysed(loaded), position, token=token, against=against)
    np.testing.assert_allclose(found.heads, heads, atol=2e-5)
    np.testing.assert_allclose(found.attention_bias, biases, atol=2e-5)
    np.testing.assert_allclose(found.feed_forward, fed, atol=2e-5)
    assert found.embedding == pytest.approx(started, abs=2e-5)
    assert run.logits is not None
    cap = 6.0 if name == "gemma2" else None
    assert (found.cap, found.norms_written) == (cap, name in {"gemma2", "gemma3", "olmo2", "olmo3"})
    logits = run.logits[position] if cap is None else cap * torch.atanh(run.logits[position] / cap)
    expected = float(logits[token] - logits[against])
    assert found.logit == pytest.approx(expected, abs=3e-5)
    rest = expected - heads.sum() - biases.sum() - fed.sum() - started
    assert found.constant == pytest.approx(rest, abs=3e-5)
    assert found.total == pytest.approx(expected, abs=3e-5)


def test_out_of_range(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    for field in ("token", "against"):
        with pytest.raises(SelectionError, match=f"{field} must be from 0 to 383, not 384") as error:
            direct_effect(loaded, analysed(loaded), 0, **{"token": 3, field: 384})
        assert error.value.field == field
