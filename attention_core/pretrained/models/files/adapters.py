"""Read a LoRA adapter in PEFT's format: ``adapter_config.json`` and ``adapter_model.safetensors``; no weight is loaded.

Whatever would make the merged model another one than PEFT's is refused by name, settings unknown here included.
"""

import math
import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from attention_core.foreign_files import is_file, is_there
from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.files.model_files import SHARDED_WEIGHTS, SINGLE_WEIGHTS, only_foreign, read_json
from attention_core.pretrained.models.files.safetensors_header import read_header

ADAPTER_CONFIG = "adapter_config.json"
ADAPTER_WEIGHTS = "adapter_model.safetensors"
ADAPTER_PICKLE = "adapter_model.bin"
PREFIX = "base_model.model."
LOW_RANK = re.compile(r"^(?P<module>.+)\.lora_(?P<kind>embedding_)?(?P<side>[AB])(?:\.weight)?$")
MAX_RANK = 2**14
MAX_PATTERNS = 4096

HARMLESS = frozenset(
    {"auto_mapping", "base_model_name_or_path", "bias", "corda_config", "ensure_weight_tying", "eva_config"}
    | {"exclude_modules", "fan_in_fan_out", "inference_mode", "init_lora_weights", "layers_pattern"}
    | {"layers_to_transform", "loftq_config", "lora_alpha", "lora_dropout", "lora_ga_config", "megatron_core"}
    | {"modules_to_save", "peft_type", "peft_version", "qalora_group_size", "r", "rank_pattern", "alpha_pattern"}
    | {"revision", "runtime_config", "target_modules", "task_type", "use_rslora"}
)
"""Settings of PEFT that change nothing of the merged weights, or that are read here."""

PLAIN_STARTS = (True, False, None, "gaussian", "eva", "orthogonal")
"""Values of ``init_lora_weights`` with which the base keeps its weights; others (PiSSA, OLoRA, …) change them."""

LEGACY_IDS = {
    "gpt2": "openai-community/gpt2",
    "distilgpt2": "distilbert/distilgpt2",
    "bert-base-uncased": "google-bert/bert-base-uncased",
}
"""What models were called when adapters began to name them."""


@dataclass(frozen=True)
class Update:
    """A low-rank change of one weight: scaling · B · A."""

    module: str
    """Its name in the model that PEFT wrapped."""
    down: str
    """Name of the tensor A."""
    up: str
    """Name of the tensor B."""
    scaling: float
    is_embedding: bool


@dataclass(frozen=True)
class Adapter:
    """What an adapter does to its base."""

    weights: Path
    updates: tuple[Update, ...]
    replaced: Mapping[str, str]
    """Tensors that take the place of the base's own (``modules_to_save``), by parameter."""
    parameters: int


@dataclass(frozen=True)
class BaseName:
    """The model that an adapter says it was trained on."""

    name: str
    revision: str | None = None

    def candidates(self) -> list[str]:
        """Ids under which the base may be listed here, the most certain first.

        A path of the machine where the adapter was trained names a folder: its last two parts, or the last.
        """
        if self.revision not in (None, "", "main"):
            return [f"{self.name}@{self.revision}"]
        parts = [part for part in PurePosixPath(self.name.replace("\\", "/")).parts if part not in ("/", ".", "..")]
        is_path = len(parts) > 2 or self.name.startswith(("/", ".", "~")) or "\\" in self.name
        paths = ["/".join(parts[-2:]), parts[-1]] if is_path and parts else []
        return list(dict.fromkeys([self.name, *paths, LEGACY_IDS.get(self.name, self.name)]))


def is_adapter(folder: Path) -> bool:
    """Whether a folder holds an adapter and no weights of a whole model."""
    return is_there(folder / ADAPTER_CONFIG) and not any(
        is_file(folder / name) for name in (SINGLE_WEIGHTS, SHARDED_WEIGHTS)
    )


def base_name(folder: Path) -> BaseName | None:
    """What the adapter was trained on; None if its configuration does not say."""
    try:
        content = read_json(folder / ADAPTER_CONFIG)
    except ModelUnavailableError:
        return None
    name, revision = content.get("base_model_name_or_path"), content.get("revision")
    if not isinstance(name, str) or not name or not name.isprintable():
        return None
    return BaseName(name, revision if isinstance(revision, str) else None)


