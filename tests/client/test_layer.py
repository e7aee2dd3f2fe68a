"""What the client adds to the operations: arrays, tables, figures, progress, advice; against the real server."""

import asyncio
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from serving import serving

from attention_observatory import Analysis, AsyncObservatory, Observatory, ObservatoryError, TrainingRun
from attention_observatory.arrays import with_arrays

MINI = "observatory-gpt2-mini"
SENTENCE = "The cat sat on the mat because it was tired."


@pytest.fixture(scope="module")
def observatory(server_url: str) -> Observatory:
    return Observatory(server_url)


@pytest.fixture(scope="module")
def analysis(observatory: Observatory) -> Analysis:
    return observatory.analyse(SENTENCE, MINI)


@pytest.fixture(scope="module")
def weights(analysis: Analysis) -> np.ndarray:
    return analysis.all_weights()


def test_all_heads_at_once(analysis: Analysis, weights: np.ndarray) -> None:
    layers, heads, count = analysis.answer["layers"], analysis.answer["heads"], len(analysis.tokens)
    assert weights.shape == (layers, heads, count, count)
    np.testing.assert_array_equal(weights[2, 3], analysis.weights(2, 3))
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
    raw = analysis.all_weights(stage="raw_scores")
    np.testing.assert_array_equal(raw[1, 0], analysis.weights(1, 0, stage="raw_scores"))


def test_the_studies_agree_with_the_weights(analysis: Analysis, weights: np.ndarray) -> None:
    layers, _, count, _ = weights.shape
    rolled = np.eye(count)
    for layer in range(layers):
        rolled = (weights[layer].mean(axis=0) + np.eye(count)) / 2 @ rolled
    np.testing.assert_allclose(analysis.rollout()["matrix"], rolled, atol=1e-4)
    np.testing.assert_allclose(analysis.rollout_layers(count - 1)["rollout"][-1], rolled[-1], atol=1e-4)
    assert analysis.flow(count - 1)["query"] == count - 1
    vectors = analysis.vectors(1, 2, 5, 3)
    assert vectors["weight"] == pytest.approx(float(weights[1, 2, 5, 3]), abs=1e-6)
    last = count - 1
    output = analysis.output(last)
    lens = analysis.logit_lens(last)
    assert lens["states"][-1]["candidates"][0]["id"] == output["candidates"][0]["id"]
    effect = analysis.direct_effect(last)
    parts = ("embedding", "constant", "heads", "attention_bias", "feed_forward")
    assert sum(float(np.sum(effect[name])) for name in parts) == pytest.approx(effect["total"], abs=1e-3)
    assert analysis.attribution(target="logit", position=last, layer=0, head=1)["matrix"].shape == (count, count)
    assert {"queries", "keys"} <= analysis.plane(0, 0).keys()
    assert analysis.token(3)["index"] == 3
    assert analysis.information_flow(position=last)["position"] == last


def test_two_analyses_are_compared(observatory: Observatory, analysis: Analysis, weights: np.ndarray) -> None:
    off = [{"kind": "head_off", "layer": 0, "heads": [0], "mode": "zero"}]
    changed = observatory.analyse(SENTENCE, MINI, interventions=off)
    difference = analysis.difference(changed, layer=3, head=1)["matrix"]
    np.testing.assert_allclose(difference, changed.weights(3, 1) - weights[3, 1], atol=1e-6)
    assert analysis.prediction_difference(changed)["predictions"]


def test_tables(analysis: Analysis, weights: np.ndarray, observatory: Observatory) -> None:
    head = analysis.frame(2, 3)
    assert isinstance(head, pd.DataFrame)
    assert list(head.columns)[:2] == [f"0 {analysis.tokens[0]}", f"1 {analysis.tokens[1]}"]
    np.testing.assert_array_equal(head.to_numpy(), weights[2, 3])
    measures = analysis.frame()
    assert measures.loc[("decoder", 1, 2), "entropy"] == analysis.metrics["entropy"][1, 2]
    assert len(measures) == weights.shape[0] * weights.shape[1]
    answer = observatory.concept("scoring", queries=[[1.0, 0.0]], keys=np.eye(2), values=[[5.0], [7.0]])
    assert answer.frame("weights").shape == (1, 2)


def test_a_concept_takes_and_gives_arrays(observatory: Observatory) -> None:
    rng = np.random.default_rng(3)
    queries, keys, values = rng.normal(size=(3, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 2))
    answer = observatory.concept("scoring", queries=queries, keys=keys, values=values, temperature=0.5)
    scores = np.exp(queries @ keys.T / 2 / 0.5)
    np.testing.assert_allclose(answer["output"], scores / scores.sum(axis=1, keepdims=True) @ values, atol=1e-9)
    np.testing.assert_array_equal(answer.figure().data[0].z, answer["weights"])
    masked = observatory.concept("masks", kind="causal", num_queries=2, num_keys=2)
    assert answer["mechanism"] == "scaled_dot"
    assert masked["kind"] == "causal"


