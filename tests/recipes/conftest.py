"""Fixtures: a recipe that trains in a second, and two texts for it."""

from pathlib import Path

import pytest

from recipes.decoder.recipe import Recipe
from recipes.decoder.texts import TEXTS, Corpus, Split, encode, read_splits, train_tokenizer

TINY = Recipe(
    seed=3,
    vocabulary=300,
    layers=2,
    heads=2,
    width=16,
    context=24,
    steps=7,
    rows=3,
    rate=1e-2,
    warmup=2,
    lesson_steps=3,
    only_repeats=2,
    precision="float32",
    evaluate_every=2,
)


def text(first: str, second: str) -> str:
    """Some hundred lines without a pattern that is too plain."""
    return "".join(f"{first} number {n * n % 97} sees {second} {n % 7}, and asks why.\n" for n in range(120))


@pytest.fixture(scope="session")
def tiny() -> Recipe:
    return TINY


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both texts."""
    folder = tmp_path_factory.mktemp("texts")
    for name, words in zip(TEXTS, [("The captain", "ship"), ("A lobster", "stone")], strict=True):
        (folder / name).write_text(text(*words), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def splits(texts: Path) -> list[Split]:
    return read_splits(texts, TINY)


@pytest.fixture(scope="session")
def corpus(splits: list[Split]) -> Corpus:
    return encode(splits, train_tokenizer(splits, TINY))
