"""Sounds over HTTP."""

import base64

import numpy as np
import pytest
from sound_models import tones, wav, write_sound_model
from starlette.testclient import TestClient

from attention_core.pretrained.inputs.sounds import decode_sound
from server.app import create_app
from server.settings import Settings

SOUND = base64.b64encode(wav(tones(0.5, 8_000), 8_000)).decode()


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    directory = tmp_path_factory.mktemp("models")
    write_sound_model(directory, "whisper")
    write_sound_model(directory, "hubert")
    settings = Settings(models_dir=directory, device="cpu", hub_models=(), preload=False, max_sound_seconds=1.5)
    with TestClient(create_app(settings)) as client:
        yield client


def post(client: TestClient, **asked: object):
    return client.post("/api/analyses/sound", json={"model": "whisper", "sound": SOUND, **asked})


@pytest.mark.full
def test_a_sound_is_analysed_like_a_text(client):
    answer = post(client, target_text="The cat")
    assert answer.status_code == 200, answer.text
    analysis = answer.json()
    assert (analysis["tokens"][2]["text"], analysis["tokens"][2]["seconds"]) == ("0.04s", pytest.approx([0.04, 0.06]))
    sound = dict(analysis["sound"])
    assert max(sound.pop("outline")) == pytest.approx(0.4, abs=0.01)
    assert sound == {
        "seconds": 0.5,
        "sampling_rate": 16_000,
        "hop": 0.02,
        "heard_seconds": 2.0,
        "first": 0,
        "bands": 1,
        "target_text": "The cat",
    }
    assert client.get(f"/api/analyses/{analysis['id']}").json() == analysis
    window = client.get(f"/api/analyses/{analysis['id']}/weights?part=cross&layer=1&head=2&encoding=json").json()
    np.testing.assert_allclose(np.sum(window["matrix"], axis=1), 1, atol=1e-5)
    file = client.get(f"/api/analyses/{analysis['id']}/sound")
    assert file.headers["content-type"] == "audio/wav"
    assert decode_sound(file.content, 1).sampling_rate == 16_000
    # What was heard, sent again, is the same sound: only the id differs.
    again = post(client, target_text="The cat", sound=base64.b64encode(file.content).decode()).json()
    assert again["overview"] == analysis["overview"]
    changed = post(client, target_text="The cat", interventions=[{"kind": "head_off", "layer": 0, "heads": [1]}]).json()
    assert changed["overview"] != analysis["overview"]


@pytest.mark.full
def test_the_model_writes_the_target(client):
    analysis = post(client, transcribe=True).json()
    assert analysis["sound"]["target_text"]
    assert len(analysis["target_tokens"]) > 1


@pytest.mark.full
def test_refusals(client):
    long = base64.b64encode(wav(tones(1.6, 8_000), 8_000)).decode()
    broken = base64.b64encode(b"RIFF1234WAVE").decode()
    text = client.post("/api/analyses", json={"model": "whisper", "text": "a"})
    answers = [
        post(client, sound=long),
        post(client, sound=broken),
        post(client, model="hubert", transcribe=True),
        text,
    ]
    found = [(each.status_code, each.json()["error"]["code"], each.json()["error"]["field"]) for each in answers]
    assert found == [
        (422, "sound_too_long", "sound"),
        (422, "sound_invalid", "sound"),
        (422, "out_of_range", "transcribe"),
        (422, "reads_sounds", "model"),
    ]
    assert answers[0].json()["error"]["limit"] == 1.5
    other = post(client, model="sentence-transformers/all-MiniLM-L6-v2")
    assert (other.status_code, other.json()["error"]["code"]) == (422, "reads_text")
