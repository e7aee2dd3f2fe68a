"""Language catalogues and language negotiation."""

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from attention_core.refusal import Sentence
from server.app import create_app
from server.settings import Settings
from server.web.i18n import choose, read_languages, say

CATALOGUE = """
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\nPlural-Forms: nplurals=1; plural=0;\\n"

#: templates/explorer.html:3
msgid "Text"
msgstr "テキスト"

#: static/js/views/grid.js:7 templates/explorer.html:9
msgid "{count} heads </script>"
msgstr "ヘッド {count} 個 </script>"

#: static/js/main.js:2
msgid "Untranslated"
msgstr ""

#: static/js/main.js:3
#, fuzzy
msgid "Doubtful"
msgstr "疑わしい"
"""


@pytest.fixture
def locales(tmp_path: Path) -> Path:
    folder = tmp_path / "ja" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "messages.po").write_text(CATALOGUE, encoding="utf-8")
    return tmp_path


def test_a_catalogue_is_read_without_being_compiled(locales):
    languages = read_languages(locales)
    assert [(code, language.name) for code, language in languages.items()] == [("en", "English"), ("ja", "日本語")]
    assert languages["ja"].translations.gettext("Text") == "テキスト"
    assert languages["ja"].translations.gettext("Untranslated") == "Untranslated"
    assert languages["en"].translations.gettext("Text") == "Text"
    assert [path for path in locales.rglob("*") if path.suffix == ".mo"] == []


def test_scripts_get_what_they_say_and_no_more(locales):
    languages = read_languages(locales)
    assert languages["ja"].script_messages == {"{count} heads </script>": "ヘッド {count}\u00a0個 </script>"}, (
        "no line ends between the number and its counter"
    )
    assert languages["en"].script_messages == {}


@pytest.mark.parametrize(
    ("asked", "header", "expected"),
    [
        (None, "", "en"),
        (None, "ja", "ja"),
        (None, "ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        (None, "en-GB,ja;q=0.9", "en"),
        (None, "fr-FR, ja;q=0.3, en;q=0.2", "ja"),
        (None, "fr,de;q=0.5", "en"),
        (None, "ja;q=0, en;q=0.1", "en"),
        (None, "ja;q=x,,;;=", "en"),
        (None, "*", "en"),
        ("ja", "en", "ja"),
        ("en", "ja", "en"),
        ("xx", "ja", "ja"),
        ("../ja", "", "en"),
    ],
)
def test_the_reader_s_language(locales, asked, header, expected):
    assert choose(read_languages(locales), asked, header).code == expected


WRITTEN_IN_JAPANESE = re.compile(r"[ぁ-んァ-ヶ]")
JAPANESE = {"Accept-Language": "ja"}
FAILURES = [
    ("post", "/api/circle", {"n": 0, "query_angles_deg": [1]}, "n：1 以上でなければならない。"),
    (
        "post",
        "/api/circle",
        {"n": 3, "query_angles_deg": []},
        "query_angles_deg：空にはできない。",
    ),
    ("post", "/api/circle", [], "body：オブジェクトでなければならない。"),
    (
        "post",
        "/api/circle",
        {"n": 3, "query_angles_deg": [1e12]},
        "query_angles_deg.0：1000000000 以下でなければならない。",
    ),
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
def test_every_kind_of_failure_is_said_in_japanese(client, method, path, body, message):
    response = client.request(method, path, json=body, headers=JAPANESE)
    assert response.json()["error"]["message"] == message
    assert "Accept-Language" in response.headers["vary"]
    english = client.request(method, path, json=body).json()["error"]
    assert not WRITTEN_IN_JAPANESE.search(english["message"])
    assert {**english, "message": ""} == {**response.json()["error"], "message": ""}


def test_the_address_may_ask_for_the_language(client):
    assert client.get("/api/nothing?lang=ja").json()["error"]["message"] == "見つからない。"
    assert client.get("/api/nothing?lang=en", headers=JAPANESE).json()["error"]["message"] == "Not Found."


def test_a_body_that_is_too_large_is_refused_in_japanese(client, settings):
    response = client.post("/api/circle", content=b" " * (settings.max_body_bytes + 1), headers=JAPANESE)
    limit = settings.max_body_bytes
    assert response.json()["error"]["message"] == f"リクエストの本文が {limit} バイトを超えている。"


def test_outside_a_request_english_is_spoken():
    assert say(Sentence("No model is available.")) == "No model is available."


@pytest.mark.full
def test_why_a_model_cannot_be_had_is_said_in_japanese(tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("[]")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "config.json").write_text('{"model_type": "gpt2", "n_layer": "many"}')
    with TestClient(create_app(Settings(device="cpu", preload=False, models_dir=tmp_path))) as client:
        english = {model["id"]: model["reason"] for model in client.get("/api/models").json()["models"]}
        models = client.get("/api/models", headers=JAPANESE).json()["models"]
        reasons = {model["id"]: model["reason"] for model in models if model["reason"]}
        assert {"broken", "odd", "openai-community/gpt2"} <= reasons.keys()
        for model, reason in reasons.items():
            assert WRITTEN_IN_JAPANESE.search(reason), (reason, english[model])
            assert not re.search(r"\w+ (cannot|does|is|has) ", reason), reason
        said = client.post("/api/analyses", json={"model": "broken", "text": "x"}, headers=JAPANESE).json()
        assert said["error"]["message"] == "broken は使えない。config.json が JSON のオブジェクトではない。"
