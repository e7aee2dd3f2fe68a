"""Optional Plotly support: the server's figures as ``plotly.graph_objects.Figure``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attention_observatory.api.operations import Operations
from attention_observatory.api.routes import OPERATIONS
from attention_observatory.arrays import decoded, needed, np

EVERYWHERE = {"lang"}
"""What every address takes besides: the language of the answer's texts."""


def figure_of(ask: Callable[[], dict[str, Any]]) -> Any:
    """The figure in an answer, its arrays as NumPy's where there is NumPy. Raises ImportError without plotly."""
    go = needed("plotly.graph_objects", "figures")
    answer = ask()
    return go.Figure(data=_decoded(answer["data"]), layout=answer["layout"])


def figure_at(
    api: Operations,
    path: str,
    given: Mapping[str, Any],
    *,
    places: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
) -> Any:
    """The figure at an address of the API. Raises ValueError if there is none, TypeError for an unknown parameter.

    ``places`` are the parts of the path, ``given`` the query's parameters, ``body`` what is posted.
    """
    method, places = "GET" if body is None else "POST", places or {}
    operation = OPERATIONS.get(f"{method} {path}")
    if operation is None:
        raise ValueError(f"the API has no figure at {path}")
    refuse_unknown(
        api, operation, [name for name, value in {**given, **(body or {})}.items() if value is not None], places
    )
    address = path.format(**{name: api.connection.quoted(value) for name, value in places.items()})
    return figure_of(lambda: api.connection.json(method, address, given, body))


def refuse_unknown(api: Operations, operation: str, names: Iterable[str], places: Iterable[str] = ()) -> None:
    """Raise TypeError for a name that an operation does not take."""
    known = set(inspect.signature(getattr(api, operation)).parameters) - set(places)
    unknown = [name for name in names if name not in known | EVERYWHERE]
    if unknown:
        raise TypeError(f"{operation} takes {', '.join(sorted(known))}, not {unknown[0]!r}")


def _decoded(value: Any) -> Any:
    """Arrays in Plotly's typed form become NumPy's; plotly reads that form, too, but hands it out as it is."""
    if isinstance(value, list):
        return [_decoded(each) for each in value]
    if not isinstance(value, dict):
        return value
    if np is None or "bdata" not in value:
        return {name: _decoded(each) for name, each in value.items()}
    return decoded(value)
