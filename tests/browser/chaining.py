"""Reference implementation of rollout and flow for browser tests."""

import base64
from collections import deque
from typing import Any

import numpy as np
from driving import MODEL, SENTENCE
from playwright.sync_api import Page

Array = np.ndarray[Any, Any]


def mean_weights(page: Page, model: str = MODEL, text: str = SENTENCE, **more: Any) -> list[Array]:
    """By layer, the mean over heads of the weights that the API hands out beside the page."""
    return means_of(page, page.request.post("/api/analyses", data={"model": model, "text": text, **more}).json())


def means_of(page: Page, analysis: dict[str, Any]) -> list[Array]:
    """The same of an analysis that there is."""

    def weights(layer: int, head: int) -> Array:
        path = f"/api/analyses/{analysis['id']}/weights?layer={layer}&head={head}"
        answer = page.request.get(path).json()["matrix"]
        shape = [int(size) for size in answer["shape"].split(",")]
        return np.frombuffer(base64.b64decode(answer["bdata"]), dtype="<f4").reshape(shape).astype(float)

    heads = range(analysis["heads"])
    return [np.mean([weights(layer, head) for head in heads], axis=0) for layer in range(analysis["layers"])]


def rollouts(means: list[Array]) -> list[Array]:
    """The product up to each layer."""
    products = [np.eye(len(means[0]))]
    for mean in means:
        products.append((mean / 2 + np.eye(len(mean)) / 2) @ products[-1])
    return products[1:]


Node = tuple[int, int]
"""A level, counted from the input, and a token."""


def free_way(free: dict[Node, dict[Node, float]], source: Node, target: Node) -> list[tuple[Node, Node]]:
    """The shortest way with room in every pipe; none if there is none."""
    before: dict[Node, Node] = {source: source}
    queue = deque([source])
    while queue and target not in before:
        node = queue.popleft()
        for other in (one for one, room in free[node].items() if room > 1e-12 and one not in before):
            before[other] = node
            queue.append(other)
    way, node = [], target
    while node in before and node != source:
        way.append((before[node], node))
        node = before[node]
    return way


def largest_flow(means: list[Array], query: int, token: int) -> float:
    """From the query above the last layer to the token below the first, by one free way after the other."""
    size = len(means[0])
    free: dict[Node, dict[Node, float]] = {}
    for level, mean in enumerate(means):
        for (upper, lower), room in np.ndenumerate(mean / 2 + np.eye(size) / 2):
            free.setdefault((level + 1, upper), {})[level, lower] = room
            free.setdefault((level, lower), {})[level + 1, upper] = 0.0
    flow = 0.0
    while way := free_way(free, (len(means), query), (0, token)):
        least = min(free[one][other] for one, other in way)
        for one, other in way:
            free[one][other] -= least
            free[other][one] += least
        flow += least
    return flow
