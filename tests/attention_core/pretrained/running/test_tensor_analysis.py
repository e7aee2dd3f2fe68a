"""Uploaded tensors against torch's attention and the upload."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from attention_core.pretrained.errors import Cancelled, SelectionError, TensorsError, TensorsTooLargeError
from attention_core.pretrained.inputs.tensor_files import TensorFile
from attention_core.pretrained.recording.windows import STAGES
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.tensor_analysis import analyse_tensors

L, H, HKV, Q, K, D, V = 2, 6, 3, 5, 7, 11, 13
SCORES = {"raw_scores", "scaled_scores", "masked_scores"}


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def some_weights(*shape: int) -> Tensor:
    return torch.softmax(random(*shape), dim=-1)


def analyse(max_tokens: int = 100, **file: object) -> Analysis:
    names = {"tokens", "key_tokens", "title", "scale", "masks"}
    tensors = {name.replace("__", "."): tensor for name, tensor in file.items() if name not in names}
    others = {name: value for name, value in file.items() if name in names}
    return analyse_tensors(TensorFile(tensors, **others), max_tokens=max_tokens)  # type: ignore[arg-type]


def whole(analysis: Analysis, stage: str, part: str | None = None) -> np.ndarray:
    found = next(each for each in analysis.parts if part in (None, each.name))
    return np.array(
        [[analysis.window(part, layer, head, stage) for head in range(found.heads)] for layer in range(found.layers)]
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_weights_are_shown_as_given(dtype: torch.dtype) -> None:
    weights = some_weights(L, H, Q, Q).to(dtype)
    analysis = analyse(weights=weights)
    (part,) = analysis.parts
    np.testing.assert_array_equal(whole(analysis, "weights"), weights.float().numpy())
    assert (part.name, part.layers, part.heads, part.kv_heads, part.causal) == ("encoder", L, H, H, False)
    assert part.stages == ("weights",)
    assert [token.text for token in analysis.tokens] == ["0", "1", "2", "3", "4"]
    assert analysis.target_tokens is None
    assert analysis.dtype == str(dtype).removeprefix("torch.")
    assert analysis.warnings == ()
    np.testing.assert_array_equal(part.overview, np.rint(weights.float().numpy() * 255).astype(np.uint8))


def test_metrics_are_those_of_the_weights() -> None:
    weights = some_weights(L, H, Q, Q)
    analysis = analyse(weights=weights, tokens=["[CLS]", "a", "b", "c", "[SEP]"])
    metrics = analysis.parts[0].metrics
    entropy = -(weights * weights.log()).sum(-1).mean(-1)
    np.testing.assert_allclose(metrics["entropy"], entropy, rtol=1e-5)
    np.testing.assert_allclose(metrics["separator"], weights[..., 4].mean(-1), rtol=1e-5)
    np.testing.assert_allclose(metrics["first_token"], weights[..., 0].mean(-1), rtol=1e-5)
    assert [token.special for token in analysis.tokens] == [True, False, False, False, True]


def test_queries_and_keys_give_every_stage() -> None:
    queries, keys, values = random(L, H, Q, D), random(L, HKV, Q, D, seed=1), random(L, HKV, Q, V, seed=2)
    analysis = analyse(queries=queries, keys=keys, values=values, masks={"mask": "causal"})
    repeated = keys.repeat_interleave(2, dim=1)
    raw = queries @ repeated.transpose(-1, -2)
    scaled = raw / math.sqrt(D)
    masked = scaled.masked_fill(torch.ones(Q, Q, dtype=torch.bool).triu(1), -math.inf)
    weights = F.scaled_dot_product_attention(
        queries, repeated, torch.eye(Q).double().expand(L, H, Q, Q), is_causal=True
    )
    norms = values.norm(dim=-1).repeat_interleave(2, dim=1)[:, :, None]
    expected = {"raw_scores": raw, "scaled_scores": scaled, "masked_scores": masked, "weights": weights}
    expected["value_weighted"] = weights * norms
    (part,) = analysis.parts
    assert part.stages == tuple(stage for stage in STAGES if stage != "norm_weighted") == tuple(expected)
    for stage, want in expected.items():
        np.testing.assert_allclose(whole(analysis, stage), want, rtol=1e-6, atol=1e-7)
    assert (part.name, part.causal, part.heads, part.kv_heads) == ("decoder", True, H, HKV)
    assert (analysis.model.source, analysis.model.kind, analysis.model.head_dim) == ("upload", "decoder", D)


def test_half_precision_is_multiplied_in_full() -> None:
    queries, keys = random(L, H, Q, D).half(), random(L, H, Q, D, seed=1).half()
    analysis = analyse(queries=queries, keys=keys, scale=0.25)
    expected = torch.softmax(queries.double() @ keys.double().transpose(-1, -2) / 4, dim=-1)
    np.testing.assert_allclose(whole(analysis, "weights"), expected, rtol=1e-6)
    assert analysis.parts[0].stages == ("raw_scores", "scaled_scores", "masked_scores", "weights")


@pytest.mark.parametrize("shape", [(Q, K), (L, Q, K)])
def test_a_mask_of_one_s_own(shape: tuple[int, ...]) -> None:
    allowed = random(*shape) > 0
    allowed[..., 1, :] = False
    queries, keys = random(L, H, Q, D), random(L, H, K, D, seed=1)
    analysis = analyse(queries=queries, keys=keys, mask=allowed, tokens=list("abcde"), key_tokens=list("ABCDEFG"))
    by_layer = allowed.expand(L, Q, K)[:, None]
    scores = (queries @ keys.transpose(-1, -2) / math.sqrt(D)).masked_fill(~by_layer, -math.inf)
    expected = torch.softmax(scores, dim=-1).nan_to_num()
    np.testing.assert_allclose(whole(analysis, "weights"), expected, rtol=1e-6, atol=1e-9)
    seen = analysis.distribution(None, 1, 0, "weights")
    assert seen.masked == int((~by_layer[1]).sum())
    assert "".join(token.text for token in analysis.tokens) == "ABCDEFG"
    assert "".join(token.text for token in analysis.target_tokens or []) == "abcde"


def test_fewer_axes_and_a_batch_of_one() -> None:
    weights = some_weights(H, Q, Q)
    np.testing.assert_array_equal(whole(analyse(weights=weights), "weights"), weights[None].float())
    np.testing.assert_array_equal(whole(analyse(weights=weights[2]), "weights"), weights[None, 2:3].float())
    np.testing.assert_array_equal(whole(analyse(weights=weights[:, None, None]), "weights"), weights[:, None].float())


def test_weights_that_never_look_ahead_are_a_decoder_s() -> None:
    causal = some_weights(L, H, Q, Q).tril()
    (part,) = analyse(weights=causal / causal.sum(-1, keepdim=True)).parts
    assert (part.name, part.causal) == ("decoder", True)
    assert analyse(weights=torch.ones(1, 1)).parts[0].name == "encoder"


def test_all_parts_of_an_encoder_decoder_model() -> None:
    encoder, cross = some_weights(L, H, K, K), some_weights(L, 2, Q, K)
    queries, keys = random(3, 1, Q, D), random(3, 1, Q, D, seed=1)
    analysis = analyse(
        encoder__weights=encoder, cross__weights=cross, decoder__queries=queries, decoder__keys=keys,
        tokens=list("abcde"), key_tokens=list("ABCDEFG"),
    )  # fmt: skip
    shapes = {part.name: (part.layers, part.heads, part.query_tokens, part.key_tokens) for part in analysis.parts}
    assert shapes == {"encoder": (L, H, K, K), "decoder": (3, 1, Q, Q), "cross": (L, 2, Q, K)}
    sides = [(part.query_side, part.key_side) for part in analysis.parts]
    assert sides == [("source", "source"), ("target", "target"), ("target", "source")]
    np.testing.assert_array_equal(whole(analysis, "weights", "cross"), cross.float())
    assert not np.triu(whole(analysis, "weights", "decoder"), 1).any()
    assert analysis.model.kind == "encoder_decoder"


def test_rows_that_do_not_sum_to_1_are_told_and_kept() -> None:
    weights = some_weights(L, H, Q, Q)
    weights[1, 3, 2] *= 0.25
    weights[1, 4, 0] *= 0.5
    analysis = analyse(weights=weights)
    (warning,) = analysis.warnings
    assert warning.code == "rows_do_not_sum_to_1"
    assert str(warning.message) == (
        "In 2 of 60 rows of weights the weights do not sum to 1, but to 0.25 … 0.5; "
        "the first is layer 1, head 3, query 2 with 0.25. They are shown as they are."
    )
    np.testing.assert_array_equal(whole(analysis, "weights"), weights.float())


@pytest.mark.parametrize("kind", ["weights", "masked weights", "queries and keys"])
def test_a_row_that_may_read_nothing_is_told(kind: str) -> None:
    hidden = torch.ones(L, Q, Q, dtype=torch.bool)
    hidden[1, 2] = False
    empty = some_weights(L, H, Q, Q) * hidden[:, None]
    given = {
        "weights": {"weights": empty},
        "masked weights": {"weights": empty, "mask": hidden},
        "queries and keys": {"queries": random(L, H, Q, D), "keys": random(L, H, Q, D, seed=1), "mask": hidden},
    }[kind]
    analysis = analyse(**given)
    (warning,) = analysis.warnings
    assert warning.code == "rows_without_keys"
    assert f"In {H} of {L * H * Q} rows of the encoder a query may attend to no key" in str(warning.message)
    assert str(warning.message).endswith("the first is layer 1, head 0, query 2.")
    assert (whole(analysis, "weights")[1, :, 2] == 0).all()


@pytest.mark.parametrize(("ahead", "is_told"), [(1, True), (12, True), (13, False), (120, False)])
def test_what_is_causal_but_for_a_few_cells_is_told(ahead: int, is_told: bool) -> None:
    weights = torch.full((L, H, Q, Q), 1 / Q).tril()
    layers, heads, rows, cols = torch.ones_like(weights).triu(1).nonzero().unbind(-1)
    assert len(rows) == 120
    weights[layers[:ahead], heads[:ahead], rows[:ahead], cols[:ahead]] = 1e-9
    warnings = {warning.code: str(warning.message) for warning in analyse(weights=weights).warnings}
    assert ("nearly_causal" in warnings) is is_told
    if is_told:
        said = (
            f"weights would be causal but for {ahead} of 120 cells above the diagonal, the first at layer 0, head 0, "
        )
        assert warnings["nearly_causal"].startswith(f"{said}query 0, key 1: ")


def test_a_mask_that_is_causal_but_for_a_few_cells_is_told() -> None:
    mask = torch.ones(Q, Q, dtype=torch.bool).tril()
    assert analyse(queries=random(1, 1, Q, D), keys=random(1, 1, Q, D, seed=1), mask=mask).warnings == ()
    mask[1, 3] = True
    (warning,) = analyse(queries=random(1, 1, Q, D), keys=random(1, 1, Q, D, seed=1), mask=mask).warnings
    assert warning.code == "nearly_causal"
    assert f"mask would be causal but for 1 of {Q * (Q - 1) // 2} cells" in str(warning.message)


def test_unknown_stages_are_refused_by_name() -> None:
    analysis = analyse(weights=some_weights(Q, Q))
    for stage in sorted(set(STAGES) - {"weights"}):
        with pytest.raises(SelectionError, match=f"stage must be one of weights, not '{stage}'"):
            analysis.window(None, 0, 0, stage)
    valued = analyse(weights=some_weights(H, Q, Q), values=random(HKV, Q, V))
    assert valued.parts[0].stages == ("weights", "value_weighted")


def at(value: float, *place: int) -> Tensor:
    weights = torch.full((L, H, Q, Q), 1 / Q)
    weights[place] = value
    return weights


@pytest.mark.parametrize(
    ("file", "field", "message"),
    [
        ({}, "body", "The file holds no array"),
        ({"weights": at(math.nan, 1, 2, 3, 4)}, "weights", r"NaN\) at layer 1, head 2, query 3, key 4"),
        ({"weights": at(math.inf, 0, 0, 0, 1)}, "weights", "infinite at layer 0, head 0, query 0, key 1"),
        ({"weights": at(-1e-9, 0, 5, 0, 1)}, "weights", "negative at layer 0, head 5, query 0, key 1"),
        ({"weights": at(1.5, 0, 5, 0, 1)}, "weights", "above 1 at layer 0, head 5, query 0, key 1"),
        ({"weights": torch.ones(3)}, "weights", r"must be \(layers, heads, queries, keys\), not of shape \(3,\)"),
        ({"weights": torch.ones(1, 2, 1, 3, 3)}, "weights", "must be .*, not of shape"),
        ({"weights": torch.ones(Q, Q), "queries": torch.ones(Q, D)}, "queries", "both given"),
        ({"queries": torch.ones(Q, D)}, "keys", "keys is missing"),
        ({"keys": torch.ones(Q, D)}, "queries", "queries is missing"),
        ({"values": torch.ones(Q, D)}, "weights", "weights is missing"),
        ({"queries": torch.ones(Q, D), "keys": torch.ones(Q, V)}, "keys", "keys has head size 13, queries has 11"),
        ({"queries": torch.ones(H, Q, D), "keys": torch.ones(4, Q, D)}, "keys", "4 heads, which the 6 of queries"),
        ({"queries": torch.ones(2, 1, Q, D), "keys": torch.ones(3, 1, Q, D)}, "keys", "3 layers, queries has 2"),
        (
            {"queries": torch.ones(Q, D), "keys": torch.ones(Q, D), "values": torch.ones(K, D)},
            "values", "values has 7 keys, keys has 5",
        ),
        (
            {"queries": torch.ones(2, Q, D), "keys": torch.ones(1, Q, D), "values": torch.ones(2, Q, D)},
            "values", "values has 2 heads, keys has 1",
        ),
        (
            {"queries": torch.full((Q, D), 1e38), "keys": torch.full((Q, D), 1e38)},
            "queries", "too large for their number format at layer 0, head 0, query 0",
        ),
        ({"queries": at(math.nan, 1, 2, 3, 4), "keys": at(0, 0)}, "queries", "head 2, token 3, component 4"),
        ({"weights": torch.ones(Q, Q) / Q, "tokens": ["a"]}, "tokens", "tokens has 1 names, weights has 5 tokens"),
        ({"weights": torch.ones(Q, K) / K, "tokens": list("abcde")}, "weights", "5 queries, weights 7 keys: give"),
        ({"weights": torch.ones(Q, K) / K, "key_tokens": list("ab")}, "key_tokens", "2 names, weights has 7 tokens"),
        ({"encoder__weights": torch.ones(Q, Q), "key_tokens": ["a"]}, "key_tokens", "belong to cross-attention"),
        (
            {"encoder__weights": torch.ones(Q, Q), "weights": torch.ones(Q, Q)},
            "weights",
            "put the part in the name of every",
        ),
        (
            {"encoder__weights": torch.ones(3, 3) / 3, "cross__weights": torch.ones(2, 4) / 4},
            "cross.weights", "cross.weights has 4 tokens, encoder.weights has 3",
        ),
        (
            {"encoder__weights": torch.ones(3, 4) / 4, "cross__weights": torch.ones(2, 4) / 4},
            "encoder.weights", "encoder.weights must be square, not 3 × 4",
        ),
        ({"weights": torch.ones(Q, Q) / Q, "mask": torch.ones(Q, K).bool()}, "mask", r"must have the shape \(5, 5\)"),
        ({"weights": torch.ones(Q, Q) / Q, "mask": torch.zeros(Q, Q)}, "mask", "mask must be boolean"),
        (
            {"weights": torch.ones(Q, Q) / Q, "masks": {"mask": "causal"}},
            "weights", "not 0 where the mask forbids attention: layer 0, head 0, query 0, key 1",
        ),
        ({"weights": torch.ones(K, Q) / Q, "masks": {"mask": "causal"}}, "mask", "as many keys as queries or more"),
    ],
)  # fmt: skip
def test_what_is_refused(file: dict[str, object], field: str, message: str) -> None:
    with pytest.raises(TensorsError, match=message) as caught:
        analyse(**file)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("file", "limit", "message"),
    [
        ({"weights": torch.ones(101, 1, 1)}, 256, ""),
        ({"weights": torch.ones(257, 1, 1, 1)}, 256, "weights has 257 layers; at most 256 are accepted"),
        ({"weights": torch.ones(257, 1, 1)}, 256, "weights has 257 heads; at most 256 are accepted"),
        ({"weights": torch.ones(101, 101) / 101}, 100, "weights has 101 tokens; this server accepts at most 100"),
    ],
)
def test_limits_are_named(file: dict[str, object], limit: int, message: str) -> None:
    if not message:
        assert analyse(**file).parts[0].heads == 101
        return
    with pytest.raises(TensorsTooLargeError, match=message) as caught:
        analyse(**file)
    assert caught.value.limit == limit


def test_it_stops_when_nobody_waits() -> None:
    with pytest.raises(Cancelled):
        analyse_tensors(TensorFile({"weights": some_weights(Q, Q)}), max_tokens=9, cancelled=lambda: True)
