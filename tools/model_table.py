"""Write docs/models.md: what can be shown of every architecture of the installed transformers, tried on tiny models.

    python tools/model_table.py [--reach] [TYPE …]

Each architecture is built with random weights and small sizes, once with our attention inside and once with the
library's own, and every weight and the last hidden state are compared, as when a model is loaded. With types as
arguments only their rows are made again, with ``--reach`` only that column.
"""

import logging
import re
import signal
import sys
import textwrap
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import transformers  # noqa: E402
from torch import Tensor  # noqa: E402
from transformers import AutoConfig, PreTrainedConfig, PreTrainedModel  # noqa: E402
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES  # noqa: E402

from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable  # noqa: E402
from attention_core.pretrained.models.configuration import ModelFacts  # noqa: E402
from attention_core.pretrained.models.preprocessing.image_rules import NoTokenizer, image_rules, vision_tower  # noqa: E402
from attention_core.pretrained.models.preprocessing.sound_rules import sound_rules  # noqa: E402
from attention_core.pretrained.models.support import Level, built_with, support_from  # noqa: E402
from attention_core.pretrained.models.text_towers import text_tower  # noqa: E402
from attention_core.pretrained.models.trial.self_check import self_check  # noqa: E402
from attention_core.pretrained.models.trial.trial_run import Trial, run_trial, run_weights_trial, trial_inputs  # noqa: E402
from attention_core.pretrained.recording.replaced.own_state import separate_passes  # noqa: E402
from attention_core.pretrained.recording.replaced.swapping import replace_modules  # noqa: E402
from reach_column import UNMEASURED, all_findings, cell, summary  # noqa: E402
from tiny_architectures import as_published, tiny_configs, tiny_model, tiny_tokenizer  # noqa: E402

TABLE = ROOT / "docs" / "models.md"
UNTRIED = "not tried"
REACH = "--reach"
SECONDS, REACH_SECONDS = 90, 900
"""Of computing time, for each architecture, and for its reach: LED fills every text up to its window of 512."""
DISENTANGLED = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_biased_input": False}
SHARED = {"num_hidden_layers": 4, "layer_types": ["sliding_attention", "full_attention"] * 2, "num_kv_shared_layers": 2}
VARIANTS: dict[str, tuple[dict[str, object], ...]] = {
    "beit": ({"use_relative_position_bias": True},),
    "cohere": ({"use_qk_norm": True},),
    "data2vec-vision": ({"use_relative_position_bias": True},),
    "deberta": (DISENTANGLED,),
    "deberta-v2": ({**DISENTANGLED, "position_buckets": 4, "share_att_key": True, "norm_rel_ebd": "layer_norm"},),
    "esm": ({"position_embedding_type": "rotary"},),
    "falcon": ({"alibi": True, "multi_query": False}, {"new_decoder_architecture": True, "num_kv_heads": 2}),
    "gemma3n_text": ({**SHARED, "intermediate_size": 48, "activation_sparsity_pattern": [0.95, 0.95, 0.0, 0.0]},),
    "gemma4_text": ({**SHARED, "use_double_wide_mlp": True, "global_head_dim": 16, "per_layer_config": None},),
    "glm4_moe": ({"use_qk_norm": True},),
    "gpt_bigcode": ({"multi_query": False},),
    "granite_swa": ({"layer_rope_theta": [0, 10_000.0]},),
    "granitemoe_swa": ({"layer_rope_theta": [0, 10_000.0]},),
    "layoutlmv3": ({"has_relative_attention_bias": False, "has_spatial_attention_bias": False},),
    "stablelm": ({"qk_layernorm": True, "use_qkv_bias": True},),
    "starcoder2": ({"sliding_window": 5},),
}
"""Further configurations of types whose published models differ in their attention; the largest difference counts."""
TITLES: dict[Level, str] = {"carried": "Carried", "weights_only": "Weights only", "refused": "Refused"}
ABOUT = """# Models

What can be shown of every architecture that transformers {version} knows, by its `model_type`. Written by
`python tools/model_table.py`; do not edit it.

- **Carried** ({carried}): our attention runs inside the model, so everything is there: stages, vectors, changes,
  attribution. Where a model does not ask for an attention function, ours replaces the middle of its own modules
  (`attention_core/pretrained/recording/replaced`). The difference is the largest of any weight of any head from the
  library's own eager attention, and of the last hidden state relative to its largest number, on a tiny random model,
  both in float32. When a real model is loaded, the same is measured on it, and it is refused if the two differ by more
  than rounding explains. Every type is tried with layers of each kind that the library's code has for it, and is
  carried only if all of them are: the released LFM2 and MiniMax M3 are refused, though their all-attention defaults
  would not be. Of these types, further configurations are measured, as published models have them, and the largest
  difference counts:
{variants}.
  Falcon's ALiBi is added once, as by the library's default attention; its eager, which adds it twice, is compared
  with one of the two taken away. Granite-SWA's and GraniteMoE-SWA's eager attention returns weights before the sinks
  take their share; it is taken from them before they are compared. XLNet's returns its weights only when asked to, as
  it is here. Where the library returns no weights of every query for every key (“–”: scores, or a window around each
  token), the last state alone is compared.
{reach}
- **Weights only** ({weights_only}): the attention is code of its own, which is not replaced. The weights that the
  library returns are shown, with all that follows from weights alone. They come whole, so the text is bounded.
- **Refused** ({refused}): with the reason.
{untried}
Checkpoints of two towers (CLIP, SigLIP) are loaded as their tower of images. Of models that write texts about images
or sounds (Gemma 3, LLaVA, Qwen2-VL, Voxtral), the text part is loaded as a language model, and tried here by itself;
when such a model is loaded, its logits of a text are compared with those of the whole model. SeamlessM4T is loaded with
its encoder of texts. Audio models (Whisper, wav2vec 2.0, HuBERT, the Audio Spectrogram Transformer) are tried on a
second of noise, which Whisper fills up to 30 seconds.

Images are resized, cropped and normalised by the library's own image processor, the one that works with Pillow; what
their file of settings leaves out is its default. YOLOS's makes images of different sizes, so a YOLOS model is
loaded only if its file gives height and width.
"""
ABOUT_UNTRIED = """
Of {count} of the first two kinds no tiny model could be made (“not tried”, with the last attempt's error): what is
said of them follows from the library's code alone, until one is loaded.
"""


