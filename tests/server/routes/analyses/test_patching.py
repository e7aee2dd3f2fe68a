"""Patching over HTTP: the core's numbers, its figures, and errors in the one shape."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_models import load_chat_model
from starlette.testclient import TestClient

from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.studies.patching import contrast
from attention_core.pretrained.studies.patching.experiment import Question
from attention_core.pretrained.studies.patching.patching import patching
from attention_core.pretrained.studies.patching.paths import path_patching
from server.app import create_app
from server.settings import Settings

MINI = "observatory-gpt2-mini"
CLEAN = "Pacific Duke Sonic Norfolk Juliet Burma Madonna . Pacific Duke Sonic"
CORRUPT = "Pacific Duke Burma Norfolk Juliet Sonic Madonna . Pacific Duke Sonic"
ASKED = {"model": MINI, "clean": CLEAN, "corrupt": CORRUPT}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    settings = Settings(device="cpu", hub_models=(), preload=False, max_characters=2_000, max_tokens=200)
    with TestClient(create_app(settings)) as client:
        yield client


def test_the_effects_of_all_heads(client: TestClient) -> None:
    answer = client.post("/api/patching", json={**ASKED, "what": "pattern", "against": " Madonna"}).json()
    question = Question(clean=CLEAN, corrupt=CORRUPT)
    expected = patching(Catalog(hub_models=(), device="cpu").load(MINI), question, what="pattern")
    assert np.allclose(answer["effects"], expected.effects, atol=1e-5)
    assert (answer["answer"]["text"], answer["against"]["text"]) == (" Norfolk", " Madonna")
    texts = [[token["text"] for token in answer[name]["tokens"]] for name in ("clean", "corrupt")]
    assert answer["differing"] == [i for i, (one, other) in enumerate(zip(*texts, strict=True)) if one != other]
    assert answer["clean"]["candidates"][0]["text"] == " Norfolk"
    assert answer["clean"]["difference"] - answer["corrupt"]["difference"] == pytest.approx(answer["gap"], abs=1e-4)
    assert {(cell["layer"], cell["head"]) for cell in answer["strongest"][:2]} == {(1, 0), (1, 1)}
    assert answer["caveats"][0].startswith("Denoising: ")


def test_the_figure_is_the_grid(client: TestClient) -> None:
    body = {**ASKED, "what": "residual", "by": "position"}
    answer = client.post("/api/patching", json=body).json()
    figure = client.post("/api/patching/figure", json=body).json()
    assert np.array(answer["effects"]).shape == (6, len(answer["clean"]["tokens"]))
    assert figure["layout"]["title"]["text"].startswith("Effect of patching on “ Norfolk” against “ Madonna”")
    assert figure["layout"]["xaxis"]["title"]["text"] == "position"


def test_the_paths_to_one_head(client: TestClient) -> None:
    body = {**ASKED, "fixed": "receiver", "layer": 1, "head": 0, "via": "keys"}
    answer = client.post("/api/patching/paths", json=body).json()
    expected = path_patching(
        Catalog(hub_models=(), device="cpu").load(MINI),
        Question(clean=CLEAN, corrupt=CORRUPT),
        fixed="receiver",
        layer=1,
        head=0,
        via="keys",
    )
    assert np.allclose(answer["effects"], expected.effects, atol=1e-5)
    assert (answer["first_layer"], answer["last_layer"]) == (0, 0)
    for fixed, title in (
        (body, "Effect of the paths from other heads to head 1.0"),
        ({**body, "fixed": "sender"}, "Effect of the paths from head 1.0 to other heads"),
        (ASKED, "Effect of the paths from each head to the logits"),
    ):
        figure = client.post("/api/patching/paths/figure", json=fixed).json()
        assert figure["layout"]["title"]["text"] == title


def test_the_prompts_before_they_are_patched(client: TestClient) -> None:
    """And the progress: nothing is known before the grid has begun, everything once it is there."""
    asked = {"model": MINI, "clean": CLEAN, "corrupt": CLEAN.replace(" Juliet", "").replace("Madonna", "Wales")}
    answer = client.post("/api/patching/prompts", json=asked).json()
    assert [answer["clean"][index]["text"] for index in answer["extra_clean"]] == [" Juliet"]
    assert [answer["clean"][index]["text"] for index in answer["differing"]] == [" Madonna"]
    for path, body in (("", {**ASKED, "direction": "noising"}), ("/paths", {**ASKED, "direction": "noising"})):
        progress = f"/api/patching{path}/progress"
        assert client.post(progress, json=body).json() == {"done": 0, "total": None}
        assert client.post(f"/api/patching{path}", json=body).status_code == 200
        assert client.post(progress, json=body).json() == {"done": 36, "total": 36}


def test_chat_messages_have_the_tokens_of_the_analysis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, assert_error: Any
) -> None:
    monkeypatch.setattr(contrast, "MIN_GAP", 1e-6)  # a random model hardly tells two prompts apart
    loaded = load_chat_model(tmp_path)
    settings = Settings(models_dir=tmp_path, device="cpu", hub_models=(), preload=False)
    asked = {"model": "tiny-llama", "clean": "The cat sat", "corrupt": "The mat sat", "answer": 9, "against": 12}
    chat = {"chat": True, "system_text": "A dog."}
    question = Question(clean="The cat sat", corrupt="The mat sat", answer=9, against=12, chat=Chat("A dog."))
    with TestClient(create_app(settings)) as client:
        analysis = client.post("/api/analyses", json={"model": "tiny-llama", "text": "The cat sat", **chat}).json()
        texts = {name: asked[name] for name in ("model", "clean", "corrupt")}
        assert client.post("/api/patching/prompts", json=texts | chat).json()["clean"] == analysis["tokens"]
        for path, expected in (("", patching(loaded, question)), ("/paths", path_patching(loaded, question))):
            answer = client.post(f"/api/patching{path}", json=asked | chat).json()
            assert answer["clean"]["tokens"] == analysis["tokens"]
            np.testing.assert_allclose(answer["differences"], expected.differences, atol=1e-5)
            plain = client.post(f"/api/patching{path}", json=asked).json()
            assert not np.allclose(plain["differences"], answer["differences"], atol=1e-5)
            done = {"done": expected.runs, "total": expected.runs}
            assert client.post(f"/api/patching{path}/progress", json=asked | chat).json() == done
            refused = client.post(f"/api/patching{path}", json=asked | chat | {"system_text": " "})
            assert_error(refused, 422, "text_empty", "system_text")


@pytest.mark.parametrize(
    ("path", "changed", "status", "code", "field", "limit"),
    [
        ("", {"corrupt": "Pacific Duke"}, 409, "not_comparable", "corrupt", 13),
        ("", {"corrupt": CLEAN}, 409, "not_comparable", "corrupt", None),
        ("", {"corrupt": ""}, 422, "text_empty", "corrupt", None),
        ("", {"clean": "x" * 2_001}, 422, "text_too_long", "clean", 2_000),
        ("", {"clean": "x y " * 400}, 422, "text_too_long", "clean", 200),
        ("", {"model": "none/such"}, 404, "unknown_model", "model", None),
        ("", {"model": "sentence-transformers/all-MiniLM-L6-v2"}, 409, "model_unavailable", "model", None),
        ("", {"answer": "not one token"}, 422, "out_of_range", "answer", 1),
        ("", {"against": 4_096}, 422, "out_of_range", "against", 4_095),
        ("", {"what": "residual"}, 422, "out_of_range", "what", None),
        ("", {"by": "position", "patched_position": 0}, 422, "out_of_range", "patched_position", None),
        ("", {"what": "nothing"}, 422, "invalid_request", "what", None),
        ("", {"part": "cross"}, 422, "out_of_range", "part", None),
        ("/prompts", {"corrupt": ""}, 422, "text_empty", "corrupt", None),
        ("/prompts", {"corrupt": "x" * 2_001}, 422, "text_too_long", "corrupt", 2_000),
        ("", {"chat": True}, 422, "chat_invalid", "chat", None),
        ("/paths", {"chat": True}, 422, "chat_invalid", "chat", None),
        ("/prompts", {"chat": True}, 422, "chat_invalid", "chat", None),
        ("/prompts", {"chat": True, "system_text": "x" * 2_001}, 422, "text_too_long", "system_text", 2_000),
        ("/progress", {"model": "none/such"}, 404, "unknown_model", "model", None),
        ("/paths", {"fixed": "sender", "layer": 1}, 422, "out_of_range", "head", None),
        ("/paths", {"fixed": "logits", "layer": 1, "head": 2}, 422, "out_of_range", "layer", None),
        ("/paths", {"fixed": "sender", "layer": 9, "head": 0}, 422, "out_of_range", "layer", 5),
    ],
)
def test_errors(
    client: TestClient,
    assert_error: Any,
    path: str,
    changed: dict[str, Any],
    status: int,
    code: str,
    field: str,
    limit: int | None,
) -> None:
    assert_error(client.post(f"/api/patching{path}", json={**ASKED, **changed}), status, code, field, limit)
