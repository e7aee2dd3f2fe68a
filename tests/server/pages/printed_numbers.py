"""What each page's PyTorch code has to print, from what the API answers."""

from collections.abc import Callable
from typing import Any

import numpy as np

Answer = dict[str, Any]


def masks_weights(answer: Answer) -> list[Any]:
    weights = np.asarray(answer["weights"], dtype=np.float64)
    return [weights[0] if weights.ndim == 3 else weights]  # of the first sentence of a batch


def embedding_rows(answer: Answer) -> list[Any]:
    token, other = (int(answer["address"].get(*one)) for one in (("token", 2), ("other", 3)))
    ids = [[one["id"] for one in answer["tokens"]]]
    return [ids, answer["vectors_shape"], answer["vectors"][token], answer["similarity"][token][other]]


def linear_outputs(answer: Answer) -> list[Any]:
    others = answer["others"]
    if fresh := others.get("/api/linear/initialisation"):
        return [
            number
            for layer in fresh["layers"]
            for number in (
                layer["bound"],
                layer["expected_standard_deviation"],
                layer["weights"]["standard_deviation"],
                layer["biases"]["minimum"],
                layer["biases"]["maximum"],
            )
        ]
    if scores := others.get("/api/linear/bias"):
        return [scores["with_bias"][0], scores["without_bias"][0]]
    if known := others.get("/api/linear/models"):
        by_name = {model["architecture"]: model for model in known["models"]}
        return [[by_name[name][role] for role in ("query", "key", "value")] for name in ("llama", "whisper")]
    return [answer["outputs"], answer["by_hand"], answer["parameters"]["total"]]


def projections_output(answer: Answer) -> list[Any]:
    if roles := answer["others"].get("/api/projections/roles"):
        return [roles["stages"]["output"], roles["swapped"]["output"]]
    return [answer["weights"], answer["output"]]


def order_outputs(answer: Answer) -> list[Any]:
    outcome = next(one for one in answer["outcomes"] if one["way"] == answer["address"].get("way", "none"))
    return [outcome["outputs"], outcome["permuted_outputs"], outcome["largest_difference"]]


def block_vectors(answer: Answer) -> list[Any]:
    at = {station["name"]: station["vector"] for station in answer["stations"]}
    if answer["model"]:
        return [at["inputs"], answer["weights"]]
    return [at["inputs"], at["after_attention"], at["outputs"]]


def context_reads(answer: Answer) -> list[Any]:
    at = {name: int(answer["address"].get(name, start)) for name, start in CONTEXT.items()}
    pair = at["first"], at["second"]
    reads = [np.asarray(answer["words"][text]["reads"])[at["layer"]] for text in pair]
    cosines = np.asarray(answer["cosines"])[1:, at["first"], at["second"]]  # without the table
    return [each.mean(0) if at["head"] < 0 else each[at["head"]] for each in reads] + [cosines]


CONTEXT = {"first": 0, "second": 1, "layer": 5, "head": -1}
"""The fields of /context as they are unless the address has others."""


def decoder_outputs(answer: Answer) -> list[Any]:
    return [*(block["outputs"] for block in answer["blocks"]), answer["probabilities"]]


def parity_weights(answer: Answer) -> list[Any]:
    at = {name: int(answer["address"].get(name, start)) for name, start in {"query": 8, "key": 2}.items()}
    return [answer["theirs"], answer["theirs"][at["query"]][at["key"]]]


def multi_head_weights(answer: Answer) -> list[Any]:
    if counted := answer["others"].get("/api/head_counts"):
        return [count["weights"] for count in counted["counts"]]
    return [answer["weights"], answer["output"]]


def kv_cache_bytes(answer: Answer) -> list[Any]:
    return [answer["bytes_per_token"], answer["bytes_total"]]


def alibi_numbers(answer: Answer) -> list[Any]:
    head = int(answer["address"].get("head", 0))
    match answer["address"].get("view", "bias"):
        case "compare":
            compared = answer["compared"]
            return [answer["slopes"], compared["none"]["weights"], compared["alibi"][head]["weights"]]
        case "reach":  # by distance from the last query
            return [answer["slopes"], np.exp(answer["bias"])[:, 0, ::-1]]
        case _:
            return [answer["slopes"], np.tril(answer["bias"][head])]


def at_path(answer: Any, path: str) -> Any:
    for name in path.split("."):
        answer = answer[int(name) if name.isdecimal() else name]
    return answer


def rope_numbers(answer: Answer) -> list[Any]:
    view = answer["address"].get("view", "pair")
    if view == "sky":
        return [[row[2 * star : 2 * star + 2] for star, row in enumerate(answer["rotated"])]]
    if view == "scaling":
        [asked] = answer["others"].values()
        # The chosen distance is one of the positions drawn, which begin with 0.
        chosen = int(answer["address"].get("distance", 50))
        return [asked["scalings"][at]["unseen_pairs"][chosen] for at in range(3)]
    paths = {
        "pair": ["rotated"],
        "clocks": ["frequencies", "angles.0"],
        "scores": ["relative_scores", "slide.both", "slide.query_only"],
        "group": ["composition.product", "composition.difference_rotation"],
        "decay": ["decay"],
        "pairing": ["relative_scores", "mixed_pairings.mixed_scores", "mixed_pairings.permuted_scores"],
    }
    return [at_path(answer, path) for path in paths[view]]