@dataclass(frozen=True)
class Row:
    """One architecture."""

    model_type: str
    level: Level
    note: str
    """The class that was tried, or why nothing is shown."""
    weights: float | None = None
    state: float | None = None
    reach: str = ""
    """See ``reach_column``."""


def row_of(model_type: str) -> Row:
    """Try one architecture, with its default configuration and with tiny ones."""
    try:
        with as_unavailable("The library cannot make its default configuration."):
            whole = as_published(vision_tower(AutoConfig.for_model(model_type)))
        support = support_from(whole)
        support.shown()
    except ModelUnavailableError as error:
        return Row(model_type, "refused", str(error))
    row = Row(model_type, support.level, "")
    if support.level == "refused":
        return Row(model_type, "refused", str(support.reason))
    why = "no small configuration of it is valid"
    for tiny in _small(whole):
        try:
            return _in_all_variants(row, tiny)
        except ModelUnavailableError as error:
            if "does not run" not in str(error):
                return replace(row, level="refused", note=str(error))
            why = str(error)
        except Exception as error:  # noqa: BLE001 - sizes that this architecture does not accept
            why = " ".join(f"{type(error).__name__}: {error}".split())[:100]
    return replace(row, note=f"{UNTRIED} ({why})")


def _small(whole: PreTrainedConfig) -> Iterator[PreTrainedConfig]:
    shown = text_tower(whole)
    for tiny in tiny_configs(shown.model_type):
        tiny.architectures = shown.architectures
        if support_from(tiny).facts is not None:
            yield tiny


def with_reach(row: Row) -> Row:
    """The row with its column *reach* measured."""
    why = "no small configuration of it is valid"
    for tiny in _small(as_published(vision_tower(AutoConfig.for_model(row.model_type)))):
        try:
            return replace(
                row, reach=cell(all_findings((each, support_from(each).shown()) for each in _variants(tiny)))
            )
        except TimeoutError:
            raise
        except Exception as error:  # noqa: BLE001 - sizes that this architecture does not accept, and whatever it raises
            why = " ".join(f"{type(error).__name__}: {error}".split()).replace("|", "/")[:100]
    return replace(row, reach=f"{UNMEASURED} ({why})")


