"""Rules of English that a machine can check, on every text as it is read: a term appears by its name."""

import re

import pytest
from babel.messages.pofile import read_po

from server.pages.glossary import TERMS, USE
from server.pages.picture_links import USE as PICTURE
from server.web.i18n import LOCALES

VOWEL_SOUND = re.compile(
    r"(?i)(?!(?:eu|one\b|once|uni(?!n)|us[aeu]|use|ut|u\b|url|usb|utf|ui\b|uv|ubi))[aeiou]|hour|honest|heir"
)
LETTERS_WITH_A_VOWEL = re.compile(r"[AEFHILMNORSX](?:[A-Z0-9]+s?\b|\b)")
"""Abbreviations read letter by letter: an RNN, an L2 norm."""
WORDS_IN_CAPITALS = {"RAM", "LoRA", "HTML", "NaN", "NUL", "RMS", "RoPE", "ReLU"}


@pytest.fixture(scope="module")
def texts() -> list[str]:
    with (LOCALES / "ja" / "LC_MESSAGES" / "messages.po").open("rb") as file:
        said = [text for one in read_po(file) if one.id for text in ([one.id] if isinstance(one.id, str) else one.id)]
    names = {term.id: term.name for term in TERMS}
    return [USE.sub(lambda use: use[2] or names[use[1]], PICTURE.sub(r"\2", text)) for text in said]


def wants_an(word: str) -> bool | None:
    """None where it cannot be told: a placeholder, a formula."""
    if not re.match(r"[A-Za-z]", word) or re.match(r"[a-z]\b", word):
        return None
    if word in WORDS_IN_CAPITALS or re.fullmatch("[b-df-hj-np-tv-z]+", word):  # npy
        return None
    if re.match(r"[A-Z][A-Z0-9]|[A-Z]\b", word):
        return LETTERS_WITH_A_VOWEL.match(word) is not None
    return VOWEL_SOUND.match(word) is not None


@pytest.mark.parametrize(
    ("word", "an"),
    [("attention", True), ("unit", False), ("RNN", True), ("KV", False), ("hour", True), ("used", False)],
)
def test_which_article_a_word_wants(word: str, an: bool) -> None:
    assert wants_an(word) is an


def test_a_and_an_stand_where_they_belong(texts: list[str]) -> None:
    found = [
        f"{article} {word} … {text[:60]}"
        for text in texts
        for article, word in re.findall(r"(?<![\w.’'−(])\b([Aa]n?) (?!and\b)[“(*]*([A-Za-z]\w*)", text)  # "A and B"
        if (an := wants_an(word)) is not None and an != (article.lower() == "an")
    ]
    assert len(texts) > 3000
    assert found == []
