"""Effects of patches equal those of forward hooks on the library's eager attention, run by run."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import torch
from chat_models import chat_inputs, load_chat_model
from eager_patching import BERT, LLAMA, NEOX, EagerRuns, gpt2

from attention_core.pretrained.errors import (
    Cancelled,
    ChatError,
    EmptyTextError,
    ModelUnavailableError,
    NotComparableError,
    SelectionError,
    WindowTooLargeError,
)
from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.studies.circuits.circuits import token_id
from attention_core.pretrained.studies.circuits.induction import head_scores
from attention_core.pretrained.studies.patching import contrast, experiment
from attention_core.pretrained.studies.patching.experiment import Question
from attention_core.pretrained.studies.patching.patches import What
from attention_core.pretrained.studies.patching.patching import Patching, patching

MINI = "observatory-gpt2-mini"
CLEAN = "Pacific Duke Sonic Norfolk Juliet Burma Madonna . Pacific Duke Sonic"
CORRUPT = "Pacific Duke Burma Norfolk Juliet Sonic Madonna . Pacific Duke Sonic"
WHATS: tuple[What, ...] = ("output", "queries", "keys", "values", "pattern")
CASES = {
    MINI: (gpt2(6), CLEAN, CORRUPT),
    "tiny-llama": (LLAMA, "A small model reads a small text", "A small model reads a weighted text"),
    "tiny-gpt-neox": (NEOX, "A small model reads a small text", "A small cat model a small text"),
    "tiny-bert": (BERT, "The cat [MASK] on the mat .", "The mat [MASK] on the cat ."),
}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest, catalog: Catalog) -> tuple[LoadedModel, EagerRuns, Question]:
    eager, clean, corrupt = CASES[request.param]
    loaded = catalog.load(request.param)
    return (
        loaded,
        EagerRuns(eager_copy(loaded.model), eager, loaded.entry.head_dim or 0),
        Question(clean=clean, corrupt=corrupt),
    )


@pytest.fixture(autouse=True)
def tiny_gaps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random models hardly tell two prompts apart."""
    if "case" in request.fixturenames:
        monkeypatch.setattr(contrast, "MIN_GAP", 1e-6)


def some(loaded: LoadedModel, layers: int, columns: int) -> list[tuple[int, int]]:
    """All cells of a tiny model, and some of the real one."""
    cells = list(itertools.product(range(layers), range(columns)))
    return cells[::7] if loaded.entry.id == MINI else cells


@pytest.fixture(scope="module")
def mini() -> LoadedModel:
    return Catalog(hub_models=(), device="cpu").load(MINI)


def inputs_of(loaded: LoadedModel, text: str) -> dict[str, torch.Tensor]:
    return tokenise(loaded, text)[0]


def difference(found: Patching, logits: torch.Tensor) -> float:
    row = logits[found.position]
    return float(row[found.answer.id] - row[found.against.id])


@pytest.mark.full
@pytest.mark.parametrize("direction", ["denoising", "noising"])
def test_every_head_equals_hooks_on_the_librarys_attention(
    case: tuple[LoadedModel, EagerRuns, Question], direction: str
) -> None:
    loaded, runs, question = case
    question = Question(**{**vars(question), "direction": direction})
    texts = (question.clean, question.corrupt) if direction == "denoising" else (question.corrupt, question.clean)
    source, base = (inputs_of(loaded, text) for text in texts)
    taken = difference_in = None
    span = {"denoising": slice(None), "noising": slice(2, 3)}[direction]
    for what in WHATS:
        found = patching(loaded, question, what=what, patched_position=None if direction == "denoising" else 2)
        source_difference = difference(found, runs.run(source))
        taken, patterns = runs.seen, runs.patterns
        base_difference = difference(found, runs.run(base))
        signed = (
            (source_difference, base_difference) if direction == "denoising" else (base_difference, source_difference)
        )
        assert (found.clean.difference, found.corrupt.difference) == pytest.approx(signed, abs=1e-4)
        heads = runs.eager.kv_heads if what in ("keys", "values") else runs.eager.heads
        assert found.differences.shape == (len(patterns), heads)
        assert found.query_heads_per_column == runs.eager.heads // heads
        for layer, head in some(loaded, len(patterns), heads):
            if what == "pattern":
                logits = runs.mixed(base, layer, head, patterns[layer][:, head], span)
            else:
                place = (what, layer, head)
                logits = runs.run(base, {place: (span, taken[place][:, span])})
            difference_in = difference(found, logits)
            assert found.differences[layer, head] == pytest.approx(difference_in, abs=1e-4), (what, layer, head)
            effect = (difference_in - base_difference) / (source_difference - base_difference)
            assert found.effects[layer, head] == pytest.approx(effect, abs=1e-4 / abs(found.gap) + 1e-6)


