"""A client for an Attention Observatory server."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from attention_observatory.analysis import Analysis
from attention_observatory.atlas import Atlas
from attention_observatory.connection import Connection, ObservatoryError
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

    def figure(self, concept: str, request: dict[str, Any] | None = None, **query: Any) -> Any:
        """A matrix, a curve or a distribution of a concept as a ``plotly.graph_objects.Figure``.

        ``concept`` is its name in the API, such as ``"scoring"`` or ``"scaling/growth"``, and ``request`` the body of
        ``POST /api/<concept>``; without one, ``query`` has the parameters of ``GET /api/<concept>``. ``query`` also
        has ``draw``, the part of the answer that is drawn (the API's description lists them), an index for each axis
        that this part has besides (``head=2``), ``theme`` ("paper", "night") and ``lang`` ("en", "ja").
        Raises ImportError without the package plotly.
        """
        body = None if request is None else json.dumps(request).encode()
        return figure_of(lambda: self._connection.json(f"/api/{quote(concept)}/figure", query, body))

    def training_figure(self, run_id: str, *, curve: str = "loss", **query: Any) -> Any:
        """What a training run recorded so far: ``loss``, ``previous_token``, ``induction`` or ``answer``."""
        path = f"/api/training/{quote(run_id, safe='')}/figure"
        return figure_of(lambda: self._connection.json(path, {"curve": curve, **query}))

    def circuits(
        self, model: str, layer: int, head: int, *, token: str | None = None, limit: int | None = None
    ) -> dict[str, Any]:
        """QK and OV circuits of a decoder's head from its weights alone, as returned by ``GET /api/circuits``.

        ``token`` is a text of exactly one token, such as ``" cat"``, whose rows are returned.
        """
        query = {"model": model, "layer": layer, "head": head, "token": token, "limit": limit}
        return dict(self._connection.json("/api/circuits", query))

    def composition(self, model: str, *, limit: int | None = None) -> dict[str, Any]:
        """How strongly a decoder's heads read what heads of earlier layers write, and all copying scores."""
        return dict(self._connection.json("/api/circuits/composition", {"model": model, "limit": limit}))

    def atlases(self) -> list[Atlas]:
        """Every atlas on the server."""
        return [Atlas(self._connection, facts) for facts in self._connection.json("/api/atlases")["atlases"]]

    def atlas(self, atlas_id: str) -> Atlas:
        """One atlas. Raises ObservatoryError if there is none, or while it is being computed."""
        facts = self._connection.json(f"/api/atlases/{quote(atlas_id, safe='')}")["facts"]
        if facts is None:
            raise ObservatoryError("this atlas is not finished", code="not_finished", field="atlas_id")
        return Atlas(self._connection, facts)

    def scan(
        self,
        model: str,
        corpus: str | Path = "probe",
        *,
        progress: Callable[[dict[str, Any]], object] | None = None,
        **settings: Any,
    ) -> Atlas:
        """Scan a corpus with a model on the server, and wait for the atlas; again, it is there or goes on.

        ``corpus`` is the id of one of the server's, or a ``Path``: that file is uploaded. ``progress`` is called with
        each state (``shards_done``, ``shards``, ``tokens_per_second``, ``seconds_left`` …). ``settings`` are
        ``max_tokens``, ``window_tokens`` and ``seed``. Raises ObservatoryError if the scan is stopped or fails.
        """
        if isinstance(corpus, Path):
            corpus = self._connection.json("/api/corpora", {"name": corpus.name}, corpus.read_bytes())["id"]
        body = json.dumps({"model": model, "corpus": corpus, **settings}).encode()
        state = self._connection.json("/api/atlases", body=body)
        for event in self._connection.events(f"/api/atlases/{state['id']}/events"):
            state = event
            if progress is not None:
                progress(state)
        if state["state"] != "finished":
            raise ObservatoryError(state["message"] or f"the scan is {state['state']}", code="scan_not_finished")
        return self.atlas(state["id"])

    def get(self, analysis_id: str) -> Analysis:
        """Fetch an analysis the server still keeps."""
        return Analysis(self._connection, self._connection.json(f"/api/analyses/{analysis_id}"))
