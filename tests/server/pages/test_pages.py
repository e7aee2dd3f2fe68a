"""Pages: the reader's language, embedded data, and conditional requests."""

import json
import re
from dataclasses import fields
from html.parser import HTMLParser
from urllib.parse import urljoin

import pytest
from jinja2 import Environment, meta, nodes
from raw_maths import raw_maths

from server.pages.contexts import ApiDocsContext, ErrorContext, GlossaryContext, LessonsContext, PageContext
from server.pages.explorer_page import ExplorerContext
from server.pages.pages import TEMPLATES
from server.pages.site import GROUPS, PAGES, Page, grouped


class Scripts(HTMLParser):
    """The JSON blocks of a page by id, its language, and every address it names."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.json: dict[str, str] = {}
        self.lang: str | None = None
        self.addresses: list[str] = []
        self._id: str | None = None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.lang = attributes.get("lang", self.lang) if tag == "html" else self.lang
        self._id = attributes["id"] if attributes.get("type") == "application/json" else None
        self.addresses += [value for name, value in attrs if name in {"src", "href"} and value]

    def handle_data(self, data):
        if self._id:
            self.json[self._id] = self.json.get(self._id, "") + data


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_every_wrong_prediction_is_told_what_leads_to_it(client, lang):
    """One sentence for each option but the right one."""
    asked = 0
    for page in PAGES:
        html = client.get(f"{page.path}?lang={lang}").text
        for right, part in re.findall(r'<section class="predict" data-right="(\d)"(.*?)</section>', html, re.DOTALL):
            options = len(re.findall('class="button predict-option"', part))
            slips = re.findall(r'<p class="predict-slip" data-option="(\d)" hidden>(.+?)</p>', part)
            assert [int(option) for option, _ in slips] == [at for at in range(options) if at != int(right)], page.stem
            asked += 1
    assert asked == 25


def test_the_explorer_tells_its_scripts_what_they_must_know(app, client, settings):
    page = Scripts(client.get("/?lang=ja").text)
    assert page.lang == "ja"
    config = json.loads(page.json["config"])
    assert config["lang"] == "ja"
    assert config["languages"] == {"en": "English", "ja": "日本語"}
    assert config["limits"] == {
        "max_characters": settings.max_characters,
        "max_tokens": settings.max_tokens,
        "max_prompts": settings.max_prompts,
        "max_window_cells": settings.max_window_cells,
        "max_body_bytes": settings.max_body_bytes,
        "max_image_pixels": settings.max_image_pixels,
        "max_sound_seconds": settings.max_sound_seconds,
    }
    assert json.loads(page.json["messages"]) == app.state.pages.languages["ja"].script_messages
    assert json.loads(Scripts(client.get("/?lang=en").text).json["messages"]) == {}


class Texts(HTMLParser):
    """A page's texts outside of scripts, code and formulas, as `raw_maths` reads them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: dict[str, list[str]] = {"html": [], "plain": []}
        self._inside: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.texts["plain"] += [value for name, value in attrs if name in {"title", "aria-label"} and value]
        if tag in {"script", "style", "pre", "code", "textarea", "math", "option", "title"}:
            self._inside.append(tag)

    def handle_endtag(self, tag):
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data):
        where = self._inside[-1] if self._inside else ""
        kind = "html" if not where else "plain" if where in {"option", "title"} else ""
        if kind:
            self.texts[kind].append(data)


@pytest.mark.full
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_no_page_has_mathematics_in_a_programmers_notation(client, lang):
    for page in PAGES:
        texts = Texts(client.get(f"{page.path}?lang={lang}").text).texts
        assert raw_maths(texts) == [], page.path
    scaling = Texts(client.get("/scaling").text).texts
    assert "Why √dₖ? · Attention Observatory" in [" ".join(text.split()) for text in scaling["plain"]]


@pytest.mark.full
@pytest.mark.parametrize("query", ["", "&relation=obj.head_to_dependent&query=-1&x=mean_distance"])
def test_no_choice_is_called_by_its_key_until_an_answer_names_it(client, query):
    for page in PAGES:
        options = Texts(client.get(f"{page.path}?lang=en{query}").text).texts["plain"]
        assert [text for text in options if re.fullmatch(r"\s*(-\d+|[a-z]+[._][a-z._]+)\s*", text)] == [], page.path


@pytest.mark.full
def test_everything_a_page_names_is_there_and_is_our_own(client):
    concepts = [prefix + page.path for page in PAGES if page.group for prefix in ("", "/embed")]
    named_by = {}
    for path in ("/", "/api/docs", *concepts):
        for named in Scripts(client.get(path).text).addresses:
            address = named.removeprefix("http://testserver")
            if not address.startswith(("#", "data:")):
                assert not re.match(r"[a-z]+:|//", address)
                named_by.setdefault(urljoin(path, address), path)
    for address, path in named_by.items():
        assert client.get(address).status_code == 200, f"{path} names {address}"


@pytest.mark.full
def test_every_page_of_the_navigation_is_there(client):
    for page in PAGES:
        response = client.get(page.path)
        assert response.status_code == 200
        current = [f'href=".{page.path}?lang=en" aria-current="page"']
        assert re.findall(r'href="[^"]*" aria-current="page"', response.text) == current