def sinusoidal_numbers(answer: Answer) -> list[Any]:
    match answer["address"].get("view", "map"):
        case "map":
            return [answer["encoding"]]
        case "step":
            taken = answer["step"]
            return [taken["matrix"], taken["by_matrix"][0], taken["shifted"][0]]
        case _:
            return [answer["cosine_similarity"]]


def scaling_numbers(answer: Answer) -> list[Any]:
    others = answer["others"]
    if row := others.get("/api/scaling/saturation"):
        return [row[side][name] for side in ("unscaled", "scaled") for name in ("weights", "gradient_norm")]
    if panels := others.get("/api/scaling/panels"):
        return [panel["weights"] for panel in panels["panels"]]
    if growth := others.get("/api/scaling/growth"):
        names = ("entropy", "gradient_norm", "scaled_entropy", "scaled_gradient_norm")
        return [point[name] for point in growth["points"] for name in names]
    return [one[which]["variance"] for one in answer["distributions"] for which in ("raw", "scaled")]


def qk_norm_numbers(answer: Answer) -> list[Any]:
    if found := answer["others"].get("/api/qk_norm/concentration"):
        return [
            number
            for one in found["points"]
            for number in (
                *(one[name]["mean"] for name in ("raw", "layer_norm", "layer_norm_gain", "projected")),
                one["raw"]["relative_spread"],
                one["cosine_standard_deviation"],
            )
        ]
    kind = answer["address"].get("kind", "l2")
    norm = next(one for one in answer["norms"] if one["kind"] == kind)
    return [norm[name] for name in ("dot_products", "scores", "weights")]


def claimed_number(answer: Answer) -> list[Any]:
    default = 13 if answer["model"] == "observatory-gpt2-mini" else 0
    return [answer["claims"][int(answer["address"].get("claim", default))]["measured"]]


def scoring_numbers(answer: Answer) -> list[Any]:
    """Beside a bug also the API's numbers with it; a softmax along the wrong axis is worked out here."""
    beside, shown = answer["others"].get("/api/scoring"), [answer["weights"], answer["output"]]
    match answer["address"].get("beside"):
        case "unscaled" | "soft_mask" if beside:
            return [*shown, beside["weights"], beside["output"]]
        case "wrong_axis":
            wrong = softmax(numbers(answer["masked_scores"]).T).T
            return [*shown, wrong, wrong @ np.array(answer["values"])]
        case _:
            return shown


def softmax(scores: np.ndarray) -> np.ndarray:
    """A row of −∞ gives zeros."""
    largest = scores.max(-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    return powers / np.maximum(powers.sum(-1, keepdims=True), 1e-300)


def numbers(rows: Any) -> np.ndarray:
    """Numbers of an answer, in which −∞ is a word."""
    return np.array([[float(one) for one in row] for row in rows])


def kernel_weights(answer: Answer) -> list[Any]:
    weights = [answer[name]["weights"] for name in ("rbf", "polynomial", "attention")]
    return [*weights, answer["attention"]["output"]]


def example_weights(answer: Answer) -> list[Any]:
    example = answer["others"]["/api/head_roles/example"]
    if answer["address"].get("role", "relation") != "relation":
        return [example["weights"]]
    return [example["word_weights"]]


def why_numbers(answer: Answer) -> list[Any]:
    if found := answer["others"].get("/api/why/translation"):
        return [found["through_one_vector"][0], found["weights"]]
    if found := answer["others"].get("/api/why/asymmetry"):
        return [found["own"][name] for name in ("scores", "asymmetry", "weights")]
    read = answer["reader"] + 1
    influences = [one["influences"][:read] for one in answer["recurrent"]]
    return [*influences, answer["weights"][answer["reader"]]]


EXPECTED: dict[str, Callable[[Answer], list[Any]]] = {
    "sinusoidal": sinusoidal_numbers,
    "alibi": alibi_numbers,
    "rope": rope_numbers,
    "block": block_vectors,
    "context": context_reads,
    "decoder": decoder_outputs,
    "head_roles": example_weights,
    "kernel": kernel_weights,
    "kv_cache": kv_cache_bytes,
    "embedding": embedding_rows,
    "linear": linear_outputs,
    "claims": claimed_number,
    "circle": lambda answer: [answer["weights"], answer["outputs"]],
    "masks": masks_weights,
    "multi_head": multi_head_weights,
    "order": order_outputs,
    "parity": parity_weights,
    "projections": projections_output,
    "qk_norm": qk_norm_numbers,
    "reach": lambda answer: [answer["reached"]],
    "scaling": scaling_numbers,
    "scoring": scoring_numbers,
    "why": why_numbers,
    "softmax": lambda answer: [answer["stable"]["weights"], answer["shifted_weights"], answer["unstable"]["weights"]],
}
"""Stem → what its code prints, from the answer to the page's own call; `others`: those to further calls, by path;
`address`: the preset's parameters."""
