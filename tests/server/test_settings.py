"""Settings from the environment, typed and bounded."""

import pytest
from pydantic import ValidationError

from server.settings import Settings


def test_every_setting_is_read_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("OBSERVATORY_MODELS_DIR", str(tmp_path))
    monkeypatch.setenv("OBSERVATORY_HUB_MODELS", "a/b, c/d,")
    monkeypatch.setenv("OBSERVATORY_MAX_TOKENS", "77")
    monkeypatch.setenv("OBSERVATORY_FRAME_ANCESTORS", "'none'")
    monkeypatch.setenv("OBSERVATORY_DEVICE", "cuda:1")
    settings = Settings()
    assert settings.models_dir == tmp_path
    assert settings.hub_models == ("a/b", "c/d")
    assert (settings.max_tokens, settings.frame_ancestors, settings.device) == (77, "'none'", "cuda:1")
    monkeypatch.setenv("OBSERVATORY_HUB_MODELS", "")
    assert Settings().hub_models == ()


def test_the_hub_s_allow_list_is_what_the_page_names():
    assert Settings().hub_models == ("google-bert/bert-base-uncased", "openai-community/gpt2", "distilbert/distilgpt2")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_TOKENS", "0"),
        ("MAX_BODY_BYTES", "12"),
        ("WORKERS", "0"),
        ("QUEUE_SIZE", "-1"),
        ("ANALYSIS_TIMEOUT_S", "0"),
        ("CACHE_BYTES", "many"),
        ("DEVICE", "abacus"),
        ("DTYPE", "int8"),
    ],
)
def test_values_out_of_bounds_are_refused_by_name(monkeypatch, name, value):
    monkeypatch.setenv(f"OBSERVATORY_{name}", value)
    with pytest.raises(ValidationError, match=f"(?i){name}"):
        Settings()


def test_every_setting_says_what_it_is():
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_settings_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        Settings().max_tokens = 3
