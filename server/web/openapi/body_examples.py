"""An example for every JSON body of the API, which succeeds as it stands; a test sends them all.

By path. Models are those that come with the application, except for an image
and a sound, which need a vision transformer and Whisper in ``OBSERVATORY_MODELS_DIR``: the document says so there.
"""

import base64
import struct
from math import sin
from typing import Any

from .schema_rules import Schema

DECODER = "observatory-gpt2-mini"
ENCODER = "sentence-transformers/all-MiniLM-L6-v2"
SHIPPED = frozenset({DECODER, ENCODER})
SENTENCE = "The cat sat on the mat because it was tired."
VECTORS = [[1.0, 0.0], [0.0, 1.0]]
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAbElEQVR42hXNQRUAUQhCUaMYhShGeVGIQhSizB+XXA7ODDtouIHBQ4YOM8suWm"
    "5h8ZKl+0CskDiBsIioHhx76LiDw0eO3oN/4FVf+J8h0PduzBqZ8x/bxNQPwgaFy192SGgelC0q13/CJaXlA8Z7WAFXOTbyAAAAAElFTkSuQmCC"
)
"""8 × 8 pixels, PNG."""
SOUND = base64.b64encode(
    b"RIFF" + struct.pack("<I4s4sIHHIIHH4sI", 2_036, b"WAVE", b"fmt ", 16, 1, 1, 8_000, 16_000, 2, 16, b"data", 2_000)
    + struct.pack("<1000h", *(round(9_000 * sin(0.4 * step)) for step in range(1_000)))
).decode()  # fmt: skip
"""A tone of an eighth of a second, WAV."""
CONTRAST = {
    "clean": "Pacific Duke Sonic Norfolk Juliet Burma Madonna . Pacific Duke Sonic",
    "corrupt": "Pacific Duke Burma Norfolk Juliet Sonic Madonna . Pacific Duke Sonic",
}
"""The decoder repeats what it has read: after “Sonic” comes “Norfolk”."""

EXAMPLES: dict[str, dict[str, Any]] = {
    "/api/alibi": {"heads": 8, "seq_len": 6},
    "/api/analyses": {"model": DECODER, "text": SENTENCE},
    "/api/analyses/image": {"model": "vit-base-patch16-224", "image": PICTURE},
    "/api/analyses/sound": {"model": "whisper-tiny", "sound": SOUND},
    "/api/atlases": {"model": DECODER, "corpus": "probe", "max_tokens": 1_000},
    "/api/block": {"text": SENTENCE, "model": DECODER, "layer": 1},
    "/api/circle": {"n": 6, "query_angles_deg": [20.0], "mechanism": "dot", "temperature": 0.5},
    "/api/claims": {"model": DECODER},
    "/api/context": {
        "model": ENCODER,
        "texts": [
            {"text": "I sat on the bank of the river.", "word": "bank"},
            {"text": "I took money to the bank.", "word": "bank"},
        ],
    },
    "/api/decoder": {
        "tokens": ["I", "am", "a", "cat"],
        "form": "llama",
        "d_model": 16,
        "num_layers": 2,
        "num_heads": 2,
    },
    "/api/embedding": {"model": ENCODER, "text": "cat dog", "neighbours": 3},
    "/api/head_counts": {"head_counts": [1, 2, 4]},
    "/api/film": {"shots": [{"picture": PICTURE}], "seconds": 2.0},
    "/api/head_roles": {"model": DECODER},
    "/api/head_roles/example": {"model": DECODER, "role": "previous_token"},
    "/api/kernel": {"num_points": 6, "seed": 0},
    "/api/kv_cache": {"layers": 32, "heads": 32, "kv_heads": 8, "head_dim": 128, "batch": 1, "seq_len": 8_192},
    "/api/kv_cache/steps": {"prefill": 3, "chunks": [1, 2]},
    "/api/linear": {"in_features": 4, "out_features": 2, "bias": True},
    "/api/linear/bias": {"d_model": 16, "d_k": 4},
    "/api/linear/initialisation": {"sizes": [16, 256]},
    "/api/masks": {"kind": "sliding_window", "window": 3, "num_queries": 6, "num_keys": 6},
    "/api/models/load": {"model": DECODER},
    "/api/multi_head": {"tokens": ["I", "am", "a", "cat"], "d_model": 16, "num_heads": 4, "num_kv_heads": 2},
    "/api/order": {"words": ["the", "dog", "bit", "me"], "permutation": [3, 2, 1, 0]},
    "/api/parity": {"model": DECODER, "text": SENTENCE, "layer": 0, "head": 0},
    "/api/patching": {"model": DECODER, **CONTRAST},
    "/api/patching/paths": {"model": DECODER, **CONTRAST},
    "/api/patching/paths/progress": {"model": DECODER, **CONTRAST},
    "/api/patching/progress": {"model": DECODER, **CONTRAST},
    "/api/patching/prompts": {"model": DECODER, **CONTRAST},
    "/api/projections": {"num_tokens": 4, "d_model": 8, "d_k": 4, "d_v": 4},
    "/api/projections/roles": {"num_tokens": 3, "size": 3, "swap": "keys_values"},
    "/api/prompts": {"model": DECODER, "prompts": ["The cat sat.", "The dog ran."]},
    "/api/qk_norm": {"num_queries": 3, "num_keys": 4, "size": 8},
    "/api/qk_norm/concentration": {"dims": [4, 64], "samples": 200},
    "/api/reach": {"masks": [[[True, False, False], [True, True, True], [True, True, True]]], "layers": 2},
    "/api/rope": {"dim": 8, "pairing": "half_split", "positions": [0.0, 1.0, 2.0]},
    "/api/rope/scaling": {"dim": 16, "positions": [0.0, 4_096.0], "trained_length": 2_048.0, "factor": 4.0},
    "/api/scaling": {"d_k": [4, 64], "samples": 500},
    "/api/scaling/growth": {"d_k": [4, 64], "num_keys": 8, "trials": 50},
    "/api/scaling/panels": {"dims": [4, 64], "num_keys": 8},
    "/api/scaling/saturation": {"scores": [8.0, 4.0, 0.0], "d_k": 64},
    "/api/scoring": {"queries": VECTORS, "keys": VECTORS, "values": [[5.0], [7.0]], "mask": {"kind": "causal"}},
    "/api/sinusoidal": {"dim": 8, "seq_len": 16},
    "/api/softmax": {"scores": [3.0, 1.0, 0.2], "temperature": 1.0},
    "/api/talk": {"slides": [{"title": "The cat sat", "picture": PICTURE, "notes": "Ask first who sat."}]},
    "/api/tensors": {"tokens": ["the", "cat"], "weights": [[1.0, 0.0], [0.25, 0.75]]},
    "/api/training": {"task": "repeat", "steps": 50, "seed": 0},
    "/api/truncation": {"model": DECODER, "text": SENTENCE},
    "/api/why": {"seed": 0},
    "/api/why/asymmetry": {"difference": 1.0},
    "/api/why/translation": {"seed": 0},
}


def add_examples(document: Schema) -> None:
    """Write the examples into a document."""
    for path, operations in document["paths"].items():
        for operation in operations.values():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if content is None or (example := EXAMPLES.get(path)) is None:
                continue
            if (model := example.get("model", DECODER)) in SHIPPED:
                content["example"] = example
            else:
                summary = f"With {model} in OBSERVATORY_MODELS_DIR"
                content["examples"] = {"own-model": {"summary": summary, "value": example}}
