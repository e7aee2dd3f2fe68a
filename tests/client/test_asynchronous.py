"""The client in coroutines has the methods of the other one, typed, and gives the same results."""

import asyncio
import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attention_observatory as client
from attention_observatory.api.operations import Operations
from attention_observatory.connection import Connection

MINI = "observatory-gpt2-mini"
PAIRS = [
    (client.Observatory, client.AsyncObservatory),
    (client.Analysis, client.AsyncAnalysis),
    (client.Atlas, client.AsyncAtlas),
    (client.TrainingRun, client.AsyncTrainingRun),
]

PROGRAM = """
from attention_observatory import AsyncAnalysis, AsyncAtlas, AsyncObservatory, AsyncTrainingRun


async def right(observatory: AsyncObservatory) -> None:
    analysis: AsyncAnalysis = await observatory.analyse("A cat.", chat=True)
    analysis = await observatory.analyse_image("cat.png", "vit")
    analysis = await observatory.analyse_sound(b"", "whisper", transcribe=True)
    analysis = await observatory.send(weights=[[1.0]], tokens=["a"])
    analysis = await observatory.get("id")
    words: list[str] = analysis.tokens
    code: str = await analysis.code(0, 1, query=2)
    await analysis.difference(analysis, layer=0)
    await analysis.prediction_difference(analysis)
    atlas: AsyncAtlas = await observatory.atlas("id")
    atlases: list[AsyncAtlas] = await observatory.atlases()
    atlas = await observatory.scan("mini", progress=False)
    await atlas.comparison(atlases[0])
    run: AsyncTrainingRun = await observatory.train(task="repeat")
    run = await (await observatory.training("id")).follow(progress=False)
    print(words, code, await run.publish(), run.state["state"])


async def wrong(observatory: AsyncObservatory, analysis: AsyncAnalysis) -> None:
    await observatory.analyse(3)  # type: ignore[arg-type]
    await observatory.analyse("A cat.", chta=True)  # type: ignore[call-arg]
    await observatory.analise("A cat.")  # type: ignore[attr-defined]
    await observatory.circuits("mini", 0)  # type: ignore[call-arg]
    await analysis.weights("0", 1)  # type: ignore[arg-type]
    await analysis.wieghts(0, 1)  # type: ignore[attr-defined]
    observatory.models()[0]  # type: ignore[index]
"""
"""With strict mypy, a line that should be an error but is none is an error, too."""


def methods(kind: type) -> dict[str, Callable[..., Any]]:
    return {name: method for name, method in inspect.getmembers(kind, callable) if not name.startswith("_")}


def parameters(method: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    return [(each.name, each.kind, each.default) for each in list(inspect.signature(method).parameters.values())[1:]]


@pytest.mark.parametrize(("plain", "awaited"), PAIRS)
def test_it_has_the_same_methods_with_the_same_parameters(plain: type, awaited: type) -> None:
    ours, theirs = methods(plain), methods(awaited)
    assert set(theirs) == set(ours)
    assert {name: parameters(method) for name, method in theirs.items()} == {
        name: parameters(method) for name, method in ours.items()
    }
    assert {name: method.__name__ for name, method in theirs.items()} == {name: name for name in ours}
    assert [name for name, method in theirs.items() if not method.__doc__] == []


@pytest.mark.parametrize(("plain", "awaited"), PAIRS[1:])
def test_it_has_the_same_attributes(plain: type, awaited: type) -> None:
    answer = {"id": "a1", "tokens": [{"text": "cat"}], "target_tokens": None, "warnings": [], "metrics": {}}
    inner = plain(Operations(Connection("http://localhost", timeout_s=1, patience_s=1)), answer)
    outer = awaited(inner)
    properties = {name for name, _ in inspect.getmembers(plain, lambda member: isinstance(member, property))}
    names = {name for name in {*vars(inner), *properties} if not name.startswith("_")} - {"api"}
    assert {name: getattr(outer, name) for name in names} == {name: getattr(inner, name) for name in names}
    assert "id" in names


@pytest.mark.full
def test_mypy_checks_it(root: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--config-file", str(root / "pyproject.toml"), str(program)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.full
def test_results_are_awaited_too(server_url: str) -> None:
    waiting = client.Observatory(server_url)
    plain = waiting.analyse("The cat sat.", MINI)

    async def all_of_it() -> None:
        observatory = client.AsyncObservatory(server_url)
        first, second = await asyncio.gather(
            observatory.analyse("The cat sat.", MINI), observatory.analyse("A cat sat.", MINI)
        )
        assert isinstance(first, client.AsyncAnalysis)
        assert (first.tokens, first.answer["layers"]) == (plain.tokens, plain.answer["layers"])
        np.testing.assert_array_equal(await first.weights(1, 2), plain.weights(1, 2))
        difference = await first.difference(second, layer=1, head=2)
        expected = await second.weights(1, 2) - await first.weights(1, 2)
        np.testing.assert_allclose(difference["matrix"], expected, atol=1e-6)
        rollout = await first.api.get_rollout(first.id)
        assert rollout["part"] == plain.rollout()["part"]
        sent = await observatory.send(weights=[[1.0, 0.0], [0.25, 0.75]])
        assert isinstance(sent, client.AsyncAnalysis)
        np.testing.assert_array_equal(await sent.weights(0, 0), [[1.0, 0.0], [0.25, 0.75]])
        assert [atlas.id for atlas in await observatory.atlases()] == [atlas.id for atlas in waiting.atlases()]
        with pytest.raises(TypeError, match="chta"):
            observatory.analyse("The cat sat.", MINI, chta=True)  # type: ignore[call-arg]

    asyncio.run(all_of_it())
