"""oEmbed: our own addresses become frames, found through every page; anything else is refused."""

from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from server.app import create_app
from server.pages.site import PAGES
from server.settings import Settings

ORIGIN = "http://testserver"
STATE = "q=45,90&n=10&lengths=1,1,1,5,1,1,1,1,1,1&t=0.5"


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(device="cpu", hub_models=(), preload=False, frame_ancestors="https://slides.example")


class Frame(HTMLParser):
    """The attributes of the only element of an embed code."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: dict[str, str | None] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes = dict(attrs)


class Links(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.oembed: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "link" and attributes.get("type") == "application/json+oembed":
            self.oembed.append(attributes["href"] or "")


def ask(client: TestClient, url: str, **more: Any) -> Any:
    return client.get("/api/oembed", params={"url": url, "format": "json", **more})


@pytest.mark.full
def test_the_answer_is_what_the_specification_asks_for(client: TestClient) -> None:
    answer = ask(client, f"{ORIGIN}/circle?{STATE}")
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    frame = Frame(body.pop("html"))
    assert body == {
        "type": "rich",
        "version": "1.0",
        "title": "Circle · Attention Observatory",
        "provider_name": "Attention Observatory",
        "provider_url": f"{ORIGIN}/",
        "cache_age": 3600,
        "width": 960,
        "height": 760,
    }
    assert frame.tags == ["iframe"]
    assert frame.attributes["src"] == f"{ORIGIN}/embed/circle?{STATE}"
    assert (frame.attributes["width"], frame.attributes["height"]) == ("960", "760")


def test_the_frame_fits_into_the_room_there_is(client: TestClient) -> None:
    body = ask(client, f"{ORIGIN}/circle", maxwidth=500, maxheight=2000).json()
    assert (body["width"], body["height"]) == (500, 760)
    assert Frame(body["html"]).attributes["width"] == "500"


@pytest.mark.sampled(4)
@pytest.mark.full("explorer")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_leads_to_its_own_frame(client: TestClient, page: Any) -> None:
    for path in (page.path, f"/embed/{page.stem}"):
        html = client.get(f"{path}?lang=ja&n=3").text
        (href,) = Links(html).oembed
        assert parse_qs(urlsplit(href).query)["url"] == [f"{ORIGIN}{path}?lang=ja&n=3"]
        body = client.get(href).json()
        frame = urlsplit(Frame(body["html"]).attributes["src"] or "")
        assert (frame.path, frame.query) == (f"/embed/{page.stem}", "lang=ja&n=3")
        assert client.get(f"{frame.path}?{frame.query}").status_code == 200


def test_the_title_is_in_the_address_s_language(client: TestClient) -> None:
    assert ask(client, f"{ORIGIN}/circle?lang=ja").json()["title"].startswith("円")
    assert (
        client.get("/api/oembed", params={"url": f"{ORIGIN}/circle"}, headers={"Accept-Language": "ja"})
        .json()["title"]
        .startswith("円")
    )


def test_what_an_address_holds_stays_inside_its_attribute(client: TestClient) -> None:
    frame = Frame(ask(client, f'{ORIGIN}/?text="><script>alert(1)</script>&amp;=1').json()["html"])
    assert frame.tags == ["iframe"]
    assert frame.attributes["src"] == f'{ORIGIN}/embed/explorer?text="><script>alert(1)</script>&amp;=1'


@pytest.mark.parametrize(
    "url",
    [
        "https://elsewhere.example/circle",
        "http://testserver.elsewhere.example/circle",
        "http://testserver:8080/circle",
        "http://testserver@elsewhere.example/circle",
        "http://someone@testserver/circle",
        "http://testserver:port/circle",
        "http://[testserver/circle",
        "ftp://testserver/circle",
        "javascript://testserver/circle",
        "//testserver/circle",
        "/circle",
        "circle",
        f"{ORIGIN}/nothing",
        f"{ORIGIN}/api/docs",
        f"{ORIGIN}/embed/nothing",
        f"{ORIGIN}/circle\n",
    ],
)
def test_an_address_that_is_not_ours_is_not_found(client: TestClient, assert_error: Any, url: str) -> None:
    assert_error(ask(client, url), 404, "not_found", "url")


def test_the_port_may_be_said_or_understood(client: TestClient) -> None:
    assert ask(client, "http://testserver:80/circle").status_code == 200
    assert ask(client, "https://TESTSERVER/circle").json()["provider_url"] == "https://TESTSERVER/"
    assert client.get(
        "/api/oembed", params={"url": "https://a.example/circle"}, headers={"Host": "a.example:443"}
    ).status_code == 200  # fmt: skip


def test_xml_says_the_same(client: TestClient) -> None:
    answer = ask(client, f"{ORIGIN}/circle?{STATE}", format="xml")
    assert answer.headers["content-type"] == "text/xml; charset=utf-8"
    root = ElementTree.fromstring(answer.text)  # noqa: S314 - our own
    assert root.tag == "oembed"
    expected = ask(client, f"{ORIGIN}/circle?{STATE}").json()
    assert {child.tag: child.text for child in root} == {name: str(value) for name, value in expected.items()}


def test_bad_requests_are_refused(client: TestClient, assert_error: Any) -> None:
    assert_error(ask(client, f"{ORIGIN}/circle", format="yaml"), 422, "invalid_request", "format")
    assert_error(ask(client, f"{ORIGIN}/circle", format=""), 422, "invalid_request", "format")
    assert_error(ask(client, ""), 422, "invalid_request", "url", 1)
    assert_error(ask(client, f"{ORIGIN}/circle", maxwidth=0), 422, "invalid_request", "maxwidth", 1)
    assert_error(client.get("/api/oembed"), 422, "invalid_request", "url")
    assert_error(ask(client, f"{ORIGIN}/circle?" + "x" * 16_384), 422, "invalid_request", "url", 16_384)


@pytest.mark.full
@pytest.mark.parametrize("policy", ["'self'", "'none'"])
def test_where_nobody_may_frame_it_there_is_a_link_alone(policy: str) -> None:
    app = create_app(Settings(device="cpu", hub_models=(), preload=False, frame_ancestors=policy))
    with TestClient(app) as client:
        body = ask(client, f"{ORIGIN}/circle").json()
    assert body["type"] == "link"
    assert not {"html", "width", "height"} & set(body)
