"""Norms of queries and keys against torch's own, against loops, and against the identities that define them."""

import math

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor
from torch.testing import assert_close
from transformers.models.qwen3.modeling_qwen3 import Qwen3RMSNorm

from attention_core.qk_norm import QKNorm, check_kind, l2_norm, layer_norm, rms_norm

HALF = [torch.float16, torch.bfloat16]


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def test_rms_norm_is_torchs_and_a_loops() -> None:
    vectors = draw(2, 3, 5)
    assert_close(rms_norm(vectors), F.rms_norm(vectors, (5,), eps=1e-6), rtol=1e-14, atol=1e-14)
    looped = torch.stack([v / math.sqrt(sum(float(x) ** 2 for x in v) / 5 + 1e-6) for v in vectors.reshape(-1, 5)])
    assert_close(rms_norm(vectors), looped.reshape(2, 3, 5), rtol=1e-13, atol=1e-13)


def test_l2_norm_is_torchs_and_of_length_one() -> None:
    vectors = draw(2, 3, 5)
    assert_close(l2_norm(vectors), F.normalize(vectors, dim=-1), rtol=1e-14, atol=1e-14)
    assert_close(l2_norm(vectors).norm(dim=-1), torch.ones(2, 3, dtype=torch.float64), rtol=1e-14, atol=0)


def test_layer_norm_is_torchs() -> None:
    vectors = draw(2, 3, 7) * 4 + 3
    assert_close(layer_norm(vectors), F.layer_norm(vectors, (7,)), rtol=1e-12, atol=1e-12)


def test_l2_normed_dot_product_is_the_cosine_of_the_angle() -> None:
    angles = torch.tensor([0.0, 36.0, 90.0, 135.0, 180.0], dtype=torch.float64).deg2rad()
    lengths = torch.tensor([[1.0], [5.0], [0.2], [7.0], [3.0]], dtype=torch.float64)
    vectors = torch.stack((angles.cos(), angles.sin()), dim=-1) * lengths
    expected = (angles[:, None] - angles[None, :]).cos()
    assert_close(l2_norm(vectors) @ l2_norm(vectors).T, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_rms_and_layer_norm_leave_length_root_d(size: int) -> None:
    vectors = draw(11, size) * 9
    assert_close(rms_norm(vectors, epsilon=1e-20).norm(dim=-1), torch.full((11,), math.sqrt(size)).double())
    if size > 1:
        assert_close(layer_norm(vectors, epsilon=1e-20).norm(dim=-1), torch.full((11,), math.sqrt(size)).double())


@pytest.mark.parametrize("norm", [rms_norm, l2_norm, layer_norm])
@pytest.mark.parametrize("dtype", HALF)
def test_half_precision_neither_overflows_nor_changes_type(norm, dtype: torch.dtype) -> None:
    vectors = (draw(3, 64) * 1e4).clamp(-6e4, 6e4).to(dtype)  # squares are beyond float16's 65,504
    normed = norm(vectors)
    assert normed.dtype == dtype
    assert_close(normed.double(), norm(vectors.double()), rtol=torch.finfo(dtype).eps * 8, atol=0.01)


@pytest.mark.parametrize("norm", [rms_norm, l2_norm, layer_norm])
def test_zeros_stay_zeros_with_a_finite_gradient(norm) -> None:
    zeros = torch.zeros(2, 3, requires_grad=True)
    normed = norm(zeros)
    normed.sum().backward()
    assert_close(normed, torch.zeros(2, 3))
    assert zeros.grad is not None
    assert zeros.grad.isfinite().all()


@pytest.mark.parametrize("norm", [rms_norm, l2_norm, layer_norm])
def test_gradients(norm) -> None:
    assert torch.autograd.gradcheck(norm, draw(2, 3, 5).requires_grad_())


@pytest.mark.parametrize("kind", ["rms", "l2"])
def test_module_gradients_reach_scale_and_inputs(kind) -> None:
    module = QKNorm(kind, 5, dtype=torch.float64)

    def scores(queries: Tensor, keys: Tensor, *_scales: Tensor) -> Tensor:
        normed_queries, normed_keys = module(queries, keys)
        return normed_queries @ normed_keys.mT

    inputs = (draw(2, 3, 5).requires_grad_(), draw(2, 4, 5, seed=1).requires_grad_(), *module.parameters())
    assert torch.autograd.gradcheck(scores, inputs)


def test_rms_module_is_qwen3s() -> None:
    module = QKNorm("rms", 6)
    theirs = Qwen3RMSNorm(6, eps=1e-6)
    assert module.query_scale is not None
    assert module.key_scale is not None
    with torch.no_grad():
        module.query_scale.copy_(draw(6, dtype=torch.float32))
        module.key_scale.copy_(draw(6, seed=1, dtype=torch.float32))
        theirs.weight.copy_(module.query_scale)
    queries, keys = draw(2, 4, 3, 6, dtype=torch.float32), draw(2, 2, 5, 6, seed=2, dtype=torch.float32)
    normed_queries, normed_keys = module(queries, keys)
    assert_close(normed_queries, theirs(queries), rtol=1e-6, atol=1e-6)
    assert_close(normed_keys, F.rms_norm(keys, (6,), module.key_scale, eps=1e-6), rtol=1e-6, atol=1e-6)


def test_l2_module_shares_one_scale() -> None:
    module = QKNorm("l2", 3, dtype=torch.float64)
    assert sum(p.numel() for p in module.parameters()) == 3
    assert module.query_scale is not None
    with torch.no_grad():
        module.query_scale.copy_(torch.tensor([2.0, 1.0, 0.5]))
    queries, keys = draw(4, 3), draw(5, 3, seed=1)
    normed_queries, normed_keys = module(queries, keys)
    unit_q, unit_k = F.normalize(queries, dim=-1), F.normalize(keys, dim=-1)
    expected = torch.einsum("qd,d,kd->qk", unit_q, torch.tensor([4.0, 1.0, 0.25]).double(), unit_k)
    assert_close(normed_queries @ normed_keys.mT, expected, rtol=1e-13, atol=1e-13)
    assert module.score_scale == math.sqrt(3)


def test_without_learned_scale_there_are_no_parameters() -> None:
    module = QKNorm("rms", 4, learned_scale=False)
    assert not list(module.parameters())
    assert module.score_scale == 0.5
    assert "kind=rms, head_dim=4, learned_scale=False" in repr(module)


def test_epsilon_is_used() -> None:
    vectors = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
    normed, _ = QKNorm("rms", 2, learned_scale=False, epsilon=1.0)(vectors, vectors)
    assert_close(normed, vectors / math.sqrt(13.5), rtol=1e-14, atol=0)
    normed, _ = QKNorm("l2", 2, learned_scale=False, epsilon=10.0)(vectors, vectors)
    assert_close(normed, vectors / 10, rtol=1e-14, atol=0)


def test_invalid_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"^kind must be one of rms, l2, not 'layer'$"):
        check_kind("layer")
    with pytest.raises(ValueError, match=r"^head_dim must be at least 1, not 0$"):
        QKNorm("l2", 0)
    with pytest.raises(ValueError, match=r"^vectors must have size 4, not 3$"):
        QKNorm("l2", 4)(torch.ones(1, 3), torch.ones(1, 4))
    with pytest.raises(ValueError, match=r"^epsilon must be > 0, not -1\.0$"):
        rms_norm(torch.ones(2), epsilon=-1.0)
    with pytest.raises(ValueError, match=r"^vectors must have at least 1 number each, not 0$"):
        l2_norm(torch.ones(3, 0))
