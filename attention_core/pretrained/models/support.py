"""Which of three an architecture is: carried, weights only or refused. From its configuration, before any weight.

For a list of models to choose from: ``support_from_json`` takes the content of a config.json (from a folder, a cache or
a hub) and takes milliseconds. What it says is what the library's code promises; loading tries the model and has the
last word.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from transformers import CONFIG_MAPPING, PreTrainedConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES
from transformers.models.auto.feature_extraction_auto import FEATURE_EXTRACTOR_MAPPING_NAMES

from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable
from attention_core.pretrained.models.configuration import ModelFacts, facts_from
from attention_core.pretrained.models.library_source import attention_source, modeling_source
from attention_core.pretrained.models.preprocessing.image_rules import vision_tower
from attention_core.pretrained.models.preprocessing.sound_rules import NO_EXTRACTOR
from attention_core.pretrained.models.text_towers import text_tower, why_not_built
from attention_core.pretrained.recording.recorder import IMPLEMENTATION
from attention_core.pretrained.recording.replaced.swapping import is_replaced
from attention_core.refusal import Sentence

COUNT = re.compile(r"(layers?|labels?|blocks?|depths?|stages|experts|heads?|groups|classes)$")
"""Settings that say how many there are of something."""
MOST_COUNTED = 100_000

Level = Literal["carried", "weights_only", "refused"]
"""``carried``: our attention runs inside the model. ``weights_only``: the model runs with its own attention and returns
its weights. ``refused``: nothing can be shown."""


PARTLY = Sentence("Some of its layers compute their attention in code of their own, so they cannot all be recorded.")
OTHER = Sentence("What its own attention returns are not the weights of every query for every key.")
SIZELESS = Sentence("It does not give the size of its vocabulary.")
MORE = Sentence("It needs further inputs besides its text, image or sound, and none of them is given here.")
TRIED: Mapping[str, Sentence] = {
    **dict.fromkeys(("bigbird_pegasus", "longt5", "pegasus_x"), PARTLY),
    **dict.fromkeys(("big_bird", "funnel", "mra", "prophetnet", "yoso"), OTHER),
    **dict.fromkeys(
        ("canine", "ibert", "kyutai_speech_to_text", "sam3_lite_text_text_model", "speecht5", "vits"), SIZELESS
    ),
    **dict.fromkeys(
        ("EvollaModel", "bros", "evolla", "layoutlmv2", "minicpm_ocr_vision", "minicpmv4_7_vision"),
        MORE,
    ),
    **dict.fromkeys(("seggpt", "tvp", "voxtral_realtime_text"), MORE),
    **dict.fromkeys(
        ("sam_hq_vision_model", "sam_vision_model"),
        Sentence("It has a class of its own for each kind of attention, so ours cannot be put into it."),
    ),
    "nemotron_asr_streaming_encoder": Sentence(
        "Its own attention makes weights that are no numbers (NaN), with which ours cannot be compared."
    ),
    **dict.fromkeys(
        ("diffllama", "moonshine"),
        Sentence("It computes attention several times in each layer, which is not supported here."),
    ),
    **dict.fromkeys(
        ("pixtral", "sam3_vit_model", "vit_mae", "vitdet"),
        Sentence("Its tokens are not the patches of the image one by one, so they have no place in it."),
    ),
}
"""Architectures of which only a trial shows that they cannot be shown (``tools/model_table.py`` tries all)."""


UNLIKE = Sentence("Its text part alone does not compute what the whole model computes of a text.")
TRIED_TEXT_PARTS: Mapping[str, Sentence] = dict.fromkeys(("granite_docling", "muse_glimmer"), UNLIKE)
"""The same of models whose text part is taken out."""


@dataclass(frozen=True)
class Support:
    """What can be shown of a model, and why not more."""

    level: Level
    reason: Sentence | None = None
    """Why it is not carried, as a sentence; None if it is."""
    facts: ModelFacts | None = None
    """None if it is refused for what its configuration says; with it, loading tries the model all the same."""

    def shown(self) -> ModelFacts:
        """The facts. Raises ModelUnavailableError with the reason if the model is refused."""
        if self.facts is None:
            raise ModelUnavailableError(self.reason or Sentence("It cannot be shown here."))
        return self.facts


def support_from_json(content: Mapping[str, Any]) -> Support:
    """The support of a model with this config.json. Never raises."""
    try:
        return support_from(config_from_json(content))
    except ModelUnavailableError as error:
        return Support("refused", error.sentence)


def support_from(whole: PreTrainedConfig, tokenizer_limit: int | None = None) -> Support:
    """The support of a model with this configuration, or of its text part (``text_tower``).

    Never raises; ``tokenizer_limit`` as in ``facts_from``.
    """
    config = text_tower(whole)
    try:
        with as_unavailable("config.json holds values from which no model can be built."):
            facts = facts_from(config, tokenizer_limit)
    except ModelUnavailableError as error:
        return Support("refused", error.sentence)
    if config is not whole:
        facts = replace(facts, text_part_of=whole.model_type)
        if (reason := why_not_built(whole) or TRIED_TEXT_PARTS.get(whole.model_type)) is not None:
            return Support("refused", reason, facts)
    return _support_of(config, facts)


def _support_of(config: PreTrainedConfig, facts: ModelFacts) -> Support:
    if facts.reads == "sound" and config.model_type not in FEATURE_EXTRACTOR_MAPPING_NAMES:
        return Support("refused", NO_EXTRACTOR, facts)
    if config.model_type in TRIED:
        own = not _asks(config)
        return Support("refused", TRIED[config.model_type], replace(facts, weights_only=own))
    if _asks(config) or has_replacement(config):
        return Support("carried", facts=facts)
    reason = Sentence(
        "The attention of the architecture {model_type} does not go through transformers' "
        "AttentionInterface, so it cannot be replaced by ours.",
        config.model_type,
    )
    if "attentions" in modeling_source(config):
        return Support("weights_only", reason, replace(facts, weights_only=True))
    return Support("refused", reason)


def _asks(config: PreTrainedConfig) -> bool:
    """Whether its code asks transformers for an attention function."""
    return "ALL_ATTENTION_FUNCTIONS.get_interface(" in attention_source(config)


def has_replacement(config: PreTrainedConfig) -> bool:
    """Whether ours is put into its attention modules, which do not ask for it."""
    module = type(config).__module__.replace(".configuration_", ".modeling_")
    return is_replaced(modeling_source(config), module)


def built_with(config: PreTrainedConfig, facts: ModelFacts) -> str:
    """The name of the attention with which the library builds the model; ``replace_modules`` puts ours into some."""
    return "eager" if facts.weights_only or has_replacement(config) else IMPLEMENTATION


def check_known(content: Mapping[str, Any]) -> str:
    """The model's type. Raises ModelUnavailableError for one that the library has no code for, or must not load."""
    if "auto_map" in content:
        raise ModelUnavailableError("It needs custom code (auto_map), and code from model folders is never run.")
    model_type = content.get("model_type")
    if not isinstance(model_type, str):
        raise ModelUnavailableError("config.json does not give model_type.")
    if model_type not in CONFIG_MAPPING_NAMES:
        raise ModelUnavailableError(
            "The installed transformers does not know the architecture {model_type}.", repr(model_type[:60])
        )
    if content.get("quantization_config") is not None:
        raise ModelUnavailableError("Its weights are quantized; only plain floating-point weights are supported.")
    return model_type


def _check_counts(content: Mapping[Any, Any]) -> None:
    """Raise ModelUnavailableError for more layers or classes than any model has.

    The library makes lists of them from their number alone, before anything else could refuse it.
    """
    for name, value in content.items():
        if isinstance(value, Mapping):
            _check_counts(value)
        elif isinstance(value, int | float) and COUNT.search(str(name)) and not value <= MOST_COUNTED:
            raise ModelUnavailableError(
                "config.json gives {name} as more than {limit}, the most that is taken for a model.",
                name,
                limit=MOST_COUNTED,
            )


def config_from_json(content: Mapping[str, Any]) -> PreTrainedConfig:
    """The library's configuration from a config.json. Raises ModelUnavailableError."""
    model_type = check_known(content)
    _check_counts(content)
    with as_unavailable("config.json does not fit the architecture {model_type}.", model_type):
        return vision_tower(CONFIG_MAPPING[model_type].from_dict(dict(content)))
