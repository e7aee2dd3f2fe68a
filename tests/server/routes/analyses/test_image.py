"""Images over HTTP."""

import base64
import io

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient
from tiny_models import write_model_folder

from server.app import create_app
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    directory = tmp_path_factory.mktemp("models")
    write_model_folder(directory, "tiny-vit")
    settings = Settings(models_dir=directory, device="cpu", hub_models=(), preload=False, max_image_pixels=400)
    with TestClient(create_app(settings)) as client:
        yield client


def encoded(width: int = 20, height: int = 10, format: str = "PNG") -> str:  # noqa: A002 - Pillow calls it so
    pixels = np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format=format)
    return base64.b64encode(buffer.getvalue()).decode()


def post(client: TestClient, image: str, model: str = "tiny-vit"):
    return client.post("/api/analyses/image", json={"model": model, "image": image})


@pytest.mark.full
def test_an_image_is_analysed_like_a_text(client):
    answer = post(client, encoded())
    assert answer.status_code == 200, answer.text
    analysis = answer.json()
    assert [(token["text"], token.get("box")) for token in analysis["tokens"]] == [
        ("[CLS]", None),
        ("0,0", [0, 0, 4, 4]),
        ("0,1", [4, 0, 4, 4]),
        ("1,0", [0, 4, 4, 4]),
        ("1,1", [4, 4, 4, 4]),
    ]
    image = dict(analysis["image"])
    picture = Image.open(io.BytesIO(base64.b64decode(image.pop("png"))))
    assert (picture.format, picture.size) == ("PNG", (8, 8))
    assert image == {"width": 8, "height": 8, "patch": [4, 4], "grid": [2, 2], "original_size": [20, 10]}
    assert (analysis["model"]["reads"], analysis["parts"][0]["name"]) == ("image", "encoder")
    assert client.get(f"/api/analyses/{analysis['id']}").json() == analysis
    assert post(client, encoded()).json()["id"] == analysis["id"]
    window = client.get(f"/api/analyses/{analysis['id']}/weights?layer=1&head=2&encoding=json").json()["matrix"]
    np.testing.assert_allclose(np.sum(window, axis=1), np.ones(5), atol=1e-5)
    assert client.get(f"/api/analyses/{analysis['id']}/tokens/3").status_code == 200


def test_the_model_is_changed_before_it_looks(client):
    plain = post(client, encoded()).json()
    body = {"model": "tiny-vit", "image": encoded(), "interventions": [{"kind": "head_off", "layer": 0, "heads": [1]}]}
    changed = client.post("/api/analyses/image", json=body).json()
    assert changed["id"] != plain["id"]
    assert (changed["interventions"], plain["interventions"]) == (
        [{**body["interventions"][0], "mode": "zero", "part": None}],
        [],
    )
    maps = [
        [
            client.get(f"/api/analyses/{each['id']}/weights?layer={layer}&head=0&encoding=json").json()["matrix"]
            for layer in (0, 1)
        ]
        for each in (plain, changed)
    ]
    assert maps[0][0] == maps[1][0], "before the change nothing differs"
    assert maps[0][1] != maps[1][1]
    compared = client.post("/api/analyses/image", json={"model": "tiny-vit", "image": encoded(), "parity": True}).json()
    assert compared["parity"]["weights"] < compared["parity"]["bound"]


@pytest.mark.full
def test_the_answer_to_a_text_has_no_boxes(client):
    analysis = client.post("/api/analyses", json={"model": MINILM, "text": "The cat"}).json()
    assert analysis["image"] is None
    assert "box" not in analysis["tokens"][0]


def test_a_page_opens_with_a_model_that_reads_texts(client):
    answer = client.get("/api/models").json()
    assert answer["default"] == MINILM
    assert {model["id"]: model["reads"] for model in answer["models"]} == {
        "tiny-vit": "image",
        MINILM: "text",
        "observatory-gpt2-mini": "text",
        "observatory-gpt2-names": "text",
    }


@pytest.mark.full
def test_what_is_refused(client, assert_error):
    assert_error(post(client, encoded(21, 20)), 422, "image_too_large", "image", 400)
    assert_error(post(client, encoded(format="GIF")), 422, "image_invalid", "image")
    assert_error(post(client, encoded()[:200]), 422, "image_invalid", "image")
    assert_error(post(client, "*not base64*"), 422, "image_invalid", "image")
    assert_error(post(client, "日本"), 422, "image_invalid", "image")
    assert_error(post(client, ""), 422, "invalid_request", "image", 1)
    assert_error(post(client, encoded(), "no/where"), 404, "unknown_model", "model")
    assert_error(post(client, encoded(), MINILM), 422, "reads_text", "model")
    nowhere = {"kind": "head_off", "layer": 9, "heads": "all"}
    changed = client.post(
        "/api/analyses/image", json={"model": "tiny-vit", "image": encoded(), "interventions": [nowhere]}
    )
    assert_error(changed, 422, "out_of_range", "interventions.0.layer", 1)
    text = client.post("/api/analyses", json={"model": "tiny-vit", "text": "The cat"})
    assert_error(text, 422, "reads_images", "model")
    look_up = client.post("/api/embedding", json={"model": "tiny-vit", "text": "The cat"})
    assert_error(look_up, 409, "model_unavailable", "model")
