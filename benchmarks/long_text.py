"""16,384 tokens through a small RoPE model: forward pass, overview, windows, memory; ratios within one run.

Run: ``python -m benchmarks.long_text [tokens]``. The model is a Llama folder made here (random weights, 4 layers of
4 heads × 64 that share 2 key heads, with a byte-level BPE tokenizer trained here), loaded by the catalog as any other.
What should hold on a machine of 2 cores: the first picture takes at most 1.5 times what the forward pass took, memory
stays below 2 GB above the model, and any window takes at most what the forward pass took for one head: whole rows are
read, with exact products, which take twice the time of rounded ones.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.recording.windows import STAGES, Pooling
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from benchmarks.bounds import broken

TOKENS = 16_384
LAYERS, HEADS = 4, 4
SENTENCE = "Whoever reads this sentence twice has read it once more than needed, and knows it better for that. "
SIDE = 512
"""Cells per side of a pooled window, and tokens per side of an exact one."""
POOLINGS: tuple[Pooling, ...] = ("max", "mean")
SPANS: dict[str, tuple[float, float, int | None]] = {
    f"whole to {SIDE}": (0, 1, SIDE),
    "whole to 256": (0, 1, 256),
    "3/4, askew, to 256": (0.2, 0.95, 256),
    "half to 256": (0.5, 1, 256),
    f"{SIDE} × {SIDE} cells": (0, 0, None),
}
"""Windows by name: start and end as shares of the text, and cells per side."""


def write_model(folder: Path, tokens: int) -> None:
    """A Llama with random weights and a real tokenizer, as transformers writes it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=384, special_tokens=["<s>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([SENTENCE], trainer)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="<s>").save_pretrained(folder)  # noqa: S106 - a token of text
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=384,
        hidden_size=256,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=2,
        head_dim=64,
        intermediate_size=512,
        max_position_embeddings=max(tokens, TOKENS),
        initializer_range=0.1,  # larger weights, so that heads differ
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)


def text_of(tokenizer: transformers.PreTrainedTokenizerBase, tokens: int) -> str:
    """A text of exactly this many tokens."""
    per_sentence = len(tokenizer(SENTENCE)["input_ids"])
    ids = tokenizer(SENTENCE * (tokens // per_sentence + 1))["input_ids"][:tokens]
    text = tokenizer.decode(ids)
    while len(tokenizer(text)["input_ids"]) < tokens:
        text += "a"
    return text


def peak_bytes() -> int:
    """Peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall-clock and CPU milliseconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return 1e3 * (time.perf_counter() - wall), 1e3 * (time.process_time() - cpu)


def windows(analysis: Analysis, tokens: int) -> float:
    """Each stage and pooling in windows of several sizes, full size first; the milliseconds of the longest."""
    print(f"\n{'ms (of the processor)':16}" + "".join(f"{name:>24}" for name in SPANS))
    slowest = (0.0, "")
    for stage in STAGES:
        for pooling in POOLINGS:
            cells = []
            for name, (start, stop, size) in SPANS.items():
                span = (int(start * tokens), int(stop * tokens)) if size else (tokens // 2, tokens // 2 + SIDE)
                wall, cpu = timed(partial(analysis.window, None, 1, 2, stage, span, span, size, pooling))
                cells.append(f"{f'{wall:.0f} ({cpu:.0f})':>24}")
                slowest = max(slowest, (wall, f"{stage}, {name}, {pooling}"))
            print(f"{stage:16} {pooling:4}" + "".join(cells))
    print(f"longest window: {slowest[0]:.0f} ms ({slowest[1]})")
    return slowest[0]


def main() -> int:
    """Measure and print; 1 if something took too much."""
    tokens = int(sys.argv[1]) if len(sys.argv) > 1 else TOKENS
    with tempfile.TemporaryDirectory() as folder:
        write_model(Path(folder) / "long-llama", tokens)
        loaded = Catalog(models_dir=Path(folder), device="cpu").load("long-llama")
    analyse(loaded, AnalysisRequest(SENTENCE), max_tokens=tokens)  # warm up one-time work
    text = text_of(loaded.tokenizer, tokens)
    before = peak_bytes()
    results: list[Analysis] = []
    wall, cpu = timed(lambda: results.append(analyse(loaded, AnalysisRequest(text), max_tokens=tokens)))
    analysis = results[0]
    print(f"{len(analysis.tokens)} tokens, {torch.get_num_threads()} threads: {wall:.0f} ms, processor {cpu:.0f} ms")
    for name, value in analysis.timings_ms.items():
        print(f"  {name:12}{value:10.1f} ms")
    forward = analysis.timings_ms["forward"]
    picture = sum(analysis.timings_ms[name] for name in ("overview", "metrics"))
    print(f"first picture / forward pass: {picture / forward:.2f}")
    memory = peak_bytes() - before
    print(f"memory above the model: {memory / 2**20:.0f} MiB; kept: {analysis.nbytes / 2**20:.0f} MiB")
    of_a_head = forward / (LAYERS * HEADS)
    longest = windows(analysis, tokens)
    print(f"longest window / forward pass of a head: {longest / of_a_head:.2f}")
    return broken(
        {
            "the first picture takes at most 1.5 times the forward pass": picture <= 1.5 * forward,
            "memory stays below 2 GB above the model": memory < 2e9,
            "a window takes at most a head's share of the forward pass": longest <= of_a_head,
        }
    )


if __name__ == "__main__":
    sys.exit(main())
