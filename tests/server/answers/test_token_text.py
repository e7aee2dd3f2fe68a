"""Tokens as pages and figures write them."""

from dataclasses import dataclass

import pytest

from attention_core.pretrained.inputs.tokens import Token
from server.answers.drawings import texts
from server.answers.token_text import shown_text


@dataclass(frozen=True)
class Piece:
    text: str
    token: str


@pytest.mark.parametrize(
    ("text", "token", "shown"),
    [
        ("cat", "cat", "cat"),
        (" cat", "Ġcat", "·cat"),
        ("cat", "▁cat", "·cat"),
        ("Ġcat", "Ġcat", "·cat"),
        ("##real", "##real", "real"),
        ("\n", "Ċ", "⏎"),
        ("  ", "ĠĠ", "··"),
    ],
)
def test_what_is_invisible_in_a_token_has_a_sign(text: str, token: str, shown: str) -> None:
    assert shown_text(text, token) == shown
    assert texts(["a word", Piece(text, token)]) == ["a word", shown]


@pytest.mark.parametrize(
    ("text", "token", "shown"), [("The", "▁The", "The"), (" cat", "▁cat", "·cat"), ("###", "###", "###")]
)
def test_a_token_of_a_text_says_what_it_stands_for(text: str, token: str, shown: str) -> None:
    assert texts([Token(0, 1, text, token, 0, 3, special=False, segment=0)]) == [shown]
