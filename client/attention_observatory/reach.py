"""Assert that a model sees what it may and nothing else: which token reaches which position, measured.

Needs torch alone. What measures is ``attention_core.reach``, which the client's wheel carries as ``reach_core``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

PLACES = ("attention_observatory.reach_core", "attention_core.reach")
MISSING = "reach is measured by attention_core.reach, which is in the client's wheel made in the repository"


def assert_reach(
    model: Callable[..., Any],
    tokens: Sequence[int] | Any,
    allowed: Any = "causal",
    *,
    documents: Sequence[int] | None = None,
    inputs: Mapping[str, Any] | None = None,
    unused: bool = True,
    **options: Any,
) -> Any:
    """Raise AssertionError with a sentence if a token reaches a position that it must not, or fails to reach one.

    ``model`` is any ``nn.Module`` or callable from ids (rows, N) to logits or states; ``tokens`` are N ids. ``allowed``
    is ``"causal"``, ``"packed"`` (with ``documents``, the lengths of the documents in ``tokens``), ``"all"``, a boolean
    mask (queries, keys), True where a layer may see, or one such mask for each layer. ``inputs`` are further arguments
    of the model, each tensor with one row, such as ``attention_mask`` of padded text. ``unused=False`` permits what is
    allowed and never used, as in a model with windows. Further options are those of ``attention_core.reach``'s
    ``reach``, such as ``layers``, ``keys``, ``vocabulary`` and ``budget``.

    Returns what was measured. Raises ImportError without torch, ValueError for wrong arguments.
    """
    return _module("assertion").assert_reach(
        model, tokens, allowed, documents=documents, inputs=inputs, unused=unused, **options
    )


def reach(model: Callable[..., Any], tokens: Sequence[int] | Any, **options: Any) -> Any:
    """Which token reaches which position after each layer: ``names``, ``change``, ``reached``."""
    return _module("measure").reach(model, tokens, **options)


def _module(name: str) -> Any:
    for place in PLACES:
        try:
            return importlib.import_module(f"{place}.{name}")
        except ModuleNotFoundError as error:
            if error.name is None or not f"{place}.{name}".startswith(error.name):
                raise
    raise ImportError(MISSING)
