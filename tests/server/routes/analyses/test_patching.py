"""Patching over HTTP: the core's numbers, its figures, and errors in the one shape."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_models import load_chat_model
from image_classifiers import noise_image, png_of, write_image_classifier
from starlette.testclient import TestClient

from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.inputs.images import prepare
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.studies.patching import contrast
from attention_core.pretrained.studies.patching.experiment import Question
from attention_core.pretrained.studies.patching.patching import patching
from attention_core.pretrained.studies.patching.paths import path_patching
from server.app import create_app
from server.requests.patching import IMAGES
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


@pytest.mark.full
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


@pytest.mark.full
def test_the_figure_is_the_grid(client: TestClient) -> None:
    body = {**ASKED, "what": "residual", "by": "position"}
    answer = client.post("/api/patching", json=body).json()
    figure = client.post("/api/patching?as=figure", json=body).json()
    assert np.array(answer["effects"]).shape == (6, len(answer["clean"]["tokens"]))
    assert figure["layout"]["title"]["text"].startswith("Effect of patching on “ Norfolk” against “ Madonna”")
    assert figure["layout"]["xaxis"]["title"]["text"] == "position"


@pytest.mark.full
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
        figure = client.post("/api/patching/paths?as=figure", json=fixed).json()
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


@pytest.mark.full
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


IMAGE_MODEL = "vit"


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, str, str]]:
    """A client of a server with two classifiers, and the ids of two images' analyses by one of them."""
    directory = tmp_path_factory.mktemp("classifiers")
    for name in (IMAGE_MODEL, "deit"):
        write_image_classifier(directory, name)
    settings = Settings(device="cpu", hub_models=(), preload=False, models_dir=directory)
    with TestClient(create_app(settings)) as client:
        clean, corrupt = (analysed(client, IMAGE_MODEL, seed)["id"] for seed in (3, 4))
        yield client, clean, corrupt


def analysed(client: TestClient, model: str, seed: int, **more: Any) -> dict[str, Any]:
    image = base64.b64encode(png_of(noise_image(seed))).decode()
    return client.post("/api/analyses/image", json={"model": model, "image": image, **more}).json()


@pytest.mark.full
def test_two_images_are_patched_by_their_analyses(images: tuple[TestClient, str, str]) -> None:
    client, clean, corrupt = images
    loaded = client.app.state.observatory.catalog.load(IMAGE_MODEL)
    made = [prepare(noise_image(seed), loaded.images)[1] for seed in (3, 4)]
    question = Question(clean=made[0], corrupt=made[1])
    asked = {"model": IMAGE_MODEL, "clean_analysis": clean, "corrupt_analysis": corrupt}
    for path, expected in (("", patching(loaded, question)), ("/paths", path_patching(loaded, question))):
        assert client.post(f"/api/patching{path}/progress", json=asked).json() == {"done": 0, "total": None}
        answer = client.post(f"/api/patching{path}", json=asked).json()
        np.testing.assert_allclose(answer["differences"], expected.differences, atol=1e-5)
        assert answer["position"] is None
        assert answer["answer"] == {"id": expected.answer.id, "text": expected.answer.text}
        done = {"done": expected.runs, "total": expected.runs}
        assert client.post(f"/api/patching{path}/progress", json=asked).json() == done
    by_patch = {**asked, "what": "residual", "by": "position", "answer": "star", "against": 0}
    answer = client.post("/api/patching", json=by_patch).json()
    assert np.array(answer["effects"]).shape == (2, 17)
    assert (answer["answer"]["text"], answer["differing"]) == ("Star", list(range(1, 17)))
    figure = client.post("/api/patching?as=figure", json=by_patch).json()
    assert figure["layout"]["title"]["text"] == "Effect of patching on “Star” against “circle, ring”"
    pair = client.post("/api/patching/prompts", json=asked).json()
    assert pair["differing"] == list(range(1, 17))
    assert [token["text"] for token in pair["corrupt"][:3]] == ["[CLS]", "0,0", "0,1"]
    assert [each["grid"] for each in pair["images"]] == [[4, 4], [4, 4]]
    assert [base64.b64decode(each["png"]) for each in pair["images"]] == [each.png for each in made]


def test_a_class_keeps_its_name_in_a_figure(images: tuple[TestClient, str, str]) -> None:
    client, clean, _ = images
    figure = client.get(f"/api/analyses/{clean}/output?as=figure&position=0").json()
    names = [text.partition(" ")[2] for text in figure["layout"]["xaxis"]["ticktext"]]
    assert sorted(names) == ["Star", "circle, ring", "square, ring"]


@pytest.mark.full
def test_what_is_changed_in_an_images_analysis_is_not_patched(images: tuple[TestClient, str, str]) -> None:
    client, clean, corrupt = images
    off = [{"kind": "head_off", "layer": 0, "heads": [0]}]
    changed = analysed(client, IMAGE_MODEL, 3, interventions=off)
    assert changed["id"] != clean
    answers = [
        client.post("/api/patching", json={"model": IMAGE_MODEL, "clean_analysis": each, "corrupt_analysis": corrupt})
        for each in (clean, changed["id"])
    ]
    assert answers[0].json()["effects"] == answers[1].json()["effects"]


@pytest.mark.full
@pytest.mark.parametrize("path", ["", "/paths", "/prompts"])
def test_errors_of_images(images: tuple[TestClient, str, str], assert_error: Any, path: str) -> None:
    client, clean, corrupt = images
    asked = {"model": IMAGE_MODEL, "clean_analysis": clean, "corrupt_analysis": corrupt}

    def refused(status: int, code: str, field: str, **changed: Any) -> None:
        assert_error(client.post(f"/api/patching{path}", json={**asked, **changed}), status, code, field)

    refused(404, "analysis_expired", "corrupt_analysis", corrupt_analysis="0" * 32)
    refused(404, "analysis_expired", "clean_analysis", clean_analysis="no such")
    refused(409, "not_comparable", "corrupt_analysis", corrupt_analysis=analysed(client, "deit", 4)["id"])
    text = client.post("/api/analyses", json={"model": MINI, "text": "A cat"}).json()["id"]
    refused(422, "out_of_range", "clean_analysis", clean_analysis=text)
    refused(422, "invalid_request", "corrupt_analysis", corrupt_analysis=None)
    refused(422, "invalid_request", "clean", clean_analysis=None)
    refused(422, "invalid_request", "corrupt_analysis", clean="A cat")
    refused(422, "invalid_request", "corrupt", clean="A cat", clean_analysis=None, corrupt_analysis=None)
    refused(422, "chat_invalid", "chat", chat=True)
    refused(404, "unknown_model", "model", model="none/such", clean="A", corrupt="B", **dict.fromkeys(IMAGES))
    refused(422, "reads_images", "model", clean="A cat", corrupt="A mat", **dict.fromkeys(IMAGES))
    if path != "/prompts":
        refused(409, "not_comparable", "corrupt_analysis", corrupt_analysis=clean)
        refused(422, "out_of_range", "position", position=3)
        refused(422, "out_of_range", "answer", answer="cat")


@pytest.mark.full("-changed6-409-model_unavailable-model-None")
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
