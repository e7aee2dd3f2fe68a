"""Classes of texts: predictions, attribution and patches equal those of the library's eager attention."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from eager_patching import BERT, DISTILBERT, EagerRuns
from text_classifiers import CLASSIFIERS, NAMES, write_text_classifier

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse, prepare
from attention_core.pretrained.running.batch import analyse_together
from attention_core.pretrained.studies.differences.prediction_difference import prediction_difference
from attention_core.pretrained.studies.output import output
from attention_core.pretrained.studies.outputs.attribution import attribution
from attention_core.pretrained.studies.patching import contrast
from attention_core.pretrained.studies.patching.experiment import Question
from attention_core.pretrained.studies.patching.patches import What
from attention_core.pretrained.studies.patching.patching import patching
from attention_core.pretrained.studies.patching.paths import path_patching

CLEAN, CORRUPT = "The cat sat on the mat", "The mat sat on the cat"
EAGER = {"bert": BERT, "distilbert": DISTILBERT}
ALL = slice(None)
Inputs = dict[str, torch.Tensor]
Case = tuple[LoadedModel, EagerRuns, tuple[Inputs, Inputs], Question]


@pytest.fixture(scope="module", params=CLASSIFIERS)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    directory = tmp_path_factory.mktemp("classifiers")
    write_text_classifier(directory, request.param)
    loaded = Catalog(models_dir=directory, hub_models=(), device="cpu").load(f"{request.param}-classes")
    clean, corrupt = (tokenise(loaded, text)[0] for text in (CLEAN, CORRUPT))
    runs = EagerRuns(eager_copy(loaded.model), EAGER[request.param], loaded.entry.head_dim or 0)
    return loaded, runs, (clean, corrupt), Question(clean=CLEAN, corrupt=CORRUPT, answer=2, against=0)


@pytest.fixture(autouse=True)
def tiny_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random models may hardly tell two texts apart."""
    monkeypatch.setattr(contrast, "MIN_GAP", 1e-4)


def assert_classes(analysis: Analysis, logits: torch.Tensor) -> None:
    (found,) = analysis.predictions
    assert (found.kind, found.index, found.read_from) == ("class", 0, [])
    order = logits.argsort(descending=True).tolist()
    assert [(each.id, each.text, each.written) for each in found.candidates] == [
        (id_, NAMES[id_], None) for id_ in order
    ]
    assert [each.logit for each in found.candidates] == pytest.approx(logits[order].tolist(), abs=1e-5)
    assert [each.probability for each in found.candidates] == pytest.approx(
        logits.softmax(dim=-1)[order].tolist(), abs=1e-5
    )


def test_a_text_is_classified(case: Case) -> None:
    """Alone, with a mask in it, and beside another one in the same pass."""
    loaded, runs, inputs, _ = case
    prepared = [prepare(loaded, AnalysisRequest(text), max_tokens=64) for text in (CLEAN, CORRUPT)]
    together = analyse_together(prepared, [lambda: False] * 2)
    for each, given in zip(together, inputs, strict=True):
        assert isinstance(each, Analysis)
        assert_classes(each, runs.run(given))
    masked = "The [MASK] sat"
    analysis = analyse(loaded, AnalysisRequest(masked, parity=True), max_tokens=64)
    assert_classes(analysis, runs.run(tokenise(loaded, masked)[0]))
    assert analysis.parity is not None
    assert analysis.parity.within_bound
    first, second = (analyse(loaded, AnalysisRequest(text), max_tokens=64) for text in (CLEAN, CORRUPT))
    (change,) = prediction_difference(first, second, (loaded, loaded)).predictions
    assert {each.text for each in change.candidates} == set(NAMES.values())


def test_a_class_is_attributed_to_weights(case: Case) -> None:
    loaded, _, (inputs, _), _ = case
    analysis = analyse(loaded, AnalysisRequest(CLEAN), max_tokens=64)
    found = output(loaded, analysis, 3)
    assert (found.kind, found.position, found.vocabulary, found.looks) == ("class", None, 3, ["attribution"])
    twin = eager_copy(loaded.model)
    twin.get_input_embeddings().register_forward_hook(lambda _module, _args, result: result.detach().requires_grad_())
    outputs = twin(**inputs, output_attentions=True)
    shares = attribution(loaded, analysis, token=2, against=0)
    assert (shares.target, shares.position, shares.token_id, shares.against_id) == ("logit", None, 2, 0)
    gradients = torch.autograd.grad(outputs.logits[0, 2] - outputs.logits[0, 0], outputs.attentions)
    for layer, (weights, gradient) in enumerate(zip(outputs.attentions, gradients, strict=True)):
        expected = (weights * gradient)[0].detach().numpy()
        np.testing.assert_allclose(shares.parts[0].shares[layer], expected, atol=2e-6, rtol=1e-4)


@pytest.mark.parametrize("what", ["output", "queries", "keys", "values", "pattern"])
def test_every_head_equals_hooks(case: Case, what: What) -> None:
    loaded, runs, (source, base), question = case
    found = patching(loaded, question, what=what)
    clean = runs.run(source)
    taken, patterns = runs.seen, runs.patterns
    corrupt = runs.run(base)
    assert found.position is None
    assert found.clean.difference == pytest.approx(float(clean[2] - clean[0]), abs=1e-5)
    assert found.corrupt.difference == pytest.approx(float(corrupt[2] - corrupt[0]), abs=1e-5)
    for layer, head in np.ndindex(2, 4):
        if what == "pattern":
            classes = runs.mixed(base, layer, head, patterns[layer][:, head], ALL)
        else:
            classes = runs.run(base, {(what, layer, head): (ALL, taken[what, layer, head])})
        assert found.differences[layer, head] == pytest.approx(float(classes[2] - classes[0]), abs=1e-5)


def test_every_position_and_path_equals_hooks(case: Case) -> None:
    loaded, runs, (source, base), question = case
    found = patching(loaded, question, what="residual", by="position")
    runs.run(source)
    of_source = runs.seen
    for layer, position in np.ndindex(found.differences.shape):
        span, place = slice(position, position + 1), ("residual", layer, 0)
        classes = runs.run(base, {place: (span, of_source[place][:, span])})
        assert found.differences[layer, position] == pytest.approx(float(classes[2] - classes[0]), abs=1e-5)
    runs.run(base)
    held = {place: (ALL, numbers) for place, numbers in runs.seen.items() if place[0] == "output"}
    paths = path_patching(loaded, question)
    for head in range(4):
        place = ("output", 0, head)
        classes = runs.run(base, {**held, place: (ALL, of_source[place])})
        assert paths.differences[0, head] == pytest.approx(float(classes[2] - classes[0]), abs=1e-5)


def test_answers_are_classes_by_name(case: Case) -> None:
    loaded, _, _, question = case
    found = patching(loaded, replace(question, answer="very positive", against="NEGATIVE"))
    assert (found.answer.id, found.answer.text, found.against.id) == (2, "Very positive", 0)
    with pytest.raises(SelectionError, match="'cat' is not the name of a class"):
        patching(loaded, replace(question, answer="cat"))
    with pytest.raises(SelectionError, match="from the whole text: leave position out") as placed:
        patching(loaded, replace(question, position=1))
    assert placed.value.field == "position"
