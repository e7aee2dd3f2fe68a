"""Folders of others that are broken in every way: nothing answers 500, nothing waits, and each says what it lacks."""

import json
import resource
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from atlas_folders import FakeAtlas, write_atlas
from broken_folders import DAMAGES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tiny_models import SENTENCES, write_model_folder

from server.app import create_app
from server.settings import Settings

LISTS = ("/", "/readyz", "/api/models", "/api/atlases", "/api/corpora", "/api/status")
PATIENCE_S = 60
FILES = (
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "generation_config.json",
    "preprocessor_config.json",
    "special_tokens_map.json",
    "model.safetensors.index.json",
    "adapter_config.json",
    "vocab.txt",
    "chat_template.jinja",
    "README.md",
    "weights\udcff.bin",
)
NUMBERS = st.sampled_from([0, -1, 1, 2**31, 2**63, 10**9, 10**12, 10**4000, 1.5, 1e308, float("nan"), float("inf")])
VALUES = NUMBERS | st.sampled_from([None, True, "", "\ud800", "x" * 10_000, [], [[]], {}, {"a": 1}, [None], "0"])


class Here:
    """An application whose folders tests break, and what it answers."""

    def __init__(self, folder: Path, client: TestClient) -> None:
        self.folder = folder
        self.client = client
        self.whole = folder / "models" / "whole"

    def fresh(self) -> Path:
        """A folder like the whole one, to be broken."""
        broken = self.folder / "models" / "broken"
        shutil.rmtree(broken, ignore_errors=True)
        shutil.copytree(self.whole, broken)
        return broken

    def ask(self, path: str, **body: Any) -> Any:
        """The answer, which must come in time and be no failure of the server's own."""
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(
                self.client.request, "POST" if body else "GET", path, **({"json": body} if body else {})
            )
            answer = asked.result(PATIENCE_S)
        assert answer.status_code < 500, (path, answer.text)
        return answer

    def check_lists(self) -> dict[str, Any]:
        """Every list is answered, and the whole model is in it; returns the broken one's row."""
        for path in LISTS:
            self.ask(path)
        models = {each["id"]: each for each in self.ask("/api/models").json()["models"]}
        assert models["whole"]["available"] is True
        row: dict[str, Any] = models.get("broken", {"available": False, "reason": "nothing looks like a model"})
        assert row["available"] or row["reason"]
        assert str(self.folder) not in str(row["reason"])
        return row


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    folder = tmp_path_factory.mktemp("here")
    for name in ("models", "atlases", "corpora"):
        (folder / name).mkdir()
    write_model_folder(folder / "models", "tiny-llama").rename(folder / "models" / "whole")
    own = {"models_dir": folder / "models", "atlases_dir": folder / "atlases", "corpora_dir": folder / "corpora"}
    with TestClient(
        create_app(Settings(device="cpu", hub_models=(), preload=False, **own)), raise_server_exceptions=False
    ) as client:
        yield Here(folder, client)


@pytest.mark.full("config.json-missing", "config.json-pipe")
@pytest.mark.sampled(3)
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_file_that_is_needed_and_broken_is_the_reason_of_its_row(here: Here, name: str, damage: str) -> None:
    DAMAGES[damage](here.fresh() / name)
    row = here.check_lists()
    if name != "tokenizer.json" or damage in {
        "missing",
        "pipe",
        "socket",
        "folder",
        "loop",
        "nowhere",
        "device",
        "sparse",
    }:
        assert row["available"] is False
    if row["reason"] and damage in {"pipe", "socket", "folder", "loop", "nowhere"}:
        assert row["reason"].startswith(name)
    assert here.ask("/api/analyses", model="broken", text="a").status_code == 409


def test_a_sparse_vocabulary_takes_no_memory(here: Here) -> None:
    broken = here.fresh()
    (broken / "tokenizer.json").unlink()
    DAMAGES["sparse"](broken / "vocab.txt")
    here.check_lists()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert here.check_lists()["reason"].startswith("vocab.txt is larger than 33554432 bytes")
    assert here.ask("/api/analyses", model="broken", text="a").status_code == 409
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


