"""The glossary: its terms, their cards in texts, and its page."""

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from markupsafe import Markup

from server.pages.glossary import BY_ID, TERMS, USE, term_cards
from server.pages.pages import TEMPLATES
from server.pages.site import PAGES
from server.web.i18n import LOCALES

terms = term_cards(lambda text: text)


def test_each_term_is_defined_once_and_leads_to_a_page_that_exists() -> None:
    assert len(BY_ID) == len(TERMS)
    assert {term.page for term in TERMS} <= {"", *(page.stem for page in PAGES if page.group)}


def test_a_use_has_a_card_with_its_definition() -> None:
    html = terms(Markup("A [[mask]] and [[score|scores]]."))
    assert re.findall(r'class="term-word"[^>]*>(.*?)<', html) == ["mask", "scores"]
    labels = re.findall(r'aria-describedby="(.*?)"', html)
    assert labels == re.findall(r'role="tooltip" id="(.*?)"', html)
    assert len(set(labels)) == 2
    assert BY_ID["mask"].definition.split(".")[0] in html


def test_text_is_escaped_and_an_unknown_term_is_refused() -> None:
    assert terms("a < b") == "a &lt; b"
    with pytest.raises(KeyError):
        terms("[[no-such-term]]")


@pytest.mark.parametrize("path", sorted(LOCALES.glob("*/LC_MESSAGES/messages.po")), ids=lambda path: path.parts[-3])
def test_translations_use_the_same_terms(path: Path) -> None:
    with path.open("rb") as file:
        texts = [(str(one.id), str(one.string)) for one in read_po(file) if one.id and isinstance(one.id, str)]
    for english, translated in texts:
        used = {use[1] for use in USE.finditer(translated)}
        assert used == {use[1] for use in USE.finditer(english)}, english
        assert used <= set(BY_ID), english


def test_templates_use_terms_that_exist() -> None:
    for path in TEMPLATES.rglob("*.html"):
        if path.parent.name == "frame" or path.name == "frame.html":
            continue
        assert {use[1] for use in USE.finditer(path.read_text(encoding="utf-8"))} <= set(BY_ID), path.name


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_page_defines_every_term(client, lang: str) -> None:
    html = client.get(f"/glossary?lang={lang}").text
    assert set(re.findall(r'class="glossary-term" id="(.*?)"', html)) == set(BY_ID)
    assert "[[" not in html
