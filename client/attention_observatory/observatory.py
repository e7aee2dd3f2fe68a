"""A client for an Attention Observatory server."""

from __future__ import annotations

import base64
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attention_observatory.analysis import Analysis
from attention_observatory.api.operations import Operations
from attention_observatory.atlas import Atlas
from attention_observatory.concept import ConceptAnswer, ask_concept
from attention_observatory.connection import Connection, ObservatoryError
from attention_observatory.figures import figure_at
from attention_observatory.handed_out import NOTHING, whole
from attention_observatory.packing import pack
from attention_observatory.progress import Bar, Progress
from attention_observatory.training import TrainingRun

TOO_LARGE = 413
INSTEAD = (
    "Send queries and keys instead of weights: they grow with the number of tokens, not with its square, and the "
    "server computes the same weights from them."
)
POLL_S = 0.2


class ObservatoryWarning(UserWarning):
    """Something about the numbers that has to be known before they are trusted."""


class Observatory:
    """A running Attention Observatory.

    ``timeout_s`` is the timeout of one request, ``patience_s`` how long to retry while the server is busy.
    """

    def __init__(
        self, url: str = "http://localhost:8000", *, timeout_s: float = 300.0, patience_s: float = 60.0
    ) -> None:
        self.api = Operations(Connection(url, timeout_s=timeout_s, patience_s=patience_s))
        """Every operation of the API, by its id, with typed requests and answers."""

    def __repr__(self) -> str:
        return f"Observatory({self.api.connection.url!r})"

    def models(self) -> list[dict[str, Any]]:
        """The server's models: id, title, layers, heads, availability, and the reason if unavailable."""
        return [dict(model) for model in self.api.list_models()["models"]]

    def load(self, model: str, *, progress: Progress = True) -> None:
        """Load a model and wait until it is in memory. Raises ObservatoryError if it cannot be loaded."""
        state: Any = self.api.post_model_load(model=model)
        with Bar(progress, model, unit="B") as bar:
            while True:
                bar.show(state, state["done_bytes"], state["total_bytes"] or None, state["state"])
                if state["state"] == "ready":
                    return
                if state["state"] in {"failed", "idle"}:
                    raise ObservatoryError(state["message"] or f"{model} was not loaded", code="model_not_loaded")
                time.sleep(POLL_S)
                state = self.api.get_model_loading(model=model)

    def analyse(
        self,
        text: str,
        model: str | None = None,
        *,
        text_pair: str | None = None,
        target_text: str | None = None,
        chat: bool | None = None,
        system_text: str | None = None,
        parity: bool | None = None,
        interventions: Sequence[dict[str, Any]] | None = None,
    ) -> Analysis:
        """Run a model (by default the one that the server's pages open with) on a text.

        ``text_pair`` is a second text, ``target_text`` the decoder's text in an encoder–decoder model; ``chat`` puts
        the text, and ``system_text`` before it, into the model's chat template; ``interventions`` change the model.
        """
        fields: dict[str, Any] = {
            "model": model if model is not None else self.api.list_models()["default"],
            "text": text,
            "text_pair": text_pair,
            "target_text": target_text,
            "chat": chat,
            "system_text": system_text,
            "parity": parity,
            "interventions": None if interventions is None else list(interventions),
        }
        fields = {name: value for name, value in fields.items() if value is not None}
        return Analysis(self.api, dict(self.api.post_analysis(**fields)), request=fields)

    def analyse_image(
        self,
        image: bytes | str | Path,
        model: str,
        *,
        parity: bool | None = None,
        interventions: Sequence[dict[str, Any]] | None = None,
    ) -> Analysis:
        """Run a vision transformer on a PNG, JPEG or WebP file, or on its bytes. Its tokens are patches."""
        data = image if isinstance(image, bytes) else Path(image).read_bytes()
        changes = None if interventions is None else list(interventions)
        encoded = base64.b64encode(data).decode()
        more: Any = {"parity": parity, "interventions": changes}
        return Analysis(self.api, dict(self.api.post_image(model=model, image=encoded, **more)))

    def analyse_sound(
        self,
        sound: bytes | str | Path,
        model: str,
        *,
        target_text: str | None = None,
        transcribe: bool | None = None,
        parity: bool | None = None,
        interventions: Sequence[dict[str, Any]] | None = None,
    ) -> Analysis:
        """Run an audio model on a file, or on its bytes. Its tokens are positions in time.

        ``target_text`` is the decoder's text so far; with ``transcribe`` the model writes it itself.
        """
        data = sound if isinstance(sound, bytes) else Path(sound).read_bytes()
        changes = None if interventions is None else list(interventions)
        more: Any = {"target_text": target_text, "transcribe": transcribe, "parity": parity, "interventions": changes}
        encoded = base64.b64encode(data).decode()
        return Analysis(self.api, dict(self.api.post_sound(model=model, sound=encoded, **more)))

    def send(
        self,
        /,
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
        one), also of ``generate()``. ``mask`` is ``"causal"``, ``"none"`` or booleans, true where attention is
        allowed. ``tokens`` belong to the queries; ``key_tokens`` to the keys, where those are of another text.
        ``parts`` are the same arrays of an encoder–decoder model: ``encoder_weights``, ``decoder_weights`` and so on.

        Warns (ObservatoryWarning) of what the answer says to read first: rows of weights that do not add up to 1,
        queries that may attend to no key …
        """
        tensors = {"weights": weights, "queries": queries, "keys": keys, "values": values, "mask": mask, **parts}
        arrays, tokens = whole(tensors, tokens)
        labels = {"tokens": tokens, "key_tokens": key_tokens, "title": title, "scale": scale}
        try:
            answer = self.api.post_tensors(pack(arrays, labels))
        except ObservatoryError as error:
            if error.status == TOO_LARGE and any(arrays[name] is not None for name in arrays if "weights" in name):
                raise _with_advice(error, INSTEAD) from None
            if all(array is None for array in arrays.values()):
                raise _with_advice(error, NOTHING) from None
            raise
        analysis = Analysis(self.api, dict(answer))
        for warning in analysis.warnings:
            warnings.warn(warning, ObservatoryWarning, stacklevel=2)
        return analysis

    def get(self, analysis_id: str) -> Analysis:
        """Fetch an analysis the server still keeps."""
        return Analysis(self.api, dict(self.api.get_analysis(analysis_id)))

    def concept(self, /, concept: str, **fields: Any) -> ConceptAnswer:
        """``POST /api/<concept>``, such as ``"scoring"`` or ``"scaling/growth"``, with the request's fields.

        The answer is a dictionary whose matrices are NumPy arrays; it also makes tables and figures of them. Raises
        TypeError for a field that the concept does not have.
        """
        return ask_concept(self.api, concept, fields)

    def figure(self, /, concept: str, request: dict[str, Any] | None = None, **query: Any) -> Any:
        """A matrix, a curve or a distribution of a concept as a ``plotly.graph_objects.Figure``.

        ``concept`` is its name in the API, such as ``"scoring"`` or ``"scaling/growth"``, and ``request`` the body of
        ``POST /api/<concept>``; without one, ``query`` has the parameters of ``GET /api/<concept>``, which may be any
        address that has figures, such as ``f"prompts/{prompts_id}/measures"``. ``query`` also has ``draw``, the part of
        the answer that is drawn (the API's description lists them), an index for each axis that this part has besides
        (``head=2``), ``theme`` ("paper", "night") and ``lang`` ("en", "ja"). Raises ImportError without plotly.
        """
        return figure_at(self.api, f"/api/{concept}", query, request)

    def train(self, /, *, progress: Progress = True, follow: bool = True, **fields: Any) -> TrainingRun:
        """Train a small transformer on the server, and wait until it has learnt.

        ``fields`` are those of ``POST /api/training``: ``task``, ``steps``, ``num_layers``, ``seed`` … With
        ``follow=False`` the run is returned at once; ``run.follow()`` waits for it later.
        """
        run = TrainingRun(self.api, dict(self.api.post_training(**fields)))
        return run.follow(progress=progress) if follow else run

    def training(self, run_id: str) -> TrainingRun:
        """A run that began earlier."""
        return TrainingRun(self.api, dict(self.api.get_training(run_id)))

    def training_figure(self, /, run_id: str, *, curve: str = "loss", **query: Any) -> Any:
        """What a training run recorded so far: ``loss``, ``previous_token``, ``induction`` or ``answer``."""
        address = f"/api/training/{self.api.connection.quoted(run_id)}"
        return figure_at(self.api, address, {"draw": curve, **query})

    def circuits(
        self, model: str, layer: int, head: int, *, token: str | None = None, limit: int | None = None
    ) -> dict[str, Any]:
        """QK and OV circuits of a decoder's head from its weights alone, as returned by ``GET /api/circuits``.

        ``token`` is a text of exactly one token, such as ``" cat"``, whose rows are returned.
        """
        return dict(self.api.get_circuits(model=model, layer=layer, head=head, token=token, limit=limit))

    def composition(self, model: str, *, limit: int | None = None) -> dict[str, Any]:
        """How strongly a decoder's heads read what heads of earlier layers write, and all copying scores."""
        return dict(self.api.get_circuit_composition(model=model, limit=limit))

    def patching(
        self, /, model: str, clean: str | None = None, corrupt: str | None = None, **more: Any
    ) -> ConceptAnswer:
        """Activation patching between two prompts of equally many tokens, as returned by ``POST /api/patching``.

        ``effects`` are [layers][heads], or [layers][positions] with ``by="position"``. ``more`` are further fields of
        the request, such as ``what="pattern"``, ``answer=" cat"`` and ``chat=True`` for two chat messages; for a
        classifier of images, ``clean_analysis`` and ``corrupt_analysis`` in place of the texts, ids of two images'
        analyses.
        """
        return ask_concept(self.api, "patching", {"model": model, **_given(clean=clean, corrupt=corrupt), **more})

    def path_patching(
        self, /, model: str, clean: str | None = None, corrupt: str | None = None, **more: Any
    ) -> ConceptAnswer:
        """Path patching from every head to the logits, as returned by ``POST /api/patching/paths``.

        ``fixed="receiver"`` or ``"sender"`` with ``layer`` and ``head`` follows the paths to or from one head,
        ``feed_forward="held"`` those along the residual stream alone.
        """
        return ask_concept(self.api, "patching/paths", {"model": model, **_given(clean=clean, corrupt=corrupt), **more})

    def atlases(self) -> list[Atlas]:
        """Every atlas on the server."""
        return [Atlas(self.api, dict(facts)) for facts in self.api.list_atlases()["atlases"]]

    def atlas(self, atlas_id: str) -> Atlas:
        """One atlas. Raises ObservatoryError if there is none, or while it is being computed."""
        facts = self.api.get_atlas(atlas_id)["facts"]
        if facts is None:
            raise ObservatoryError("this atlas is not finished", code="not_finished", field="atlas_id")
        return Atlas(self.api, dict(facts))

    def scan(
        self,
        model: str,
        corpus: str | Path = "probe",
        *,
        progress: Progress = True,
        max_tokens: int | None = None,
        window_tokens: int | None = None,
        seed: int | None = None,
    ) -> Atlas:
        """Scan a corpus with a model on the server, and wait for the atlas; again, it is there or goes on.

        ``corpus`` is the id of one of the server's, or a ``Path``: that file is uploaded. ``progress`` is a function
        that is called with each state (``shards_done``, ``shards``, ``tokens_per_second``, ``seconds_left`` …), or
        whether to show a bar. Raises ObservatoryError if the scan is stopped or fails.
        """
        if isinstance(corpus, Path):
            corpus = self.api.post_corpus(corpus.read_bytes(), name=corpus.name)["id"]
        settings = {"max_tokens": max_tokens, "window_tokens": window_tokens, "seed": seed}
        state: Any = self.api.post_atlas(model=model, corpus=corpus, **settings)
        with Bar(progress, corpus, unit="shard") as bar:
            for event in self.api.get_atlas_events(state["id"]):
                state = event
                bar.show(state, state["shards_done"], state["shards"])
        if state["state"] != "finished":
            raise ObservatoryError(state["message"] or f"the scan is {state['state']}", code="scan_not_finished")
        return self.atlas(state["id"])


def _given(**fields: str | None) -> dict[str, str]:
    """Those that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def _with_advice(error: ObservatoryError, advice: str) -> ObservatoryError:
    """The same error, and what to do."""
    return ObservatoryError(
        f"{error} {advice}", code=error.code, status=error.status, field=error.field, limit=error.limit
    )
