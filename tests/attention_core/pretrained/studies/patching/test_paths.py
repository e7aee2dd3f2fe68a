"""Paths between heads equal those of forward hooks that hold every other head, in two runs by hand."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
import torch
from chat_models import chat_inputs, load_chat_model
from eager_patching import LLAMA, NEOX, OLMO, EagerRuns, gpt2

from attention_core.pretrained.errors import ModelUnavailableError, SelectionError
from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.studies.patching import contrast
from attention_core.pretrained.studies.patching.experiment import Question
from attention_core.pretrained.studies.patching.paths import PathPatching, Via, path_patching

MINI = "observatory-gpt2-mini"
CLEAN = "Pacific Duke Sonic Norfolk Juliet Burma Madonna . Pacific Duke Sonic"
CORRUPT = "Pacific Duke Burma Norfolk Juliet Sonic Madonna . Pacific Duke Sonic"
CASES = {
    MINI: (gpt2(6), CLEAN, CORRUPT),
    "tiny-llama": (LLAMA, "A small model reads a small text", "A small model reads a weighted text"),
    "tiny-gpt-neox": (NEOX, "A small model reads a small text", "A small cat model a small text"),
}
FURTHER = {
    "olmo2": OLMO,
    "olmo3": OLMO,
    **dict.fromkeys(
        (
            *("gemma2", "gemma3", "granite", "cohere", "cohere2", "stablelm", "stablelm-parallel", "starcoder2"),
            *("mixtral", "qwen2_moe", "qwen3_moe"),
        ),
        LLAMA,
    ),
}
ALL = slice(None)


@pytest.fixture(params=CASES)
def case(
    request: pytest.FixtureRequest, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> tuple[LoadedModel, EagerRuns, Question]:
    monkeypatch.setattr(contrast, "MIN_GAP", 1e-6)  # random models hardly tell two prompts apart
    eager, clean, corrupt = CASES[request.param]
    loaded = catalog.load(request.param)
    runs = EagerRuns(eager_copy(loaded.model), eager, loaded.entry.head_dim or 0)
    return loaded, runs, Question(clean=clean, corrupt=corrupt)


class ByHand:
    """Wang et al.'s two runs."""

    def __init__(self, loaded: LoadedModel, runs: EagerRuns, question: Question, *, held: bool = False) -> None:
        self.runs = runs
        clean, self.base = (self.inputs(loaded, text, question.chat) for text in (question.clean, question.corrupt))
        runs.run(clean)
        self.source_seen = runs.seen
        runs.run(self.base)
        self.base_seen = runs.seen
        self.fed = runs.fed if held else None

    @staticmethod
    def inputs(loaded: LoadedModel, text: str, chat: Chat | None) -> dict[str, torch.Tensor]:
        return tokenise(loaded, text)[0] if chat is None else chat_inputs(loaded, text, chat.system)

    def send(self, layer: int, head: int) -> tuple[torch.Tensor, Mapping[tuple[str, int, int], torch.Tensor]]:
        held = {place: (ALL, numbers) for place, numbers in self.base_seen.items() if place[0] == "output"}
        held["output", layer, head] = (ALL, self.source_seen["output", layer, head])
        self.runs.hold = self.fed
        logits = self.runs.run(self.base, held)
        self.runs.hold = None
        return logits, self.runs.seen

    def path(self, sender: tuple[int, int], via: Via, layer: int, head: int) -> torch.Tensor:
        _, reached = self.send(*sender)
        return self.runs.run(self.base, {(via, layer, head): (ALL, reached[via, layer, head])})


def difference(found: PathPatching, logits: torch.Tensor) -> float:
    row = logits[found.position]
    return float(row[found.answer.id] - row[found.against.id])


