"""The state that a page's address asks for: presets, control values, conditions, asked by its template.

A missing or invalid value is the field's default, as in ``static/js/base/fields.js``. A browser test compares each page
as it is served with the page as its script leaves it.
"""

import math
import re
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from .fields import Field

NOT_OF_A_PRESET = frozenset({"lang", "theme", "step", "present"})
"""Parameters of every page, whichever preset is shown."""
CONDITION = re.compile(r"(\w+)(?:(!?)=(.*))?")


class AddressState:
    """What one request's address says of the page's fields."""

    def __init__(
        self, query: Mapping[str, str], fields: Mapping[str, Field], translate: Callable[[str], str] = str
    ) -> None:
        self._query = {name: text for name, text in query.items() if name not in NOT_OF_A_PRESET}
        self._fields = fields
        self._translate = translate
        self._derived: dict[str, Any] = {}
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

    def field(self, name: str) -> Field:
        """The declaration of a field. Raises ValueError if the page has none of this name."""
        if name not in self._fields:
            raise ValueError(f"the page has no field {name!r}")
        return self._fields[name]

    def value(self, name: str) -> Any:
        """A field's value: what the address gives if that is valid, else its default."""
        if name in self._derived:
            return self._derived[name]
        field = self.field(name)
        value = field.parse(self._query.get(field.name or name, "")) if self.has(field.name or name) else None
        if value is None:
            return self._translate(field.start) if field.is_translated else field.start
        return value

    def derive(self, name: str, value: Any) -> Any:
        """Take this value of a field, which depends on others; returns it."""
        self._derived[name] = value
        return value

    def choices(self, name: str, texts: Any) -> Any:
        """The values of a field with their texts, or without texts if there are none; none if answers bring them.

        Raises ValueError for texts of other values than the field's.
        """
        choices = self.field(name).choices
        if texts and choices and {str(one) for one in texts} != set(choices):
            raise ValueError(f"{name}: the template has {list(texts)}, the field {list(choices)}")
        return texts or choices

    def item(self, name: str, index: float, start: float) -> str:
        """One number of a list that the address gives, or else this one."""
        field = self.field(name)
        values = self.value(name) if self.has(field.name or name) else []
        return self.plain(values[int(index)] if int(index) < len(values) else start)

    def holds(self, condition: str) -> bool:
        """Whether a condition is true, such as ``rope``, ``view=map,step`` or ``view!=map``.

        Raises ValueError if it names no field.
        """
        name, negated, wanted = CONDITION.fullmatch(condition).groups()  # type: ignore[union-attr]
        value = self.value(name)
        if wanted is None:
            return bool(value)
        return (self.plain(value) in wanted.split(",")) != (negated == "!")

    @staticmethod
    def plain(value: Any) -> str:
        """A value as JavaScript prints it, lists as a control shows them."""
        if isinstance(value, list):
            return ", ".join(map(AddressState.plain, value))
        if isinstance(value, bool) or not isinstance(value, float | int):
            return str(value).lower() if isinstance(value, bool) else str(value)
        return str(int(value)) if float(value).is_integer() else repr(value)

    @staticmethod
    def shown(value: float, digits: int | None = None) -> str:
        """A number as readers see it, with a minus sign."""
        if digits is None:
            return AddressState.plain(value).replace("-", "−")
        rounded = Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
        return f"{rounded:f}".replace("-", "−")

    @staticmethod
    def place(value: float, is_log: bool) -> str:
        """The place of a value on a slider, which may be logarithmic."""
        return AddressState.plain(math.log10(value) if is_log else value)
