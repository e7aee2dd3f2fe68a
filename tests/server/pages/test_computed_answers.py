"""What a saved file computes by itself: over a grid of the controls, the numbers that the core answers."""

import json
import math
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

SCRIPT = Path(__file__).with_name("computed_answers.js")
QUERY, KEY = [1, 0.5, 0.8, -0.3, 0.6, 0.4, -0.2, 0.9], [0.7, 0.9, 0.2, 0.4, -0.5, 0.8, 0.3, 0.6]
SCORES = [[2.1, 4.5, 1.8, 3.2], [0], [-2000, 2000], [1000, 1001, 999.5], [-800, -900], [3, 3, 3]]
Body = dict[str, Any]
ROUNDING = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-6}
"""Of one number in these formats; all else is float64."""
IN_FLOAT32 = {"decoder": 2e-5, "block": 2e-5, "reach": 2e-5}
"""Answers that the core computes in float32 over several layers, the file in float64; of numbers below 1, absolute."""


def softmax() -> list[Body]:
    return [
        {"scores": scores, "temperature": temperature, "shift": shift}
        for scores, temperature, shift in product(SCORES, (0.01, 1, 7.3, 100), (-1000, 0, 31.7))
    ]


def rope() -> list[Body]:
    pair: Body = {"dim": 2, "pairing": "interleaved"}
    eight = {"dim": 8, "positions": list(range(8)), "vector": QUERY, "key": KEY}
    return [
        *({**pair, "frequencies": [theta], "vector": [1.3, -2], "positions": [0, 1, 64]} for theta in (0, 0.5, 3.14)),
        *({**pair, "frequencies": [0.7], "positions": [5, 2], "compose": [m, 2]} for m in (5, -5)),
        *(
            {"dim": dim, "base": base, "pairing": "half_split", "positions": [0, 37], "distances": [0, 1, 256]}
            for dim, base in product((8, 32, 128), (10, 10_000, 1e6))
        ),
        *(
            {**eight, "pairing": way, "base": 10_000, "slide": by}
            for way in ("interleaved", "half_split")
            for by in (0.5, 64)
        ),
        *({**eight, "pairing": way, "mix_pairings": True} for way in ("interleaved", "half_split")),
    ]


def scaling() -> list[Body]:
    return [
        {"dim": dim, "base": base, "trained_length": trained, "factor": factor, "positions": [0, 7, 100, 255]}
        for dim, base, trained, factor in product((8, 64, 128), (10, 10_000), (8, 64, 256), (1, 2.5, 16))
    ]


def sinusoidal() -> list[Body]:
    return [
        *(
            {"dim": dim, "seq_len": length, "base": base, "layout": layout}
            for dim, length, base, layout in product((4, 64), (8, 33), (10, 10_000), ("interleaved", "half_split"))
        ),
        *({"dim": 8, "positions": [20], "layout": way, "step": -3} for way in ("interleaved", "half_split")),
    ]


def alibi() -> list[Body]:
    given = {"queries": [QUERY[:4], KEY[:4], QUERY[4:]], "keys": [KEY[4:], QUERY[:4], KEY[:4]]}
    odd = {"queries": [[1, 2, 3]] * 3}
    return [
        *({"heads": heads, "seq_len": 5, "symmetric": both} for heads in (1, 3, 8, 12, 24) for both in (False, True)),
        {"heads": 8, "seq_len": 65, "rows": [64, 65]},
        *({"heads": 6, "seq_len": 3, **one, "causal": causal} for one in (given, odd) for causal in (False, True)),
    ]


MASKS: list[Body] = [
    {"kind": "none"},
    {"kind": "causal"},
    *({"kind": "sliding_window", "window": window, "causal_only": back} for window in (1, 3) for back in (True, False)),
    *({"kind": "prefix", "prefix": prefix} for prefix in (0, 2, 3)),
    *({"kind": "padding", "lengths": length, "causal": causal} for length in (1, 2, 3) for causal in (False, True)),
    *({"kind": "custom", "allowed": [[True, False, True], [False] * 3], "causal": causal} for causal in (False, True)),
]
"""Of two queries and three keys."""
TWO_BY_THREE = [[[1, -2, 0.5], [30, 0.1, 2]], [[1000, -9.75, 33.3], [0, 0, 0]], [[65504, 3, -60000], [1e4, 9999, 1]]]