def test_paths_of_chat_messages_equal_two_runs_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contrast, "MIN_GAP", 1e-6)
    loaded = load_chat_model(tmp_path)
    runs = EagerRuns(eager_copy(loaded.model), LLAMA, loaded.entry.head_dim or 0)
    question = Question(clean="The cat sat", corrupt="The mat sat", chat=Chat("A mat."), answer=9, against=12)
    by_hand = ByHand(loaded, runs, question)
    found = path_patching(loaded, question, fixed="receiver", layer=1, head=1, via="keys")
    assert found.position == by_hand.base["input_ids"].shape[1] - 1
    for head in range(runs.eager.heads):
        expected = difference(found, by_hand.path((0, head), "keys", 1, 1))
        assert found.differences[0, head] == pytest.approx(expected, abs=1e-4)
    to_logits = path_patching(loaded, question)
    for layer, head in np.ndindex(to_logits.differences.shape):
        expected = difference(to_logits, by_hand.send(layer, head)[0])
        assert to_logits.differences[layer, head] == pytest.approx(expected, abs=1e-4)


@pytest.mark.full("observatory-gpt2-mini-keys", "observatory-gpt2-mini-queries", "observatory-gpt2-mini-values")
@pytest.mark.parametrize("via", ["queries", "keys", "values"])
def test_paths_between_heads_equal_two_runs_by_hand(case: tuple[LoadedModel, EagerRuns, Question], via: Via) -> None:
    loaded, runs, question = case
    by_hand = ByHand(loaded, runs, question)
    receivers = runs.eager.heads if via == "queries" else runs.eager.kv_heads
    found = path_patching(loaded, question, fixed="sender", layer=0, head=1, via=via)
    layers = len(found.effects)
    assert found.differences.shape == (layers, receivers)
    assert (found.first_layer, found.last_layer) == (1, layers - 1)
    assert not found.effects[0].any()
    for layer, head in {(1, 0), (1, 1 % receivers), (layers - 1, receivers - 1)}:
        expected = difference(found, by_hand.path((0, 1), via, layer, head))
        assert found.differences[layer, head] == pytest.approx(expected, abs=1e-4)
    straight, _ = by_hand.send(0, 1)
    expected = (difference(found, straight) - found.corrupt.difference) / found.gap
    assert found.to_logits == pytest.approx(expected, abs=1e-4 / abs(found.gap) + 1e-6)

    back = path_patching(loaded, question, fixed="receiver", layer=1, head=0, via=via)
    assert (back.first_layer, back.last_layer, back.query_heads_per_column) == (0, 0, 1)
    assert back.differences[0, 1] == pytest.approx(found.differences[1, 0], abs=1e-4)
    for head in (0, 2):
        expected = difference(found, by_hand.path((0, head), via, 1, 0))
        assert back.differences[0, head] == pytest.approx(expected, abs=1e-4)


def test_paths_to_the_logits_equal_a_run_by_hand(case: tuple[LoadedModel, EagerRuns, Question]) -> None:
    loaded, runs, question = case
    by_hand = ByHand(loaded, runs, question)
    found = path_patching(loaded, question)
    for layer, head in ((0, 1), (1, 0), (1, 3)):
        logits, _ = by_hand.send(layer, head)
        assert found.differences[layer, head] == pytest.approx(difference(found, logits), abs=1e-4)


