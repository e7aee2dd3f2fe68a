"""What an address asks of the Explorer, read on the server as the script reads it."""

import re

import pytest

from attention_core.pretrained.inputs.tokens import Token
from attention_core.pretrained.running.predictions import Prediction
from server.pages.explorer_page import DEFAULT_TEXT, DEFAULT_TOKENS, STAGES, VIEWS, chips, opening_query, read_view
from server.web.assets import STATIC

STATE = (STATIC / "js/explorer/state/view_state.js").read_text(encoding="utf-8")


def test_server_and_script_begin_with_the_same():
    assert f'DEFAULT_TEXT = "{DEFAULT_TEXT}"' in STATE
    assert f"DEFAULT_TOKENS = {{ query: {DEFAULT_TOKENS[0]}, key: {DEFAULT_TOKENS[1]} }}" in STATE
    stages, views = (re.search(rf"const {name} = [^\[]*\[(.*?)\]", STATE, re.DOTALL) for name in ("STAGES", "VIEWS"))
    assert stages
    assert views
    assert tuple(re.findall(r'"(\w+)"', stages[1])) == STAGES
    assert tuple(re.findall(r'"(\w+)"', views[1])) == VIEWS
    own = read_view({})
    assert f"layer: {{ ...count({own.layer})" in STATE
    assert f"head: {{ ...count({own.head})" in STATE


@pytest.mark.parametrize(
    ("parameters", "place"),
    [
        ({}, (5, 11, 8, 2)),
        ({"text": "Another."}, (5, 11, None, None)),
        ({"query": "3"}, (5, 11, 3, None)),
        ({"layer": "-1", "head": "x", "query": "1.5", "key": "٣"}, (5, 11, None, None)),
    ],
)
def test_a_place_that_is_no_number_is_none(parameters, place):
    view = read_view(parameters)
    assert (view.layer, view.head, view.query, view.key) == place


def test_what_the_texts_alone_do_not_say_is_not_plain():
    assert read_view({"changes": "", "stage": "nonsense", "view": "lines"}).is_plain
    assert not read_view({"changes": "off~1.1"}).is_plain
    assert not read_view({"picture": "cat"}).is_plain
    assert read_view({"stage": "nonsense"}).stage == "weights"


def token(
    index: int, text: str, piece: str, *, special: bool = False, segment: int = 0, word: int | None = None
) -> Token:
    return Token(index, 1, text, piece, None, None, special, segment, word=word)


def test_tokens_are_shown_as_the_strip_shows_them():
    tokens = [
        token(0, "[CLS]", "[CLS]", special=True),
        token(1, "un", "un", word=0),
        token(2, "##real", "##real", word=0),
        token(3, " cat", "\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}cat", segment=1, word=1),
    ]
    made = chips(tokens, read_view({"text": "unreal cat", "key": "2", "numbering": "1"}), 1)
    assert [(one.number, one.text) for one in made] == [(1, "[CLS]"), (2, "un"), (3, "real"), (4, "·cat")]
    assert [one.chosen for one in made] == [False, True, False, False]
    assert [one.is_key for one in made] == [False, False, True, False]
    assert [one.joined for one in made] == [False, False, True, False]
    assert [one.starts for one in made] == [False, False, False, True]
    assert [each.numbered for each in made][:2] == ["[CLS]₁", "un₂"]


@pytest.mark.parametrize(
    ("causal", "kinds", "query"),
    [
        (False, [], 1),
        (True, [], 3),
        (False, [("class", 0)], 1),
        (True, [("class", 0)], 3),
        (False, [("masked_token", 2), ("masked_token", 3)], 2),
        (True, [("next_token", 3)], 3),
        (False, [("next_token", 3)], 3),
    ],
)
def test_the_first_query_is_where_the_model_predicts_or_sees_every_token(causal, kinds, query):
    tokens = [token(0, "[CLS]", "[CLS]", special=True), *(token(index, "cat", "cat") for index in (1, 2, 3))]
    made = [Prediction(kind, index, []) for kind, index in kinds]
    assert opening_query(tokens, causal=causal, predictions=made) == query