def read_adapter(folder: Path) -> Adapter:
    """Read the configuration and the header of the weights.

    Raises ModelUnavailableError with the reason if it is damaged, or of a kind that is not merged here.
    """
    content = read_json(folder / ADAPTER_CONFIG)
    _check_kind(content)
    weights = folder / ADAPTER_WEIGHTS
    if not is_there(weights):
        if is_there(folder / ADAPTER_PICKLE):
            raise only_foreign(ADAPTER_PICKLE)
        raise ModelUnavailableError("It has no weights: {file} is missing.", weights.name)
    shapes = read_header(weights).shapes
    matches = {name: _parsed(name) for name in shapes}
    pairs: dict[tuple[str, bool], dict[str, str]] = {}
    for name, match in matches.items():
        if match is not None:
            key = match["module"], match["kind"] is not None
            pairs.setdefault(key, {})[match["side"]] = name
    updates = tuple(_update(*key, pair, shapes, content) for key, pair in sorted(pairs.items()))
    replaced = {
        name.removeprefix(PREFIX).replace(".base_layer.", "."): name for name, match in matches.items() if match is None
    }
    _check_rest(replaced, {update.module for update in updates if update.is_embedding}, content)
    if not updates:
        raise ModelUnavailableError("{file} holds no LoRA matrices.", ADAPTER_WEIGHTS)
    return Adapter(weights, updates, replaced, sum(math.prod(shape) for shape in shapes.values()))


def _check_kind(content: Mapping[str, Any]) -> None:
    kind = content.get("peft_type")
    if kind != "LORA":
        raise _unmerged(f"peft_type {_short(kind)}")
    if content.get("bias", "none") != "none":
        raise _unmerged(f"bias {_short(content['bias'])}")
    if content.get("init_lora_weights", True) not in PLAIN_STARTS:
        raise _unmerged(f"init_lora_weights {_short(content['init_lora_weights'])}")
    if content.get("use_dora"):
        raise _unmerged("DoRA (use_dora)")
    other = sorted(name for name, value in content.items() if name not in HARMLESS and value)
    if other:
        raise _unmerged(_short(other[0]))


def _unmerged(what: str) -> ModelUnavailableError:
    return ModelUnavailableError(
        "It is an adapter with {what}; only plain LoRA is merged here. Merge it with PEFT (merge_and_unload), save the "
        "merged model and put that folder here.",
        what,
    )


def _parsed(name: str) -> re.Match[str] | None:
    return LOW_RANK.match(name.removeprefix(PREFIX))


def _update(
    module: str,
    is_embedding: bool,
    pair: Mapping[str, str],
    shapes: Mapping[str, tuple[int, ...]],
    content: Mapping[str, Any],
) -> Update:
    if set(pair) != {"A", "B"}:
        raise ModelUnavailableError("{file} has only one of the two matrices of {module}.", ADAPTER_WEIGHTS, module)
    down, up = shapes[pair["A"]], shapes[pair["B"]]
    if len(down) != 2 or len(up) != 2:
        raise _unmerged(f"convolutions ({module})")
    rank = _setting(content, "rank_pattern", "r", module)
    if not (isinstance(rank, int) and 0 < rank <= MAX_RANK and down[0] == rank == up[1]):
        raise ModelUnavailableError(
            "The matrices of {module} in {file} do not have the rank {rank} of {config}.",
            module,
            ADAPTER_WEIGHTS,
            _short(rank),
            ADAPTER_CONFIG,
        )
    alpha = _setting(content, "alpha_pattern", "lora_alpha", module)
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not math.isfinite(alpha):
        raise ModelUnavailableError("{config} gives no valid lora_alpha.", ADAPTER_CONFIG)
    scaling = alpha / (math.sqrt(rank) if content.get("use_rslora") else rank)
    return Update(module, pair["A"], pair["B"], scaling, is_embedding)


def _setting(content: Mapping[str, Any], pattern: str, name: str, module: str) -> Any:
    """The value for one module: that of the first pattern which matches the end of its name, else the general one."""
    by_pattern = content.get(pattern) or {}
    if not isinstance(by_pattern, dict) or len(by_pattern) > MAX_PATTERNS:
        raise ModelUnavailableError("{config} gives no valid {name}.", ADAPTER_CONFIG, pattern)
    for end, value in by_pattern.items():
        if _ends_with(module, end):
            return value
    return content.get(name, 8)


def _ends_with(module: str, pattern: str) -> bool:
    """Whether a pattern is the whole name or its last parts.

    PEFT's patterns are regular expressions. These come from files of strangers, and matching one can take for ever, so
    only names are known here, with ``\\.`` for a dot and ``^`` for the beginning; any other is refused.
    """
    plain = pattern.removeprefix("^").replace("\\.", ".")
    if not re.fullmatch(r"[\w.]+", plain):
        raise _unmerged(f"the pattern {_short(pattern)}")
    return module == plain or (not pattern.startswith("^") and module.endswith("." + plain))


def _check_rest(replaced: Iterable[str], embeddings: Set[str], content: Mapping[str, Any]) -> None:
    """Whatever is no LoRA matrix must belong to a module that is saved in whole, or under an adapted embedding."""
    saved = content.get("modules_to_save") or []
    names = [name for name in saved if isinstance(name, str)] if isinstance(saved, list) else []
    for parameter in replaced:
        module = parameter.rpartition(".")[0]
        is_named = module in embeddings or any(name in module for name in names)
        if "lora_" in parameter or not is_named:
            raise _unmerged(f"the weight {_short(parameter)}")


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 and text.isprintable() else f"{text[:80]!a}…"
