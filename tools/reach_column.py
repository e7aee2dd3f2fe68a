"""The column *reach* of docs/models.md: which position reaches which in a tiny model of each type, as declared or not.

Texts run as ``python -m server reach`` runs them, with the library's own attention, and once with ours. Of an image or
a sound each part (a patch, a stretch of time) is replaced in turn, and every position must notice.
"""

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedConfig, PreTrainedModel

from attention_core.pretrained.models.configuration import ModelFacts
from attention_core.pretrained.models.preprocessing.image_rules import NoTokenizer, image_rules
from attention_core.pretrained.models.preprocessing.sound_rules import sound_rules
from attention_core.pretrained.models.support import built_with
from attention_core.pretrained.models.trial.declared_masks import Kind
from attention_core.pretrained.models.trial.trial_run import trial_inputs
from attention_core.pretrained.recording.model_run import hidden_state, watching_state
from attention_core.pretrained.recording.replaced.own_state import separate_passes
from attention_core.pretrained.recording.replaced.swapping import replace_modules
from attention_core.pretrained.studies.reach import Case, CaseReach, Writing, model_reach, rows_of, some_ids
from attention_core.reach.comparison import cached_deviation
from attention_core.reach.measure import Reach, is_layer, reach
from attention_core.reach.states import EMBEDDINGS, OUTPUT
from attention_core.reach.verdict import Leak, Verdict, judge
from tiny_architectures import tiny_model, tiny_tokenizer

TOKENS = 16
"""Of a text: more than three windows of the tiny models."""
FEW_TOKENS = 8
"""Of what is written beside a sound."""
MOST_PARTS = 16
DECLARED = "as declared: "
CASES: dict[Kind, tuple[Case, ...]] = {
    "causal": ("plain", "packed", "padded", "cached"),
    "all": ("plain", "padded"),
}
MEANING = {"causal": "sees the future", "packed": "crosses", "padded": "padding reaches", "cached": "sees the future"}
UNMEASURED = "not measured"
ABOUT = """  *Reach* is which position influences which, measured on the same tiny models by replacing tokens
  (`docs/reach.md`), with the library's own attention and once more with ours. *As declared* are *causal* (no future,
  and nothing shut but by windows) or *all* (every position is reached from everywhere; of images and sounds, from every
  patch or stretch of time), *packed* (two documents, told apart by one row of position ids), *padded* (four positions
  on the left, of encoder–decoder models in the encoder) and *cached* (step by step as in one pass). What a model does
  not take is left out. Of {count} types {right} are as declared in every case:
{found}."""
FINDINGS = {
    "sees the future": "the future is seen in {count}",
    "packed: crosses": "packed documents see each other in {count}",
    "padded: padding reaches": "padding reaches other positions in {count}",
    "cached: other states": "cached steps give other states in {count}",
    "with our attention": "ours and the library's differ in {count}",
    "is not reached by": "something is shut too far in {count}",
    "reaches nothing": "a position reaches nothing in {count}",
    UNMEASURED: "{count} could not be measured, for the reason that stands there",
}
"""What cells say, and how all of them are counted."""
LACKING = ("does not take", "takes no", "only plain texts are measured", "returns no past_key_values")
"""In what is said of a case that a model does not have."""


def reach_in(config: PreTrainedConfig, facts: ModelFacts) -> dict[str, str]:
    """What was found by case, "" where it is as declared; cases that the model does not have are left out."""
    library = _of_library(config, facts)
    if facts.reads != "text":
        return _in_other_inputs(library, config, facts)
    kind: Kind = "causal" if facts.kind == "decoder" else "all"
    cases: tuple[Case, ...] = ("plain", "padded", "cached") if facts.kind == "encoder_decoder" else CASES[kind]
    cells: dict[str, str] = {}
    for case in cases:
        try:
            reports = model_reach(library, case, tokens=TOKENS, kind=kind)
        except ValueError as error:
            if case == "plain":
                raise
            if not any(each in str(error) for each in LACKING):
                cells[case] = f"{UNMEASURED} ({' '.join(str(error).split()).replace('|', '/')[:80]})"
            continue
        cells |= {_name(each.case, kind): finding(each, _name(each.case, kind)) for each in reports}
    for each in model_reach(_of_ours(config, facts), "plain", tokens=TOKENS, kind=kind):
        name = _name(each.case, kind)
        if (ours := finding(each, name)) != cells[name]:
            cells[f"{name} with our attention"] = ours or "as declared"
    return cells


