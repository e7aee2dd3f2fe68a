"""An analysis: its numbers, its files, and its view in a notebook."""

from __future__ import annotations

import base64
import html
import urllib.parse
from pathlib import Path
from typing import Any

from attention_observatory.arrays import np
from attention_observatory.connection import Connection
from attention_observatory.figures import figure_of
from attention_observatory.transformers_code import transformers_code

LONGEST_TEXT = 1_000
"""Largest number of characters of uploaded tokens in a frame's address."""


class Frame:
    """The Explorer at one address. A notebook displays it; elsewhere open ``url``."""

    def __init__(self, url: str, height: int) -> None:
        self.url = url
        self.height = height

    def __repr__(self) -> str:
        return f"Frame({self.url!r})"

    def _repr_html_(self) -> str:
        address = html.escape(self.url, quote=True)
        return (
            f'<iframe src="{address}" title="Attention Observatory" width="100%" height="{self.height}" '
            f'style="border: 0"></iframe><p><a href="{address}" target="_blank" rel="noopener">'
            "Open in the Attention Observatory</a></p>"
        )


class Saved:
    """A self-contained HTML file that needs no server. A notebook displays it and saves it with its output."""

    def __init__(self, page: str, height: int) -> None:
        self.page = page
        self.height = height

    def __repr__(self) -> str:
        return f"Saved({len(self.page):,} characters of HTML)"

    def _repr_html_(self) -> str:
        # The file's scripts run in a frame without access to the notebook.
        return (
            f'<iframe srcdoc="{html.escape(self.page, quote=True)}" title="Attention Observatory" width="100%" '
            f'height="{self.height}" sandbox="allow-scripts" style="border: 0"></iframe>'
        )

    def write(self, path: str | Path) -> Path:
        """Write the file."""
        path = Path(path)
        path.write_text(self.page, encoding="utf-8", newline="\n")
        return path


class Analysis:
    """An analysis on the server, and everything that can be requested about it. Rows are queries, columns are keys."""

    def __init__(self, connection: Connection, answer: dict[str, Any], request: dict[str, Any] | None = None) -> None:
        self._connection = connection
        self._request = request
        self.answer = answer
        """The whole answer, as the API documents it."""

    def __repr__(self) -> str:
        shape = f"{self.answer['layers']} layers × {self.answer['heads']} heads"
        return f"<Analysis {self.id}: {self.answer['model']['title']}, {shape}, {len(self.tokens)} tokens>"

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    @property
    def id(self) -> str:
        """The id; equal for equal requests."""
        return str(self.answer["id"])

    @property
    def tokens(self) -> list[str]:
        """The texts of the tokens; those of the source if there are two texts."""
        return [token["text"] for token in self.answer["tokens"]]

    @property
    def target_tokens(self) -> list[str] | None:
        """The texts of the target's tokens; None for a single text."""
        targets = self.answer["target_tokens"]
        return None if targets is None else [token["text"] for token in targets]

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
        matrix = self._connection.json(f"/api/analyses/{self.id}/weights", query)["matrix"]
        if np is None:
            return [[float(value) for value in row] for row in matrix]
        shape = tuple(int(size) for size in matrix["shape"].split(","))
        return np.frombuffer(base64.b64decode(matrix["bdata"]), "<f4").reshape(shape).copy()

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
        query = {"layer": layer, "head": head, "stage": stage, "part": part}
        return dict(self._connection.json(f"/api/analyses/{self.id}/distribution", query))

    def figure(
        self,
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
        ``rollout``, ``rollout/layers``, ``flow``, ``difference``, ``query_key_plane``, ``attribution``, ``output``,
        ``logit_lens``, ``direct_effect``; or ``metrics``, one number for each head. ``more`` has the other parameters
        of that path; ``draw``, the part of the answer that is drawn, such as ``draw="entropy"`` of the metrics;
        ``theme`` ("paper", "night") and ``lang`` ("en", "ja"). Raises ImportError without the package plotly.
        """
        query = {"layer": layer, "head": head, "stage": stage, "part": part, **more}
        query |= {"rows": _span(rows), "cols": _span(cols)}
        path = "" if kind == "metrics" else f"/{kind}"
        return figure_of(lambda: self._connection.json(f"/api/analyses/{self.id}{path}/figure", query))

    def url(self, **state: Any) -> str:
        """The Explorer's address of this analysis; ``state`` adds parameters (``layer=5, head=11, stage=…``)."""
        if self._request is None:
            words = " ".join(token["text"] for token in self.answer["tokens"] if not token["special"])
            places = {"model": self.id, "text": words[:LONGEST_TEXT]}
        else:
            names = {"model": "model", "text": "text", "text_pair": "pair", "target_text": "target"}
            places = {short: self._request[name] for name, short in names.items() if name in self._request}
        given = {name: value for name, value in state.items() if value is not None}
        return f"{self._connection.url}/?{urllib.parse.urlencode({**places, **given})}"

    def show(self, *, height: int = 720, **state: Any) -> Frame:
        """Show the Explorer in the notebook, at ``layer=…, head=…, query=…, key=…, stage=…`` as in its address."""
        return Frame(self.url(**state), height)

    def saved(self, *, height: int = 900, **selection: Any) -> Saved:
        """The view as one interactive HTML file that a notebook displays without server or network.

        ``selection`` is ``part, layer, head, stage, rows, cols, query, key, numbering, lang`` as in the API.
        """
        return Saved(self._exported("html", selection).decode(), height)

    def save_html(self, path: str | Path, **selection: Any) -> Path:
        """Write that file, for slides, a colleague, or offline use."""
        return self.saved(**selection).write(path)

    def save(self, path: str | Path, **selection: Any) -> Path:
        """Write a file in the format of its extension: ``.csv`` (one head), ``.npz``, ``.json`` or ``.html``.

        ``selection`` is ``part, layer, head, stage, rows, cols`` as in the API. Other extensions that the server
        supports work too.
        """
        path = Path(path)
        path.write_bytes(self._exported(path.suffix.removeprefix("."), selection))
        return path

    def _exported(self, kind: str, selection: dict[str, Any]) -> bytes:
        query = {name: _span(value) if name in {"rows", "cols"} else value for name, value in selection.items()}
        return self._connection.bytes(f"/api/analyses/{self.id}/export", {"format": kind, **query})


def _span(span: tuple[int, int] | None) -> str | None:
    return None if span is None else f"{span[0]}:{span[1]}"
