"""A client for an Attention Observatory server."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from attention_observatory.analysis import Analysis
from attention_observatory.connection import Connection
from attention_observatory.figures import figure_of
from attention_observatory.packing import pack


class Observatory:
    """A running Attention Observatory.

    ``timeout_s`` is the timeout of one request, ``patience_s`` how long to retry while the server is busy.
    """

    def __init__(
        self, url: str = "http://localhost:8000", *, timeout_s: float = 300.0, patience_s: float = 60.0
    ) -> None:
        self._connection = Connection(url, timeout_s=timeout_s, patience_s=patience_s)

    def __repr__(self) -> str:
        return f"Observatory({self._connection.url!r})"

    def models(self) -> list[dict[str, Any]]:
        """The server's models: id, title, layers, heads, availability, and the reason if unavailable."""
        return list(self._connection.json("/api/models")["models"])

    def analyse(
        self,
        text: str,
        model: str | None = None,
        *,
        text_pair: str | None = None,
        target_text: str | None = None,
        **more: Any,
    ) -> Analysis:
        """Run a model (by default the server's first) on a text.

        ``text_pair`` is a second text, ``target_text`` the decoder's text in an encoder–decoder model; ``more`` is
        added to the request unchanged.
        """
        if model is None:
            model = self._connection.json("/api/models")["default"]
        texts = {"text": text, "text_pair": text_pair, "target_text": target_text}
        fields = {"model": model, **{name: value for name, value in texts.items() if value is not None}, **more}
        answer = self._connection.json("/api/analyses", body=json.dumps(fields).encode())
        return Analysis(self._connection, answer, request=fields)

    def send(
        self,
        *,
        weights: Any = None,
        queries: Any = None,
        keys: Any = None,
        values: Any = None,
        mask: Any = None,
        scale: float | None = None,
        tokens: list[str] | None = None,
        key_tokens: list[str] | None = None,
        title: str | None = None,
        **parts: Any,
    ) -> Analysis:
        """Upload tensors computed elsewhere.

        ``weights`` are (layers, heads, queries, keys); instead of them ``queries`` (layers, heads, queries, head size)
        and ``keys`` (layers, key heads, keys, head size); with either ``values``. Tensors of NumPy or torch, nested
        lists, or a sequence with one tensor for each layer, as ``outputs.attentions`` of transformers is (a batch of
        one). ``mask`` is ``"causal"``, ``"none"`` or booleans, true where attention is allowed. ``tokens`` belong to
        the queries; ``key_tokens`` to the keys, where those are of another text. ``parts`` are the same arrays of an
        encoder–decoder model: ``encoder_weights``, ``decoder_weights``, ``cross_weights`` and so on.
        """
        arrays = {"weights": weights, "queries": queries, "keys": keys, "values": values, "mask": mask, **parts}
        labels = {"tokens": tokens, "key_tokens": key_tokens, "title": title, "scale": scale}
        return Analysis(self._connection, self._connection.json("/api/tensors", body=pack(arrays, labels)))

    def figure(self, concept: str, request: dict[str, Any], **query: Any) -> Any:
        """A concept's curves as a ``plotly.graph_objects.Figure``: ``rope``, ``alibi`` or ``scaling``.

        ``request`` is the body of ``POST /api/<concept>``; ``query`` is ``theme`` ("paper", "night"), of scaling also
        ``scores`` ("scaled", "raw"). Raises ImportError without the package plotly.
        """
        path, body = f"/api/{quote(concept, safe='')}/figure", json.dumps(request).encode()
        return figure_of(lambda: self._connection.json(path, query, body))

    def training_figure(self, run_id: str, *, curve: str = "loss", **query: Any) -> Any:
        """What a training run recorded so far: ``loss``, ``previous_token``, ``induction`` or ``answer``."""
        path = f"/api/training/{quote(run_id, safe='')}/figure"
        return figure_of(lambda: self._connection.json(path, {"curve": curve, **query}))

    def get(self, analysis_id: str) -> Analysis:
        """Fetch an analysis the server still keeps."""
        return Analysis(self._connection, self._connection.json(f"/api/analyses/{analysis_id}"))