@pytest.mark.full
@pytest.mark.parametrize("name", FURTHER)
def test_paths_in_further_decoders_equal_runs_by_hand(
    decoder: Callable[[str], LoadedModel], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Norms of what is written, factors, parallel blocks, mixtures of experts: all of it is the library's own here."""
    monkeypatch.setattr(contrast, "MIN_GAP", 1e-6)
    loaded = decoder(name)
    runs = EagerRuns(eager_copy(loaded.model), FURTHER[name], loaded.entry.head_dim or 0)
    question = Question(clean="A small model reads a small text", corrupt="A small model reads a weighted text")
    by_hand, held = ByHand(loaded, runs, question), ByHand(loaded, runs, question, held=True)
    for feed_forward, hand in (("recomputed", by_hand), ("held", held)):
        logits = path_patching(loaded, question, feed_forward=feed_forward)
        for layer, head in ((0, 1), (1, 3)):
            straight, _ = hand.send(layer, head)
            assert logits.differences[layer, head] == pytest.approx(difference(logits, straight), abs=1e-4)
    assert np.abs(logits.effects).max() > 1e-3
    for via, feed_forward, hand in (
        ("queries", "recomputed", by_hand),
        ("keys", "held", held),
        ("values", "recomputed", by_hand),
    ):
        back = path_patching(loaded, question, fixed="receiver", layer=1, head=1, via=via, feed_forward=feed_forward)
        for head in (0, 2):
            expected = difference(back, hand.path((0, head), via, 1, 1))
            assert back.differences[0, head] == pytest.approx(expected, abs=1e-4)
        assert np.abs(back.differences[0] - back.corrupt.difference).max() > 1e-3


@pytest.mark.full("observatory-gpt2-mini")
def test_feed_forward_layers_can_be_held(case: tuple[LoadedModel, EagerRuns, Question]) -> None:
    loaded, runs, question = case
    by_hand = ByHand(loaded, runs, question, held=True)
    logits = path_patching(loaded, question, feed_forward="held")
    assert np.abs(logits.differences - path_patching(loaded, question).differences).max() > 1e-5
    for layer, head in ((0, 1), (1, 0), (1, 3)):
        straight, _ = by_hand.send(layer, head)
        assert logits.differences[layer, head] == pytest.approx(difference(logits, straight), abs=1e-4)
    back = path_patching(loaded, question, fixed="receiver", layer=1, head=0, via="keys", feed_forward="held")
    for head in (0, 2):
        expected = difference(back, by_hand.path((0, head), "keys", 1, 0))
        assert back.differences[0, head] == pytest.approx(expected, abs=1e-4)
    assert any("residual stream alone" in str(each.template) for each in back.caveats)


@pytest.mark.full
def test_induction_is_made_of_previous_token_heads_and_their_readers(catalog: Catalog) -> None:
    """K-composition (Elhage et al. 2021): 0.0 and 0.1 reach the logits through the keys of 1.0 and 1.1 alone."""
    loaded, question = catalog.load(MINI), Question(clean=CLEAN, corrupt=CORRUPT)
    logits = path_patching(loaded, question)
    assert {(cell.layer, cell.head) for cell in logits.strongest[:2]} == {(1, 0), (1, 1)}
    assert np.abs(logits.effects[0]).max() < 0.1
    for receiver in (0, 1):
        keys = path_patching(loaded, question, fixed="receiver", layer=1, head=receiver, via="keys")
        assert {(cell.layer, cell.head) for cell in keys.strongest[:2]} == {(0, 0), (0, 1)}
        assert keys.strongest[0].effect > 0.1
        queries = path_patching(loaded, question, fixed="receiver", layer=1, head=receiver, via="queries")
        assert np.abs(queries.effects).max() < 0.02


@pytest.mark.full
def test_refusals(catalog: Catalog) -> None:
    mini, question = catalog.load(MINI), Question(clean=CLEAN, corrupt=CORRUPT)
    with pytest.raises(SelectionError, match="head must be given"):
        path_patching(mini, question, fixed="sender", layer=0)
    with pytest.raises(SelectionError, match="No layer follows layer 5"):
        path_patching(mini, question, fixed="sender", layer=5, head=0)
    with pytest.raises(SelectionError, match="No layer is before layer 0"):
        path_patching(mini, question, fixed="receiver", layer=0, head=0)
    with pytest.raises(SelectionError, match="head must be from 0 to 5"):
        path_patching(mini, question, fixed="receiver", layer=1, head=6)
    with pytest.raises(ModelUnavailableError, match="follows one residual stream"):
        path_patching(catalog.load("tiny-t5"), question)
