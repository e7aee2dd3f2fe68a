"""How much of a text a vocabulary does not know, by hand."""

from collections.abc import Iterable

import pytest

from attention_core.pretrained.inputs.tokens import Token
from attention_core.pretrained.inputs.vocabulary_fit import misfit
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse

UNKNOWN = 0


def tokens(spelled: Iterable[tuple[str, int | None, int | None]]) -> list[Token]:
    """Tokens with these texts and spans; "?" is the unknown one."""
    return [
        Token(index, UNKNOWN if text == "?" else 1, text, "[UNK]" if text == "?" else text, start, end,
              special=False, segment=0)
        for index, (text, start, end) in enumerate(spelled)
    ]  # fmt: skip


def words(count: int, unknown: int = 0) -> list[Token]:
    return tokens(("?" if at < unknown else "word", 5 * at, 5 * at + 4) for at in range(count))


def characters(text: str) -> list[Token]:
    return tokens((letter, at, at + 1) for at, letter in enumerate(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (words(10, 5), "50 % of the text is unknown to this model's vocabulary: 5 of 10 tokens are [UNK]."),
        (words(10, 4), "40 % of the text is unknown to this model's vocabulary: 4 of 10 tokens are [UNK]."),
        (words(20, 1), None),
        (words(7, 3), None),
        (words(1, 1), "100 % of the text is unknown to this model's vocabulary: 1 of 1 tokens are [UNK]."),
        # A long word without a token weighs more than a short one that has one.
        (tokens([("?", 0, 18), ("I", 19, 20), ("a", 21, 22)]), "90 % of the text is unknown .*: 1 of 3 tokens"),
        # Without places, tokens count instead of characters.
        (tokens([("?", None, None), ("?", None, None), ("I", 19, 20)]), "67 % of the text is unknown"),
        ([], None),
        (words(9), None),
        (characters("قطة"), None),
        (characters("جلستالقطة"), "9 of 9 tokens are single characters"),
        (characters("我喜欢研究语言模型"), None),
    ],
)
def test_what_is_said(text: list[Token], said: str | None) -> None:
    found = misfit(text, UNKNOWN)
    if said is None:
        assert found is None
    else:
        parts = said.split(" .*")
        assert all(part in str(found) for part in parts)


def test_bytes_of_a_character_share_its_place() -> None:
    whole = tokens((sign, at, at + 1) for at in range(3) for sign in "çĮ«")
    assert str(misfit(whole, None)).startswith("100 % of the characters have no token of their own: ")
    mixed = tokens([("ð", 0, 1), ("Ł", 0, 1), *((one, at + 1, at + 2) for at, one in enumerate("abcdefghi"))])
    assert str(misfit(mixed, None)).startswith("10 % of the characters")
    assert "only part" in str(misfit(mixed, None))
    rest = tokens(("word", 5 * at + 1, 5 * at + 5) for at in range(9))
    assert misfit([*mixed[:2], *rest], None) is None, "one sign of 37"


def test_japanese_in_a_vocabulary_of_english(minilm: LoadedModel) -> None:
    analysis = analyse(minilm, AnalysisRequest("猫は疲れていたので、眠った。", "It slept."), max_tokens=512)
    [warning] = analysis.warnings
    assert warning.code == "foreign_text"
    count = sum(token.id == minilm.tokenizer.unk_token_id for token in analysis.tokens)
    assert count > 0
    assert f": {count} of {sum(not token.special for token in analysis.tokens)} tokens are [UNK]." in str(
        warning.message
    )
    assert analyse(minilm, AnalysisRequest("The cat slept."), max_tokens=512).warnings == ()
