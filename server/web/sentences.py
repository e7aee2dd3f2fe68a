"""What went wrong, in the asker's language.

The core and the handlers raise English sentences and know of no other language. Here the template behind a sentence is
found ("temperature must be > {least}, not {given}") and said in the language of the request, its places filled.
"""

import re
from collections.abc import Mapping
from contextvars import ContextVar

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

PLACE = re.compile(r"\{(\w+)\}")
NESTED = ("error", "problem")
"""Places that hold a sentence themselves; a template counts only where that is known too."""
LONGEST = 2_000
"""Characters of a sentence that is looked up."""
LOOK_UPS = 32
"""Of one sentence and the sentences inside it: each holds it against every template once."""


class Template:
    """A sentence with places: the fixed texts between them, found from left to right and never gone back over."""

    def __init__(self, text: str) -> None:
        parts = PLACE.split(text)
        self.names = parts[1::2]
        self._start, *self._between = parts[::2]
        self._end = self._between.pop() if self._between else ""

    def places(self, sentence: str) -> dict[str, str] | None:
        """What stands in each place, as little as can be in the first ones and at least a character in each."""
        if not self.names:
            return {} if sentence == self._start else None
        if not (sentence.startswith(self._start) and sentence.endswith(self._end)):
            return None
        at, stop = len(self._start), len(sentence) - len(self._end)
        found = []
        for text in self._between:
            next_text = sentence.find(text, at + 1, stop)
            if next_text < 0:
                return None
            found.append(sentence[at:next_text])
            at = next_text + len(text)
        return dict(zip(self.names, [*found, sentence[at:stop]], strict=True)) if at < stop else None


class Sentences:
    """One language's failures: template → translation."""

    def __init__(self, translations: Mapping[str, str]) -> None:
        self._translations = translations
        most_words_first = sorted(translations, key=lambda template: -len(PLACE.sub("", template)))
        self._templates = [(Template(text), translations[text]) for text in most_words_first if PLACE.search(text)]

    def say(self, sentence: str) -> str:
        """The sentence in this language; as it is where its template is unknown."""
        return _Search(self._translations, self._templates).translated(sentence) or sentence


class _Search:
    """The templates behind one sentence and those inside it. Every sentence is looked up once, and few in all."""

    def __init__(self, translations: Mapping[str, str], templates: list[tuple[Template, str]]) -> None:
        self._translations = translations
        self._templates = templates
        self._known: dict[str, str | None] = {}

    def translated(self, sentence: str) -> str | None:
        """The translation; None where there is none, or none within ``LOOK_UPS``."""
        if sentence in self._translations:
            return self._translations[sentence]
        if len(sentence) > LONGEST:
            return None
        if sentence not in self._known and len(self._known) < LOOK_UPS:
            self._known[sentence] = None  # until it is known: what stands in itself is no sentence
            self._known[sentence] = self._look_up(sentence)
        return self._known.get(sentence)

    def _look_up(self, sentence: str) -> str | None:
        for template, translation in self._templates:
            places = template.places(sentence)
            if places is not None and (values := self._values(places)) is not None:
                return PLACE.sub(lambda place, known=values: known[place[1]], translation)  # type: ignore[misc]
        return None

    def _values(self, places: dict[str, str]) -> dict[str, str] | None:
        """What fills the places; None where a sentence among them is unknown."""
        filled = {}
        for name, value in places.items():
            inner = self.translated(value) if " " in value else None
            if name in NESTED and inner is None:
                return None
            filled[name] = inner or value
        return filled


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