def test_what_is_unknown_is_refused(observatory: Observatory, analysis: Analysis) -> None:
    calls: list[Any] = [
        lambda: observatory.concept("scoring", queries=[[1]], keys=[[1]], values=[[1]], temprature=2),
        lambda: observatory.analyse(SENTENCE, MINI, txt_pair="x"),  # type: ignore[call-arg]
        lambda: analysis.rollout(leyer=1),
        lambda: analysis.figure(0, 0, temprature=1),
        lambda: observatory.figure("scoring", {"queries": [[1]], "keys": [[1]], "values": [[1]], "temprature": 1}),
        lambda: observatory.train(tusk="copy"),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"temprature|txt_pair|leyer|tusk"):
            call()
    with pytest.raises(ValueError, match="'scorings' is none of alibi"):
        observatory.concept("scorings")
    with pytest.raises(ValueError, match="no figure"):
        analysis.figure(kind="vectors")


def test_a_model_is_loaded_with_progress(observatory: Observatory) -> None:
    states: list[Any] = []
    observatory.load(MINI, progress=states.append)
    assert states[-1]["state"] == "ready"
    observatory.load(MINI)  # with tqdm's bar
    with pytest.raises(ObservatoryError, match="no model of this name"):
        observatory.load("no-such")


@pytest.fixture(scope="module")
def run(observatory: Observatory) -> Iterator[TrainingRun]:
    run = observatory.train(task="copy", steps=20, follow=False)
    yield run
    run.delete()


@pytest.mark.full
def test_a_training_run_is_followed(observatory: Observatory, run: TrainingRun) -> None:
    states: list[Any] = []
    run.follow(progress=states.append)
    assert run.state["state"] == "finished"
    assert [each["step"] for each in run.updates] == [each["step"] for each in states]
    assert run.updates[-1]["maps"].shape[:2] == (run.answer["config"]["num_layers"], run.answer["config"]["num_heads"])
    np.testing.assert_allclose(run.figure().data[0].y, [each["loss"] for each in run.updates], atol=1e-3)
    assert list(run.frame().index) == [each["step"] for each in run.updates]
    assert observatory.training(run.id).id == run.id


@pytest.mark.full
def test_async(server_url: str, analysis: Analysis, run: TrainingRun) -> None:
    async def all_of_it() -> tuple[Any, ...]:
        observatory = AsyncObservatory(server_url)
        first, health = await asyncio.gather(observatory.analyse(SENTENCE, MINI), observatory.api.healthz())
        matrices = await asyncio.gather(first.weights(0, 0), first.weights(1, 1))
        scored = await observatory.api.post_softmax(scores=[0.0, 0.0])
        events = [event async for event in observatory.api.get_training_events(run.id)]
        return first.tokens, health, matrices, scored, events

    tokens, health, matrices, scored, events = asyncio.run(all_of_it())
    assert tokens == analysis.tokens
    assert health == {"status": "ok"}
    np.testing.assert_array_equal(matrices[1], analysis.weights(1, 1))
    assert scored["stable"]["weights"] == [0.5, 0.5]
    assert events[-1]["state"] == "finished"


@pytest.mark.full
def test_what_is_too_large_says_what_to_do(root: Path, tmp_path: Path) -> None:
    with serving(
        root,
        tmp_path / "log",
        OBSERVATORY_MAX_UPLOAD_BYTES="1000000",
        OBSERVATORY_PRELOAD="false",
    ) as url:
        observatory = Observatory(url)
        for side in (600, 4_200):  # read and refused; refused before it is read
            weights = np.tile(np.float32(1 / side), (side, side))
            with pytest.raises(ObservatoryError, match="Send queries and keys instead") as refused:
                observatory.send(weights=weights)
            assert (refused.value.status, refused.value.code) == (413, "body_too_large")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ([[1, 2], [3, 4]], np.ndarray),
        ([1.0, 2.0], np.ndarray),
        ([[1.0, "-Infinity"]], np.ndarray),
        ([[True, False]], np.ndarray),
        ([1, 2], list),
        (["a", "Infinity"], list),
        ([[1], [1, 2]], list),
        ([], list),
        ([None, 1.0], list),
    ],
)
def test_matrices_become_arrays(answer: Any, kind: type) -> None:
    found = with_arrays({"field": answer})["field"]
    assert isinstance(found, kind)
    if kind is np.ndarray:
        expected = [[1.0, -math.inf]] if "-Infinity" in np.ravel(answer) else answer
        np.testing.assert_array_equal(found, expected)
