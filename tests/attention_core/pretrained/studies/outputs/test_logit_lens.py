"""The logit lens: its last state is the model's own answer, the others the library's hidden states by hand."""

from collections.abc import Callable

import pytest
import torch
from naive_flow import DECODERS, LOGIT_FACTORS, last_norm

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import HeadOff
from attention_core.pretrained.studies.outputs.logit_lens import lens_logits, logit_lens
from attention_core.pretrained.studies.outputs.residual_stream import residual_stream

TEXT = "A small model reads a small text."
SEVERAL = ("tiny-gpt2", "tiny-qwen3", "tiny-mistral", "tiny-gpt-neox", "tiny-gemma", "gemma2", "cohere", "granite")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", dict.fromkeys((*SEVERAL, *DECODERS)))
def test_logits_after_every_layer(decoder: Callable[[str], LoadedModel], name: str) -> None:
    loaded = decoder(name)
    analysis = analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)
    position = len(analysis.tokens) - 1
    inputs, _ = tokenise(loaded, TEXT)
    with torch.inference_mode(), record():
        outputs = loaded.model(**inputs, output_hidden_states=True)
        states = torch.stack([state[0, position] for state in outputs.hidden_states[:-1]])
        before = loaded.model.get_output_embeddings()(last_norm(loaded.model)(states)) * LOGIT_FACTORS.get(name, 1.0)
        if name == "gemma2":
            before = 6 * (before / 6).tanh()
        expected = torch.cat([before, outputs.logits[0, position, None]])
    torch.testing.assert_close(lens_logits(residual_stream(loaded, analysis, position)), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", SEVERAL)
def test_states(decoder: Callable[[str], LoadedModel], name: str) -> None:
    loaded = decoder(name)
    analysis = analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)
    position = len(analysis.tokens) - 1
    lens = logit_lens(loaded, analysis, position, k=7)
    assert [state.layer for state in lens.states] == [-1, 0, 1]
    model_says = analysis.predictions[0].candidates
    assert [candidate.id for candidate in lens.states[-1].candidates] == [candidate.id for candidate in model_says[:7]]
    assert (lens.token_id, lens.token_text) == (model_says[0].id, model_says[0].text)
    assert lens.states[-1].rank == 0
    logits = lens_logits(residual_stream(loaded, analysis, position)).double()
    probabilities = torch.softmax(logits, dim=-1)
    for state, row in zip(lens.states, probabilities, strict=True):
        order = row.argsort(descending=True)
        assert state.rank == order.tolist().index(lens.token_id)
        assert state.probability == pytest.approx(float(row[lens.token_id]), rel=1e-4)
        assert state.entropy == pytest.approx(float(-(row * row.log()).sum()), rel=1e-4)
        assert [candidate.id for candidate in state.candidates] == order[:7].tolist()
        for candidate in state.candidates:
            assert candidate.probability == pytest.approx(float(row[candidate.id]), rel=1e-4)
    assert logit_lens(loaded, analysis, position, token=9).token_id == 9


def test_it_is_the_changed_model_that_is_looked_at(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    plain = analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)
    off = (HeadOff(layer=0, heads=(2,), mode="zero"), HeadOff(layer=1, heads=(0,), mode="mean"))
    changed = analyse(loaded, AnalysisRequest(TEXT, interventions=off), max_tokens=64)
    position = len(plain.tokens) - 1
    wanted, before = (each.predictions[0].candidates[0].logit for each in (changed, plain))
    assert abs(wanted - before) > 1e-4
    last = logit_lens(loaded, changed, position).states[-1].candidates[0]
    assert last.logit == pytest.approx(wanted, abs=1e-5)
    assert not residual_stream(loaded, changed, position).head_outputs[0, 16:24].any()


def test_out_of_range(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    analysis = analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)
    with pytest.raises(SelectionError, match="k must be from 1 to 50, not 51"):
        logit_lens(loaded, analysis, 0, k=51)
    with pytest.raises(SelectionError, match="token must be from 0 to 383, not 384"):
        logit_lens(loaded, analysis, 0, token=384)
