"""Record the run that /training shows before one of one's own: ``python tools/recorded_run.py http://127.0.0.1:8000``.

Writes ``static/course/recorded_run.json`` in the form in which a saved page holds a run
(``static/js/concepts/training/held_run.js``). The run is made by that server, with settings that no preset has
and of a task that no induction head solves, so that no prediction is given away. Curves keep every tenth step, maps
some of these.
"""

import base64
import json
import sys
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from jaxtyping import UInt8

FILE = Path(__file__).resolve().parent.parent / "static" / "course" / "recorded_run.json"
WANTED: dict[str, Any] = {"task": "sort"}
"""The body of ``POST /api/training``; what is not said is the page's default."""
EVERY = 10
MAPPED = (0, 50, 100, 150, 200, 300)
"""Steps with maps; the first and the last are among them."""
DIGITS = 4
FIRST_SIGN = 0x23
VALUES = 256
LONGEST_S = 600.0
"""Seconds between two updates."""


def record(address: str, wanted: dict[str, Any] = WANTED) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A run from its beginning to its end: its answer, and every update as the server sends it."""
    with httpx.Client(base_url=address, timeout=LONGEST_S) as client:
        run = client.post("/api/training", json=wanted).raise_for_status().json()
        with client.stream("GET", f"/api/training/{run['id']}/events") as stream:
            lines = [line.removeprefix("data:") for line in stream.iter_lines() if line.startswith("data:")]
        answer = client.get(f"/api/training/{run['id']}").raise_for_status().json()
        events = [json.loads(line) for line in lines]
        return answer, [event for event in events if "loss" in event]


def maps_of(update: dict[str, Any]) -> UInt8[np.ndarray, "layers heads queries keys"]:
    """The weights of every head on the example, 0…255."""
    shape = [int(size) for size in str(update["maps"]["shape"]).split(",")]
    return np.frombuffer(base64.b64decode(update["maps"]["bdata"]), np.uint8).reshape(shape)


def packed(maps: UInt8[np.ndarray, "updates heads queries keys"]) -> str:
    """The cells that a query may attend to, packed as by the page's ``packMaps``: each over all updates, as changes."""
    queries, keys = np.tril_indices(maps.shape[-1])
    cells = maps[:, :, queries, keys].reshape(len(maps), -1).astype(int)
    changes = np.diff(cells, axis=0, prepend=0) % VALUES
    signs = FIRST_SIGN + np.where(changes < VALUES // 2, 2 * changes, 2 * (VALUES - changes) - 1)
    return "".join(map(chr, signs.T.ravel().tolist()))


def rounded(measured: Any) -> Any:
    """A number, or whatever holds numbers, to as many digits as are drawn."""
    if isinstance(measured, dict):
        return {name: rounded(value) for name, value in measured.items()}
    return [rounded(value) for value in measured] if isinstance(measured, list) else round(measured, DIGITS)


def held(answer: dict[str, Any], updates: list[dict[str, Any]]) -> dict[str, Any]:
    """The run as a saved page holds one. Nobody's id is in it: the server that shows it has no such run."""
    kept = [update for update in updates if update["step"] % EVERY == 0 or update is updates[-1]]
    mapped = [index for index, update in enumerate(kept) if update["step"] in MAPPED]
    maps = np.stack([maps_of(kept[index]) for index in mapped])
    standing = {name: answer[name] for name in ("state", "reason", "message", "step")}
    measured = [
        {"step": update["step"], "seconds": round(update["seconds"], 1)}
        | {name: rounded(update[name]) for name in ("loss", "accuracy", "scores")}
        for update in kept
    ]
    size = maps.shape[-1]
    return {
        "answer": answer | {"id": "recorded", "yours": False},
        "standing": standing,
        "guess": "",
        "updates": measured,
        "mapped": mapped,
        "size": size,
        "cells": packed(maps.reshape(len(maps), -1, size, size)),
    }


if __name__ == "__main__":
    text = json.dumps(held(*record(sys.argv[1])), ensure_ascii=False, separators=(",", ":"))
    FILE.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(f"{FILE}: {len(text.encode())} bytes\n")