def cell(found: Mapping[str, str]) -> str:
    """As the table says it: first what is as declared, then each finding."""
    right = [name for name, said in found.items() if not said]
    wrong = [f"{name}: {said}" for name, said in found.items() if said]
    return "; ".join(([DECLARED + ", ".join(right)] if right else []) + wrong)


def summary(cells: Sequence[str]) -> str:
    """What the document's head says of the column."""
    right = sum(each.startswith(DECLARED) and ";" not in each for each in cells)
    counted = {words: sum(part in each for each in cells) for part, words in FINDINGS.items()}
    always = next(iter(FINDINGS.values()))
    summary = ", ".join(
        each.format(count=count or "none") for each, count in counted.items() if count or each is always
    )
    text = textwrap.fill(summary, 118, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return ABOUT.format(count=len(cells), right=right, found=text)


def _name(case: str, kind: Kind) -> str:
    return ("causal" if kind == "causal" else "all") if case == "plain" else case


def finding(of: CaseReach, name: str) -> str:
    """In a few words, with the layer; "" if there is nothing to say."""
    verdict, deviation = of.verdict, of.deviation
    said = []
    if verdict.leaks:
        said.append(f"{MEANING.get(name, 'sees the future')} {_where(verdict.leaks[0])}")
    if verdict.unused:
        query, key = verdict.unused[0]
        said.append(f"position {query} is not reached by {key}, missing {_missing(of, query, key)}")
    if verdict.unmoved:
        said.append(f"position {verdict.unmoved[0]} reaches nothing")
    if deviation is not None and not verdict.leaks:
        number = _number(of.found, of.found.names.index(deviation.name))
        said.append(f"other states than in one pass from {number} on, position {deviation.position}")
    return ", ".join(said)


def _where(leak: Leak) -> str:
    where = {EMBEDDINGS: "from the embeddings on", OUTPUT: "in the output"}
    layer = where.get(leak.name, f"from layer {leak.layer} on")
    return f"{layer}, {leak.way}" if leak.way == "not through attention" else layer


def _missing(of: CaseReach, query: int, key: int) -> str:
    """The first state by which the pair should be there."""
    column = of.found.keys.index(key)
    permitted = of.permitted[1:, query, column].nonzero()
    return "from " + _number(of.found, int(permitted[0]) + 1 if len(permitted) else len(of.found.names) - 1) + " on"


def _number(found: Reach, state: int) -> str:
    if not is_layer(found.names[state]):
        return f"the {found.names[state]}"
    return f"layer {sum(map(is_layer, found.names[:state]))}"


def _of_library(config: PreTrainedConfig, facts: ModelFacts) -> PreTrainedModel:
    try:
        return tiny_model(config, facts, "sdpa")
    except (ValueError, ImportError):  # a type that has no such attention
        return tiny_model(config, facts, "eager")


def _of_ours(config: PreTrainedConfig, facts: ModelFacts) -> PreTrainedModel:
    model = tiny_model(config, facts, built_with(config, facts))
    replace_modules(model)
    separate_passes(model)
    return model


# --- images and sounds -----------------------------------------------------------------------------------------------


class Parts(nn.Module):
    """A model that reads vectors (rows, parts, d), of which its input is put together."""

    def __init__(self, model: nn.Module, join: Callable[[Tensor], Mapping[str, Tensor]]) -> None:
        super().__init__()
        self.model, self.join = model, join

    def forward(self, parts: Tensor) -> Any:
        """As the model's."""
        return self.model(**self.join(parts))


def _in_other_inputs(model: PreTrainedModel, config: PreTrainedConfig, facts: ModelFacts) -> dict[str, str]:
    images = image_rules(config, None) if facts.reads == "image" else None
    sounds = sound_rules(config, {}) if facts.reads == "sound" else None
    tokenizer = tiny_tokenizer() if images is None else NoTokenizer({})
    inputs = trial_inputs(model, tokenizer, facts, images, sounds)
    reader: nn.Module = model
    if facts.kind == "encoder_decoder":
        inputs.pop("decoder_input_ids")
        reader = model.get_encoder()
    name, whole = next((name, each) for name, each in inputs.items() if each.is_floating_point())
    rest = {other: each for other, each in inputs.items() if other != name}
    size = None if images is None else (images.patch_height, images.patch_width)
    parts, join = patches(whole, size) if size is not None else stretches(whole)

    def joined(rows: Tensor) -> dict[str, Tensor]:
        return {name: join(rows)} | rows_of(rest, len(rows))

    with torch.no_grad(), watching_state(model) as watched:
        states = reader(**joined(parts[None]))
    last = watched[-1] if reader is model else hidden_state(states)
    measured = reach(Parts(reader, joined), parts, positions=last.shape[1], replacements=1)
    verdict = judge(measured, torch.ones(last.shape[1], len(parts), dtype=torch.bool))
    said = {"all": _unnoticed(measured, verdict)}
    if facts.kind == "encoder_decoder":
        said |= _beside_a_sound(Writing(model, states, rest), some_ids(model, FEW_TOKENS))
    return said


def _unnoticed(found: Reach, verdict: Verdict) -> str:
    if verdict.unmoved:
        return f"part {verdict.unmoved[0]} reaches nothing"
    if not verdict.unused:
        return ""
    query, key = verdict.unused[0]
    return f"position {query} is not reached by part {key}, missing in {_number(found, len(found.names) - 1)}"


def _beside_a_sound(model: nn.Module, ids: Tensor) -> dict[str, str]:
    """Of a decoder that reads a sound: causal, and in cached steps."""
    whole = torch.ones(FEW_TOKENS, FEW_TOKENS, dtype=torch.bool).tril()
    said = {}
    for name, chunk in (("decoder", None), ("cached", 1)):
        measured = reach(model, ids, chunk=chunk)
        deviation = cached_deviation(model, ids) if chunk else None
        asked = torch.ones(FEW_TOKENS, dtype=torch.bool)
        may = whole.expand(len(measured.names), -1, -1)
        said[name] = finding(CaseReach(name, measured, judge(measured, whole), may, asked, deviation), name)
    return said


def patches(image: Tensor, size: tuple[int, int]) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """(patches, d) of an image (1, C, H, W), and how (rows, patches, d) become images again."""
    _, channels, height, width = image.shape
    down, across = height // size[0], width // size[1]
    cut = image.view(channels, down, size[0], across, size[1]).permute(1, 3, 0, 2, 4)

    def join(rows: Tensor) -> Tensor:
        placed = rows.view(len(rows), down, across, channels, *size).permute(0, 3, 1, 4, 2, 5)
        return placed.reshape(len(rows), channels, height, width)

    return cut.reshape(down * across, -1), join


def stretches(sound: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """(parts, d) of an input whose longest axis is time, in equal parts, and how (rows, parts, d) become inputs.

    Of a prime number of points, the last few stay as they are.
    """
    axis = max(range(1, sound.dim()), key=lambda each: sound.shape[each])
    length = sound.shape[axis]
    count = next((parts for parts in range(MOST_PARTS, 1, -1) if length % parts == 0), MOST_PARTS)
    replaced = length // count * count
    moved = sound.movedim(axis, 1)[0]
    rest = moved[replaced:]

    def join(rows: Tensor) -> Tensor:
        parts = rows.reshape(len(rows), replaced, *moved.shape[1:])
        return torch.cat([parts, rest.expand(len(rows), *rest.shape)], 1).movedim(1, axis)

    return moved[:replaced].reshape(count, -1), join


def all_findings(configs: Iterator[tuple[PreTrainedConfig, ModelFacts]]) -> dict[str, str]:
    """Of several configurations of a type: a case is as declared if it is in all of them."""
    cells: dict[str, str] = {}
    for config, facts in configs:
        for name, said in reach_in(config, facts).items():
            cells[name] = cells.get(name) or said
    return cells
