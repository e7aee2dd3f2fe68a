"""How long a text rotary embeddings with scaled frequencies serve, beyond ``max_position_embeddings``.

No table ends there; the length is the one for which the scaling is meant:

- ``linear`` and ``dynamic`` (NTK) leave ``max_position_embeddings`` at the original length, as the library's documents
  ask for: ``factor`` times that. Dynamic scaling does nothing up to there; beyond, at length L, the library multiplies
  the base by (factor·L/original − factor + 1)^(d/(d − 2)).
- ``yarn``: ``factor`` times ``original_max_position_embeddings``, or ``max_position_embeddings`` if that is more. Some
  models give the original length in both (Qwen2.5).
- ``llama3`` and ``longrope``: ``max_position_embeddings`` is the extended length already; the factor of ``llama3`` is
  one of wavelengths, not of lengths.
- frequencies for each kind of layer (Gemma 3): ``max_position_embeddings``, as some layers are not scaled.
"""

import math
from collections.abc import Mapping
from typing import Any

from transformers import PreTrainedConfig

STRETCHED = frozenset({"linear", "dynamic", "yarn"})
MOST = 2**31 - 1


def original_length(config: PreTrainedConfig) -> int | None:
    """Tokens at which scaling begins to matter; None for positions that are not scaled beyond a length."""
    scaling = _scaling(config)
    if scaling is None:
        return None
    named = scaling.get("original_max_position_embeddings") or getattr(config, "original_max_position_embeddings", None)
    length = named or getattr(config, "max_position_embeddings", None)
    return length if isinstance(length, int) and 0 < length <= MOST else None


def stretched_length(config: PreTrainedConfig) -> int | None:
    """Tokens that the scaled positions are meant for; None for positions that are not scaled beyond a length."""
    scaling, original = _scaling(config), original_length(config)
    factor = None if scaling is None else scaling.get("factor")
    if original is None or not isinstance(factor, int | float) or not 1 <= factor < math.inf:
        return None
    return int(min(original * factor, MOST))


def _scaling(config: PreTrainedConfig) -> Mapping[str, Any] | None:
    parameters = getattr(config, "rope_parameters", None)
    is_scaled = isinstance(parameters, Mapping) and parameters.get("rope_type", parameters.get("type")) in STRETCHED
    return parameters if is_scaled else None
