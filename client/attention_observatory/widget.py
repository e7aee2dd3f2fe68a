"""The Explorer as a widget: two-way, and without a way from the browser to the server.

The page is the one that a saved file is (``GET /api/analyses/{id}/export?format=html``). It stands in a frame inside
the cell's output, comes to it over the notebook's connection to Python, and so do the answers to its requests.
"""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from attention_observatory.connection import Connection
from attention_observatory.notebook import Saved

STAGES = ("raw_scores", "scaled_scores", "masked_scores", "weights", "value_weighted", "norm_weighted")
VIEWS = ("matrix", "lines", "vectors", "token", "rollout", "output", "flow", "heads")
SELECTION = ("part", "layer", "head", "stage", "view", "query", "key", "rows", "cols")
ASKED_AT_ONCE = 4
"""Largest number of requests of the page that run side by side, so that the kernel stays free for cells."""


class Explorer(anywidget.AnyWidget):
    """An analysis in a notebook. What is chosen in it are its attributes, to read, to set and to observe.

    >>> explorer = analysis.show(layer=5, head=11)
    >>> explorer.layer, explorer.head, explorer.query, explorer.key  # after clicks, what was clicked
    >>> explorer.query = 8  # the picture follows
    >>> explorer.observe(lambda change: print(change.new), "head")

    ``query`` is the chosen row and ``key`` the chosen column (None: none is), ``rows`` and ``cols`` are the window in
    sight, from the first to one past the last.
    """

    _esm = Path(__file__).with_name("widget.js")

    part = traitlets.Unicode(help="encoder, decoder or cross.").tag(sync=True)
    layer = traitlets.Int(0, min=0).tag(sync=True)
    head = traitlets.Int(0, min=0).tag(sync=True)
    stage = traitlets.Enum(STAGES, "weights").tag(sync=True)
    view = traitlets.Enum(VIEWS, "matrix", help="The tab: one head's matrix, lines … or the whole model's.").tag(
        sync=True
    )
    query = traitlets.Int(None, min=0, allow_none=True).tag(sync=True)
    key = traitlets.Int(None, min=0, allow_none=True).tag(sync=True)
    rows = traitlets.Tuple(traitlets.Int(), traitlets.Int(), default_value=(0, 0)).tag(sync=True)
    cols = traitlets.Tuple(traitlets.Int(), traitlets.Int(), default_value=(0, 0)).tag(sync=True)
    height = traitlets.Int(720, min=100, help="Pixels.").tag(sync=True)
    picture = traitlets.Unicode(help="The id of the drawing beside it, which a living widget hides.").tag(sync=True)

    def __init__(
        self,
        connection: Connection,
        answer: Mapping[str, Any],
        page: str,
        selection: Mapping[str, Any],
        height: int,
        draw: Callable[[Mapping[str, Any], str], str],
    ) -> None:
        self._connection = connection
        self._parts = {part["name"]: part for part in answer["parts"]}
        self._page = page
        self._draw = draw
        self._asking = ThreadPoolExecutor(ASKED_AT_ONCE, "attention-observatory")
        part = self._parts[selection.get("part") or answer["parts"][0]["name"]]
        whole = {"rows": (0, part["query_tokens"]), "cols": (0, part["key_tokens"])}
        chosen = {name: value for name, value in selection.items() if name in SELECTION and value is not None}
        picture = f"attention-observatory-{uuid.uuid4().hex}"
        super().__init__(**whole | chosen | {"part": part["name"], "height": height, "picture": picture})
        self.on_msg(self._heard)

    def __repr__(self) -> str:
        return f"Explorer({', '.join(f'{name}={value!r}' for name, value in self.selection.items())})"

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """As a widget and, for whatever has no widgets (a converted notebook), as the file."""
        bundle: tuple[dict[str, Any], dict[str, Any]] | None = super()._repr_mimebundle_(**options)
        if bundle is not None:
            bundle[0]["text/html"] = Saved(self._page, self.height)._repr_html_()
        return bundle

    def _ipython_display_(self) -> None:
        """As a widget, and as a picture of its own beside it: files and pages made of the notebook have only that."""
        drawing = self._draw(self.selection, self.picture)
        publish = importlib.import_module("IPython.display").publish_display_data
        for data, metadata in (
            self._repr_mimebundle_() or ({}, {}),
            ({"image/svg+xml": drawing, "text/plain": repr(self)}, {}),
        ):
            publish(data, metadata)

    @property
    def selection(self) -> dict[str, Any]:
        """What is chosen, by name."""
        return {name: getattr(self, name) for name in SELECTION}

    def select(self, **selection: Any) -> None:
        """Choose several things at once: ``explorer.select(layer=2, head=5)``. Raises TypeError, TraitError."""
        if unknown := selection.keys() - set(SELECTION):
            raise TypeError(f"{', '.join(sorted(unknown))}: a selection has {', '.join(SELECTION)}")
        with self.hold_sync():
            for name in SELECTION:  # the part first: the others have its bounds
                if name in selection:
                    setattr(self, name, selection[name])

    @traitlets.validate("part")
    def _known(self, proposal: Any) -> str:
        if proposal.value not in self._parts:
            raise traitlets.TraitError(f"part is one of {', '.join(self._parts)}, not {proposal.value!r}")
        return str(proposal.value)

    @traitlets.validate("layer", "head", "query", "key")
    def _bounded(self, proposal: Any) -> int | None:
        name, value = proposal.trait.name, proposal.value
        sizes = {"layer": "layers", "head": "heads", "query": "query_tokens", "key": "key_tokens"}
        last = self._parts[self.part][sizes[name]] - 1 if self.part else 0
        if value is not None and self.part and value > last:
            raise traitlets.TraitError(f"{name} is from 0 to {last}, not {value}")
        return None if value is None else int(value)

    def _heard(self, _widget: Any, content: dict[str, Any], _buffers: Any) -> None:
        """What a frame of this widget says."""
        if content["kind"] == "page":
            self.send({"kind": "page", "view": content["view"]}, [self._page.encode()])
        if content["kind"] == "request":
            self._asking.submit(self._answer, content)

    def _answer(self, request: dict[str, Any]) -> None:
        """Send the server's answer to a request of the page; status 0 where there is none."""
        asked = (request[name] for name in ("method", "path", "body", "language"))
        status, content, retry_after = self._connection.relayed(*asked)
        about = {"view": request["view"], "id": request["id"], "status": status, "retryAfter": retry_after}
        self.send({"kind": "response", **about}, [content])

    def close(self) -> None:
        """Take it out of the notebook."""
        self._asking.shutdown(wait=False, cancel_futures=True)
        super().close()
