"""Failures in the asker's language: the template behind a sentence is found, its places are kept."""

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import raised
from server.web.i18n import read_languages
from server.web.sentence_patterns import PATTERNS
from server.web.sentences import LONGEST, LOOK_UPS, PLACE, Sentences, Template, say

ROOT = Path(__file__).resolve().parents[3]
JAPANESE = {"Accept-Language": "ja"}
COMPOSED = ("{message} {more}", "{body}: {context}.")
"""Made of sentences that are translated by themselves."""
WRITTEN_IN_JAPANESE = re.compile(r"[ぁ-んァ-ヶ]")


@pytest.fixture(scope="module")
def japanese() -> Sentences:
    return read_languages()["ja"].sentences


def test_places_are_taken_over() -> None:
    sentences = Sentences({"{name} must be > {least}, not {given}": "{name}>{least} ({given})"})
    assert sentences.say("temperature must be > 0, not -1.5") == "temperature>0 (-1.5)"
    assert sentences.say("queries must be > (1, 2), not (3, 4)") == "queries>(1, 2) ((3, 4))"
    assert sentences.say("something else") == "something else"


def test_the_template_with_the_most_words_counts() -> None:
    sentences = Sentences(
        {"{name} must be {wanted}": "A {name} {wanted}", "{name} must be > {least}": "B {name} {least}"}
    )
    assert sentences.say("x must be > 0") == "B x 0"
    assert sentences.say("x must be even") == "A x even"


def test_a_sentence_inside_a_sentence_is_said_too_or_the_whole_stays() -> None:
    sentences = Sentences(
        {"{field}: {problem}.": "{field}：{problem}。", "Field required": "必須", "It has {n} of it.": "{n}"}
    )
    assert sentences.say("model: Field required.") == "model：必須。"
    assert sentences.say("model: nobody knows this.") == "model: nobody knows this."


def test_what_stands_in_a_place_is_no_template() -> None:
    sentences = Sentences({"{name} is not an array.": "{name} は配列でない。"})
    assert sentences.say(r"\1 {name} $& is not an array.") == r"\1 {name} $& は配列でない。"


def test_a_very_long_sentence_is_left_alone() -> None:
    sentences = Sentences({"{name} is not an array.": "x"})
    long = "a" * 3_000 + " is not an array."
    assert sentences.say(long) == long


@pytest.mark.parametrize(
    ("template", "sentence", "places"),
    [
        ("{a} and {b}", "x and y and z", {"a": "x", "b": "y and z"}),
        ("{a} and {b}.", "x and .", None),
        ("{a} and {b}", " and y", None),
        ("{a} and {b}", " and  and b", {"a": " and ", "b": "b"}),
        ("{a}{b}!", "xyz!", {"a": "x", "b": "yz"}),
        ("say {a}", "say\n{a}", None),
        ("say {a}", "say \n{a}", {"a": "\n{a}"}),
        ("a {x} a", "a a", None),
        ("plain", "plain", {}),
        ("plain", "plain ", None),
    ],
)
def test_places_are_found_from_left_to_right(template: str, sentence: str, places: dict[str, str] | None) -> None:
    assert Template(template).places(sentence) == places


def hostile(template: str) -> str:
    """Every fixed text of the template again and again, its end withheld: what a backtracking search never ends on."""
    texts = [text for text in PLACE.split(template)[::2] if text]
    return ("".join(f"{text} a " for text in texts) * LONGEST)[: LONGEST - 1] + "\0"


def test_no_sentence_makes_the_search_long(japanese: Sentences, monkeypatch: pytest.MonkeyPatch) -> None:
    held = 0
    places = Template.places

    def counted(template: Template, sentence: str) -> dict[str, str] | None:
        nonlocal held
        held += 1
        return places(template, sentence)

    monkeypatch.setattr(Template, "places", counted)
    templates = {template for _, _, template in raised.raised(ROOT)} | set(PATTERNS)
    nested = ["a: " * 600 + ".", "x: must be at least 1, not " * 70, "a must be b, not c and d: e f." * 60]
    many_places = (template for template in templates if len(PLACE.findall(template)) > 2)
    for sentence in [*map(hostile, many_places), *nested]:
        held = 0
        japanese.say(sentence)
        assert held <= LOOK_UPS * len(templates), sentence[:80]


