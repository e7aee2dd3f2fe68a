"""Pages of other visualizers for the attention that our server answers, for `benchmarks.first_visit`.

BertViz (model view, all heads) and CircuitsVis (patterns of one layer) are not among our dependencies:

    pip install --no-deps bertviz circuitsvis && pip install ipython importlib-metadata
    npm install --no-save --prefix FOLDER d3@5.7.0 jquery@2.2.4 requirejs@2.3.6

BertViz's page loads three scripts from a CDN. They are served from FOLDER beside the page, so that they cross the same
network as everything else.
"""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

from attention_observatory import Observatory

SCRIPTS = {
    "require": "requirejs/require.js",
    "d3": "d3/dist/d3.min.js",
    "jquery": "jquery/dist/jquery.min.js",
}
CDN = re.compile(r"https://cdnjs\.cloudflare\.com/ajax/libs/[\w.]+/[\d.]+/(\w+)(?:\.min)?((?:\.js)?)(?=['\"])")


def write_pages(address: str, text: str, folder: Path, libraries: Path | None) -> dict[str, str]:
    """Write a page for each peer that is installed; its name → its path."""
    analysis = Observatory(address).analyse(text)
    layers = [
        np.stack([analysis.weights(layer=layer, head=head) for head in range(analysis.answer["heads"])])
        for layer in range(analysis.answer["layers"])
    ]
    pages = {}
    if find_spec("bertviz") and libraries:
        (folder / "bertviz.html").write_text(bertviz_page(layers, analysis.tokens))
        for name, path in SCRIPTS.items():
            (folder / f"{name}.js").write_bytes((libraries / "node_modules" / path).read_bytes())
        pages["BertViz, model view"] = "/bertviz.html"
    if find_spec("circuitsvis"):
        (folder / "circuitsvis.html").write_text(circuitsvis_page(layers[0], analysis.tokens))
        pages["CircuitsVis, one layer"] = "/circuitsvis.html"
    return pages


def bertviz_page(layers: list[np.ndarray], tokens: list[str]) -> str:
    from bertviz import model_view  # noqa: PLC0415

    attention = [torch.from_numpy(layer)[None] for layer in layers]
    html = model_view(attention, tokens, display_mode="light", html_action="return").data
    html = CDN.sub(lambda match: f"/{match[1]}{match[2]}", html)
    return f"<!doctype html><meta charset=utf-8><title>BertViz</title>{html}"


def circuitsvis_page(layer: np.ndarray, tokens: list[str]) -> str:
    from circuitsvis.attention import attention_patterns  # noqa: PLC0415

    html = attention_patterns(tokens=tokens, attention=torch.from_numpy(layer)).local_src
    return f"<!doctype html><meta charset=utf-8><title>CircuitsVis</title>{html}"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving_folder(folder: Path) -> Iterator[str]:
    """The address of a plain server of these files, until the block ends."""
    handler = partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
