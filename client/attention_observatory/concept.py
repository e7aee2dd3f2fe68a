"""The answer of a concept: its numbers as arrays, tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_observatory.api.operations import Operations
from attention_observatory.api.routes import OPERATIONS
from attention_observatory.arrays import needed, with_arrays
from attention_observatory.figures import figure_at


class ConceptAnswer(dict[str, Any]):
    """An answer by its fields' names; matrices are NumPy arrays."""

    def __init__(self, api: Operations, concept: str, request: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        super().__init__(with_arrays(answer))
        self._api = api
        self._concept = concept
        self._request = request

    def frame(self, field: str) -> Any:
        """A matrix or a list of records as a ``pandas.DataFrame``. Raises ImportError without the package pandas."""
        return needed("pandas", "tables").DataFrame(self[field])

    def figure(self, draw: str | None = None, **at: Any) -> Any:
        """A part of the answer as a ``plotly.graph_objects.Figure``: see ``Observatory.figure``."""
        return figure_at(self._api, f"/api/{self._concept}", {"draw": draw, **at}, self._request)


def ask_concept(api: Operations, concept: str, fields: Mapping[str, Any]) -> ConceptAnswer:
    """``POST /api/<concept>``. Raises TypeError for a field that it does not have, ValueError for no concept."""
    operation = OPERATIONS.get(f"POST /api/{concept}")
    if operation is None:
        names = (address.removeprefix("POST /api/") for address in OPERATIONS if address.startswith("POST /api/"))
        concepts = ", ".join(name for name in names if "{" not in name)
        raise ValueError(f"{concept!r} is none of {concepts}")
    return ConceptAnswer(api, concept, fields, getattr(api, operation)(**fields))
