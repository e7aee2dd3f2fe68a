"""The state that a page's address asks for, as far as its template shows it: presets, control values, conditions."""

from collections.abc import Mapping
from typing import Any

NOT_OF_A_PRESET = frozenset({"lang", "theme", "step", "present"})
"""Parameters of every page, whichever preset is shown."""


class AddressState:
    """What one request's address says; a template asks while it is rendered, and what it declared is kept."""

    def __init__(self, query: Mapping[str, str]) -> None:
        self._query = {name: text for name, text in query.items() if name not in NOT_OF_A_PRESET}
        self.notice: str | None = None
        """The remark on the preset that the address asks for; None for settings of one's own."""

    def is_preset(self, values: Mapping[str, Any], notice: str) -> bool:
        """Whether the address asks for exactly these values; the first preset that it asks for is the shown one."""
        is_shown = self.notice is None and self._query == {name: str(value) for name, value in values.items()}
        if is_shown:
            self.notice = notice
        return is_shown
