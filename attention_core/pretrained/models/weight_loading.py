"""Load the weights of an inspected folder, with its attention replaced by ours."""

import copy
import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import transformers
from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable
from attention_core.pretrained.models.files.adapter_merging import merge_adapter
from attention_core.pretrained.models.files.folders import Inspection
from attention_core.pretrained.models.model_classes import class_names
from attention_core.pretrained.models.preprocessing.image_rules import NoTokenizer
from attention_core.pretrained.models.support import built_with
from attention_core.pretrained.models.text_tower_model import language_model, text_part
from attention_core.pretrained.models.text_towers import whole_class_name
from attention_core.pretrained.models.trial_run import trial_inputs
from attention_core.pretrained.recording.replaced.swapping import replace_modules

logger = logging.getLogger(__name__)

_BUILDING = threading.Lock()
"""``from_pretrained`` replaces ``PreTrainedModel.tie_weights``, ``torch.nn.init.*`` and ``torch.linspace`` for the
whole process while it runs. Two concurrent calls would restore each other's replacements and, for example, leave tied
weights untied for ever without an error. So only one thread builds a model at a time; finding, fetching and checking
files happens outside the lock."""


def load_weights(inspection: Inspection, tokenizer: PreTrainedTokenizerBase | NoTokenizer) -> PreTrainedModel:
    """Load the weights in float32 on the CPU; of a text part, those of the whole model, from which it is taken."""
    facts, config = inspection.facts, inspection.whole or inspection.config
    of_text = built_with(inspection.config, facts)
    attention: str | dict[str, str] = of_text
    name: str | None = facts.architecture
    if inspection.whole is not None:
        name = whole_class_name(config)
        attention = {**dict.fromkeys(("", *config.sub_configs), "eager"), "text_config": of_text}
    model_class = getattr(transformers, str(name))
    with _BUILDING, _quietly(), as_unavailable("Its weights do not fit its config.json."):
        # Always float32 first: another dtype would become torch's default for the whole process while loading.
        model, report = model_class.from_pretrained(
            inspection.folder,
            config=_without_cache(config),
            attn_implementation=attention,
            dtype=torch.float32,
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
            **_renamed(config, model_class),
        )
    _check_report(report, reads_pooler=class_names(inspection.config, facts.architecture) is not None)
    if inspection.adapter is not None:
        with as_unavailable("The weights of its adapter cannot be read."):
            merge_adapter(model, inspection.adapter)
    if inspection.whole is not None:
        inner = language_model(model.eval())
        model = text_part(model, facts.architecture, trial_inputs(inner, tokenizer, facts, None))
    if not inspection.facts.weights_only:
        replace_modules(model)
    if not all(bool(parameter.isfinite().all()) for parameter in model.parameters()):
        raise ModelUnavailableError("Its weights are not all finite numbers.")
    return model.eval().requires_grad_(requires_grad=False)


def _renamed(config: PreTrainedConfig, model_class: type[PreTrainedModel]) -> dict[str, Any]:
    """Key mapping for checkpoints whose class names its base model differently.

    LlamaForQuestionAnswering, for example, stores under ``transformer`` what other classes store under ``model``.
    """
    saved = getattr(transformers, (config.architectures or [""])[0], model_class)
    names = saved.base_model_prefix, model_class.base_model_prefix
    return {} if names[0] == names[1] else {"key_mapping": {rf"^{re.escape(names[0])}\.": f"{names[1]}."}}


def _without_cache(config: PreTrainedConfig) -> PreTrainedConfig:
    """Disable the KV cache: every text is processed in one pass, so it would waste memory.

    (The library's cache also fails for a decoder with more layers than the encoder that it was saved with.)
    """
    config = copy.deepcopy(config)
    for part in (config, *(getattr(config, name) for name in config.sub_configs)):
        if hasattr(part, "use_cache"):
            part.use_cache = False
    return config


def _check_report(report: dict[str, Any], *, reads_pooler: bool) -> None:
    # A pooler follows the last layer and takes no part in attention; many checkpoints omit it.
    missing = sorted(key for key in report["missing_keys"] if reads_pooler or "pooler" not in key)
    if missing:
        raise ModelUnavailableError(
            "{missing} of its weights are missing, the first being {first}; they would be random numbers.",
            len(missing),
            missing[0],
        )
    if report["mismatched_keys"] or report["error_msgs"]:
        raise ModelUnavailableError("Its weights do not fit its config.json.")
    if report["unexpected_keys"]:
        logger.info("weights not used: %s", ", ".join(sorted(report["unexpected_keys"])[:5]))


@contextmanager
def _quietly() -> Iterator[None]:
    """Suppress progress bars on the server's terminal."""
    shown = transformers.utils.logging.is_progress_bar_enabled()
    transformers.utils.logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            transformers.utils.logging.enable_progress_bar()