def first_trial(config: PreTrainedConfig, facts: ModelFacts) -> tuple[Trial, PreTrainedModel, dict[str, Tensor]]:
    """Make a tiny model and run it, as when a model is loaded: what was seen, the model and its inputs."""
    model = tiny_model(config, facts, built_with(config, facts))
    if not facts.weights_only:
        replace_modules(model)
    separate_passes(model)
    images = image_rules(config, None) if facts.reads == "image" else None
    sounds = sound_rules(config, {}) if facts.reads == "sound" else None
    inputs = trial_inputs(model, tiny_tokenizer() if images is None else NoTokenizer({}), facts, images, sounds)
    trial_of = run_weights_trial if facts.weights_only else run_trial
    return trial_of(model, inputs, facts, images, sounds), model, inputs


def _tried(found: Row, config: PreTrainedConfig) -> Row:
    facts = support_from(config).shown()
    _, model, inputs = first_trial(config, facts)
    if facts.weights_only:
        return replace(found, note=facts.architecture)
    checked = self_check(model, inputs)
    return replace(found, note=facts.architecture, weights=checked.weights, state=checked.last_hidden_state)


def _variants(config: PreTrainedConfig) -> list[PreTrainedConfig]:
    changed = ({**config.to_dict(), **changes} for changes in VARIANTS.get(config.model_type, ()))
    return [config, *(type(config).from_dict(each) for each in changed)]


def _in_all_variants(found: Row, config: PreTrainedConfig) -> Row:
    row = _tried(found, config)
    for variant in _variants(config)[1:]:
        other = _tried(found, variant)
        row = replace(row, weights=_larger(row.weights, other.weights), state=_larger(row.state, other.state))
    return row


def _listed(types: list[str]) -> str:
    text = ", ".join(f"`{each}`" for each in types)
    return textwrap.fill(text, 120, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def _larger(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else max(one, other)


def limited(work: Callable[[], Row], seconds: float, late: Row) -> Row:
    """The row, or ``late`` if it took longer."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return work()
    except TimeoutError:
        return late
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def table_of(rows: list[Row]) -> str:
    """The document."""
    counts = Counter(row.level for row in rows)
    untried = sum(UNTRIED in row.note for row in rows)
    text = ABOUT.format(
        version=transformers.__version__,
        variants=_listed(sorted(VARIANTS)),
        reach=summary([row.reach for row in rows if row.level == "carried"]),
        untried=ABOUT_UNTRIED.format(count=untried) if untried else "",
        **{level: counts[level] for level in TITLES},
    )
    for level, title in TITLES.items():
        is_measured = level == "carried"
        head = ["model_type", "tried", *(["weights", "last state", "reach"] if is_measured else [])]
        if level == "refused":
            head = ["model_type", "reason"]
        lines = [head, ["---"] * len(head)]
        for row in (row for row in rows if row.level == level):
            measured = [_number(row.weights), _number(row.state), row.reach] if is_measured else []
            lines.append([f"`{row.model_type}`", row.note.replace("|", "\\|"), *measured])
        text += f"\n## {title}\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
    return text


def rows_in(text: str) -> dict[str, Row]:
    """The rows of the document, by type."""
    level_of = {title: level for level, title in TITLES.items()}
    rows: dict[str, Row] = {}
    for section in text.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        for model_type, note, *measured, found in re.findall(
            r"^\| `(\S+)` \| (.*?) (?:\| (\S+) \| (\S+) (?:\| (.*?) )?)?\|$", body, re.M
        ):
            weights, state = (None if each in {"", "–"} else float(each) for each in measured)
            rows[model_type] = Row(model_type, level_of[title], note.replace("\\|", "|"), weights, state, found)
    return rows


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.0e}"


def _row(known: Row | None, model_type: str) -> Row:
    """Made new, or with ``known`` its column *reach* alone."""
    if known is None:
        late = Row(model_type, "refused", "Its tiny model took too long to try.")
        known = limited(lambda: row_of(model_type), SECONDS, late)
    if known.level != "carried" or UNTRIED in known.note:
        return known
    late = replace(known, reach=f"{UNMEASURED} (it took too long)")
    return limited(lambda: with_reach(known), REACH_SECONDS, late)


def main() -> None:
    """Write the table, or print the rows of the types that are given."""
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)
    asked = [each for each in sys.argv[1:] if each != REACH]
    alone = REACH in sys.argv[1:]
    rows = rows_in(TABLE.read_text(encoding="utf-8")) if sys.argv[1:] else {}
    for model_type in asked or sorted(CONFIG_MAPPING_NAMES):
        rows[model_type] = _row(rows[model_type] if alone else None, model_type)
        sys.stderr.write(f"{rows[model_type]}\n")
    TABLE.write_text(table_of([rows[model_type] for model_type in sorted(rows)]), encoding="utf-8")


if __name__ == "__main__":
    main()
