"""Which tensors of a file are codes rather than weights; folders that hold them are in ``test_loading``."""

from pathlib import Path

import pytest

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.files.safetensors_header import Header
from attention_core.pretrained.models.files.stored_numbers import check_numbers


def header(**tensors: tuple[str, tuple[int, ...]]) -> Header:
    shapes = {name: shape for name, (_, shape) in tensors.items()}
    return Header(Path("model.safetensors"), "", 0, shapes, {name: kind for name, (kind, _) in tensors.items()})


@pytest.mark.parametrize("kind", ["I8", "U8", "I16", "I32"])
def test_integers_named_weights_are_codes(kind: str) -> None:
    with pytest.raises(ModelUnavailableError, match=rf"1 tensors, the first being q_weight in {kind}\)"):
        check_numbers([header(bias=("F32", (4,))), header(q_weight=(kind, (4, 4)))])


def test_indices_and_masks_are_none() -> None:
    found = header(
        position_ids=("I64", (1, 8)), attn_bias=("U8", (1, 1, 8, 8)), seen=("BOOL", (8, 8)), steps_weight=("I64", ())
    )
    assert check_numbers([found, header(weight=("BF16", (4, 4)))]) == ()


def test_small_floats_are_codes_beside_scales_alone() -> None:
    small = header(weight=("F8_E4M3", (4, 4)))
    [said] = check_numbers([small])
    assert "weight (F8_E4M3)" in str(said)
    with pytest.raises(ModelUnavailableError, match="weights are quantized"):
        check_numbers([small, header(weight_scale_inv=("F32", (1,)))])
