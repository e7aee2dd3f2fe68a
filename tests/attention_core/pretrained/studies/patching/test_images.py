"""Patches between two images equal those of forward hooks on the library's eager attention, run by run."""

import itertools

import numpy as np
import pytest
import torch
from eager_patching import EagerRuns, vision
from image_classifiers import CLASSIFIERS, noise_image, write_image_classifier
from PIL import Image

from attention_core.pretrained.errors import (
    ChatError,
    ModelUnavailableError,
    NotComparableError,
    ReadsImagesError,
    ReadsTextError,
    SelectionError,
    WindowTooLargeError,
)
from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.inputs.images import Picture, prepare
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.studies.patching import contrast, experiment
from attention_core.pretrained.studies.patching.experiment import Question
from attention_core.pretrained.studies.patching.patches import What
from attention_core.pretrained.studies.patching.patching import Patching, patching
from attention_core.pretrained.studies.patching.paths import PathPatching, Via, path_patching
from attention_core.pretrained.studies.patching.prompts import prompt_pair

EAGER = {
    "vit": vision("vit"),
    "beit": vision("beit"),
    "deit": vision("deit"),
    "dinov2": vision("dinov2.encoder", "layer"),
}
WHATS: tuple[What, ...] = ("output", "queries", "keys", "values", "pattern")
ALL = slice(None)
Inputs = dict[str, torch.Tensor]
Case = tuple[LoadedModel, EagerRuns, tuple[Inputs, Inputs], Question]


