"""Any process answers any address: what another has computed, and what had to leave, is computed again."""

import base64
import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from PIL import Image
from sound_models import tones, wav, write_sound_model
from starlette.testclient import TestClient
from tiny_models import write_model_folder
from transformers import AutoTokenizer

from server.app import create_app
from server.settings import Settings

GPT2, VIT, WHISPER = "tiny-gpt2", "tiny-vit", "whisper"
HEAD_OFF = {"kind": "head_off", "layer": 0, "heads": [1]}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for name in (GPT2, VIT):
        write_model_folder(folder, name)
    write_sound_model(folder, WHISPER)
    tokenizer = AutoTokenizer.from_pretrained(folder / GPT2)
    tokenizer.chat_template = "{% for each in messages %}{{ each.role }}: {{ each.content }}\n{% endfor %}"
    tokenizer.save_pretrained(folder / GPT2)
    return folder


def process(models: Path, shared: Path | None, **others: Any) -> TestClient:
    """An application with nothing in its memory, as in a process of its own."""
    place = None if shared is None else str(shared)
    settings = Settings(device="cpu", hub_models=(), preload=False, models_dir=models, shared_dir=place, **others)
    return TestClient(create_app(settings))


@pytest.fixture
def two(models: Path, tmp_path: Path) -> Iterator[tuple[TestClient, TestClient]]:
    with process(models, tmp_path) as first, process(models, tmp_path) as second:
        yield first, second


def posted(client: TestClient, path: str, **body: Any) -> str:
    response = client.post(path, **body)
    assert response.status_code == 200, response.text
    return response.json()["id"]


def image() -> str:
    file = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (20, 30, 3), dtype=np.uint8)).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def sound() -> dict[str, Any]:
    said = base64.b64encode(wav(tones(0.5))).decode()
    return {"model": WHISPER, "sound": said, "target_text": "The cat", "interventions": [HEAD_OFF | {"part": "cross"}]}


def everything(client: TestClient) -> dict[str, str]:
    """One of each kind of request, with what makes them differ from the plainest."""
    text = {"model": GPT2, "text": "one two three two one", "interventions": [HEAD_OFF]}
    file = io.BytesIO()
    np.savez(file, weights=np.tril(np.ones((3, 3))) / np.arange(1, 4)[:, None])
    return {
        "text": posted(client, "/api/analyses", json=text),
        "chat": posted(client, "/api/analyses", json={"model": GPT2, "text": "one", "chat": True}),
        "image": posted(client, "/api/analyses/image", json={"model": VIT, "image": image()}),
        "sound": posted(client, "/api/analyses/sound", json=sound()),
        "tensors": posted(client, "/api/tensors", content=file.getvalue()),
    }


@pytest.mark.full
def test_another_process_gives_the_same_answer_to_every_kind_of_request(two):
    first, second = two
    for kind, each in everything(first).items():
        for address in (f"/api/analyses/{each}", f"/api/analyses/{each}/weights?layer=0&head=0"):
            here, there = first.get(address), second.get(address)
            assert there.status_code == 200, (kind, there.text)
            expected, answered = here.json(), there.json()
            expected.pop("timings_ms", None), answered.pop("timings_ms", None)
            assert answered == expected, kind


@pytest.mark.full
def test_the_sound_itself_is_there_in_another_process(two):
    first, second = two
    address = f"/api/analyses/{posted(first, '/api/analyses/sound', json=sound())}/sound"
    assert second.get(address).content == first.get(address).content


@pytest.mark.full
def test_two_analyses_of_another_process_are_compared(two):
    first, second = two
    one, other = (posted(first, "/api/analyses", json={"model": GPT2, "text": text}) for text in ("one two", "one six"))
    address = f"/api/analyses/{one}/difference?other={other}"
    assert second.get(address).json() == first.get(address).json()


@pytest.mark.full
def test_prompts_of_another_process_are_found(two):
    first, second = two
    wanted = {"model": GPT2, "template": "{A} two", "fillings": [{"A": "one"}, {"A": "six"}]}
    prompts = posted(first, "/api/prompts", json=wanted)
    address = f"/api/prompts/{prompts}/measures"
    assert second.get(address).json() == first.get(address).json()


@pytest.mark.full
def test_what_had_to_make_room_is_computed_again(models, assert_error):
    with process(models, None, cache_bytes=0) as client:  # nothing computed is held
        analysis = posted(client, "/api/analyses", json={"model": GPT2, "text": "one two three"})
        assert client.get(f"/api/analyses/{analysis}").json()["id"] == analysis
        unknown = "0" * 32
        assert_error(client.get(f"/api/analyses/{unknown}"), 404, "analysis_expired", "analysis_id")
    with process(models, None, cache_bytes=0, request_cache_bytes=0) as client:
        analysis = posted(client, "/api/analyses", json={"model": GPT2, "text": "one two three"})
        assert_error(client.get(f"/api/analyses/{analysis}"), 404, "analysis_expired", "analysis_id")


@pytest.mark.full
def test_other_weights_under_the_same_name_are_another_request(models, tmp_path, assert_error):
    with process(models, tmp_path / "shared") as first:
        ids = everything(first)
        prompts = posted(first, "/api/prompts", json={"model": GPT2, "prompts": ["one"]})
    other = tmp_path / "models"
    shutil.copytree(models, other)
    for file in other.glob("*/model.safetensors"):
        weights = safetensors.numpy.load_file(file)
        safetensors.numpy.save_file({name: 2 * each for name, each in weights.items()}, file, {"format": "pt"})
    with process(other, tmp_path / "shared") as second:
        for kind in ("text", "chat", "image", "sound"):
            assert_error(second.get(f"/api/analyses/{ids[kind]}"), 404, "analysis_expired", "analysis_id")
        assert_error(second.get(f"/api/prompts/{prompts}/measures"), 404, "prompts_expired", "prompts_id")
        assert second.get(f"/api/analyses/{ids['tensors']}").status_code == 200


@pytest.mark.full
def test_a_browser_that_has_the_answer_need_not_wait_for_it(models, tmp_path):
    with process(models, tmp_path) as first:
        analysis = posted(first, "/api/analyses", json={"model": GPT2, "text": "one two three"})
    with process(models, tmp_path) as second:
        headers = {"If-None-Match": f'W/"{analysis}"'}
        assert second.get(f"/api/analyses/{analysis}", headers=headers).status_code == 304
        assert second.app.state.observatory.analyses.get(analysis) is None  # type: ignore[attr-defined]
