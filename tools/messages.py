"""Update the translation catalogues from the texts in code and templates (`make messages`).

Texts are marked with ``_("…")``, ``gettext``, ``ngettext`` or, if translated later, ``N_("…")``; scripts use
``t("…")``. The texts of ``MetricInfo(title, definition, source, unit)`` and the templates of refusals and other
sentences (``attention_core/refusal.py``) count too. New ones appear in each
``locales/<language>/LC_MESSAGES/messages.po`` with an empty translation, which a test rejects; unused ones are removed.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po, write_po

if TYPE_CHECKING:
    from babel.messages.catalog import Message
    from babel.messages.extract import _Keyword

    Keywords = Mapping[str, _Keyword]

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ROOT / "locales"
METHODS = [
    ("attention_core/**.py", "python"),
    ("server/**.py", "python"),
    ("static/js/**.js", "javascript"),
    ("templates/**.html", "jinja2"),
]
HEADER = """\
# Translations of the Attention Observatory. `make messages` adds and removes entries, people write the translations.
msgid ""
msgstr ""
"Language: {language}\\n"
"Plural-Forms: {plural_forms}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"

"""
KEYWORDS: "Keywords" = {**DEFAULT_KEYWORDS, "t": None}
"""Functions that mark a text; scripts use ``t("…")``."""
REFUSALS = "error"
"""The context of the templates of refusals, which appear in the API."""
TEMPLATES: "Keywords" = {
    **dict.fromkeys(
        [
            "Sentence",
            "as_unavailable",
            "InvalidValueError",
            "AnalysisError",
            "ForeignFileError",
            "NoRoomError",
            "UnknownModelError",
            "ChatError",
            "NoPairsError",
            "DoesNotRunError",
            "HubNotAllowedError",
            "ModelUnavailableError",
            "UnsupportedAttentionError",
            "ReadsImagesError",
            "ReadsTextError",
            "InvalidImageError",
            "ReadsSoundsError",
            "InvalidSoundError",
            "SoundTooLongError",
            "ImageTooLargeError",
            "TextTooLongError",
            "EmptyTextError",
            "InvalidTextError",
            "WindowTooLargeError",
            "TensorsError",
            "TensorsTooLargeError",
            "SetTooLargeError",
            "SelectionError",
            "InterventionError",
            "NotComparableError",
            "NoCircuitsError",
            "CorpusError",
            "CorpusTooLargeError",
            "AtlasError",
            "OtherHeadsError",
            "Cancelled",
        ],
        (1,),
    ),
    "ApiError": (3,),
}
"""Functions that take a template, and the number of that argument."""
METRIC_TEXTS = 4
"""The number of texts with which ``MetricInfo`` begins. The API serves them in English, scripts translate them."""
OPTIONS = {
    "static/js/**.js": {"parse_template_string": "true"},
    "templates/**.html": {"silent": "false", "trimmed": "true"},
}


def main() -> None:
    """Update every catalogue."""
    extracted = extract(ROOT)
    for path in sorted(LOCALES.glob("*/LC_MESSAGES/messages.po")):
        catalog = read(path)
        catalog.update(extracted, no_fuzzy_matching=True)
        catalog.obsolete.clear()
        with path.open("wb") as file:
            header = HEADER.format(language=catalog.locale_identifier, plural_forms=catalog.plural_forms)
            file.write(header.encode())
            write_po(file, catalog, width=120, sort_by_file=True, omit_header=True, include_lineno=False)


def extract(root: Path) -> Catalog:
    """Return every marked text with its source locations."""
    catalog = Catalog(charset="utf-8")
    metrics: list[Keywords] = [{"MetricInfo": (position,)} for position in range(1, METRIC_TEXTS + 1)]
    with_metrics = [(path, "python") for path in _python_files_with("MetricInfo(", root)]
    for keywords, methods in [(KEYWORDS, METHODS), *((each, with_metrics) for each in metrics)]:
        for filename, line, message, comments, context in extract_from_dir(
            root, methods, OPTIONS, keywords=keywords, comment_tags=("Translators:",), directory_filter=wanted
        ):
            catalog.add(message, None, [(filename, line)], auto_comments=comments, context=context)
    for filename, line, template, _, _ in extract_from_dir(
        root, METHODS[:2], keywords=TEMPLATES, directory_filter=wanted
    ):
        catalog.add(template, None, [(filename, line)], context=REFUSALS)
    for entry in catalog:
        entry.locations.sort()  # folders are found in another order on another machine
    return catalog


def _python_files_with(word: str, root: Path) -> list[str]:
    """Relative paths of the files with this word: reading all is much faster than parsing all."""
    files = (path for room in ("attention_core", "server") for path in sorted((root / room).rglob("*.py")))
    return [path.relative_to(root).as_posix() for path in files if word in path.read_text(encoding="utf-8")]


def wanted(folder: str | Path) -> bool:
    """Tell whether this folder may contain marked texts."""
    name = Path(folder).name
    return not name.startswith((".", "__")) and name not in {"node_modules", "tests"}


def read(path: Path) -> Catalog:
    """Read one language's catalogue; the folder names the language."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parent.parent.name)


def texts(catalog: Catalog) -> "list[Message]":
    """Return the entries of a catalogue without its header."""
    return [message for message in catalog if message.id]


if __name__ == "__main__":
    main()