def test_outside_a_request_english_is_spoken() -> None:
    assert say("No model is available.") == "No model is available."


def filled(template: str) -> str:
    """The template as if it were raised; each place holds something else."""
    numbers = iter(range(100, 200))
    return re.sub(r"\{\w+\}", lambda _: f"x{next(numbers)}", template)


def unspoken(path: str, template: str, japanese: Sentences) -> str | None:
    """What is wrong with the Japanese of a raised sentence, or None."""
    sentence = filled(template)
    said = japanese.say(sentence)
    if path in raised.UNHEARD or "{error}" in template or "{problem}" in template or template in COMPOSED:
        return None
    if said == sentence or not WRITTEN_IN_JAPANESE.search(said):
        return f"{path}: {template!r} is not translated"
    missing = [place for place in re.findall(r"x1\d\d", sentence) if place not in said]
    return f"{path}: {template!r} loses {missing}" if missing else None


def test_whatever_is_raised_can_be_said_in_japanese(japanese: Sentences) -> None:
    found = [unspoken(path, template, japanese) for path, _, template in raised.raised(ROOT)]
    assert len(found) > 400
    assert [problem for problem in found if problem] == []


def test_shared_patterns_are_all_translated(japanese: Sentences) -> None:
    assert [
        text for text in PATTERNS if text != "{field}: {problem}." and japanese.say(filled(text)) == filled(text)
    ] == []


FAILURES = [
    ("post", "/api/circle", {"n": 0, "query_angles_deg": [1]}, "n：1 以上でなければならない。"),
    ("post", "/api/rope", {"positions": [0]}, "dim：この項目は必須である。"),
    ("post", "/api/circle", {"n": 3, "query_angles_deg": ["x"]}, "query_angles_deg.0：数でなければならない。"),
    (
        "post",
        "/api/scoring",
        {"queries": [[1, 2]], "keys": [[1, 2, 3]], "values": [[1]], "mechanism": "dot"},
        "queries の大きさは 2、keys の大きさは 3 である",
    ),
    (
        "post",
        "/api/analyses",
        {"model": "none", "text": "x"},
        "その名前のモデルはない。一覧は GET /api/models にある。",
    ),
    ("get", "/api/nothing", None, "見つからない。"),
    ("get", "/api/analyses", None, "このメソッドは使えない。"),
    ("get", "/static/none", None, "そのファイルはない。"),
]


@pytest.mark.parametrize(("method", "path", "body", "message"), FAILURES)
def test_every_kind_of_failure_is_said_in_japanese(
    client: TestClient, method: str, path: str, body: Any, message: str
) -> None:
    response = client.request(method, path, json=body, headers=JAPANESE)
    assert response.json()["error"]["message"] == message
    assert "Accept-Language" in response.headers["vary"]
    english = client.request(method, path, json=body).json()["error"]
    assert not WRITTEN_IN_JAPANESE.search(english["message"])
    assert {**english, "message": ""} == {**response.json()["error"], "message": ""}


def test_the_address_may_ask_for_the_language(client: TestClient) -> None:
    assert client.get("/api/nothing?lang=ja").json()["error"]["message"] == "見つからない。"
    assert client.get("/api/nothing?lang=en", headers=JAPANESE).json()["error"]["message"] == "Not Found."


def test_a_body_that_is_too_large_is_refused_in_japanese(client: TestClient, settings: Any) -> None:
    response = client.post("/api/circle", content=b" " * (settings.max_body_bytes + 1), headers=JAPANESE)
    limit = settings.max_body_bytes
    assert response.json()["error"]["message"] == f"リクエストの本文が {limit} バイトを超えている。"


def test_why_a_model_cannot_be_had_is_said_in_japanese(client: TestClient) -> None:
    models = client.get("/api/models", headers=JAPANESE).json()["models"]
    english = {model["id"]: model["reason"] for model in client.get("/api/models").json()["models"]}
    reasons = {model["id"]: model["reason"] for model in models if model["reason"]}
    for model, reason in reasons.items():
        assert WRITTEN_IN_JAPANESE.search(reason), (reason, english[model])
