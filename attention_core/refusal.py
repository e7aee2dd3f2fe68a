"""Refusals as message templates with values, translated where they are shown.

Errors that a request can cause are raised as a ``Refusal``. ``str(error)`` is the finished English sentence; to show
it in another language, translate the template and fill that::

    raise InvalidValueError("{name} must be > {least}, not {given}", "temperature", 0, temperature)

Templates are literals, so that the catalogue of translations can be extracted from the code.
"""

import re
from collections.abc import Callable, Iterable

PLACE = re.compile(r"\{(\w+)\}")


class Sentence:
    """A template such as ``"{name} must not be empty"`` with its values, positional or by name.

    A value that is itself a sentence or a refusal is translated too. Any other is formatted by ``str``; callers format
    what needs quotes, digits or a list. Names without a placeholder are ignored.
    """

    __slots__ = ("template", "values")

    def __init__(self, template: str, /, *values: object, **named: object) -> None:
        places = dict.fromkeys(PLACE.findall(template))
        others = (place for place in places if place not in named)
        named_values = {**named, **dict(zip(others, values, strict=False))}
        self.template = template
        self.values = {place: _part(named_values[place]) for place in places if place in named_values}

    def __str__(self) -> str:
        return self.translated(str)

    def __repr__(self) -> str:
        return f"Sentence({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sentence) and (self.template, self.values) == (other.template, other.values)

    def __hash__(self) -> int:
        return hash((self.template, *sorted(self.values)))

    def translated(self, translate: Callable[[str], str]) -> str:
        """The formatted sentence, its template translated by ``translate``."""

        def fill(place: re.Match[str]) -> str:
            value = self.values.get(place[1], place[0])
            return value.translated(translate) if isinstance(value, Sentence) else value

        return PLACE.sub(fill, translate(self.template))


class Refusal(Exception):  # noqa: N818 - not every subclass is an error: the caller may have gone away
    """A request that cannot be fulfilled; ``sentence`` says why.

    ``field`` is the part of the request that is wrong and ``limit`` the bound it exceeds, where they are known; both
    may appear in the sentence. Refusals can be pickled.
    """

    def __init__(
        self, template: str | Sentence, /, *values: object, field: str | None = None, limit: int | float | None = None
    ) -> None:
        named = {name: value for name, value in (("field", field), ("limit", limit)) if value is not None}
        self.sentence = template if isinstance(template, Sentence) else Sentence(template, *values, **named)
        self.field = field
        self.limit = limit

    def __str__(self) -> str:
        return str(self.sentence)


class InvalidValueError(Refusal, ValueError):
    """An argument value that a mechanism does not accept; the sentence begins with the argument's name."""


def check_at_least(least: int, **arguments: int) -> None:
    """Raise ValueError that names the first argument below ``least``."""
    for name, value in arguments.items():
        if value < least:
            raise InvalidValueError("{name} must be at least {least}, not {given}", name, least, value)


def check_choice(name: str, given: object, choices: Iterable[str]) -> None:
    """Raise ValueError unless ``given`` is one of the choices."""
    if given not in (known := list(choices)):
        raise InvalidValueError("{name} must be one of {choices}, not {given}", name, ", ".join(known), repr(given))


def _part(value: object) -> str | Sentence:
    if isinstance(value, Refusal):
        return value.sentence
    if isinstance(value, Sentence):
        return value
    return str(value).encode("utf-8", "backslashreplace").decode()  # names of files may hold what no text can
