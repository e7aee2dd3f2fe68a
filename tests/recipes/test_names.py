"""Sentences with indirect objects: what is held out, their tokens, their loss, and a training that goes on."""

import dataclasses
import random
import re
from itertools import islice
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from torch.nn import functional
from transformers import AutoTokenizer, GPT2LMHeadModel

from recipes.decoder.__main__ import NAME, WITH_NAMES, main
from recipes.decoder.beginning import carried_over
from recipes.decoder.gradients import part_gradient
from recipes.decoder.name_measures import KINDS, measure_names
from recipes.decoder.names import (
    HELD_OUT_ACTS,
    HELD_OUT_NAMES,
    HELD_OUT_OPENINGS,
    NAMES,
    Grammar,
    Sentence,
    is_held_out,
)
from recipes.decoder.new_model import new_model
from recipes.decoder.recipe import Recipe
from recipes.decoder.sentences import answers_loss, encode_sentences, sentences_of_step, whole_words, with_sentences
from recipes.decoder.texts import Corpus, Split, encode, train_tokenizer
from recipes.decoder.training import CHECKPOINT, Training

SETTINGS = {
    "sentences": 4,
    "sentence_pool": 30,
    "spelt_sentences": 400,
    "vocabulary": 900,
    "context": 40,
    "lesson_steps": 0,
    "lesson_share": 0.0,
}


@pytest.fixture(scope="module")
def recipe(tiny: Recipe) -> Recipe:
    return dataclasses.replace(tiny, **SETTINGS)


@pytest.fixture(scope="module")
def tokenizer(splits: list[Split], recipe: Recipe) -> Tokenizer:
    return train_tokenizer(splits, recipe).backend_tokenizer


@pytest.fixture(scope="module")
def with_names(splits: list[Split], recipe: Recipe) -> Corpus:
    tokenizer = train_tokenizer(splits, recipe)
    return with_sentences(encode(splits, tokenizer), tokenizer.backend_tokenizer, recipe)


def drawn(grammar: Grammar, count: int = 3000) -> list[Sentence]:
    return list(islice(grammar.sentences(random.Random(1)), count))  # noqa: S311 - seeded


def names_in(text: str) -> list[str]:
    return [word for word in re.findall(r"[A-Z][a-z]+", text) if word in NAMES + HELD_OUT_NAMES]


def test_the_training_has_nothing_that_is_held_out() -> None:
    telling = ["When", "danced", "Friends told", "Because", "decided", "secretly"]
    for each, word in zip(HELD_OUT_OPENINGS + HELD_OUT_ACTS, telling, strict=True):
        assert word in each
    for one in drawn(Grammar()):
        assert not any(word in one.text for word in telling)
        assert not set(HELD_OUT_NAMES) & set(names_in(one.text))
        assert set(one.names) != {"Mary", "John"}
        assert not is_held_out(*one.names)
    assert not set(NAMES) & set(HELD_OUT_NAMES)
    pairs = [(first, second) for first in NAMES for second in NAMES if first != second]
    assert [is_held_out(*pair) for pair in pairs] == [is_held_out(second, first) for first, second in pairs]
    assert 0.05 < sum(is_held_out(*pair) for pair in pairs) / len(pairs) < 0.15


def test_the_answer_is_the_one_who_does_not_give() -> None:
    found = drawn(Grammar(third=0.3))
    for one in found:
        first, second, giver = names_in(one.text)
        assert (first, second, giver) == (*one.names, one.giver)
        assert one.answer in {first, second} - {giver}
        assert one.text.endswith(" to")
    two = [one for one in found if one.repeats]
    assert len(two) / len(found) == pytest.approx(0.7, abs=0.03)
    for some in (two, [one for one in found if not one.repeats]):  # the order says nothing
        assert sum(one.answer == one.names[0] for one in some) / len(some) == pytest.approx(0.5, abs=0.06)


