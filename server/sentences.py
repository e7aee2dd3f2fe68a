"""What went wrong, in the asker's language.

The core and the handlers raise English sentences and know of no other language. Here the template behind a sentence is
found ("temperature must be > {least}, not {given}") and said in the language of the request, its places filled.
"""

import re
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

PLACE = re.compile(r"\{(\w+)\}")
NESTED = ("error", "problem")
"""Places that hold a sentence themselves; a template counts only where that is known too."""
LONGEST = 2_000
"""Characters of a sentence that is looked up."""


class Sentences:
    """One language's failures: template → translation."""

    def __init__(self, translations: Mapping[str, str]) -> None:
        self._translations = translations
        most_words_first = sorted(translations, key=lambda template: -len(PLACE.sub("", template)))
        self._patterns = [(_pattern(template), translations[template]) for template in most_words_first]

    def say(self, sentence: str) -> str:
        """The sentence in this language; as it is where its template is unknown."""
        return self._translated(sentence) or sentence

    def _translated(self, sentence: str) -> str | None:
        if sentence in self._translations:
            return self._translations[sentence]
        if len(sentence) > LONGEST:
            return None
        for pattern, translation in self._patterns:
            found = pattern.fullmatch(sentence)
            if found and (values := self._values(found.groupdict())) is not None:
                return PLACE.sub(lambda place, known=values: known[place[1]], translation)  # type: ignore[misc]
        return None

    def _values(self, values: dict[str, str]) -> dict[str, str] | None:
        """What fills the places; None where a sentence among them is unknown."""
        filled = {}
        for name, value in values.items():
            inner = self._translated(value) if " " in value else None
            if name in NESTED and inner is None:
                return None
            filled[name] = inner or value
        return filled


@cache
def _pattern(template: str) -> re.Pattern[str]:
    parts = PLACE.split(template)
    texts, names = parts[::2], parts[1::2]
    places = [f"(?P<{name}>.+?)" for name in names]
    return re.compile(
        "".join(re.escape(text) + place for text, place in zip(texts, [*places, ""], strict=True)), re.DOTALL
    )


ENGLISH = Sentences({})
_spoken: ContextVar[Sentences] = ContextVar("spoken", default=ENGLISH)


def say(sentence: str) -> str:
    """An English sentence in the language of the request that is being answered."""
    return _spoken.get().say(sentence)


class Speaking:
    """ASGI middleware: all that is said while a request is answered is said in its language."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on in its own language."""
        if scope["type"] == "http":
            request = Request(scope)
            _spoken.set(request.app.state.pages.language(request).sentences)
        await self.app(scope, receive, send)
