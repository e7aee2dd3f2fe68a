"""What is said of an adapter before it is loaded is what its base says, but for its own hash and licence."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from adapter_folders import write_adapter

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.place_inspection import facts_and_support, inspect_place
from attention_core.pretrained.models.sources import ModelFolder
from attention_core.refusal import Sentence


@pytest.fixture
def adapter(tmp_path: Path, models_dir: Path) -> ModelFolder:
    base = Path(shutil.copytree(models_dir / "tiny-llama", tmp_path / "base"))
    write_adapter(tmp_path / "tuned", "base", {"model.layers.0.self_attn.q_proj": (24, 32)})
    (tmp_path / "tuned" / "README.md").write_text("---\nlicense: mit\n---\n")
    place = ModelFolder("tuned", "tuned", "directory", tmp_path / "tuned")
    return replace(place, base=ModelFolder("base", "base", "directory", base))


def test_an_adapter_has_the_shape_of_its_base_and_a_hash_of_its_own(adapter: ModelFolder) -> None:
    assert adapter.base is not None
    base, tuned = inspect_place(adapter.base), inspect_place(adapter)
    assert (tuned.folder, tuned.facts, tuned.float32_bytes) == (base.folder, base.facts, base.float32_bytes)
    assert tuned.adapter is not None
    assert tuned.adapter.parameters == 4 * (32 + 24)
    assert tuned.fingerprint not in (base.fingerprint, "")
    facts, support = facts_and_support(adapter)
    assert (facts, support) == (replace(facts_and_support(adapter.base)[0], licence="mit"), support)
    assert support is not None
    assert support.level == "carried"


def test_what_is_lacking_is_said_first(adapter: ModelFolder) -> None:
    lacking = replace(adapter, base=None, lacks=Sentence("Something is missing."))
    with pytest.raises(ModelUnavailableError, match=r"^Something is missing\.$"):
        inspect_place(lacking)
    assert facts_and_support(lacking)[1] is None