def test_kinds_of_sentences_to_measure() -> None:
    of = {kind: drawn(grammar, 300) for kind, grammar in KINDS.items()}
    assert all(one.repeats for some in of.values() for one in some)
    assert all(is_held_out(*one.names) for one in of["other pairs of names"])
    for kind in ("other names", "other names and sentences"):
        assert all(set(one.names) <= set(HELD_OUT_NAMES) for one in of[kind])
    for kind in ("other sentences", "other names and sentences"):
        assert all("decided" in one.text or "secretly" in one.text for one in of[kind])
    for one in of["the answer is named once more"]:
        *_, again, giver = names_in(one.text)
        assert (again, giver) == (one.answer, one.giver)


def test_tokens_of_sentences(tokenizer: Tokenizer) -> None:
    some = [
        Sentence("Then Anna and Paul went to the park. Paul gave a ring to", ("Anna", "Paul"), "Paul", "Anna"),
        Sentence("Mary saw John at the beach. John sold the hat to", ("Mary", "John"), "John", "Mary"),
    ]
    lines = encode_sentences(some, tokenizer, marks=[True, False])
    for row, length, answer, one, mark in zip(lines.tokens, lines.lengths, lines.answers, some, ([0], []), strict=True):
        expected = mark + tokenizer.encode(one.text).ids
        assert row.tolist() == expected + [0] * (len(row) - len(expected))
        assert int(length) == len(expected)
        assert tokenizer.decode([int(answer)]) == f" {one.answer}"
    with pytest.raises(ValueError, match="no single token for the name 'Zebedee'"):
        encode_sentences([dataclasses.replace(some[0], answer="Zebedee")], tokenizer, marks=[False])


def test_other_words_are_whole_words_and_no_held_out_name(tokenizer: Tokenizer) -> None:
    words = whole_words(tokenizer)
    assert set(NAMES) < set(words)
    assert not set(HELD_OUT_NAMES) & set(words)
    assert all(len(tokenizer.encode(f" {word}").ids) == 1 for word in words)
    found = drawn(Grammar(other_words=words))
    share = sum(not set(one.names) <= set(NAMES) for one in found) / len(found)
    assert 0.15 < share < 0.3


def test_the_loss_of_the_names_by_a_loop(recipe: Recipe, with_names: Corpus) -> None:
    torch.manual_seed(2)
    model = new_model(recipe).eval()
    assert with_names.sentences is not None
    lines = sentences_of_step(with_names.sentences, recipe, 5)
    assert len(lines.lengths) == 4
    expected = 0.0
    with torch.inference_mode():
        for row, length, answer in zip(lines.tokens, lines.lengths, lines.answers, strict=True):
            logits = model(row[None, : int(length)]).logits[0, -1]
            expected += float(functional.cross_entropy(logits, answer))
        assert float(answers_loss(model, lines)) == pytest.approx(expected, rel=1e-5)


def test_their_gradient_is_added_to_that_of_the_text(recipe: Recipe, with_names: Corpus) -> None:
    """Whatever the number of parts; of the mean over all sentences of the step."""
    recipe = dataclasses.replace(recipe, dropout=0.0, sentences_share=0.5)
    torch.manual_seed(2)
    model = new_model(recipe)

    def gradients(corpus: Corpus, parts: int) -> list[torch.Tensor]:
        model.zero_grad()
        for part in range(parts):
            part_gradient(model, corpus, dataclasses.replace(recipe, parts=parts), 3, part)
        return [torch.zeros_like(one) if one.grad is None else one.grad.clone() for one in model.parameters()]

    without = gradients(dataclasses.replace(with_names, sentences=None), 1)
    found, apart = gradients(with_names, 1), gradients(with_names, 2)
    model.zero_grad()
    assert with_names.sentences is not None
    (0.5 / 4 * answers_loss(model, sentences_of_step(with_names.sentences, recipe, 3))).backward()
    for parameter, before, after, other in zip(model.parameters(), without, found, apart, strict=True):
        added = torch.zeros_like(before) if parameter.grad is None else parameter.grad
        torch.testing.assert_close(after, before + added, atol=1e-6, rtol=1e-4)
        torch.testing.assert_close(after, other, atol=1e-6, rtol=1e-4)
    assert max(float((after - before).abs().max()) for before, after in zip(without, found, strict=True)) > 1e-3