@pytest.mark.full("observatory-gpt2-mini-keys", "observatory-gpt2-mini-residual")
@pytest.mark.parametrize("what", ["residual", "output", "keys"])
def test_every_position_equals_hooks(case: tuple[LoadedModel, EagerRuns, Question], what: What) -> None:
    loaded, runs, question = case
    found = patching(loaded, question, what=what, by="position")
    source, base = inputs_of(loaded, question.clean), inputs_of(loaded, question.corrupt)
    runs.run(source)
    taken = runs.seen
    layers, positions = found.differences.shape
    assert positions == source["input_ids"].shape[1]
    for layer, position in some(loaded, layers, positions):
        span = slice(position, position + 1)
        places = [place for place in taken if place[:2] == (what, layer)]
        logits = runs.run(base, {place: (span, taken[place][:, span]) for place in places})
        assert found.differences[layer, position] == pytest.approx(difference(found, logits), abs=1e-4)


@pytest.mark.full
@pytest.mark.parametrize("system", [None, "A cat."])
def test_chat_messages_are_patched_with_all_that_the_template_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str | None
) -> None:
    monkeypatch.setattr(contrast, "MIN_GAP", 1e-6)
    loaded = load_chat_model(tmp_path)
    runs = EagerRuns(eager_copy(loaded.model), LLAMA, loaded.entry.head_dim or 0)
    question = Question(clean="The cat sat", corrupt="The mat sat", chat=Chat(system), answer=9, against=12)
    source, base = (chat_inputs(loaded, text, system) for text in (question.clean, question.corrupt))
    heads = patching(loaded, question, what="values")
    assert [[token.id for token in run.tokens] for run in (heads.clean, heads.corrupt)] == [
        inputs["input_ids"][0].tolist() for inputs in (source, base)
    ]
    assert heads.position == source["input_ids"].shape[1] - 1  # where the answer begins
    assert [heads.clean.tokens[index].text.strip() for index in heads.differing] == ["cat"]
    assert heads.clean.difference == pytest.approx(difference(heads, runs.run(source)), abs=1e-4)
    taken = runs.seen
    for layer, head in np.ndindex(heads.differences.shape):
        place = ("values", layer, head)
        logits = runs.run(base, {place: (slice(None), taken[place])})
        assert heads.differences[layer, head] == pytest.approx(difference(heads, logits), abs=1e-4)
    streams = patching(loaded, question, what="residual", by="position")
    for layer, position in np.ndindex(streams.differences.shape):
        span = slice(position, position + 1)
        logits = runs.run(base, {("residual", layer, 0): (span, taken["residual", layer, 0][:, span])})
        assert streams.differences[layer, position] == pytest.approx(difference(streams, logits), abs=1e-4)


@pytest.mark.full
def test_it_finds_the_induction_heads_that_random_tokens_show(mini: LoadedModel) -> None:
    """The heads that attend to what followed last time are those that restore what follows this time."""
    (scores,) = head_scores(mini, sequences=1).parts
    induction = {tuple(map(int, place)) for place in np.argwhere(scores.scores["induction"] > 0.5)}
    previous = {tuple(map(int, place)) for place in np.argwhere(scores.scores["previous_token_random"] > 0.5)}
    assert induction == {(1, 0), (1, 1)}
    assert previous == {(0, 0), (0, 1)}
    # The word before the copied one is another: the keys of the induction heads, and so their weights, go wrong.
    question = Question(clean=CLEAN, corrupt=CORRUPT)
    found = patching(mini, question, what="pattern")
    assert (found.answer.text, found.against.text) == (" Norfolk", " Madonna")
    assert {(cell.layer, cell.head) for cell in found.strongest[:2]} == induction
    assert sum(cell.effect for cell in found.strongest[:2]) > 0.6
    assert abs(found.strongest[2].effect) < 0.1
    keys = patching(mini, question, what="keys")
    assert {(cell.layer, cell.head) for cell in keys.strongest[:2]} == induction
    outputs = patching(mini, question)
    assert {(cell.layer, cell.head) for cell in outputs.strongest[:4]} == induction | previous


@pytest.mark.full
def test_the_first_decoder_does_not_know_indirect_objects(mini: LoadedModel) -> None:
    """What docs/patching.md says of it: 56 pairs of names; and two runs that hardly differ are marked."""
    names = ["John", "Henry", "Peter", "Paul", "George", "William", "David", "Thomas"]
    story = "Then , {0} and {1} went to the park . {1} gave a ring to"
    pairs = list(itertools.permutations(names, 2))
    inputs = torch.cat([inputs_of(mini, story.format(*pair))["input_ids"] for pair in pairs])
    with torch.inference_mode():
        logits = mini.model(input_ids=inputs).logits[:, -1]
    ids = torch.tensor([[token_id(mini, f" {name}") for name in pair] for pair in pairs])
    differences = logits.gather(1, ids[:, :1]) - logits.gather(1, ids[:, 1:])
    assert float(differences.mean()) == pytest.approx(0.01, abs=0.005)
    assert float((differences > 0).float().mean()) == pytest.approx(0.52, abs=0.005)
    clean = story.format("Paul", "Henry")
    found = patching(
        mini, Question(clean=clean, corrupt=clean.replace("Henry gave", "Paul gave"), answer=2200, against=1636)
    )
    assert (found.answer.text, found.against.text) == (" Paul", " Henry")
    assert found.weak
    assert found.gap == pytest.approx(0.21, abs=0.01)
    assert any("0.5 logits" in str(each) for each in found.caveats)


