"""Optional Plotly support: the server's figures as ``plotly.graph_objects.Figure``."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from attention_observatory.arrays import np

MISSING = "figures need the package plotly: pip install plotly"


def figure_of(ask: Callable[[], dict[str, Any]]) -> Any:
    """The figure in an answer, its arrays as NumPy's where there is NumPy. Raises ImportError without plotly."""
    try:
        import plotly.graph_objects as go  # noqa: PLC0415 - only who wants figures needs it
    except ImportError as error:
        raise ImportError(MISSING) from error
    answer = ask()
    return go.Figure(data=_decoded(answer["data"]), layout=answer["layout"])


def _decoded(value: Any) -> Any:
    """Arrays in Plotly's typed form become NumPy's; plotly reads that form, too, but hands it out as it is."""
    if isinstance(value, list):
        return [_decoded(each) for each in value]
    if not isinstance(value, dict):
        return value
    if np is None or "bdata" not in value:
        return {name: _decoded(each) for name, each in value.items()}
    flat = np.frombuffer(base64.b64decode(value["bdata"]), "<" + value["dtype"])
    return flat.reshape([int(size) for size in str(value.get("shape", flat.size)).split(",")]).copy()