def masks() -> list[Body]:
    fills = {"fills": [-1e4, -1e5, -1e9, "-Infinity", 0.3], "precisions": ["float16", "bfloat16", "float32", "float64"]}
    batch: Body = {"kind": "padding", "lengths": [0, 2, 3], "causal": True}
    return [
        *({**mask, "scores": scores} for mask, scores in product(MASKS, TWO_BY_THREE)),
        *({**mask, **fills, "scores": scores} for mask, scores in product((*MASKS, batch), TWO_BY_THREE)),
    ]


def scoring() -> list[Body]:
    tensors: Body = {
        "queries": [QUERY[:4], KEY[:4]],
        "keys": [KEY[4:], QUERY[4:], [0] * 4],
        "values": [[1, 2], [3, -4], [5, 60]],
    }
    soft = {"kind": "custom", "additive": [[0, -1e5, "-Infinity"], [0.5, 0, 0]]}
    positions: list[Body] = [
        {},
        *({"position": {"kind": "rope", "pairing": way}} for way in ("interleaved", "half_split")),
        *(
            {"position": {"kind": "alibi", "slope": slope, "symmetric": both}}
            for slope in (0, 0.3)
            for both in (False, True)
        ),
    ]
    given: list[Body] = [{}, {"temperature": 0.2, "bias": [[1, 0, -1], [5, 0.5, 2]]}]
    ways = ("dot", "scaled_dot", "cosine")
    return [
        *({**tensors, "mechanism": way, **at, **more} for way, at, more in product(ways, positions, given)),
        *({**tensors, "mask": mask, **more} for mask, more in product((*MASKS, soft), given)),
    ]


def kernel() -> list[Body]:
    points = [[1.5, 0.5], [-1, 0.8], [0, 0], [3, -3]]
    return [
        {"points": points[:count], "gamma": gamma, "degree": degree, "constant": constant, "query_weight": weight}
        for count, gamma, degree, constant, weight in product(
            (1, 4), (0.01, 100), (1, 3, 8), (-5, 0, 1), ([[0.5, -0.2], [0.1, 2]], [[0, 0], [0, 0]])
        )
    ]


def kv_cache() -> list[Body]:
    names = ("gpt2", "llama-2-7b", "llama-2-70b", "llama-3-8b", "mistral-7b", "gemma-2b")
    return [
        *(
            {"preset": name, "batch": 3, "seq_len": 1_000_000, "bytes_per_value": size}
            for name in names
            for size in (1, 4)
        ),
        *(
            {"layers": layers, "heads": 8, "kv_heads": kept, "head_dim": 64, "batch": 1024, "seq_len": 77}
            for layers in (1, 200)
            for kept in (1, 2, 8)
        ),
    ]


def linear() -> list[Body]:
    weight = [[1, 0.5, -2], [3, 0, 0.25]]
    return [
        {"inputs": inputs, "weight": weight, **bias}
        for inputs, bias in product(
            ([1, -2, 0.3], [[1, 2, 3]], [[0.1, 100, -7], [0, 0, 0]]), ({}, {"bias_values": [0.5, -100]})
        )
    ]


def projections() -> list[Body]:
    return [
        {"inputs": inputs, "query_weight": wq, "key_weight": wk, "value_weight": [[1, 0.5, 2]]}
        for inputs, wq, wk in product(
            ([[1, 2, 3]], [[1, 0, -2], [0, 0, 0], [5, 0.5, 0.1]]),
            ([[1, 2, 3], [0, 1, 0]],),
            ([[3, -1, 0], [10, 0, 1]],),
        )
    ]


def qk_norm() -> list[Body]:
    given: Body = {"queries": [QUERY[:4], [1, 2, 3, 5]], "keys": [KEY[4:], [0] * 4, [100, -3, 0.5, 7]]}
    ways = product(("none", "interleaved", "half_split"), ("after_rope", "before_rope"))
    scales: list[Body] = [{}, {"learned_scale": [1, -2, 0.5, 0]}]
    return [
        {"queries": [[1, 2, 3]], "keys": [[3, 0, -1]]},
        *({**given, "rope": rope, "order": order, **scale} for (rope, order), scale in product(ways, scales)),
    ]


def saturation() -> list[Body]:
    return [{"scores": scores, **by} for scores in SCORES for by in ({"divisor": 0.1}, {"divisor": 8}, {"d_k": 50}, {})]


