"""Norms by their numbers against torch's, and equations that hold or do not."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from attention_core.block import BOUND, OF_ORDER, equation, equations, norm_numbers
from attention_core.block_norm import RMSNorm


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_norms_by_their_numbers() -> None:
    x, scale, shift = drawn(7), drawn(7, seed=1), drawn(7, seed=2)
    layer = nn.LayerNorm(7, eps=1e-3)
    rms = RMSNorm(7, 1e-3)
    with torch.no_grad():
        layer.weight.copy_(scale)
        layer.bias.copy_(shift)
        rms.weight.copy_(scale)
        found, normed = norm_numbers(layer, "y", "x", x)
        torch.testing.assert_close(normed.float(), F.layer_norm(x, (7,), scale, shift, 1e-3))
        assert (found.name, found.source, found.kind, found.epsilon) == ("y", "x", "layer", 1e-3)
        assert found.mean == pytest.approx(float(x.mean()))
        assert found.spread == pytest.approx(float(x.var(correction=0)))
        found, normed = norm_numbers(rms, "y", "x", x)
        torch.testing.assert_close(normed.float(), F.rms_norm(x, (7,), scale, 1e-3))
        assert (found.kind, found.mean, found.shift) == ("rms", 0.0, None)
        assert found.spread == pytest.approx(float((x**2).mean()))
        found, normed = norm_numbers(nn.Identity(), "y", "x", x)
        assert found.kind == "none"
        assert normed.tolist() == x.double().tolist()
    with pytest.raises(ValueError, match="module must be a normalisation layer, not Linear"):
        norm_numbers(nn.Linear(7, 7), "y", "x", x)


def test_an_equation_that_does_not_hold_says_so() -> None:
    """A decoder whose residual connection was cut."""
    names = set(OF_ORDER["pre"])
    at = {name: drawn(6, seed=number) for number, name in enumerate(sorted(names))}
    norms, projections = [RMSNorm(6, 1e-6), RMSNorm(6, 1e-6)], [nn.Linear(6, 6), nn.Linear(6, 6)]
    with torch.no_grad():
        _, checks = equations("pre", at, norms, projections)
    assert not any(check.holds for check in checks)
    assert checks[2].equation == "after_attention = inputs + attention_output"
    expected = (at["after_attention"] - at["inputs"] - at["attention_output"]).abs().max()
    assert checks[2].difference == pytest.approx(float(expected))


def test_the_bound_follows_size_and_precision() -> None:
    one = torch.ones(2)
    assert equation("y", "x", one, one).bound == BOUND
    assert equation("y", "x", 300 * one, 300 * one).bound == pytest.approx(300 * BOUND)
    assert equation("y", "x", one.half(), one.half()).bound == pytest.approx(2**13 * BOUND)
    assert equation("y", "x", one.double(), one.double()).bound == BOUND
