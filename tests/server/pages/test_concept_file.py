"""Saved concept pages: one self-contained file, in the state given by the address."""

import json
from html.parser import HTMLParser
from typing import Any

import pytest
from packed_text import read_packed
from starlette.testclient import TestClient

from server.pages.site import EXPLORER, PAGES

CONCEPTS = [page.stem for page in PAGES if page.has_frame]


class Parts(HTMLParser):
    """What a file would load, the JSON it holds by id, its language and theme, and the links a reader sees."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.json: dict[str, str] = {}
        self.links: list[str] = []
        self.root: dict[str, str | None] = {}
        self._id: str | None = None
        self._is_packed = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.root = attributes if tag == "html" else self.root
        self._is_packed = "data-packed-messages" in attributes
        is_data = attributes.get("type") == "application/json" or self._is_packed
        self._id = attributes.get("id") if is_data else None
        address = attributes.get("src") or attributes.get("href")
        if address:
            (self.links if tag == "a" else self.loads).append(address)

    def handle_data(self, data: str) -> None:
        if self._id:
            self.json[self._id] = self.json.get(self._id, "") + data.strip()

    def handle_endtag(self, _: str) -> None:
        if self._id and self._is_packed:
            self.json[self._id] = read_packed(self.json[self._id]).decode()
        self._id = None


@pytest.mark.full
@pytest.mark.parametrize("stem", CONCEPTS)
def test_every_concept_can_be_taken_along(client: TestClient, stem: str) -> None:
    response = client.get(f"/offline/{stem}?lang=ja&theme=night")
    assert response.status_code == 200
    assert response.headers["content-disposition"] == f'attachment; filename="{stem}.html"'
    parts = Parts(response.text)
    assert (parts.root["lang"], parts.root["data-theme"]) == ("ja", "night")
    assert parts.loads == []
    assert parts.links.pop() == f"http://testserver/{stem}"  # the script makes it lead to where the file came from
    # Presets, which act in place; a saved run has none.
    assert {link[0] for link in parts.links} == (set() if stem == "training" else {"?"})
    assert "Content-Security-Policy" in response.text
    assert json.loads(parts.json["messages"])


def test_it_knows_its_state_and_where_it_came_from(client: TestClient) -> None:
    config = json.loads(Parts(client.get("/offline/circle?q=45,90&n=6").text).json["config"])
    assert (config["search"], config["live"]) == ("q=45,90&n=6", "http://testserver/")
    assert "search" not in json.loads(Parts(client.get("/circle?q=45,90&n=6").text).json["config"])


def test_what_an_address_holds_stays_data(client: TestClient) -> None:
    text = client.get("/offline/circle?q=</script><script>alert(1)</script>&theme=x%22onload=%22").text
    assert "<script>alert" not in text
    assert "onload" not in text.split("<body")[0]


def test_what_cannot_be_taken_along_is_not_found(client: TestClient, assert_error: Any) -> None:
    for stem in (EXPLORER, "lessons", "nothing", "base", "..%2fbase"):
        assert_error(client.get(f"/offline/{stem}"), 404, "not_found")