def why() -> list[Body]:
    words = ["a", "b", "a", "c", "d", "b"]
    return [
        {"words": words[:1], "dim": 3},
        {"words": words, "numbers": [5, 0, 5, 41, 1, 0], "reader": 4, "asks": 1, "wanted": 5, "dim": 16, "seed": 999},
        *(
            {"words": words, "gains": [0.1, 0.9, 1.3, 2], "dim": dim, "seed": seed}
            for dim in (1, 32, 64)
            for seed in (0, 7)
        ),
        {"words": words * 8, "reader": 40, "wanted": 2, "gains": [1.1], "dim": 32},
    ]


def translation() -> list[Body]:
    return [{"gain": gain, "dim": dim, "seed": seed} for gain in (0.1, 1.3) for dim in (1, 16, 64) for seed in (0, 7)]


def asymmetry() -> list[Body]:
    return [{"difference": difference} for difference in (0, 0.3, 1)]


def order() -> list[Body]:
    words = ["the", "dog", "saw", "the", "cat"]
    return [
        {"words": words, "permutation": way, "dim": dim, "seed": seed, "symmetric": both}
        for way, dim, seed, both in product(([0, 1, 2, 3, 4], [4, 0, 1, 3, 2]), (2, 6, 16), (0, 9999), (False, True))
    ]


WORDS = ["the", "cat", "saw", "the", "dog"]


def decoder() -> list[Body]:
    return [
        *(
            {"form": form, "tokens": WORDS, "num_heads": heads, "num_kv_heads": kept, "generate": 1, "seed": seed}
            for form, (heads, kept), seed in product(("modern", "llama"), ((2, 1), (4, 2), (8, 8)), (0, 9999))
        ),
        *(
            {"form": form, "tokens": WORDS, "qk_norm": norm, "qk_norm_before_rope": first, "generate": 4}
            for form, norm, first in product(("modern", "llama"), ("rms", "l2", "none"), (False, True))
        ),
        *({"form": "gpt2", "tokens": WORDS, "num_heads": heads, "num_kv_heads": heads} for heads in (2, 8)),
        {"tokens": ["a"], "d_model": 24, "hidden_dim": 20, "num_layers": 3, "num_heads": 3, "init_std": 0.7},
        *(
            {"form": form, "tokens": WORDS, "num_layers": layers, "generate": generate, **more}
            for form, (layers, generate), more in product(
                ("nanochat_2025", "nanochat_2026"),
                ((1, 0), (4, 1), (5, 9)),
                ({}, {"qk_norm": "none"}, {"num_heads": 8}),
            )
        ),
    ]


def block() -> list[Body]:
    sizes = ((16, 4, 1), (64, 8, 8), (128, 2, 2))
    return [
        {
            "text": " The  cat sat, the cat sat.\n",
            "layer": layer,
            "token": 3 * layer,
            "own": {
                "form": form,
                "seed": 7,
                "d_model": wide,
                "num_heads": heads,
                "num_kv_heads": kept,
                "init_std": 0.1,
            },
        }
        for form, (wide, heads, kept), layer in product(("modern", "llama", "gpt2"), sizes, (0, 1))
        if form != "gpt2" or heads == kept
    ]


def reach() -> list[Body]:
    causal = [[key <= query for key in range(6)] for query in range(6)]
    holed = [[may or (query, key) == (1, 4) for key, may in enumerate(row)] for query, row in enumerate(causal)]
    return [
        *(
            {"masks": [holed], "layers": 4, "intended": causal, "mixing": mixing, "seed": seed}
            for mixing, seed in product(("none", "causal_convolution", "convolution", "norm_over_time"), (0, 9999))
        ),
        {"masks": [causal, holed, causal]},
        {"masks": [[[False] * 12] * 12, [[True] * 12] * 12]},
    ]


def differences(ours: Any, theirs: Any, at: str, rounding: float = 1e-9, least: float = 1e-11) -> list[str]:
    """Where two answers differ by more than rounding."""
    if isinstance(theirs, dict):
        rounding = ROUNDING.get(theirs.get("precision"), rounding)
        missing = [f"{at}: {sorted(ours)}"] if ours.keys() != theirs.keys() else []
        names = [] if missing else theirs
        return missing + [
            one for name in names for one in differences(ours[name], theirs[name], f"{at}.{name}", rounding, least)
        ]
    if isinstance(theirs, list):
        if not isinstance(ours, list) or len(ours) != len(theirs):
            return [f"{at}: {ours} instead of {theirs}"]
        pairs = enumerate(zip(ours, theirs, strict=True))
        return [
            found
            for index, (one, other) in pairs
            for found in differences(one, other, f"{at}.{index}", rounding, least)
        ]
    if isinstance(theirs, bool | str) or theirs is None:
        return [] if ours == theirs else [f"{at}: {ours} instead of {theirs}"]
    is_close = isinstance(ours, int | float) and math.isclose(ours, theirs, rel_tol=rounding, abs_tol=least)
    return [] if is_close else [f"{at}: {ours} instead of {theirs}"]


