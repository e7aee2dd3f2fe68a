"""MultiHeadAttention against torch's fused kernel with the same projections: the time ratio within one run.

Run: ``python -m benchmarks.multi_head``. Each round times both, in alternating order, so that other load on the
machine affects both; the output is the median of each and the median of the rounds' ratios.
"""

import statistics
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from attention_core.multi_head import MultiHeadAttention

SIZES = ((12, 512, 64), (16, 2048, 64))
"""Heads, tokens, head size; batch 1."""
ROUNDS = 25


def reference(module: MultiHeadAttention, x: Tensor, *, is_causal: bool) -> Tensor:
    """The minimum work: project, split, torch's kernel, concatenate, project."""
    batch, tokens, _ = x.shape
    queries, keys, values = (
        projection(x).view(batch, tokens, module.num_heads, module.head_dim).transpose(1, 2)
        for projection in (module.query_projection, module.key_projection, module.value_projection)
    )
    heads = F.scaled_dot_product_attention(queries, keys, values, is_causal=is_causal)
    return module.output_projection(heads.transpose(1, 2).reshape(batch, tokens, -1))


def milliseconds(run: Callable[[], Tensor]) -> float:
    start = time.perf_counter()
    run()
    return 1e3 * (time.perf_counter() - start)


def compare(heads: int, tokens: int, head_dim: int, *, is_causal: bool) -> tuple[float, float, float]:
    """Median milliseconds of ours and of the reference, and the median ratio."""
    generator = torch.Generator().manual_seed(0)
    module = MultiHeadAttention(heads * head_dim, heads, generator=generator).eval()
    x = torch.randn(1, tokens, heads * head_dim, generator=generator)

    def ours() -> Tensor:
        return module(x, is_causal=is_causal)

    def theirs() -> Tensor:
        return reference(module, x, is_causal=is_causal)

    torch.testing.assert_close(ours(), theirs(), rtol=0, atol=1e-5)
    pairs = []
    for index in range(ROUNDS):
        if index % 2:
            mine, other = milliseconds(ours), milliseconds(theirs)
        else:
            other, mine = milliseconds(theirs), milliseconds(ours)
        pairs.append((mine, other))
    ratio = statistics.median(mine / other for mine, other in pairs)
    return statistics.median(m for m, _ in pairs), statistics.median(o for _, o in pairs), ratio


def main() -> None:
    print(f"{'(heads, tokens, size)':24}{'causal':8}{'ours ms':>10}{'torch ms':>10}{'ratio':>8}")
    with torch.inference_mode():
        for size in SIZES:
            for is_causal in (False, True):
                mine, other, ratio = compare(*size, is_causal=is_causal)
                print(f"{size!s:24}{is_causal!s:8}{mine:10.2f}{other:10.2f}{ratio:8.3f}")


if __name__ == "__main__":
    main()