@pytest.fixture(scope="module")
def classifiers(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    directory = tmp_path_factory.mktemp("classifiers")
    for name in CLASSIFIERS:
        write_image_classifier(directory, name)
    return Catalog(models_dir=directory, hub_models=(), device="cpu")


def made_for(loaded: LoadedModel, image: Image.Image) -> tuple[Inputs, Picture]:
    assert loaded.images is not None
    pixels, picture = prepare(image, loaded.images)
    return {"pixel_values": pixels}, picture


@pytest.fixture(scope="module", params=CLASSIFIERS)
def case(request: pytest.FixtureRequest, classifiers: Catalog) -> Case:
    loaded = classifiers.load(request.param)
    (clean, first), (corrupt, second) = (made_for(loaded, noise_image(seed)) for seed in (3, 4))
    runs = EagerRuns(eager_copy(loaded.model), EAGER[request.param], loaded.entry.head_dim or 0)
    return loaded, runs, (clean, corrupt), Question(clean=first, corrupt=second)


@pytest.fixture(autouse=True)
def tiny_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random models may hardly tell two images apart."""
    monkeypatch.setattr(contrast, "MIN_GAP", 1e-4)


def difference(found: Patching | PathPatching, classes: torch.Tensor) -> float:
    assert classes.ndim == 1
    return float(classes[found.answer.id] - classes[found.against.id])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("what", WHATS)
@pytest.mark.parametrize("direction", ["denoising", "noising"])
def test_every_head_equals_hooks(case: Case, what: What, direction: str) -> None:
    loaded, runs, images, question = case
    question = Question(**{**vars(question), "direction": direction})
    source, base = images if direction == "denoising" else reversed(images)
    place_of = None if direction == "denoising" else 2
    span = ALL if place_of is None else slice(place_of, place_of + 1)
    found = patching(loaded, question, what=what, patched_position=place_of)
    source_difference = difference(found, runs.run(source))
    taken, patterns = runs.seen, runs.patterns
    base_difference = difference(found, runs.run(base))
    clean, corrupt = (found.clean.difference, found.corrupt.difference)
    signed = (clean, corrupt) if direction == "denoising" else (corrupt, clean)
    assert signed == pytest.approx((source_difference, base_difference), abs=1e-4)
    assert found.position is None
    assert found.effects.shape == (2, 4)
    for layer, head in np.ndindex(found.effects.shape):
        if what == "pattern":
            classes = runs.mixed(base, layer, head, patterns[layer][:, head], span)
        else:
            place = (what, layer, head)
            classes = runs.run(base, {place: (span, taken[place][:, span])})
        expected = difference(found, classes)
        assert found.differences[layer, head] == pytest.approx(expected, abs=1e-5 * max(1.0, abs(expected)))
        effect = (expected - base_difference) / (source_difference - base_difference)
        assert found.effects[layer, head] == pytest.approx(effect, abs=1e-4 / abs(found.gap) + 1e-6)


@pytest.mark.parametrize("what", ["residual", "output", "keys"])
def test_every_patch_equals_hooks(case: Case, what: What) -> None:
    loaded, runs, (source, base), question = case
    found = patching(loaded, question, what=what, by="position")
    runs.run(source)
    taken = runs.seen
    layers, positions = found.differences.shape
    assert (layers, positions) == (2, len(found.clean.tokens))
    for layer, position in itertools.product(range(layers), range(positions)):
        span = slice(position, position + 1)
        places = [place for place in taken if place[:2] == (what, layer)]
        classes = runs.run(base, {place: (span, taken[place][:, span]) for place in places})
        expected = difference(found, classes)
        assert found.differences[layer, position] == pytest.approx(expected, abs=1e-5 * max(1.0, abs(expected)))


@pytest.mark.parametrize("via", ["queries", "keys", "values"])
def test_paths_equal_two_runs_by_hand(case: Case, via: Via) -> None:
    loaded, runs, (source, base), question = case
    runs.run(source)
    of_source = runs.seen
    runs.run(base)
    held = {place: (ALL, numbers) for place, numbers in runs.seen.items() if place[0] == "output"}
    found = path_patching(loaded, question, fixed="receiver", layer=1, head=2, via=via)
    to_logits = path_patching(loaded, question)
    assert (found.position, to_logits.position) == (None, None)
    for head in range(4):
        place = ("output", 0, head)
        sent = runs.run(base, {**held, place: (ALL, of_source[place])})
        reached = runs.seen
        assert to_logits.differences[0, head] == pytest.approx(difference(to_logits, sent), rel=1e-5, abs=1e-5)
        classes = runs.run(base, {(via, 1, 2): (ALL, reached[via, 1, 2])})
        assert found.differences[0, head] == pytest.approx(difference(found, classes), rel=1e-5, abs=1e-5)


def test_feed_forward_layers_are_held(classifiers: Catalog) -> None:
    loaded = classifiers.load("vit")
    (source, clean), (base, corrupt) = (made_for(loaded, noise_image(seed)) for seed in (3, 4))
    runs = EagerRuns(eager_copy(loaded.model), EAGER["vit"], loaded.entry.head_dim or 0)
    found = path_patching(loaded, Question(clean=clean, corrupt=corrupt), feed_forward="held")
    runs.run(source)
    of_source = runs.seen
    runs.run(base)
    held = {place: (ALL, numbers) for place, numbers in runs.seen.items() if place[0] == "output"}
    runs.hold = runs.fed
    for layer, head in np.ndindex(found.differences.shape):
        place = ("output", layer, head)
        classes = runs.run(base, {**held, place: (ALL, of_source[place])})
        assert found.differences[layer, head] == pytest.approx(difference(found, classes), rel=1e-5, abs=1e-5)


def test_of_two_images_the_patches_that_differ(classifiers: Catalog) -> None:
    """The second image is the first with one patch painted over: nothing else is patched before the first block."""
    loaded = classifiers.load("vit")
    image = noise_image(3)
    painted = image.copy()
    painted.paste((255, 0, 0), (4, 8, 8, 12))  # row 2, column 1
    clean, corrupt = (made_for(loaded, each)[1] for each in (image, painted))
    index = 1 + 2 * 4 + 1
    pair = prompt_pair(loaded, clean, corrupt)
    assert (pair.differing, pair.extra_clean, pair.extra_corrupt) == ([index], [], [])
    assert [token.text for token in pair.clean][index] == "2,1"
    found = patching(
        loaded, Question(clean=clean, corrupt=corrupt, answer=0, against=1), what="residual", by="position"
    )
    assert found.differing == [index]
    expected = np.zeros(17)
    expected[index] = 1.0
    np.testing.assert_allclose(found.effects[0], expected, atol=1e-4)


def test_classes_have_names(classifiers: Catalog) -> None:
    loaded = classifiers.load("vit")
    clean, corrupt = (made_for(loaded, noise_image(seed))[1] for seed in (3, 4))
    with torch.inference_mode():
        logits = loaded.model(**made_for(loaded, noise_image(3))[0]).logits[0]
    found = patching(loaded, Question(clean=clean, corrupt=corrupt, answer="STAR", against="circle"))
    assert ((found.answer.id, found.answer.text), (found.against.id, found.against.text)) == (
        (2, "Star"),
        (0, "circle, ring"),
    )
    assert [each.id for each in found.clean.candidates] == logits.argsort(descending=True).tolist()
    assert found.clean.candidates[0].written is None
    assert found.clean.answer_logit == pytest.approx(float(logits[2]), abs=1e-5)
    by_default = patching(loaded, Question(clean=clean, corrupt=corrupt))
    assert by_default.answer.id == int(logits.argmax())
    with pytest.raises(SelectionError, match=r"'ring' is the name of several classes: give one of the ids 0, 1\."):
        patching(loaded, Question(clean=clean, corrupt=corrupt, answer="ring"))
    with pytest.raises(SelectionError, match="'cat' is not the name of a class"):
        patching(loaded, Question(clean=clean, corrupt=corrupt, answer="cat"))


@pytest.mark.full
def test_a_chosen_class_is_compared_with_another_one(classifiers: Catalog) -> None:
    """Also where it is the other run's best, and the one that clean favours least."""
    loaded = classifiers.load("vit")
    clean, corrupt = (made_for(loaded, noise_image(seed))[1] for seed in (3, 4))
    for first, second in ((clean, corrupt), (corrupt, clean)):
        for chosen in range(3):
            found = patching(loaded, Question(clean=first, corrupt=second, answer=chosen))
            assert found.answer.id == chosen != found.against.id
            found = patching(loaded, Question(clean=first, corrupt=second, against=chosen))
            assert found.against.id == chosen != found.answer.id


def test_refusals(classifiers: Catalog, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, other = classifiers.load("vit"), catalog.load("tiny-vit")
    clean, corrupt = (made_for(loaded, noise_image(seed))[1] for seed in (3, 4))
    smaller = made_for(other, noise_image(4))[1]
    with pytest.raises(NotComparableError, match=r"equally many patches: .* another model, with 2 × 2") as unequal:
        patching(loaded, Question(clean=clean, corrupt=smaller))
    assert unequal.value.field == "corrupt_analysis"
    with pytest.raises(NotComparableError, match="image are the same") as same:
        patching(loaded, Question(clean=clean, corrupt=clean))
    assert same.value.field == "corrupt_analysis"
    with pytest.raises(ReadsImagesError):
        patching(loaded, Question(clean="A cat", corrupt="A mat"))
    with pytest.raises(ReadsTextError, match="not images") as text:
        patching(catalog.load("tiny-gpt2"), Question(clean=clean, corrupt=corrupt))
    assert text.value.field == "clean_analysis"
    with pytest.raises(ChatError, match="no chat message"):
        patching(loaded, Question(clean=clean, corrupt=corrupt, chat=Chat()))
    with pytest.raises(SelectionError, match="leave position out") as placed:
        patching(loaded, Question(clean=clean, corrupt=corrupt, position=0))
    assert placed.value.field == "position"
    with pytest.raises(SelectionError, match="answer must be from 0 to 2"):
        patching(loaded, Question(clean=clean, corrupt=corrupt, answer=3))
    with pytest.raises(ModelUnavailableError, match="tiny-vit predicts no classes"):
        patching(other, Question(clean=made_for(other, noise_image(3))[1], corrupt=smaller))
    monkeypatch.setattr(experiment, "MAX_TOKENS_RUN", 2 * 17 * 17 - 1)
    with pytest.raises(WindowTooLargeError, match=r"34 runs of 17 tokens .* Patch by head\.") as work:
        patching(loaded, Question(clean=clean, corrupt=corrupt), what="residual", by="position")
    assert work.value.field == "by"
