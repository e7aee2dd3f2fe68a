"""The library's source code of an architecture: facts that no configuration gives."""

import importlib.util
import re
from functools import cache
from pathlib import Path

from transformers import PreTrainedConfig


def modeling_source(config: PreTrainedConfig) -> str:
    """The library's source code of this architecture; empty if there is none."""
    return _source(type(config).__module__.replace(".configuration_", ".modeling_"))


def attention_source(config: PreTrainedConfig) -> str:
    """The same, with that of models of other architectures that it is made of (DPR of BERT)."""
    own = modeling_source(config)
    models = re.findall(r"^from \.\.(\w+)\.(modeling_\w+) import \w*Model$", own, re.MULTILINE)
    return "\n".join((own, *(_source(f"transformers.models.{room}.{name}") for room, name in models)))


@cache
def _source(module: str) -> str:
    spec = importlib.util.find_spec(module)
    return "" if spec is None or spec.origin is None else Path(spec.origin).read_text(encoding="utf-8")