@pytest.mark.full
def test_a_decoder_is_carried_over(made: Path, recipe: Recipe, tokenizer: Tokenizer) -> None:
    """Fewer layers; tokens by their names, new ones as the mean of their pieces."""
    fewer = dataclasses.replace(recipe, layers=1)
    weights = carried_over(made / NAME, tokenizer, fewer)
    assert set(weights) == set(new_model(fewer).state_dict())
    model = GPT2LMHeadModel.from_pretrained(made / NAME, local_files_only=True, dtype=torch.float32)
    before = model.state_dict()
    own = AutoTokenizer.from_pretrained(made / NAME, local_files_only=True)
    for name, tensor in weights.items():
        if name not in ("transformer.wte.weight", "lm_head.weight"):
            assert torch.equal(tensor, before[name]), name
    known = 0
    for token in (" captain", " Mary", " number", "."):
        (place,) = tokenizer.encode(token).ids
        pieces = own(token)["input_ids"]
        known += len(pieces) == 1
        for name in ("transformer.wte.weight", "lm_head.weight"):
            torch.testing.assert_close(weights[name][place], before[name][pieces].mean(dim=0))
    assert 0 < known < 4


@pytest.fixture(scope="module")
def made(texts: Path, tiny: Recipe, recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a first decoder is, and one that continues it."""
    folder = tmp_path_factory.mktemp("training")
    assert main([str(texts), str(folder)], dataclasses.replace(tiny, context=40)) == 0
    continued = folder / "continued"
    assert main([str(texts), str(continued), "--names", str(folder / NAME), "--one-process"], recipe) == 0
    return folder


@pytest.mark.full
def test_the_command_continues_a_decoder_and_its_card_says_what_is_measured(made: Path, recipe: Recipe) -> None:
    folder = made / "continued" / WITH_NAMES
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert re.search(r"[{}]|nan|None", card) is None
    assert card.startswith("---\nlanguage: en\n")
    told, undecided = measure_names(folder)
    for kind, one in told.items():
        assert f"| {kind} | {one.right:.1%} | {one.difference:.2f} | {one.likeliest:.1%} |" in card
    assert f"behind both in {undecided.giver_last:.0%}" in card
    assert len(re.findall(r"^\| \d \| \d\.\d{3} \| \d\.\d{3} \| \d\.\d{3} \|$", card, re.MULTILINE)) == 4
    assert "Mary and John" in " ".join(card.split())
    assert AutoTokenizer.from_pretrained(folder, local_files_only=True).tokenize("by Mary") == ["b", "y", "ĠMary"]


@pytest.mark.full
def test_it_goes_on_as_if_nothing_had_been(
    made: Path, recipe: Recipe, with_names: Corpus, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    start = carried_over(made / NAME, tokenizer, recipe)
    cpu = torch.device("cpu")
    for until in (3, 5):
        Training(recipe, with_names, tmp_path, cpu, start=start).run(lambda _: None, until=until)
    resumed = Training(recipe, with_names, tmp_path, cpu, start=start)
    assert resumed.progress.step == 5
    assert resumed.run(lambda _: None)
    whole = Training(recipe, with_names, made / "continued", cpu)
    assert whole.progress.step == recipe.steps
    assert [name for name, value in whole.best.items() if not torch.equal(value, resumed.best[name])] == []
    assert whole.progress.curve == resumed.progress.curve
    point = whole.progress.curve[-1]
    best = min(point["choosing_loss"] + point["sentences_loss"] for point in whole.progress.curve)
    assert whole.progress.best_loss == pytest.approx(best)
    assert {path.name for path in tmp_path.iterdir()} == {CHECKPOINT}
    assert point["sentences_loss"] > 0


@pytest.mark.full
def test_a_start_that_does_not_fit_is_named(
    made: Path, texts: Path, tiny: Recipe, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wider = dataclasses.replace(tiny, **SETTINGS, width=32)
    assert main([str(texts), str(tmp_path / "out"), "--names", str(made / NAME)], wider) == 1
    assert "cannot begin: " in capsys.readouterr().err
    assert main([str(texts), str(tmp_path / "out"), "--names", str(tmp_path)], wider) == 1
    assert "cannot begin: " in capsys.readouterr().err
