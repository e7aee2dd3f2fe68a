"""An analysis: its numbers, its files, and its view in a notebook."""

from __future__ import annotations

import importlib
import urllib.parse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attention_observatory.api.operations import Operations
from attention_observatory.arrays import decoded, needed, np
from attention_observatory.figures import figure_at
from attention_observatory.notebook import Saved, displayed
from attention_observatory.picture import labels_of, picture
from attention_observatory.studies import Studies
from attention_observatory.transformers_code import transformers_code

if TYPE_CHECKING:
    from attention_observatory.widget import Explorer

HEIGHT = 720
"""Of a view in a notebook, in pixels: the matrix and all heads are in sight."""
LONGEST_TEXT = 1_000
"""Largest number of characters of uploaded tokens in a frame's address."""


class Analysis(Studies):
    """An analysis on the server, and everything that can be requested about it. Rows are queries, columns are keys."""

    def __init__(self, api: Operations, answer: dict[str, Any], request: dict[str, Any] | None = None) -> None:
        self.api = api
        """Every operation of the API, typed."""
        self._request = request
        self.answer = answer
        """The whole answer, as the API documents it."""

    def __repr__(self) -> str:
        shape = f"{self.answer['layers']} layers × {self.answer['heads']} heads"
        return f"<Analysis {self.id}: {self.answer['model']['title']}, {shape}, {len(self.tokens)} tokens>"

    def _ipython_display_(self) -> None:
        displayed(self.show())

    @property
    def warnings(self) -> list[str]:
        """Caveats to read before trusting the numbers."""
        return [warning["message"] for warning in self.answer["warnings"]]

    @property
    def metrics(self) -> dict[str, Any]:
        """By name, (layers, heads) of the first part."""
        metrics: dict[str, Any] = self.answer["metrics"]
        return metrics if np is None else {name: np.array(values) for name, values in metrics.items()}

    def weights(
        self,
        layer: int,
        head: int,
        *,
        stage: str = "weights",
        part: str | None = None,
        rows: tuple[int, int] | None = None,
        cols: tuple[int, int] | None = None,
    ) -> Any:
        """One stage of one head, (queries, keys) float32: a NumPy array, or lists where there is no NumPy."""
        query = {"layer": layer, "head": head, "stage": stage, "part": part, "rows": _span(rows), "cols": _span(cols)}
        query["encoding"] = "json" if np is None else "base64"
        matrix: Any = self.api.get_weights(self.id, **query)["matrix"]  # type: ignore[arg-type]
        if np is None:
            return [[float(value) for value in row] for row in matrix]
        return decoded(matrix)

    def frame(
        self, layer: int | None = None, head: int | None = None, *, stage: str = "weights", part: str | None = None
    ) -> Any:
        """A ``pandas.DataFrame``: one head, labelled with its tokens; or every measure of every head, a row a head."""
        pandas = needed("pandas", "tables")
        if layer is not None and head is not None:
            queries, keys = labels_of(self, part or self.answer["parts"][0]["name"])
            return pandas.DataFrame(self.weights(layer, head, stage=stage, part=part), index=queries, columns=keys)
        measured = [
            {"part": each["name"], "layer": row, "head": column}
            | {name: values[row][column] for name, values in (each["metrics"] or self.answer["metrics"]).items()}
            for each in self.answer["parts"]  # the first part's metrics stand in the answer itself
            if part in {None, each["name"]}
            for row in range(each["layers"])
            for column in range(each["heads"])
        ]
        return pandas.DataFrame(measured).set_index(["part", "layer", "head"])

    def code(self, layer: int, head: int, *, part: str | None = None, query: int | None = None) -> str:
        """Python code that prints the same weights of one head, and one query's row, with transformers alone.

        Raises ValueError unless the server ran a model, as it is, on a text; also for a part that the model lacks.
        """
        if self._request is None or "text" not in self._request or self.answer["interventions"]:
            raise ValueError("code needs an analysis of a text by a model in which nothing was changed")
        names = [each["name"] for each in self.answer["parts"]]
        if part is not None and part not in names:
            raise ValueError(f"part is one of {', '.join(names)}, not {part!r}")
        return transformers_code(self._request, self.answer, layer, head, part, query)

    def distribution(self, layer: int, head: int, *, stage: str = "weights", part: str | None = None) -> dict[str, Any]:
        """Histogram, moments and per-row entropy, as returned by the API."""
        query: Any = {"layer": layer, "head": head, "stage": stage, "part": part}
        return dict(self.api.get_distribution(self.id, **query))

    def figure(
        self,
        /,
        layer: int | None = None,
        head: int | None = None,
        *,
        kind: str = "weights",
        stage: str = "weights",
        part: str | None = None,
        rows: tuple[int, int] | None = None,
        cols: tuple[int, int] | None = None,
        **more: Any,
    ) -> Any:
        """Anything that the API answers about the analysis, as a ``plotly.graph_objects.Figure``.

        ``kind`` is the last part of the API's path: ``weights`` and ``distribution`` of one stage of one head,
        ``rollout``, ``rollout/layers``, ``flow``, ``information_flow``, ``difference``, ``query_key_plane``,
        ``attribution``, ``output``, ``logit_lens``, ``direct_effect``; or ``metrics``, one number for each head.
        ``more`` has the other parameters of that path (``other``: an analysis or its id); ``draw``, the part of the
        answer that is drawn, such as
        ``draw="entropy"`` of the metrics; ``theme`` ("paper", "night") and ``lang`` ("en", "ja"). Raises ImportError
        without the package plotly.
        """
        more = {name: value.id if isinstance(value, Analysis) else value for name, value in more.items()}
        query = {"layer": layer, "head": head, "part": part, **more}
        query |= {"rows": _span(rows), "cols": _span(cols)}
        query |= {"stage": stage} if stage != "weights" else {}
        path = "" if kind == "metrics" else f"/{kind}"
        return figure_at(self.api, f"/api/analyses/{self.api.connection.quoted(self.id)}{path}", query)

    def url(self, /, **state: Any) -> str:
        """The Explorer's address of this analysis; ``state`` adds parameters (``layer=5, head=11, stage=…``)."""
        if self._request is None:
            words = " ".join(token["text"] for token in self.answer["tokens"] if not token["special"])
            places = {"model": self.id, "text": words[:LONGEST_TEXT]}
        else:
            names = {"model": "model", "text": "text", "text_pair": "pair", "target_text": "target"}
            places = {short: self._request[name] for name, short in names.items() if name in self._request}
        chosen = {name: value for name, value in state.items() if value is not None}
        return f"{self.api.connection.url}/?{urllib.parse.urlencode({**places, **chosen})}"

    def show(self, /, *, height: int = HEIGHT, view: str = "matrix", **selection: Any) -> Explorer | Saved:
        """Show the Explorer in the notebook, at ``layer=…, head=…, query=…, key=…, stage=…, view=…``.

        It is a widget: what is chosen in it are its attributes, to read and to set (``help(Explorer)``). The browser
        needs no way to the server. Without the package anywidget it is the saved view, which shows the same.
        ``selection`` is that of ``saved``, too. Raises TypeError for what neither has.
        """
        saved = self.saved(height=height, **selection)
        try:
            widget = importlib.import_module("attention_observatory.widget")
        except ImportError:
            return saved
        made: Explorer = widget.Explorer(
            self.api.connection, self.answer, saved.page, {"view": view, **selection}, height, partial(picture, self)
        )
        return made

    def saved(self, /, *, height: int = HEIGHT, **selection: Any) -> Saved:
        """The view as one interactive HTML file that a notebook displays without server or network.

        ``selection`` is ``part, layer, head, stage, rows, cols, query, key, numbering, lang`` as in the API.
        """
        return Saved(self._exported("html", selection).decode(), height)

    def save_html(self, /, path: str | Path, **selection: Any) -> Path:
        """Write that file, for slides, a colleague, or offline use."""
        return self.saved(**selection).write(path)

    def save(self, /, path: str | Path, **selection: Any) -> Path:
        """Write a file in the format of its extension: ``.csv`` (one head), ``.npz``, ``.json`` or ``.html``.

        ``selection`` is ``part, layer, head, stage, rows, cols`` as in the API. Other extensions that the server
        supports work too.
        """
        path = Path(path)
        path.write_bytes(self._exported(path.suffix.removeprefix("."), selection))
        return path

    def _exported(self, kind: str, selection: dict[str, Any]) -> bytes:
        query: Any = {name: _span(value) if name in {"rows", "cols"} else value for name, value in selection.items()}
        return self.api.get_export(self.id, format=kind, **query)  # type: ignore[arg-type]


def _span(span: tuple[int, int] | None) -> str | None:
    return None if span is None else f"{span[0]}:{span[1]}"
