"""Valid and refused training configurations."""

import re
from typing import Any

import pytest

from attention_core.decoder import Decoder
from attention_core.training.config import MECHANISMS, POSITIONS, TrainingConfig
from attention_core.training.tasks import LENGTH, TASK_NAMES, TASKS


def test_the_default_is_the_network_whose_induction_was_measured() -> None:
    config = TrainingConfig()
    decoder = config.decoder()
    assert (config.task, config.learning_rate, config.kv_heads) == ("repeat", 1e-2, 4)
    assert (decoder.num_layers, decoder.num_heads, decoder.d_model, decoder.vocab_size) == (2, 4, 64, 32)
    assert (decoder.positions, decoder.feed_forward, decoder.bias, decoder.max_length) == ("rope", None, False, LENGTH)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("task", TASK_NAMES)
@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_choice_makes_a_network(task: str, positions: str, mechanism: str) -> None:
    options: dict[str, Any] = {"task": task, "positions": positions, "mechanism": mechanism}
    config = TrainingConfig(d_model=8, num_heads=2, num_kv_heads=1, feed_forward=True, **options)
    decoder = Decoder(config.decoder())
    assert decoder.config.vocab_size == len(TASKS[config.task].vocabulary)
    attention = decoder.blocks[0].attention
    assert (attention.rope is not None, attention.alibi) == (positions == "rope", positions == "alibi")
    assert attention.scale == {"scaled": 0.5, "cosine": 10.0, "qk_norm": 0.5}[mechanism]
    assert attention.num_kv_heads == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_layers": 0}, "num_layers must lie between 1 and 6, not 0"),
        ({"num_heads": 9}, "num_heads must lie between 1 and 8, not 9"),
        ({"d_model": 129}, "d_model must lie between 1 and 128, not 129"),
        ({"steps": 2001}, "steps must lie between 1 and 2000, not 2001"),
        ({"num_heads": 3}, "num_heads must divide d_model (64), which 3 does not"),
        ({"num_kv_heads": 3}, "num_kv_heads must divide num_heads (4), which 3 does not"),
        ({"d_model": 20}, "d_model must give an even head dimension, because RoPE rotates pairs, not 5"),
        ({"learning_rate": 0.0}, "learning_rate must lie above 0 and at most 10: 0.0"),
        ({"learning_rate": float("nan")}, "learning_rate must lie above 0 and at most 10: nan"),
    ],
)
def test_network_refuses(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        TrainingConfig(**options)
