"""Large responses written in pieces equal those written in one."""

import asyncio
import json
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel
from starlette.testclient import TestClient

from server.web import matrices, rendering
from server.web.matrices import LargeArray, Matrix, to_answer_numbers
from server.web.rendering import Pieces, SplitResponse


class Member(BaseModel):
    name: str
    numbers: list[float]


class Answer(BaseModel):
    title: str
    cells: Matrix
    deep: list[Any]
    members: list[Member]
    named: dict[str, Matrix]


async def sent(response: Pieces) -> list[bytes]:
    """Its blocks, as a server sends them."""
    blocks: list[bytes] = []

    async def send(message: Any) -> None:
        blocks.append(message.get("body", b""))

    await response({}, None, send)  # type: ignore[arg-type]
    return blocks


def test_pieces_put_together_are_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices, "LARGE", 50)
    monkeypatch.setattr(rendering, "AT_ONCE", 16)
    monkeypatch.setattr(rendering, "LONG", 7)
    monkeypatch.setattr(rendering, "BLOCK", 100)
    random = np.random.default_rng(0)
    cells = random.standard_normal((9, 21))
    cells[2, 3:] = -np.inf
    deep = random.standard_normal((3, 2, 5, 4))
    members = [Member(name=f'"{index}"', numbers=[index / 3, 1e-300]) for index in range(23)]
    small, large = np.arange(6.0).reshape(2, 3), np.arange(64).reshape(64, 1)
    answer = Answer.model_construct(
        title='ü \\ "0"',
        cells=to_answer_numbers(cells),
        deep=to_answer_numbers(deep),
        members=members,
        named={"small": to_answer_numbers(small), "large": to_answer_numbers(large)},
    )
    assert isinstance(answer.cells, LargeArray)
    whole = {
        "title": 'ü \\ "0"',
        "cells": [["-Infinity" if np.isinf(cell) else cell for cell in row] for row in cells.tolist()],
        "deep": deep.tolist(),
        "members": [{"name": member.name, "numbers": member.numbers} for member in members],
        "named": {"small": small.tolist(), "large": large.tolist()},
    }
    split = SplitResponse(answer)
    assert split

    response = split.response()
    blocks = asyncio.run(sent(response))
    assert json.loads(b"".join(blocks)) == whole
    assert int(response.headers["content-length"]) == sum(map(len, blocks))
    assert max(map(len, blocks)) < 100 + 16 * 30  # no block is longer than one piece allows
    assert isinstance(answer.cells, LargeArray)  # the answer itself is as it was


def test_a_small_answer_is_left_to_the_framework() -> None:
    assert not SplitResponse(Member(name="a", numbers=[1.0] * 100))


SHAPES = {"/api/linear": {"in_features": 300, "out_features": 300}, "/api/alibi": {"heads": 2, "seq_len": 200}}


@pytest.mark.parametrize("path", SHAPES)
def test_a_large_answer_is_the_same_over_http(client: TestClient, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_pieces = client.post(path, json=SHAPES[path])
    assert in_pieces.headers["content-type"] == "application/json"
    monkeypatch.setattr(matrices, "LARGE", 10**9)
    assert client.post(path, json=SHAPES[path]).json() == in_pieces.json()
