"""Load the weights of an inspected folder, with its attention replaced by ours."""

import copy
import logging
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import transformers
from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable
from attention_core.pretrained.models.files.adapter_merging import merge_adapter
from attention_core.pretrained.models.files.folders import Inspection
from attention_core.pretrained.models.files.model_files import for_library
from attention_core.pretrained.models.model_classes import class_names
from attention_core.pretrained.models.model_size import bytes_when_built
from attention_core.pretrained.models.preprocessing.image_rules import NoTokenizer
from attention_core.pretrained.models.support import built_with
from attention_core.pretrained.models.text_tower_model import language_model, text_part
from attention_core.pretrained.models.text_towers import whole_class_name
from attention_core.pretrained.models.trial.trial_run import trial_inputs
from attention_core.pretrained.recording.replaced.own_state import separate_passes
from attention_core.pretrained.recording.replaced.swapping import replace_modules
from attention_core.refusal import Sentence

HOW_TO_RUN = {
    "use_cache": False,
    "return_dict": True,
    "output_attentions": False,
    "output_hidden_states": False,
    "chunk_size_feed_forward": 0,
}
"""Settings that change the form of the output, or for which lengths a pass runs, but no number.

Every text is processed in one pass, so a KV cache would waste memory (the library's also fails for a decoder with more
layers than the encoder that it was saved with). Feed-forward layers in chunks take only multiples of their size.
"""

logger = logging.getLogger(__name__)

NUMBER = re.compile(r"(?<=\.)\d+(?=\.)")
"""A number in a tensor's name: of a layer, an expert …"""
_BUILDING = threading.Lock()
"""``from_pretrained`` replaces ``PreTrainedModel.tie_weights``, ``torch.nn.init.*`` and ``torch.linspace`` for the
whole process while it runs. Two concurrent calls would restore each other's replacements and, for example, leave tied
weights untied for ever without an error. So only one thread builds a model at a time; finding, fetching and checking
files happens outside the lock."""


def load_weights(
    inspection: Inspection, tokenizer: PreTrainedTokenizerBase | NoTokenizer
) -> tuple[PreTrainedModel, tuple[Sentence, ...]]:
    """Load the weights in float32 on the CPU; of a text part, those of the whole model, from which it is taken.

    With them comes what is to be said of those that were left out.
    """
    facts = inspection.facts
    model_class, config, attention = _how_built(inspection)
    renamed = _renamed(config, model_class)
    with _BUILDING, _quietly(), as_unavailable("Its weights do not fit its config.json."):
        # Always float32 first: another dtype would become torch's default for the whole process while loading.
        model, report = model_class.from_pretrained(
            for_library(inspection.folder),
            config=config,
            attn_implementation=attention,
            dtype=torch.float32,
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
            **renamed,
        )
    _check_report(report, reads_pooler=class_names(inspection.config, facts.architecture) is not None)
    caveats = _left_out(report["unexpected_keys"], model)
    if inspection.adapter is not None:
        with as_unavailable("The weights of its adapter cannot be read."):
            merge_adapter(model, inspection.adapter, **renamed)
    if inspection.whole is not None:
        inner = language_model(model.eval())
        model = text_part(model, facts.architecture, trial_inputs(inner, tokenizer, facts, None))
    if not inspection.facts.weights_only:
        replace_modules(model)
    separate_passes(model)
    if not all(bool(parameter.isfinite().all()) for parameter in model.parameters()):
        raise ModelUnavailableError("Its weights are not all finite numbers.")
    return model.eval().requires_grad_(requires_grad=False), caveats


def allocated_bytes(inspection: Inspection, dtype: torch.dtype, most: int) -> int:
    """Memory of all parameters and buffers that loading allocates, whatever the files hold of them.

    The model is built without memory. Tied weights count once. Building ends early, with more than ``most``, for a
    model that is far beyond it. Raises ModelUnavailableError if it cannot be built.
    """
    model_class, config, attention = _how_built(inspection)
    with _BUILDING, _quietly(), as_unavailable("Its weights do not fit its config.json."):
        return bytes_when_built(model_class, config, attention, dtype, most)


def _how_built(inspection: Inspection) -> tuple[type[PreTrainedModel], PreTrainedConfig, str | dict[str, str]]:
    """The library's class, its configuration and the attention that it is asked for."""
    of_text = built_with(inspection.config, inspection.facts)
    if inspection.whole is None:
        name, config, attention = inspection.facts.architecture, inspection.config, of_text
        return getattr(transformers, str(name)), _to_run_here(config), attention
    config = inspection.whole
    parts = {**dict.fromkeys(("", *config.sub_configs), "eager"), "text_config": of_text}
    return getattr(transformers, str(whole_class_name(config))), _to_run_here(config), parts


def _renamed(config: PreTrainedConfig, model_class: type[PreTrainedModel]) -> dict[str, Any]:
    """Key mapping for checkpoints whose class names its base model differently.

    LlamaForQuestionAnswering, for example, stores under ``transformer`` what other classes store under ``model``.
    """
    saved = getattr(transformers, (config.architectures or [""])[0], model_class)
    names = saved.base_model_prefix, model_class.base_model_prefix
    return {} if names[0] == names[1] else {"key_mapping": {rf"^{re.escape(names[0])}\.": f"{names[1]}."}}


def _to_run_here(config: PreTrainedConfig) -> PreTrainedConfig:
    """The configuration without what it says of how to run rather than of what is computed (``HOW_TO_RUN``)."""
    config = copy.deepcopy(config)
    for part in (config, *(getattr(config, name) for name in config.sub_configs)):
        for name, value in HOW_TO_RUN.items():
            if hasattr(part, name):
                setattr(part, name, value)
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


def _left_out(unused: Iterable[str], model: PreTrainedModel) -> tuple[Sentence, ...]:
    """What is to be said if config.json counts fewer layers, experts and the like than the file holds.

    A tensor is one of those if the model has it under another number. Others, such as heads for training, may be left
    out.
    """
    known = {_uncounted(name, model) for name in model.state_dict()}
    more = sorted(name for name in unused if NUMBER.search(name) and _uncounted(name, model) in known)
    if not more:
        return ()
    return (
        Sentence(
            "Its weights hold more layers (or experts) than config.json counts, so this is not the model that was "
            "trained: {first} and others are left out.",
            more[0],
        ),
    )


def _uncounted(name: str, model: PreTrainedModel) -> str:
    return NUMBER.sub("#", name.removeprefix(f"{model.base_model_prefix}."))


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
