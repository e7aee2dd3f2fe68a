"""Internationalisation: gettext catalogues, and the language of the current request.

English sentences are the keys. A catalogue is ``locales/<language>/LC_MESSAGES/messages.po``.
"""

import re
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations
from pydantic import BeforeValidator
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from attention_core.refusal import Sentence
from .shipped import ROOT

LOCALES = ROOT / "locales"
ENGLISH = "en"
REFUSALS = "error"
"""The context of the templates of refusals in the catalogues."""
SAID_BY_SCRIPTS = ("static/js/", "attention_core/")
"""Sources of the texts that scripts translate: scripts, and metrics, which the API serves in English."""
COUNTERS = "つ|個|本|組|行|列|語|文|枚|回|倍|桁|層|番|次元|成分|乗|周|通り|種類|点|分の|位置|トークン"
CLINGING_BLANK = re.compile(rf"(?<=[\d}}]) (?={COUNTERS})|(?<=[A-Za-z\d}}]) (?=[ぁ-ん])")
"""Japanese has blanks only beside figures and Latin letters. No line breaks at those before a counter or a particle."""

UNTRANSLATED = NullTranslations()
_spoken: ContextVar[NullTranslations] = ContextVar("spoken", default=UNTRANSLATED)


@dataclass(frozen=True, eq=False)
class Language:
    """One language of the interface."""

    code: str
    name: str
    """Its name in the language itself."""
    translations: NullTranslations
    script_messages: dict[str, str]
    """English sentence → translation, for scripts."""


@cache
def read_languages(locales: Path = LOCALES) -> Mapping[str, Language]:
    """Every language by its code, English first; read once in a process."""
    languages = {ENGLISH: Language(ENGLISH, _own_name(ENGLISH), NullTranslations(), {})}
    for path in sorted(locales.glob("*/LC_MESSAGES/messages.po")):
        code = path.parent.parent.name
        with path.open("rb") as file:
            catalog = read_po(file, locale=code)
        _keep_together(catalog)
        compiled = BytesIO()
        write_mo(compiled, catalog)
        compiled.seek(0)
        languages[code] = Language(code, _own_name(code), Translations(compiled), _script_messages(catalog))
    return MappingProxyType(languages)


def choose(languages: Mapping[str, Language], asked: str | None, accept_language: str) -> Language:
    """The requested language if available, else the browser's preference, else English."""
    if asked is not None and asked in languages:
        return languages[asked]
    for tag in _by_preference(accept_language):
        code = tag.split("-")[0]
        if code in languages:
            return languages[code]
    return languages[ENGLISH]


def say(sentence: Sentence) -> str:
    """The formatted sentence in the language of the current request; English outside of any."""
    translations = _spoken.get()
    return sentence.translated(lambda template: str(translations.pgettext(REFUSALS, template)))


def say_text(text: str) -> str:
    """A text that the core describes itself with, such as a metric's title, in the language of the request."""
    return _spoken.get().gettext(text)


Said = Annotated[str, BeforeValidator(lambda value: say(value) if isinstance(value, Sentence) else value)]
"""A text in an answer, formatted from a sentence in the language of the request."""


class RequestLanguage:
    """ASGI middleware: set the language of the current request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request in its own language."""
        if scope["type"] == "http":
            request = Request(scope)
            _spoken.set(request.app.state.pages.language(request).translations)
        await self.app(scope, receive, send)


def _by_preference(accept_language: str) -> list[str]:
    """The tags of an Accept-Language header, most preferred first (RFC 9110, §12.5.4)."""
    weighted = []
    for part in accept_language.split(","):
        tag, _, parameter = part.partition(";")
        name, _, value = parameter.strip().partition("=")
        try:
            quality = float(value) if name == "q" else 1.0
        except ValueError:
            continue
        if quality > 0:
            weighted.append((quality, tag.strip().lower()))
    return [tag for _, tag in sorted(weighted, key=lambda pair: -pair[0])]


def _keep_together(catalog: Catalog) -> None:
    """Make blanks unbreakable in what pages say; refusals are also for programs, and stay."""
    for message in catalog:
        if message.id and message.context is None and isinstance(message.string, str):
            message.string = CLINGING_BLANK.sub("\u00a0", message.string)


def _script_messages(catalog: Catalog) -> dict[str, str]:
    return {
        message.id: message.string
        for message in catalog
        if isinstance(message.id, str) and isinstance(message.string, str) and message.id and message.string
        if message.context is None and _said_by_script(message) and not message.fuzzy
    }


def _said_by_script(message: Message) -> bool:
    """Whether a script uses the message; one without source locations may be used anywhere."""
    return not message.locations or any(path.startswith(SAID_BY_SCRIPTS) for path, _ in message.locations)


def _own_name(code: str) -> str:
    return (Locale.parse(code).get_display_name() or code).capitalize()
