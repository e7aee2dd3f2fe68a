"""Which tokens count as special: by their role, where one token has several, and by the file."""

import json
from pathlib import Path

import numpy as np
import pytest
import transformers
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from attention_core.atlas.texts.tokeniser import Tokeniser
from attention_core.pretrained.inputs.tokens import Token, tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel

END = "<|endoftext|>"
SENTENCES = ["the cat sat on the mat", "a cat said that it is tired"]


def load(directory: Path, tokenizer: Tokenizer, **roles: str) -> LoadedModel:
    folder = directory / "own"
    config = transformers.GPT2Config(vocab_size=400, n_layer=1, n_head=2, n_embd=8, n_positions=40)
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(roles))
    return Catalog(models_dir=directory, device="cpu", hub_models=()).load("own")


def byte_pairs() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=[END], initial_alphabet=alphabet)
    tokenizer.train_from_iterator(SENTENCES, trainer)
    return tokenizer


def words(unknown: str, special: list[str]) -> Tokenizer:
    vocabulary = {word: index for index, word in enumerate([*special, *" ".join(SENTENCES).split()])}
    ids = {word: index for index, word in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token=unknown))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(special)
    return tokenizer


def tokens(loaded: LoadedModel, text: str) -> list[Token]:
    """Of an analysis, after a check that an atlas says the same."""
    found = tokenise(loaded, text)[1]
    np.testing.assert_array_equal(Tokeniser(loaded)([text])[0].special, [token.special for token in found])
    return found


def special(loaded: LoadedModel, text: str) -> list[str]:
    return [token.token for token in tokens(loaded, text) if token.special]


def test_the_end_of_text_of_gpt2_is_special_where_it_is_typed(tmp_path: Path) -> None:
    loaded = load(tmp_path, byte_pairs(), bos_token=END, eos_token=END, unk_token=END)
    first, *others = tokens(loaded, f"{END}The cat sat.")
    assert (first.token, first.special, first.start, first.end) == (END, True, 0, len(END))
    assert not any(token.special for token in others)
    assert special(loaded, f"a cat{END} {END}the mat") == [END, END]
    assert special(loaded, "a cat, no end: endoftext <|end|>") == []


def test_the_same_token_for_an_unknown_word_is_a_piece_of_the_text(tmp_path: Path) -> None:
    loaded = load(tmp_path, words(END, [END]), bos_token=END, eos_token=END, unk_token=END)
    found = tokens(loaded, f"{END} the zebra sat")
    assert [token.token for token in found] == [END, "the", END, "sat"]
    assert [token.special for token in found] == [True, False, False, False]


@pytest.mark.parametrize("roles", [{}, {"pad_token": "<unk>"}, {"eos_token": "</s>"}])
def test_an_unknown_token_without_another_role_is_never_special(tmp_path: Path, roles: dict[str, str]) -> None:
    """Padding is none: no text of an analysis has any."""
    loaded = load(tmp_path, words("<unk>", ["<unk>", "</s>"]), **{**roles, "unk_token": "<unk>"})
    found = tokens(loaded, "the zebra <unk> sat </s>")
    assert [token.token for token in found] == ["the", "<unk>", "<unk>", "sat", "</s>"]
    assert [token.special for token in found] == [False] * 4 + [True]


def test_what_the_file_marks_special_is_special(tmp_path: Path) -> None:
    """As for the library's ``decode``, which leaves it out with ``skip_special_tokens``."""
    tokenizer = byte_pairs()
    tokenizer.add_special_tokens([AddedToken("<|im_start|>", special=True)])
    tokenizer.add_tokens([AddedToken("→→", special=False)])
    loaded = load(tmp_path, tokenizer, bos_token=END, eos_token=END, unk_token=END)
    assert special(loaded, "<|im_start|>the cat →→ sat") == ["<|im_start|>"]
