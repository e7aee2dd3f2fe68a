"""Evicting models under a memory budget, end to end, while their analyses are kept."""

import gc
import itertools
import os
import re
import shutil
import sys
import weakref
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tiny_models import write_model_folder

from attention_core.pretrained.models.sources import package_folders
from server.app import create_app
from server.settings import Settings

NAMES = ("tiny-bert", "tiny-gpt2", "tiny-llama")


@pytest.mark.full
def test_models_make_room_and_their_analyses_stay_until_they_are_pushed_out(tmp_path):
    for name in NAMES:
        write_model_folder(tmp_path, name)
    settings = Settings(models_dir=tmp_path, device="cpu", hub_models=(), preload=False, max_model_bytes=2**20)
    app = create_app(settings)
    catalog = app.state.catalog
    sizes = {name: catalog.load(name).nbytes for name in NAMES}
    catalog.max_model_bytes = max(sizes.values()) + 1  # room for one
    with TestClient(app) as client:
        ids, models = {}, {}
        for name in NAMES:
            answer = client.post("/api/analyses", json={"model": name, "text": "The cat sat on the mat."})
            assert answer.status_code == 200, answer.text
            ids[name] = answer.json()["id"]
            models[name] = weakref.ref(catalog.load(name).model)
            assert sum(loaded.nbytes for loaded in catalog._kept.values()) <= catalog.max_model_bytes
        assert [key[0] for key in catalog._kept] == ["tiny-llama"]
        gc.collect()
        assert models["tiny-bert"]() is None
        assert models["tiny-gpt2"]() is None
        assert models["tiny-llama"]() is not None
        for name, stage in itertools.product(NAMES, ("weights", "norm_weighted")):
            query = f"layer=0&head=0&stage={stage}"  # answered without the model being loaded again
            assert client.get(f"/api/analyses/{ids[name]}/weights?{query}").status_code == 200
        assert [key[0] for key in catalog._kept] == ["tiny-llama"]
        app.state.observatory.analyses.cache.clear()
        again = client.post("/api/analyses", json={"model": "tiny-bert", "text": "The cat sat on the mat."})
        assert again.json()["id"] == ids["tiny-bert"]


def mapped(folder):
    """Bytes of this folder's files that the process has mapped, by the kernel's own account."""
    total = 0
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            inside = str(folder) in line
        elif inside and line.startswith("Size:"):
            total += 1024 * int(line.split()[1])
    return total


def link(source, target):
    """As shutil.copy2, without another copy on the disk where that can be."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def gauge(client, name):
    lines = client.get("/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if re.match(rf"observatory_{name}[ {{]", line))


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's account is Linux's")
def test_no_more_than_the_limit_stays_mapped_whatever_was_asked_of_the_models(tmp_path):
    minilm = next(place.folder for place in package_folders() if place.id.endswith("MiniLM-L6-v2"))
    count, limit = 4, 150_000_000
    for index in range(count):
        shutil.copytree(minilm, tmp_path / f"copy-{index}", copy_function=link)
    settings = Settings(models_dir=tmp_path, device="cpu", hub_models=(), preload=False, max_model_bytes=limit)
    with TestClient(create_app(settings)) as client:
        ids = []
        for index in range(count):
            answer = client.post("/api/analyses", json={"model": f"copy-{index}", "text": "The cat sat on the mat."})
            assert answer.status_code == 200, answer.text
            ids.append(answer.json()["id"])
            for view in ("rollout", "tokens/3", "weights?layer=0&head=0&stage=norm_weighted"):
                assert client.get(f"/api/analyses/{ids[-1]}/{view}").status_code == 200
            held = mapped(tmp_path)
            assert 0 < held <= limit
            assert gauge(client, "model_mapped_bytes") == held
            assert gauge(client, "model_bytes") == pytest.approx(held, rel=0.05)
            assert client.get("/api/models").json()["memory"]["used_bytes"] == gauge(client, "model_bytes")
        first = client.get(f"/api/analyses/{ids[0]}/weights?layer=0&head=0&stage=norm_weighted")
        assert first.status_code == 200
        assert mapped(tmp_path) == held
