"""Rows of an output matrix that the vocabulary has no token for are called by their id, wherever they are named."""

from pathlib import Path

import pytest
import torch
import transformers
from tiny_models import VOCABULARY, byte_pairs, word_pieces, write_model_folder
from transformers import BertTokenizerLegacy

from attention_core.pretrained.inputs.vocabulary_text import has_name, spelt, vocabulary_text
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.preprocessing.image_rules import NoTokenizer
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.studies.circuits.circuits import token_text
from attention_core.pretrained.studies.differences.prediction_difference import prediction_difference
from attention_core.pretrained.studies.embedding import look_up
from attention_core.pretrained.studies.outputs.direct_effect import direct_effect
from attention_core.pretrained.studies.outputs.logit_lens import logit_lens

ROWS = VOCABULARY + 16
ONE, OTHER = VOCABULARY + 3, VOCABULARY + 7
NAMES = {f"∅#{ONE}", f"∅#{OTHER}"}


@pytest.fixture(scope="module")
def padded(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    """A decoder whose likeliest token is always one of two that have no name."""
    directory = tmp_path_factory.mktemp("padded")
    folder = write_model_folder(directory, "tiny-llama")
    model = transformers.LlamaForCausalLM.from_pretrained(folder)
    model.resize_token_embeddings(ROWS)
    with torch.no_grad():
        model.lm_head.weight[ONE] = 9 * torch.linspace(-1, 1, 32)
        model.lm_head.weight[OTHER] = -model.lm_head.weight[ONE]
    model.save_pretrained(folder)
    return Catalog(models_dir=directory, hub_models=(), device="cpu").load("tiny-llama")


def test_what_a_model_predicts_without_a_name_is_named_by_its_id(padded: LoadedModel) -> None:
    one, two = (analyse(padded, AnalysisRequest(text), max_tokens=50) for text in ("A small model", "The cat sat"))
    (prediction,) = one.predictions
    best = prediction.candidates[0]
    assert (best.text, best.written) == (f"∅#{best.id}", None)
    assert best.text in NAMES
    (change,) = prediction_difference(one, two, (padded, padded)).predictions
    assert best.text in {each.text for each in change.candidates}
    assert all(each.text == f"∅#{each.id}" for each in change.candidates if each.id >= VOCABULARY)
    lens = logit_lens(padded, one, len(one.tokens) - 1)
    assert lens.token_text == best.text == lens.states[-1].candidates[0].text
    other = ONE + OTHER - best.id
    effect = direct_effect(padded, one, len(one.tokens) - 1, token=best.id, against=other)
    assert {effect.token_text, effect.against_text} == NAMES
    assert token_text(padded, other) == f"∅#{other}"
    (token,) = look_up(padded, ids=[ONE]).tokens
    assert (token.text, token.token) == (f"∅#{ONE}", "")


def test_a_token_has_its_text_else_what_the_vocabulary_spells() -> None:
    pairs = byte_pairs(specials=True)
    assert {vocabulary_text(pairs, each) for each in range(5)} >= {"<s>", "<pad>", "</s>", "<mask>"}
    (cat,) = pairs.encode(" cat", add_special_tokens=False)
    assert (vocabulary_text(pairs, cat), spelt(pairs, cat)) == (" cat", "Ġcat")
    assert vocabulary_text(pairs, 50_304) == "∅#50304"


@pytest.mark.parametrize("is_fast", [True, False])
def test_the_unknown_token_is_not_the_name_of_all_others(tmp_path: Path, is_fast: bool) -> None:
    tokenizer = word_pieces()
    if not is_fast:  # this one says [UNK] of every id that it does not have
        pieces = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get)
        (tmp_path / "vocab.txt").write_text("\n".join(pieces), "utf-8")
        tokenizer = BertTokenizerLegacy(tmp_path / "vocab.txt")
    count = len(tokenizer)
    assert (vocabulary_text(tokenizer, 1), vocabulary_text(tokenizer, count)) == ("[UNK]", f"∅#{count}")
    assert [has_name(tokenizer, each) for each in (1, count - 1, count)] == [True, True, False]


def test_a_class_has_its_name() -> None:
    names = NoTokenizer({0: "circle, ring", 1: ""})
    assert [vocabulary_text(names, each) for each in range(3)] == ["circle, ring", "∅#1", "2"]
