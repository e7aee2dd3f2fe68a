"""Languages are read from their sources and chosen as the reader wishes."""

from pathlib import Path

import pytest

from server.web.i18n import choose, read_languages

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
    assert languages["ja"].script_messages == {"{count} heads </script>": "ヘッド {count} 個 </script>"}
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
