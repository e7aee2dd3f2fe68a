"""The Explorer's page: what stands in it before its script runs."""

import json
import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient
from tiny_models import write_model_folder

from server.app import create_app
from server.pages.explorer_page import DEFAULT_TEXT
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


class Found(HTMLParser):
    """The answers, the tokens, and what is chosen."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self._in = ""
        self.text = ""
        self.model = ""
        self.tokens: list[str] = []
        self.stage = ""
        self.feed(html)
        found = re.search(r'<script type="application/json" id="answers">(.*?)</script>', html)
        assert found
        self.answers: dict[str, Any] = {one["request"]: one["answer"] for one in json.loads(found[1])}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self._in = known.get("id") or ("bdi" if tag == "bdi" else (known.get("class") or "").split(" ")[0])
        if tag == "input" and known.get("name") == "stage" and "checked" in known:
            self.stage = known["value"] or ""

    def handle_data(self, data: str) -> None:
        if self._in == "text":
            self.text += data
        if self._in == "model-name":
            self.model = data
        if self._in == "bdi":
            self.tokens.append(data)
        self._in = ""


def opened(client: TestClient, **parameters: str) -> Found:
    return Found(client.get("/", params=parameters).text)


@pytest.fixture(scope="module")
def analysed(client: TestClient) -> dict[str, Any]:
    return client.post("/api/analyses", json={"model": MINILM, "text": DEFAULT_TEXT}).json()


def test_what_the_address_asks_for_stands_in_the_controls(client):
    page = opened(client, text="A <b> & c", stage="raw_scores", layer="2", head="3", view="lines")
    assert page.text == "A <b> & c"
    assert page.stage == "raw_scores"
    assert page.model == "MiniLM L6 (BERT, 6 layers × 12 heads)"
    assert "Layer 2, head 3" in page.html
    assert re.findall(r'id="tab-(\w+)"[^>]*aria-selected="true"', page.html) == ["lines"]
    assert 'data-example="pronoun" aria-pressed="false"' in page.html
    other = opened(client, model="nobody/nothing")
    assert other.text == DEFAULT_TEXT
    assert other.model == "nobody/nothing"
    assert 'data-example="pronoun" aria-pressed="true"' in other.html


def test_nothing_is_computed_for_the_page(client):
    page = opened(client, text="Nobody has asked for this one.")
    assert page.tokens == []
    assert list(page.answers) == ["/api/models"]
    assert page.answers["/api/models"] == client.get("/api/models").json()


def test_answers_at_hand_stand_in_the_page_as_the_api_gives_them(client, analysed):
    page = opened(client)
    assert page.tokens == [token["text"] for token in analysed["tokens"]]
    path = f"/api/analyses/{analysed['id']}"
    place = {"part": "encoder", "layer": 5, "head": 11, "stage": "weights"}
    window = f"{path}/weights?{urlencode(place | {'rows': '0:13', 'cols': '0:13', 'max_size': 256})}"
    distribution = f"{path}/distribution?{urlencode(place)}"
    body = json.dumps({"model": MINILM, "text": DEFAULT_TEXT}, separators=(",", ":"))
    assert list(page.answers) == ["/api/models", f"/api/analyses {body}", window, distribution]
    assert page.answers[f"/api/analyses {body}"] == client.get(path).json()
    assert page.answers[window] == client.get(window).json()
    assert page.answers[distribution] == client.get(distribution).json()
    chosen = re.findall(r'class="token([^"]*)"><bdi>(\w+)</bdi>', page.html)
    assert [text for names, text in chosen if "is-chosen" in names] == ["it"]
    assert [text for names, text in chosen if "is-key" in names] == ["cat"]


def test_a_head_and_a_stage_that_the_model_lacks_are_answered_as_the_script_asks(client, analysed):
    page = opened(client, layer="50", head="60")
    assert any("layer=5&head=11" in request for request in page.answers)


@pytest.mark.parametrize("parameters", [{"changes": "off~5.11"}, {"picture": "x"}, {"model": "nobody/nothing"}])
def test_other_analyses_bring_no_answer(client, analysed, parameters):
    page = opened(client, **parameters)
    assert list(page.answers) == ["/api/models"]
    assert page.tokens == []


def test_the_frame_has_the_same(client, analysed):
    page = Found(client.get("/embed/explorer").text)
    assert len(page.tokens) == len(analysed["tokens"])
    assert len(page.answers) == 4


@pytest.mark.full
def test_the_operators_folders_leave_what_pages_open_with_as_it_is(tmp_path):
    write_model_folder(tmp_path, "tiny-bert").rename(tmp_path / "a-first-model")
    with TestClient(create_app(Settings(models_dir=tmp_path, device="cpu", hub_models=(), preload=False))) as client:
        listed = client.get("/api/models").json()
        assert (listed["models"][0]["id"], listed["models"][0]["available"]) == ("a-first-model", True)
        assert listed["default"] == MINILM
        assert client.get("/readyz").json()["model"] == MINILM
        client.post("/api/analyses", json={"model": MINILM, "text": DEFAULT_TEXT})
        for address in ("/", "/embed/explorer", "/embed/"):
            page = Found(client.get(address).text)
            assert page.model == "MiniLM L6 (BERT, 6 layers × 12 heads)"
            assert f'/api/analyses {{"model":"{MINILM}"' in list(page.answers)[1]


@pytest.mark.full
def test_folders_alone_are_opened_where_nothing_is_built_in(tmp_path, monkeypatch):
    write_model_folder(tmp_path, "tiny-bert")
    monkeypatch.setattr("attention_core.pretrained.models.sources._package_folder", lambda packaged: None)
    with TestClient(create_app(Settings(models_dir=tmp_path, device="cpu", hub_models=(), preload=False))) as client:
        assert client.get("/api/models").json()["default"] == "tiny-bert"
