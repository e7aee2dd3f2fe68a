"""Optional Plotly support: the server's figures as ``plotly.graph_objects.Figure``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from attention_observatory.api.operations import Operations
from attention_observatory.api.routes import FIGURES, OPERATIONS
from attention_observatory.arrays import decoded, needed, np

EVERYWHERE = {"lang"}
"""What every address takes besides: the language of the answer's texts."""
PLACE = re.compile(r"{(\w+)}")


def figure_of(ask: Callable[[], dict[str, Any]]) -> Any:
    """The figure in an answer, its arrays as NumPy's where there is NumPy. Raises ImportError without plotly."""
    go = needed("plotly.graph_objects", "figures")
    answer = ask()
    return go.Figure(data=_decoded(answer["data"]), layout=answer["layout"])


def figure_at(api: Operations, address: str, given: Mapping[str, Any], body: Mapping[str, Any] | None = None) -> Any:
    """What is answered at an address, as a figure.

    ``given`` are the query's parameters, ``body`` what is posted. Raises ValueError if the address has no figures,
    TypeError for a parameter that they do not take.
    """
    method = "GET" if body is None else "POST"
    route = next((each for each in FIGURES if _leads_to(each, f"{method} {address}")), None)
    if route is None:
        raise ValueError(f"the API has no figure at {address}")
    own = inspect.signature(getattr(api, OPERATIONS[route])).parameters
    known = (own.keys() | set(FIGURES[route]) | EVERYWHERE) - set(PLACE.findall(route))
    for name, value in {**given, **(body or {})}.items():
        if value is not None and name not in known:
            raise TypeError(f"the figure at {address} takes {', '.join(sorted(known))}, not {name!r}")
    return figure_of(lambda: api.connection.json(method, address, {**given, "as": "figure"}, body))


def _leads_to(route: str, address: str) -> bool:
    """Whether an address is one of a route, whose places stand in braces."""
    return re.fullmatch(PLACE.sub("[^/]+", route), address) is not None


def _decoded(value: Any) -> Any:
    """Arrays in Plotly's typed form become NumPy's; plotly reads that form, too, but hands it out as it is."""
    if isinstance(value, list):
        return [_decoded(each) for each in value]
    if not isinstance(value, dict):
        return value
    if np is None or "bdata" not in value:
        return {name: _decoded(each) for name, each in value.items()}
    return decoded(value)
