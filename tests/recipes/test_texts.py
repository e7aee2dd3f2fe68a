"""The three splits of each text, and the tokenizer."""

import dataclasses
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from recipes.decoder.recipe import Recipe
from recipes.decoder.texts import END_OF_TEXT, Corpus, Split, encode, read_splits, split, train_tokenizer

STRANGE = "The cap<unk>tain @-@ 猫は\t🙂  — naïve\r\n\n = Title = \n"


def test_parts_are_cut_at_lines_and_make_the_text_again() -> None:
    text = "".join(f"{n:03}\n" for n in range(100))  # 100 lines of 4 characters
    parts = split("numbers", text, Recipe(choosing=0.1, held_out=0.2))
    assert parts.training + parts.choosing + parts.held_out == text
    assert (parts.training[-4:], parts.choosing[:4], parts.choosing[-4:]) == ("069\n", "070\n", "079\n")
    uneven = split("numbers", text, Recipe(choosing=0.103, held_out=0.203))
    assert (uneven.training, uneven.choosing) == (text[: 4 * 69], text[4 * 69 : 4 * 79])


def test_a_text_that_is_missing_is_named(tmp_path: Path, tiny: Recipe) -> None:
    with pytest.raises(FileNotFoundError, match="tinyshakespeare"):
        read_splits(tmp_path, tiny)


def test_every_text_comes_back_byte_by_byte(splits: list[Split], tiny: Recipe, tmp_path: Path) -> None:
    tokenizer = train_tokenizer(splits, tiny)
    assert len(tokenizer) == tiny.vocabulary
    assert (tokenizer.all_special_ids, tokenizer.all_special_tokens) == ([0], [END_OF_TEXT])
    tokenizer.save_pretrained(tmp_path)
    again = AutoTokenizer.from_pretrained(tmp_path, local_files_only=True)
    for text in (STRANGE, splits[1].held_out):
        ids = tokenizer(text)["input_ids"]
        assert 0 not in ids
        assert max(ids) < tiny.vocabulary
        assert tokenizer.decode(ids) == text
        assert again(text)["input_ids"] == ids
        assert again.decode(ids) == text


def test_merges_are_learnt_from_the_training_parts_alone(splits: list[Split], tiny: Recipe) -> None:
    other = [dataclasses.replace(part, choosing="zq" * 999, held_out="qz" * 999) for part in splits]
    vocabularies = [train_tokenizer(parts, tiny).get_vocab() for parts in (splits, other)]
    assert vocabularies[0] == vocabularies[1]
    assert {"zq", "qz"} & set(vocabularies[0]) == set()
    assert "Ġnumber" in vocabularies[0]


def test_ids_are_those_of_the_texts(splits: list[Split], corpus: Corpus, tiny: Recipe) -> None:
    tokenizer = train_tokenizer(splits, tiny)
    for place, part in enumerate(splits):
        for name in ("training", "choosing", "held_out"):
            ids = getattr(corpus, name)[place]
            assert tokenizer.decode(ids.tolist()) == getattr(part, name)
    assert corpus.names == ("tinyshakespeare.txt", "wikitext-2-valid.txt")
    assert encode(splits, tokenizer).training[0].equal(corpus.training[0])
