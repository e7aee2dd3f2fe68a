"""The run that /training shows before one of one's own is what its tool makes: settings, first steps, size."""

import json
import re
from typing import Any

import numpy as np
import pytest

from attention_core.training.config import TrainingConfig
from attention_core.training.run import Training
from recorded_run import EVERY, FILE, FIRST_SIGN, MAPPED, VALUES, WANTED, packed
from server.pages.pages import TEMPLATES
from server.routes.concepts.training import RunAnswer, TrainingRequest

MOST_BYTES = 80_000
TASK = WANTED["task"]


@pytest.fixture(scope="module")
def held() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8"))


def unpacked(cells: str, count: int, size: int) -> Any:
    """By the definition alone, cell by cell: [update, head, query, key]."""
    signs = [ord(sign) - FIRST_SIGN for sign in cells]
    heads = len(signs) // count // (size * (size + 1) // 2)
    found = np.zeros((count, heads, size, size), dtype=int)
    at = iter(signs)
    for head in range(heads):
        for query in range(size):
            for key in range(query + 1):
                value = 0
                for update in range(count):
                    sign = next(at)
                    value = (value + (-(sign + 1) // 2 if sign % 2 else sign // 2)) % VALUES
                    found[update, head, query, key] = value
    return found


def test_it_is_a_run_of_the_settings_it_says(held: dict[str, Any]) -> None:
    answer = RunAnswer.model_validate(held["answer"])
    assert answer.config == TrainingRequest(**WANTED)
    assert (answer.state, answer.step, held["standing"]["state"]) == ("finished", answer.config.steps, "finished")
    assert [one["step"] for one in held["updates"]] == list(range(0, answer.config.steps + 1, EVERY))
    assert [held["updates"][index]["step"] for index in held["mapped"]] == list(MAPPED)
    assert FILE.stat().st_size < MOST_BYTES


def test_its_first_steps_are_those_of_the_network(held: dict[str, Any]) -> None:
    training = Training(TrainingConfig(**WANTED))
    looks = [training.look()]
    for _ in range(EVERY):
        training.step()
    looks.append(training.look())
    for look, shown in zip(looks, held["updates"], strict=False):
        assert shown["step"] == look.step
        assert shown["loss"] == pytest.approx(look.loss, abs=2e-3)
        assert shown["accuracy"] == pytest.approx(look.accuracy, abs=5e-3)
        for role, scores in look.scores.items():
            np.testing.assert_allclose(shown["scores"][role], scores, atol=2e-3)
    maps = unpacked(held["cells"], len(held["mapped"]), held["size"])
    first = looks[0].maps.reshape(maps.shape[1:]).astype(int)
    assert np.abs(maps[0] - first).max() <= 1


def test_its_last_maps_are_weights(held: dict[str, Any]) -> None:
    maps = unpacked(held["cells"], len(held["mapped"]), held["size"])
    assert np.abs(maps.sum(-1) - 255).max() <= held["size"] / 2  # each cell is rounded by half a step at most
    assert packed(maps.astype(np.uint8)) == held["cells"]


def test_it_gives_no_prediction_of_a_preset_away() -> None:
    template = (TEMPLATES / "concepts" / "training.html").read_text(encoding="utf-8")
    same_task = [text for text in re.findall(r"preset\((.*?)\) }}", template, re.DOTALL) if f'task="{TASK}"' in text]
    assert same_task  # the template is read as it is written
    assert all('positions="none"' in text for text in same_task)
    assert TrainingRequest(**WANTED).positions != "none"


def test_no_induction_head_solves_it(held: dict[str, Any]) -> None:
    assert TASK not in {"repeat", "copy"}  # tasks of which the page asks in which layer an induction head forms
    assert np.max(held["updates"][-1]["scores"]["induction"]) < held["answer"]["formed"] / 2
