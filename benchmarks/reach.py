"""How long it takes to measure which of 64 tokens reaches which.

Run: ``OMP_NUM_THREADS=2 python -m benchmarks.reach [ROUNDS]``. What should hold on two cores: a tiny decoder of ours
(two layers) takes at most one second, observatory-gpt2-mini at most five; the median of the rounds counts. The budget
of a batch and the memory that the process has taken at most are printed, too.
"""

import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from attention_core.decoder import Decoder
from attention_core.decoder_config import DecoderConfig
from attention_core.pretrained.models.catalog import Catalog
from attention_core.reach.allowed import causal
from attention_core.reach.copies import BUDGET
from attention_core.reach.measure import reach
from benchmarks.bounds import broken

MODEL = "observatory-gpt2-mini"
TOKENS = 64
MOST_SECONDS = {"a tiny decoder": 1.0, MODEL: 5.0}


def seconds(model: Callable[..., Any]) -> float:
    """Of one measurement, whose result is checked."""
    start = time.perf_counter()
    measured = reach(model, [100 + each for each in range(TOKENS)])
    took = time.perf_counter() - start
    if not bool((measured.reached[-1] == causal(TOKENS)).all()):
        raise RuntimeError("a decoder's reach is not causal")
    return took


def main() -> int:
    """Print the table; 1 if something took too long."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    shipped = Catalog(models_dir=None).load(MODEL).model
    shipped.set_attn_implementation("sdpa")
    tiny = Decoder(DecoderConfig.llama(256, 32, 2, 4, num_kv_heads=2, max_length=TOKENS))
    bounds = {}
    for name, model in (("a tiny decoder", tiny), (MODEL, shipped)):
        took = statistics.median(seconds(model) for _ in range(rounds))
        bounds[f"{name}: at most {MOST_SECONDS[name]:.0f} s"] = took <= MOST_SECONDS[name]
        print(f"{name:24} {TOKENS} tokens {took:6.2f} s")
    print(f"budget {BUDGET >> 20} MiB, process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB at most")
    return broken(bounds)


if __name__ == "__main__":
    sys.exit(main())
