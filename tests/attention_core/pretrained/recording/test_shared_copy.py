"""A shared copy shares weights and nothing else."""

import torch

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights


def test_numbers_are_shared_and_hooks_are_not(minilm: LoadedModel) -> None:
    twin = copy_sharing_weights(minilm.model)
    mine, theirs = dict(minilm.model.named_parameters()), dict(twin.named_parameters())
    assert mine.keys() == theirs.keys()
    assert all(theirs[name] is tensor for name, tensor in mine.items())
    calls: list[str] = []
    twin.encoder.layer[0].register_forward_hook(lambda *_: calls.append("twin"))
    ids = torch.tensor([[101, 4937, 102]])
    with torch.inference_mode():
        minilm.model(ids)
        assert calls == []
        twin(ids)
    assert calls == ["twin"]


def test_the_configuration_is_its_own(minilm: LoadedModel) -> None:
    twin = copy_sharing_weights(minilm.model)
    twin.set_attn_implementation("eager")
    assert minilm.model.config._attn_implementation == "observatory"