@pytest.mark.full
def test_a_file_computes_what_the_core_computes(client: TestClient, tmp_path: Path) -> None:
    grids = {
        "softmax": softmax,
        "rope": rope,
        "rope/scaling": scaling,
        "sinusoidal": sinusoidal,
        "alibi": alibi,
        "masks": masks,
        "scoring": scoring,
        "kernel": kernel,
        "kv_cache": kv_cache,
        "linear": linear,
        "projections": projections,
        "qk_norm": qk_norm,
        "scaling/saturation": saturation,
        "why": why,
        "why/translation": translation,
        "why/asymmetry": asymmetry,
        "order": order,
        "decoder": decoder,
        "block": block,
        "reach": reach,
    }
    calls = [{"stem": stem, "body": body} for stem, grid in grids.items() for body in grid()]
    (tmp_path / "calls.json").write_text(json.dumps(calls))
    done = subprocess.run(["node", SCRIPT, tmp_path / "calls.json"], capture_output=True, text=True, check=True)
    computed = json.loads(done.stdout)
    found = []
    for call, ours in zip(calls, computed, strict=True):
        response = client.post(f"/api/{call['stem']}", json=call["body"])
        assert response.status_code == 200, response.text
        if ours is None:
            found.append(f"left to the server: {json.dumps(call)}")
            continue
        bounds = (IN_FLOAT32[call["stem"]],) * 2 if call["stem"] in IN_FLOAT32 else ()
        found += differences(ours, response.json(), json.dumps(call), *bounds)[:1]
    assert found == []


def test_what_it_does_not_compute_is_left_to_the_record(tmp_path: Path) -> None:
    calls = [
        {"stem": "softmax", "body": {"scores": [1], "precision": "float16"}},
        {"stem": "sinusoidal", "body": {"dim": 8, "seq_len": 4, "model": "some/model"}},
        {"stem": "rope", "body": {"dim": 2, "pairing": "interleaved", "positions": [0], "rotary_dim": 2}},
        {"stem": "masks", "body": {"kind": "causal"}},
        {"stem": "masks", "body": {"kind": "padding", "lengths": [0, 0], "scores": [[1, 2]]}},
        {"stem": "masks", "body": {"kind": "causal", "scores": [[1], [2]]}},
        {"stem": "masks", "body": {"kind": "none", "scores": [[70000]], "fills": [-1], "precisions": ["float16"]}},
        {"stem": "scoring", "body": {"queries": [[1]], "keys": [[1]], "values": [[1]], "mechanism": "additive"}},
        {"stem": "scoring", "body": {"queries": [[1]], "keys": [[1]], "values": [[1]], "precision": "float16"}},
        {"stem": "kernel", "body": {"num_points": 3}},
        {"stem": "linear", "body": {"in_features": 3}},
        {"stem": "projections", "body": {"num_tokens": 3}},
        {"stem": "qk_norm", "body": {"num_queries": 3}},
        {"stem": "scaling/saturation", "body": {"divisor": 1, "d_k": 1}},
        {"stem": "order", "body": {"words": ["a", "b"]}},
        {"stem": "order", "body": {"words": ["a"], "permutation": [0], "precision": "float32"}},
        {"stem": "why", "body": {"words": ["a", "b"], "reader": 2}},
        {"stem": "decoder", "body": {"ids": [0, 1]}},
        {"stem": "decoder", "body": {"tokens": ["a"], "precision": "float16"}},
        {"stem": "decoder", "body": {"tokens": ["a"], "num_heads": 3}},
        {"stem": "block", "body": {"text": "a", "model": "some/model"}},
        {"stem": "block", "body": {"text": "a", "token": 1}},
        {"stem": "block", "body": {"text": "a", "own": {"d_model": 512}}},
        {"stem": "block", "body": {"text": "a b", "own": {"form": "nanochat_2025"}}},
        {"stem": "block", "body": {"text": " "}},
        {"stem": "kv_cache", "body": {"layers": 1, "heads": 8, "kv_heads": 3, "head_dim": 2}},
    ]
    (tmp_path / "calls.json").write_text(json.dumps(calls))
    done = subprocess.run(["node", SCRIPT, tmp_path / "calls.json"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [None] * len(calls)
