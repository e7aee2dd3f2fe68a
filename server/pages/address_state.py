"""The state that a page's address asks for, as far as its template shows it: presets, control values, conditions.

The rules are those of ``static/js/base/fields.js``: a missing or invalid value is the default. A browser test compares
each page as it is served with the page as its script leaves it.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

NOT_OF_A_PRESET = frozenset({"lang", "theme", "step", "present"})
"""Parameters of every page, whichever preset is shown."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
BETWEEN_NUMBERS = re.compile(r"[,_;\s]+")
CONDITION = re.compile(r"(\w+)(?:(!?)=(.*))?")
LONGEST = 200
"""Characters of a value whose choices only an answer brings."""


class AddressState:
    """What one request's address says; a template asks while it is rendered, and the fields it asked for are kept."""

    def __init__(self, query: Mapping[str, str]) -> None:
        self._query = {name: text for name, text in query.items() if name not in NOT_OF_A_PRESET}
        self._values: dict[str, str | bool] = {}
        self.notice: str | None = None
        """The remark on the preset that the address asks for; None for settings of one's own."""

    def is_preset(self, values: Mapping[str, Any], notice: str) -> bool:
        """Whether the address asks for exactly these values; the first preset that it asks for is the shown one."""
        is_shown = self.notice is None and self._query == {name: str(value) for name, value in values.items()}
        if is_shown:
            self.notice = notice
        return is_shown

    def has(self, name: str) -> bool:
        """Whether the address names this parameter."""
        return name in self._query

    def number(
        self, name: str, start: float, least: float, most: float, whole: bool = False, field: str | None = None
    ) -> float:
        """A number between two bounds; ``name`` is the parameter's, ``field`` the state's where that differs."""
        number = _number(self._query.get(name, ""))
        is_valid = number is not None and least <= number <= most and not (whole and number % 1)
        value = number if number is not None and is_valid else start
        self._values[field or name] = self.plain(value)
        return value

    def choice(self, name: str, allowed: Iterable[Any], start: Any = None) -> str:
        """One of some values, the first by default; any text or number where only an answer brings the others."""
        texts = [str(value) for value in allowed]
        first = str(start) if start is not None else texts[0]
        text = self._query.get(name, first)
        if texts:
            is_valid = text in texts
        else:
            is_valid = bool(re.fullmatch(r"-?\d+", text)) if isinstance(start, int) else len(text) <= LONGEST
        self._values[name] = value = text if is_valid else first
        return value

    def flag(self, name: str, start: bool = False) -> bool:
        """Yes or no, written as 1 or 0."""
        value = {"1": True, "0": False}.get(self._query.get(name, ""), start)
        self._values[name] = value
        return value

    def text(self, name: str, start: str, longest: int) -> str:
        """A text up to a length."""
        text = self._query.get(name, start)
        self._values[name] = value = text if len(text) <= longest else start
        return value

    def numbers(self, name: str, start: Sequence[float]) -> str:
        """A list of numbers, as a control shows it."""
        numbers = [_number(part) for part in BETWEEN_NUMBERS.split(self._query.get(name, ""))]
        values = [number for number in numbers if number is not None]
        return ", ".join(self.plain(value) for value in (values if len(values) == len(numbers) else start))

    def count(self, name: str, start: int) -> int:
        """How many numbers the address lists."""
        return len(BETWEEN_NUMBERS.split(self._query[name])) if name in self._query else start

    def item(self, name: str, index: float, start: float) -> str:
        """One number of a list, as a control shows it."""
        parts = BETWEEN_NUMBERS.split(self._query.get(name, ""))
        number = _number(parts[int(index)]) if int(index) < len(parts) else None
        return self.plain(start if number is None else number)

    def value_of(self, field: str) -> float:
        """The number that a control above is bound to."""
        return float(self._values[field])

    def holds(self, condition: str) -> bool:
        """Whether a condition is true, such as ``rope``, ``view=map,step`` or ``view!=map``.

        Raises ValueError if no control before it is bound to its field.
        """
        name, negated, wanted = CONDITION.fullmatch(condition).groups()  # type: ignore[union-attr]
        if name not in self._values:
            raise ValueError(f"condition {condition!r}: no control above it is bound to {name!r}")
        value = self._values[name]
        if wanted is None:
            return bool(value)
        return (str(value) in wanted.split(",")) != (negated == "!")

    @staticmethod
    def plain(value: float) -> str:
        """A number as JavaScript prints it."""
        return str(int(value)) if float(value).is_integer() else repr(value)

    @staticmethod
    def shown(value: float, digits: int | None = None) -> str:
        """A number as readers see it, with a minus sign."""
        if digits is None:
            return AddressState.plain(value).replace("-", "−")
        rounded = Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
        return f"{rounded:f}".replace("-", "−")

    @staticmethod
    def log10(value: float) -> float:
        """The position of a value on a logarithmic slider."""
        return math.log10(value)


def _number(text: str) -> float | None:
    plain = text.strip().replace("−", "-", 1)
    return float(plain) if NUMBER.fullmatch(plain) else None
