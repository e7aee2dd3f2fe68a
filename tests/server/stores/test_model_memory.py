"""Evicting models under a memory budget, end to end, while their analyses are kept."""

import gc
import itertools
import weakref

from starlette.testclient import TestClient
from tiny_models import write_model_folder

from server.app import create_app
from server.settings import Settings

NAMES = ("tiny-bert", "tiny-gpt2", "tiny-llama")


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
