"""Architectures that differ from the usual ones, over HTTP: every route answers rightly or says why it cannot."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from odd_models import ODD, write_odd_model
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings

TEXT = "The cat sat on the mat because it was tired."
SHOWN = (
    "bare-bart",
    "answering-t5",
    "answering-llama",
    "starting-t5",
    "doge",
    "llama4",
    "both-ways",
    "gemma4",
    "gemma4-shared",
)
REFUSED = ("diffllama", "longt5", "pegasus_x", "bigbird_pegasus")
FIELDS = {"encoder": "encoder_attentions", "decoder": "decoder_attentions", "cross": "cross_attentions"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("odd")
    for name in (*SHOWN, *REFUSED):
        write_odd_model(root, name)
    return root


@pytest.fixture(scope="module")
def client(folders: Path) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(models_dir=folders, device="cpu", hub_models=(), preload=False))) as client:
        yield client


def analyse(client: TestClient, name: str, **more: Any) -> dict[str, Any]:
    response = client.post("/api/analyses", json={"model": name, "text": TEXT, **more})
    assert response.status_code == 200, response.text
    return response.json()


def eager(folder: Path, analysis: dict[str, Any]) -> Any:
    """What the library itself hands out, from the class that was saved (a classifier's body)."""
    saved = getattr(transformers, ODD[folder.name][0])
    model = saved.from_pretrained(folder, attn_implementation="eager").eval()
    if saved is transformers.T5ForQuestionAnswering:
        model = transformers.T5Model.from_pretrained(folder, attn_implementation="eager").eval()
    inputs = {"input_ids": torch.tensor([[token["id"] for token in analysis["tokens"]]])}
    if analysis["target_tokens"]:
        inputs["decoder_input_ids"] = torch.tensor([[token["id"] for token in analysis["target_tokens"]]])
    with torch.inference_mode():
        return model(**inputs, output_attentions=True)


@pytest.mark.full
@pytest.mark.parametrize("name", SHOWN)
def test_every_weight_is_that_of_the_library(client: TestClient, folders: Path, name: str) -> None:
    target = {"target_text": "It was warm."} if name.endswith(("bart", "t5")) else {}
    analysis = analyse(client, name, **target)
    found = eager(folders / name, analysis)
    check = analysis["model"]["self_check"]
    assert max(check["weights"], check["last_hidden_state"]) <= check["bound"]
    for part in analysis["parts"]:
        theirs = found[FIELDS[part["name"]]] if analysis["target_tokens"] else found.attentions
        assert len(theirs) == part["layers"]
        assert part["causal"] == (part["name"] == "decoder")
        for layer, weights in enumerate(theirs):
            for head in range(part["heads"]):
                ours = window(client, analysis, part["name"], layer, head)
                np.testing.assert_allclose(ours, weights[0, head].numpy(), rtol=0, atol=2e-5)


def window(client: TestClient, analysis: dict[str, Any], part: str, layer: int, head: int) -> np.ndarray:
    query = {"part": part, "layer": layer, "head": head}
    answer = client.get(f"/api/analyses/{analysis['id']}/weights", params=query)
    assert answer.status_code == 200, answer.text
    matrix = answer.json()["matrix"]
    return np.frombuffer(base64.b64decode(matrix["bdata"]), "<f4").reshape([int(n) for n in matrix["shape"].split(",")])


@pytest.mark.full
@pytest.mark.parametrize("name", SHOWN)
def test_no_route_fails(client: TestClient, name: str) -> None:
    analysis = analyse(client, name, parity=True)
    assert analysis["parity"]["weights"] < 2e-5
    head = {"layer": 1, "head": 2}
    for part in analysis["parts"]:
        of_head = {**head, "part": part["name"]}
        for stage in part["stages"]:
            assert get(client, analysis, "weights", **of_head, stage=stage) == 200
            assert get(client, analysis, "distribution", **of_head, stage=stage) in {200, 422}
        assert get(client, analysis, "vectors", **of_head, query=0, key=0) == 200
        assert get(client, analysis, "rollout", part=part["name"]) in {200, 422}
    for token in (0, 3):
        assert get(client, analysis, f"tokens/{token}") == 200
    assert get(client, analysis, "output") < 500
    assert client.get("/api/head_scores", params={"model": name, "period": 5, "sequences": 1}).status_code == 200
    by_head = client.post("/api/parity", json={"model": name, "text": TEXT})
    assert by_head.status_code == 200, by_head.text
    assert max(np.max(part["weights"]) for part in by_head.json()["parts"]) < 2e-5
    changed = analyse(
        client, name, interventions=[{"kind": "temperature", "temperature": 2.0, "layer": 0, "heads": [1]}]
    )
    assert get(client, analysis, "difference", other=changed["id"]) == 200


def get(client: TestClient, analysis: dict[str, Any], what: str, **query: Any) -> int:
    return client.get(f"/api/analyses/{analysis['id']}/{what}", params=query).status_code


@pytest.mark.full
@pytest.mark.parametrize("name", ["bare-bart", "answering-t5"])
def test_a_body_predicts_nothing(client: TestClient, name: str) -> None:
    assert analyse(client, name)["predictions"] == []


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_carried_is_refused_with_the_reason(client: TestClient, name: str) -> None:
    response = client.post("/api/analyses", json={"model": name, "text": TEXT})
    assert response.status_code in range(400, 504)
    assert response.status_code != 500
    error = response.json()["error"]
    assert (error["code"], error["field"]) == ("model_unavailable", "model")
    assert "layers" in error["message"]
    listed = next(each for each in client.get("/api/models").json()["models"] if each["id"] == name)
    assert (listed["available"], listed["self_check"]) == (False, None)
    assert listed["reason"] in error["message"]