@pytest.mark.full
def test_batches_of_any_size_agree(mini: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    question = Question(clean=CLEAN, corrupt=CORRUPT)
    together = patching(mini, question)
    monkeypatch.setattr(experiment, "MAX_RUNS_AT_ONCE", 5)
    reported: list[tuple[int, int]] = []
    apart = patching(mini, question, report=lambda *steps: reported.append(steps))
    assert np.abs(apart.differences - together.differences).max() < 1e-4
    assert reported == [(done, 36) for done in range(0, 36, 5)]


@pytest.mark.full
def test_an_encoder_decoder_model_is_patched_part_by_part(catalog: Catalog) -> None:
    """With the whole of a layer's cross-attention from the other run, its output is; with all positions, all of it."""
    loaded = catalog.load("tiny-t5")
    question = Question(
        clean="The cat sat on the mat", corrupt="The mat sat on the cat", target_text="A small", answer=9
    )
    shapes = {part: patching(loaded, question, part=part).effects.shape for part in ("encoder", "decoder", "cross")}
    assert shapes == {"encoder": (2, 4), "decoder": (3, 4), "cross": (3, 4)}
    decoder = patching(loaded, question, what="residual", by="position", part="decoder")
    assert decoder.effects.shape == (3, decoder.position + 1)
    assert np.abs(decoder.effects[0]).max() < 1e-6  # the same target in both runs
    stream = patching(loaded, question, what="residual", by="position", part="encoder")
    assert stream.effects.shape == (2, len(stream.clean.tokens))
    outside = [index for index in range(len(stream.clean.tokens)) if index not in stream.differing]
    assert np.abs(stream.effects[0, outside]).max() < 1e-6  # equal embeddings: nothing to patch
    assert np.abs(stream.effects[0, stream.differing]).max() > 1e-3


@pytest.mark.full
def test_refusals(mini: LoadedModel, catalog: Catalog) -> None:
    def refused(kind: type[Exception], words: str, **changed: object) -> None:
        asked = {"clean": CLEAN, "corrupt": CORRUPT} | {
            name: changed.pop(name) for name in list(changed) if name in texts
        }
        with pytest.raises(kind, match=words):
            patching(mini, Question(**asked), **changed)  # type: ignore[arg-type]

    texts = {"clean", "corrupt", "answer", "against", "position"}
    with pytest.raises(NotComparableError) as error:
        patching(mini, Question(clean="When John met Henry", corrupt="When John met Tom"))
    assert str(error.value).startswith(
        "The prompts must have equally many tokens: clean has 4, corrupt 5. They go apart at token 3: [·Henry] in "
        "clean, [·T][om] in corrupt."
    )
    assert error.value.field == "corrupt"
    refused(NotComparableError, "same tokens", corrupt=CLEAN)
    refused(EmptyTextError, "The corrupt prompt is empty", corrupt=" ")
    refused(SelectionError, "answer and against must be different", answer=" Norfolk", against=" Norfolk")
    refused(SelectionError, "not one token", answer="no such token")
    refused(SelectionError, "answer must be from 0 to 4095", answer=4096)
    refused(SelectionError, "position must be from 0 to", position=99)
    refused(SelectionError, "belongs to no head", what="residual")
    refused(SelectionError, "patched_position must be", patched_position=99)
    refused(SelectionError, "patches by head", by="position", patched_position=1)
    refused(NotComparableError, "nearly the same logit difference", position=0, answer=5, against=6)
    with pytest.raises(WindowTooLargeError, match="too much work"):
        patching(mini, Question(clean=CLEAN * 24, corrupt=CORRUPT * 24), by="position")
    with pytest.raises(Cancelled):
        patching(mini, Question(clean=CLEAN, corrupt=CORRUPT), cancelled=lambda: True)
    with pytest.raises(ModelUnavailableError, match="predicts no tokens"):
        patching(catalog.load("sentence-transformers/all-MiniLM-L6-v2"), Question(clean="a", corrupt="b"))
    with pytest.raises(ChatError, match="no chat template") as chat:
        patching(mini, Question(clean=CLEAN, corrupt=CORRUPT, chat=Chat()))
    assert chat.value.field == "chat"
    with pytest.raises(SelectionError, match=r"no token is \[MASK\] in both"):
        patching(catalog.load("tiny-bert"), Question(clean="The cat", corrupt="The mat"))
