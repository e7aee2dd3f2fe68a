"""Tokens as pages and figures write them."""

from dataclasses import dataclass

import pytest

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
