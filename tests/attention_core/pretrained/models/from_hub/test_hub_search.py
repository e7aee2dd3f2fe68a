"""Search and preview, with the hub's own client against a small loopback hub."""

import json
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants
from loopback_hub import LoopbackHub
from safetensors import safe_open

from attention_core.pretrained.errors import HubNotAllowedError, ModelUnavailableError, UnknownModelError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.from_hub.hub import Hub


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, models_dir: Path) -> Iterator[LoopbackHub]:
    """A hub with a decoder, a model that is not carried, and one with pickled weights alone."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    state_space, pickled = tmp_path / "mamba", tmp_path / "pickled"
    state_space.mkdir()
    (state_space / "config.json").write_text(json.dumps({"model_type": "mamba", "architectures": ["MambaForCausalLM"]}))
    (state_space / "model.safetensors").write_bytes(b"12345")
    shutil.copytree(models_dir / "tiny-bert", pickled)
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    served = LoopbackHub(
        {"some/tiny-gpt2": models_dir / "tiny-gpt2", "some/mamba": state_space, "gated/tiny-pickled": pickled}
    )
    yield served
    served.close()


def catalog_of(hub: LoopbackHub, cache: Path, *, allow_any: bool = True, max_model_bytes: int = 2**30) -> Catalog:
    source = Hub(endpoint=hub.address, cache_dir=cache / "cache")
    return Catalog(
        hub_models=(), hub=source, allow_any_hub_model=allow_any, device="cpu", max_model_bytes=max_model_bytes
    )


def test_a_search_says_of_each_hit_whether_it_can_be_shown(hub: LoopbackHub, tmp_path: Path) -> None:
    found = {each.id: each for each in catalog_of(hub, tmp_path).search("some/", 20)}
    assert list(found) == ["some/tiny-gpt2", "some/mamba"]
    decoder, other = found.values()
    assert (decoder.support, decoder.architecture, decoder.support_reason) == ("carried", "GPT2LMHeadModel", None)
    assert (decoder.parameters, decoder.licence, decoder.downloads, decoder.gated) == (1234, "mit", 7, False)
    assert (other.support, other.architecture) == ("refused", "MambaForCausalLM")
    assert str(other.support_reason) == "It has no attention weights: its layers are recurrent."
    assert [(each.id, each.gated) for each in catalog_of(hub, tmp_path).search("PICKLED", 1)] == [
        ("gated/tiny-pickled", True)
    ]
    assert catalog_of(hub, tmp_path).search("nothing of this name", 20) == []


@pytest.mark.full
def test_a_preview_tells_what_loading_finds_and_fetches_no_weights(
    hub: LoopbackHub, tmp_path: Path, models_dir: Path
) -> None:
    catalog = catalog_of(hub, tmp_path)
    entry = catalog.preview("some/tiny-gpt2")
    assert (entry.available, entry.support, entry.is_here, entry.licence) == (True, "carried", False, "mit")
    assert entry.size_bytes == (models_dir / "tiny-gpt2" / "model.safetensors").stat().st_size
    assert not [path for path in hub.asked if path.endswith(".safetensors")]
    assert not (tmp_path / "cache").exists(), "a preview leaves nothing behind"
    loaded = catalog.load("some/tiny-gpt2").entry
    for name in ("architecture", "kind", "layers", "heads", "kv_heads", "head_dim", "max_tokens", "positions"):
        assert getattr(entry, name) == getattr(loaded, name), name
    with safe_open(models_dir / "tiny-gpt2" / "model.safetensors", "np") as weights:
        assert loaded.parameters == sum(weights.get_tensor(name).size for name in weights.keys())  # noqa: SIM118
    assert catalog.preview("some/tiny-gpt2") == loaded, "once it is here, the hub is not asked"


@pytest.mark.full
@pytest.mark.parametrize("with_token", [False, True])
def test_the_operator_s_token_is_sent_only_where_the_operator_says_so(
    hub: LoopbackHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, with_token: bool
) -> None:
    """A visitor could otherwise look for private models of whoever runs the server, and read them."""
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_operator")
    source = Hub(endpoint=hub.address, cache_dir=tmp_path / "cache", with_token=with_token, patience_s=60.0)
    catalog = Catalog(hub_models=("some/mamba",), hub=source, allow_any_hub_model=True, device="cpu")
    catalog.entries()
    catalog.search("some/", 20)
    catalog.preview("some/tiny-gpt2")
    catalog.load("some/tiny-gpt2")
    assert {"/api/models", "/api/models/some/mamba", "/api/models/some/tiny-gpt2"} <= set(hub.asked)
    assert any(path.endswith("model.safetensors") for path in hub.asked)
    assert hub.tokens == {"Bearer hf_of_the_operator" if with_token else None}


def test_a_preview_says_why_a_model_cannot_be_used(hub: LoopbackHub, tmp_path: Path) -> None:
    catalog = catalog_of(hub, tmp_path)
    mamba = catalog.preview("some/mamba")
    assert (mamba.available, mamba.support, mamba.layers, mamba.size_bytes) == (False, "refused", None, 5)
    pickled = catalog.preview("gated/tiny-pickled")
    assert (pickled.available, pickled.support, pickled.layers) == (False, "carried", 2)
    assert "no weights in safetensors format" in str(pickled.reason)
    small = catalog_of(hub, tmp_path, max_model_bytes=1000).preview("some/tiny-gpt2")
    assert str(small.reason) == "It needs 4,936 bytes; models may use at most 1,000 (max_model_bytes)."
    with pytest.raises(ModelUnavailableError, match=r"^no/where cannot be used. .* no public model of this name"):
        catalog.preview("no/where")


def test_only_an_operator_who_allows_any_model_lets_people_search(hub: LoopbackHub, tmp_path: Path) -> None:
    catalog = catalog_of(hub, tmp_path, allow_any=False)
    with pytest.raises(HubNotAllowedError, match="takes only the models that it lists"):
        catalog.search("tiny", 20)
    with pytest.raises(UnknownModelError, match="no model of this name"):
        catalog.preview("some/tiny-gpt2")
    assert hub.asked == []


@pytest.mark.full
def test_without_a_hub_a_search_says_so(hub: LoopbackHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.close()
    catalog = Catalog(
        hub_models=(), hub=Hub(endpoint=hub.address, cache_dir=tmp_path, timeout_s=0.2), allow_any_hub_model=True
    )
    with pytest.raises(ModelUnavailableError, match=r"^The Hugging Face Hub cannot be reached\.$"):
        catalog.search("tiny", 20)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelUnavailableError, match="switched off on this server"):
        catalog.search("tiny", 20)


def test_a_hub_that_does_not_answer_is_not_waited_for_again(hub: LoopbackHub, tmp_path: Path) -> None:
    """Neither by searches nor by previews nor by downloads."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        source = Hub(endpoint=address, cache_dir=tmp_path, timeout_s=0.1, retry_after_s=1000.0)
        catalog = Catalog(hub_models=(), hub=source, allow_any_hub_model=True, device="cpu")
        with pytest.raises(ModelUnavailableError, match="cannot be reached"):
            catalog.search("tiny", 20)
    source.endpoint = hub.address  # which would answer
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        catalog.search("tiny", 20)
    for ask in (catalog.preview, catalog.load):
        with pytest.raises(ModelUnavailableError, match="cannot be reached"):
            ask("some/tiny-gpt2")
    assert hub.asked == []


@pytest.mark.full
def test_what_a_hub_refuses_is_no_silence(hub: LoopbackHub, tmp_path: Path) -> None:
    catalog = catalog_of(hub, tmp_path)
    with pytest.raises(ModelUnavailableError, match="no public model"):
        catalog.preview("no/where")
    assert [each.id for each in catalog.search("tiny-gpt2", 1)] == ["some/tiny-gpt2"]
