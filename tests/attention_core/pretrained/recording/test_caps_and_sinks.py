"""Capped scores (Gemma 2) and learned sinks (gpt-oss), against the library's eager attention and naive code."""

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from odd_models import write_odd_model

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.running.interventions import CutEdges, Intervention, ReplaceRow, SetPattern
from attention_core.pretrained.studies.flow.rollout import rollout
from attention_core.pretrained.studies.outputs.attribution import attribution
from attention_core.pretrained.studies.vectors import pair_vectors

TEXT = "The cat sat on the mat because it was tired, and so it slept."
CLOSE = {"atol": 1e-5, "rtol": 0}
NAMES = ("gemma2", "gpt_oss")


class Odd:
    """One model, loaded by us and by the library, and the weights that each computes."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = write_odd_model(folder, name)
        self.loaded: LoadedModel = Catalog(models_dir=folder, hub_models=(), device="cpu").load(name)
        self.analysis: Analysis = analyse(self.loaded, AnalysisRequest(TEXT), max_tokens=64)
        self.ids = torch.tensor([[token.id for token in self.analysis.tokens]])
        self.eager = transformers.AutoModelForCausalLM.from_pretrained(self.folder, attn_implementation="eager").eval()
        with torch.no_grad():
            self.output = self.eager(self.ids, output_attentions=True, output_hidden_states=True)

    def analyse(self, *interventions: Intervention) -> Analysis:
        return analyse(self.loaded, AnalysisRequest(TEXT, interventions=interventions), max_tokens=64)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Odd]:
    return {name: Odd(tmp_path_factory.mktemp(name), name) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_weights_are_the_librarys(odd: dict[str, Odd], name: str) -> None:
    of = odd[name]
    assert of.loaded.entry.self_check is not None
    assert max(of.loaded.entry.self_check.weights or 0.0, of.loaded.entry.self_check.last_hidden_state) <= 1e-5
    for layer, theirs in enumerate(of.output.attentions):
        for head in range(4):
            np.testing.assert_allclose(of.analysis.window(None, layer, head), theirs[0, head].numpy(), **CLOSE)
    found = of.analysis.predictions[0].candidates[0]
    assert found.id == int(of.output.logits[0, -1].argmax())
    assert found.logit == pytest.approx(float(of.output.logits[0, -1].max()), abs=1e-4)


def test_the_cap_is_a_step_between_scaled_and_masked_scores(odd: dict[str, Odd]) -> None:
    analysis = odd["gemma2"].analysis
    assert (analysis.parts[0].score_cap, analysis.parts[0].sink_shares) == (2.0, None)
    scaled = analysis.window(None, 1, 2, "scaled_scores").astype(float)
    masked = analysis.window(None, 1, 2, "masked_scores").astype(float)
    allowed = np.tril(np.ones_like(scaled, dtype=bool))
    np.testing.assert_allclose(masked[allowed], (2 * np.tanh(scaled / 2))[allowed], **CLOSE)
    assert np.abs(scaled[allowed]).max() > 2.5  # so that the cap changes something
    pooled = analysis.window(None, 1, 2, "masked_scores", max_size=4, pooling="mean")
    cell = -(-len(masked) // 4)
    seen = masked[-(len(masked) - 3 * cell) :, :cell]
    assert pooled[3, 0] == pytest.approx(seen[np.isfinite(seen)].mean(), abs=1e-5)
    pair = pair_vectors(analysis, None, 1, 2, 9, 4)
    assert pair.cap == 2.0
    assert pair.masked_score == pytest.approx(2 * np.tanh(pair.scaled_score / 2), abs=1e-5)
    assert pair.sink_weight is None


def test_rows_and_their_sink_add_up_to_1(odd: dict[str, Odd]) -> None:
    of = odd["gpt_oss"]
    sinks = [layer.self_attn.sinks.detach() for layer in of.eager.model.layers]
    shares = of.analysis.parts[0].sink_shares
    assert shares is not None
    for layer, head in ((0, 0), (1, 3)):
        scores = torch.from_numpy(of.analysis.window(None, layer, head, "masked_scores")).double()
        total = scores.exp().sum(dim=-1) + sinks[layer][head].double().exp()
        taken = (sinks[layer][head].double().exp() / total).numpy()
        weights = of.analysis.window(None, layer, head)
        np.testing.assert_allclose(weights.sum(axis=-1), 1 - taken, **CLOSE)
        np.testing.assert_allclose(weights, (scores.exp() / total[:, None]).numpy(), **CLOSE)
        assert shares[layer, head] == pytest.approx(taken.mean(), abs=1e-5)
        pair = pair_vectors(of.analysis, None, layer, head, 7, 3)
        assert pair.sink_weight == pytest.approx(taken[7], abs=1e-5)
        entropy = -(weights * np.log(np.clip(weights, 1e-30, None))).sum(axis=-1)
        assert of.analysis.parts[0].metrics["entropy"][layer, head] == pytest.approx(entropy.mean(), abs=1e-5)
        np.testing.assert_allclose(of.analysis.distribution(None, layer, head, "weights").row_entropy, entropy, **CLOSE)
    assert shares.min() > 0.01
    mixed = np.eye(len(of.analysis.tokens))
    for theirs in of.output.attentions:
        mixed = (0.5 * theirs[0].mean(dim=0).double().numpy() + 0.5 * np.eye(len(mixed))) @ mixed
    np.testing.assert_allclose(rollout(of.analysis).matrix, mixed, **CLOSE)


def test_edits_of_a_head_with_a_sink(odd: dict[str, Odd]) -> None:
    """A replaced row or pattern adds up to 1; what is cut goes to the other keys and to the sink."""
    of = odd["gpt_oss"]
    count = len(of.analysis.tokens)
    given = (0.0, 0.0, 0.0, 0.25, 0.75, *[0.0] * (count - 5))
    changed = of.analyse(
        SetPattern(layer=0, heads=(0,), pattern="uniform"),
        ReplaceRow(layer=0, heads=(1,), query=5, weights=given),
        CutEdges(layer=0, heads=(2,), edges=((None, 0),), renormalise=True),
    )
    uniform = changed.window(None, 0, 0)
    assert uniform[3, 3] == pytest.approx(0.25)
    row = changed.window(None, 0, 1)
    np.testing.assert_allclose(row[5, 3:5], [0.25, 0.75], **CLOSE)
    np.testing.assert_allclose(row[6], of.analysis.window(None, 0, 1)[6], **CLOSE)
    scores = of.analysis.window(None, 0, 2, "masked_scores").astype(float)
    scores[:, 0] = -np.inf
    exponentials = np.exp(scores)
    sink = np.exp(float(of.eager.model.layers[0].self_attn.sinks[2].detach()))
    expected = exponentials / (exponentials.sum(axis=-1, keepdims=True) + sink)
    np.testing.assert_allclose(changed.window(None, 0, 2), expected, **CLOSE)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_are_the_librarys(odd: dict[str, Odd], name: str) -> None:
    """Weight × gradient of the largest logit, with the eager attention's own graph."""
    of = odd[name]
    output = of.eager(of.ids, output_attentions=True)
    logit = output.logits[0, -1].max()
    gradients = torch.autograd.grad(logit, output.attentions)
    ours = attribution(of.loaded, of.analysis).parts[0].shares
    for layer, (weights, gradient) in enumerate(zip(output.attentions, gradients, strict=True)):
        np.testing.assert_allclose(ours[layer], (weights * gradient)[0].detach().numpy(), atol=1e-4, rtol=1e-4)