def test_the_menu_holds_every_concept_under_its_chapter(client):
    pages = (Page("explorer", "Explorer"), Page("rope", "RoPE", "E"), Page("circle", "Circle", "B"))
    assert grouped(pages) == {"Scoring": (pages[2],), "Positions": (pages[1],)}
    html = client.get("/circle").text
    menu = html[html.index("<details") : html.index("</details>")]
    assert re.findall(r"<h2>(.*?)</h2>", menu) == list(grouped(PAGES))
    assert re.findall(r'<a href="(.*?)\?', menu) == [
        f".{page.path}" for group in GROUPS for page in PAGES if page.group == group
    ]
    assert {page.group for page in PAGES} <= {"", *GROUPS}


def test_an_embedded_page_is_bare(client, settings):
    for path in ("/embed/explorer", "/embed", "/embed/"):
        assert client.get(path).text.count("<header") == 0
    response = client.get("/embed/circle?lang=ja")
    assert response.headers["content-security-policy"].endswith(f"frame-ancestors {settings.frame_ancestors}")
    assert Scripts(response.text).lang == "ja"
    for tag in ("<header", "<nav", "<footer"):
        assert tag in client.get("/circle").text
        assert tag not in response.text
    assert client.get("/embed/nothing").status_code == 404


def test_language_follows_the_browser_unless_the_address_says_otherwise(client):
    japanese = {"Accept-Language": "ja-JP,ja;q=0.9,en;q=0.8"}
    response = client.get("/", headers=japanese)
    assert Scripts(response.text).lang == response.headers["content-language"] == "ja"
    assert Scripts(client.get("/?lang=en", headers=japanese).text).lang == "en"
    assert "Accept-Language" in response.headers["vary"]


def test_a_page_is_not_sent_twice(client):
    first = client.get("/")
    assert first.headers["cache-control"] == "no-cache"
    assert first.headers["content-type"] == "text/html; charset=utf-8"
    again = client.get("/", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = client.get("/?lang=ja", headers={"If-None-Match": first.headers["etag"]})
    assert other.status_code == 200
    assert client.head("/").headers["etag"] == first.headers["etag"]


def test_translations_cannot_close_the_script_they_stand_in(app, client):
    japanese = app.state.pages.languages["ja"]
    japanese.script_messages["</script><b>"] = "</script><i>&"
    html = client.get("/?lang=ja").text
    assert "</script><b>" not in html
    assert json.loads(Scripts(html).json["messages"])["</script><b>"] == "</script><i>&"


@pytest.mark.full
def test_templates_use_nothing_that_their_context_does_not_have():
    environment = Environment(extensions=["jinja2.ext.i18n"], autoescape=True)
    environment.filters |= {"maths": str, "plain_maths": str, "terms": str, "pictures": str}
    contexts = {
        "api_docs.html": ApiDocsContext,
        "error.html": ErrorContext,
        "explorer/page.html": ExplorerContext,
        "explorer/composer.html": ExplorerContext,
        "glossary.html": GlossaryContext,
        "lessons.html": LessonsContext,
    }
    for path in TEMPLATES.rglob("*.html"):
        context = contexts.get(path.relative_to(TEMPLATES).as_posix(), PageContext)
        known = {field.name for field in fields(context)} | {
            "asset",
            "first_paint",
            "modules_of",
            "_",
            "gettext",
            "ngettext",
            "pgettext",
            "npgettext",
        }
        template = environment.parse(path.read_text(encoding="utf-8"))
        macros = {name for found in template.find_all(nodes.FromImport) for name in found.names}
        macros |= {macro.name for macro in template.find_all(nodes.Macro)}
        macros |= {one.target.name for one in template.body if isinstance(one, nodes.Assign)}
        assert meta.find_undeclared_variables(template) - macros <= known, path.name


@pytest.mark.full
def test_the_api_s_documentation_and_description(app, client):
    html = client.get("/api/docs").text
    assert not re.search(r"https?://", html)
    assert app.state.assets.swagger_js_url in html
    description = client.get("/api/openapi.json").json()
    assert {"/api/models", "/api/analyses", "/api/analyses/{analysis_id}/weights"} <= set(description["paths"])
    for path, operations in description["paths"].items():
        for operation in operations.values():
            failure = operation["responses"]["422"]["content"]["application/json"]["schema"]
            assert failure == {"$ref": "#/components/schemas/ErrorResponse"}, path
            assert operation.get("summary"), path


HTML = {"accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


@pytest.mark.parametrize(("lang", "says"), [("en", "Page not found"), ("ja", "ページが見つからない")])
def test_a_browser_gets_a_page_for_an_unknown_address(client, lang, says):
    response = client.get(f"/nowhere<b>?lang={lang}", headers=HTML)
    assert response.status_code == 404
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert {"Accept", "Accept-Language"} <= set(response.headers["vary"].split(", "))
    assert f'<html lang="{lang}">' in response.text
    assert says in response.text
    assert "<b>" not in response.text
    links = Scripts(response.text).addresses
    assert {f".{page.path}?lang={lang}" for page in PAGES} <= set(links)
    assert "content-security-policy" in response.headers


def test_programs_get_the_one_shape_of_errors(client, assert_error):
    for path, headers in (("/nowhere", {"accept": "*/*"}), ("/api/nowhere", HTML), ("/static/0/x.js", HTML)):
        assert_error(client.get(path, headers=headers), 404, "not_found")


def test_other_errors_of_a_page_are_pages_too(client):
    response = client.get("/offline/nowhere", headers=HTML)
    assert (response.status_code, "There is no such page to save." in response.text) == (404, False)
    assert "Page not found" in response.text