def test_an_unneeded_file_that_is_broken_harms_nothing(here: Here) -> None:
    broken = here.fresh()
    for name in ("notes.txt", "trainer_state.json", "README.md", "optimizer.pt", "adapter_config.json"):
        DAMAGES["pipe"](broken / name)
    assert here.check_lists()["available"] is True
    assert here.ask("/api/analyses", model="broken", text="a").status_code == 200


def test_what_is_no_folder_is_listed_or_passed_over(here: Here) -> None:
    models = here.folder / "models"
    for name, damage in (("round", "loop"), ("pipe.gguf", "pipe"), ("lost", "nowhere"), ("pipe", "pipe")):
        DAMAGES[damage](models / name)
    here.check_lists()
    reasons = {each["id"]: each["reason"] for each in here.ask("/api/models").json()["models"]}
    assert reasons["round"].startswith("round is a link that leads back to itself.")
    assert reasons["lost"].startswith("lost is a link to a place that is not there.")
    assert reasons["pipe.gguf"].startswith("Its weights are a GGUF file")
    assert "pipe" not in reasons
    for name in ("round", "pipe.gguf", "lost", "pipe"):
        (models / name).unlink()


@pytest.mark.parametrize("name", ["generation_config.json", "chat_template.jinja", "spiece.model"])
def test_what_the_library_would_open_is_looked_at_before_it_is_listed(here: Here, name: str) -> None:
    DAMAGES["pipe"](here.fresh() / name)
    assert here.check_lists()["reason"].startswith(f"{name} is a named pipe")


damaged = st.dictionaries(st.sampled_from(FILES), st.sampled_from(sorted(DAMAGES)), min_size=1, max_size=4)


@pytest.mark.full
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damages=damaged)
def test_several_broken_files(here: Here, damages: dict[str, str]) -> None:
    broken = here.fresh()
    for name, damage in damages.items():
        DAMAGES[damage](broken / name)
    row = here.check_lists()
    loaded = here.ask("/api/analyses", model="broken", text="a").status_code
    assert loaded in ({200, 409} if row["available"] else {404, 409})


@pytest.mark.full
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_configuration_of_odd_values(here: Here, data: st.DataObject) -> None:
    broken = here.fresh()
    for name in ("config.json", "tokenizer_config.json"):
        content = json.loads((broken / name).read_bytes())
        keys = st.sampled_from([*sorted(content), "num_labels", "sliding_window", "quantization_config", "license"])
        content |= data.draw(st.dictionaries(keys, VALUES, max_size=2), label=name)
        (broken / name).write_text(json.dumps(content))
    here.check_lists()


@pytest.mark.full
@pytest.mark.parametrize("damage", DAMAGES)
def test_broken_atlases_and_corpora(here: Here, damage: str) -> None:
    for name in ("atlas.json", "heads.parquet", "vectors.parquet"):
        folder = here.folder / "atlases" / ("ab" * 8)
        shutil.rmtree(folder, ignore_errors=True)
        write_atlas(here.folder / "atlases", FakeAtlas(id="ab" * 8, layers=1, heads=1, windows=1, sampled=1))
        assert [each["id"] for each in here.ask("/api/atlases").json()["atlases"]] == ["ab" * 8]
        DAMAGES[damage](folder / name)
        here.check_lists()
        assert here.ask(f"/api/atlases/{'ab' * 8}").status_code in (200, 404, 409, 422)
    for suffix in (".txt", ".jsonl", ".csv", ".parquet", ".jsonl.gz"):
        DAMAGES[damage](here.folder / "corpora" / f"broken{suffix}")
    (here.folder / "corpora" / "good.txt").write_text("\n\n".join(SENTENCES))
    found = {each["id"]: each for each in here.ask("/api/corpora").json()["corpora"]}
    assert "good.txt" in found
