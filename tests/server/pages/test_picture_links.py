"""Words of a text that show their picture: the filter, and the state of every such link."""

import json
import re
import subprocess
from html import unescape
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from markupsafe import Markup

from server.pages.pages import TEMPLATES
from server.pages.picture_links import USE, picture_links
from server.pages.site import PAGES
from server.web.i18n import LOCALES

SCRIPT = Path(__file__).with_name("state_links.js")
LINK = re.compile(r'<a class="(?:state|picture)-link" data-state href="\?([^"]*)">')
STEMS = [page.stem for page in PAGES if page.group]
pictures = picture_links("ja")


def wrong_states(tmp_path: Path, asked: list[dict[str, str]]) -> list[str]:
    """What their pages would not read of these states."""
    file = tmp_path / "states.json"
    file.write_text(json.dumps(asked), encoding="utf-8")
    done = subprocess.run(["node", SCRIPT, file], capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def test_a_reference_is_a_link_with_the_page_s_address_in_that_state() -> None:
    html = pictures(Markup("So ((view=sky&scores=10_1|its words)), as (v(a)|b) [[mask]]."))
    assert html == (
        'So <a class="picture-link" data-state href="?view=sky&amp;scores=10_1&amp;lang=ja">its words</a>,'
        " as (v(a)|b) [[mask]]."
    )


def test_text_is_escaped_and_an_unreadable_state_is_refused() -> None:
    assert pictures("a < b ((step=2&way=rope|c))") == (
        'a &lt; b <a class="picture-link" data-state href="?step=2&amp;way=rope&amp;lang=ja">c</a>'
    )
    with pytest.raises(ValueError, match="bad query field"):
        pictures("((step=2&way|c))")


@pytest.mark.parametrize("path", sorted(LOCALES.glob("*/LC_MESSAGES/messages.po")), ids=lambda path: path.parts[-3])
def test_translations_show_the_same_pictures(path: Path) -> None:
    with path.open("rb") as file:
        texts = [(str(one.id), str(one.string)) for one in read_po(file) if one.id and isinstance(one.id, str)]
    assert any(USE.search(english) for english, _ in texts)
    for english, translated in texts:
        assert sorted(use[1] for use in USE.finditer(translated)) == sorted(use[1] for use in USE.finditer(english)), (
            english
        )


def test_only_a_why_has_references_and_no_term_stands_in_one() -> None:
    for path in TEMPLATES.rglob("*.html"):
        if path.parent.name == "frame" or path.name == "frame.html":
            continue
        html = path.read_text(encoding="utf-8")
        why = "".join(re.findall(r"{% block why %}(.*?){% endblock %}", html, re.DOTALL))
        assert USE.findall(html) == USE.findall(why), path.name
        assert not [use[0] for use in USE.finditer(why) if "[[" in use[2]], path.name


def test_every_link_s_state_is_one_that_its_page_reads(client, tmp_path: Path) -> None:
    asked = []
    for stem in STEMS:
        html = client.get(f"/{stem}?lang=ja").text
        assert "((" not in html.partition('<section class="why"')[2].partition("</section>")[0], stem
        asked += [{"stem": stem, "search": unescape(search)} for search in LINK.findall(html)]
    assert len(asked) > 50
    assert wrong_states(tmp_path, asked) == []


def test_a_wrong_state_is_found(tmp_path: Path) -> None:
    wrong = ("sight=sky", "theta=4", "view=skies", "step=0")
    asked = [{"stem": "rope", "search": f"lang=ja&{state}"} for state in wrong]
    assert wrong_states(tmp_path, asked) == [f"rope: {state}" for state in wrong]
