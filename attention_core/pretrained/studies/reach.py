"""Reach of a model of transformers: what it may see by its kind and configuration, and what reaches it.

Plain, with packed documents, with padding on the left, and in cached steps. The model runs as transformers runs it,
with its own attention, whether this application carries its type or not.
"""

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import torch
import transformers
from torch import Tensor, nn
from transformers import AutoConfig, PreTrainedModel
from transformers.utils import logging as transformers_logging

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.support import support_from
from attention_core.pretrained.models.trial.declared_masks import DeclaredMasks, Kind
from attention_core.reach.allowed import packed, reachable, restarting_positions
from attention_core.reach.assertion import judge_padded, used_in_no_text
from attention_core.reach.comparison import Deviation, cached_deviation, packed_deviation
from attention_core.reach.measure import Reach, is_layer, reach
from attention_core.reach.replacement import special_ids
from attention_core.reach.running import Runner
from attention_core.reach.states import EMBEDDINGS, evaluating
from attention_core.reach.verdict import Verdict, permitted

Case = Literal["plain", "packed", "padded", "cached"]
GENERATES = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
PADDING = 4
"""Positions on the left."""
LEAST_TOKENS = 8
STEP = 7919
"""A prime, so that the ids of a text differ as long as the vocabulary allows."""


@dataclass(frozen=True, eq=False)
class CaseReach:
    """One way of running a model: what was measured, and what is said of it."""

    case: str
    found: Reach
    verdict: Verdict
    permitted: Tensor
    """(states, queries, keys)."""
    asked: Tensor
    """(queries) False for padding, about which nothing is asked."""
    deviation: Deviation | None = None
    """Where cached steps or packed documents give other states than one pass, or each document alone."""

    @property
    def is_as_allowed(self) -> bool:
        """Whether there is nothing to say."""
        return self.verdict.is_as_allowed and self.deviation is None

    @property
    def sentences(self) -> list[str]:
        """What was found."""
        said = list(self.verdict.sentences)
        if self.deviation is not None:
            than = "one pass gives it" if self.case == "cached" else "its document alone has"
            place = f"position {self.deviation.position} ({self.deviation.name})"
            said.append(f"The state at {place} is not what {than}: it differs by {self.deviation.difference:.2g}.")
        return said


@dataclass(frozen=True)
class ReachOrder:
    """What the command was asked for."""

    model: str
    """A folder in transformers' format, or an id of the catalog."""
    cases: Sequence[Case] = ()
    """Beside the plain text."""
    tokens: int = 24
    kind: Kind | None = None


def run_reach(order: ReachOrder) -> tuple[list[str], bool]:
    """What the command prints, and whether all is as allowed. Raises ValueError, OSError or a Refusal."""
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    folder = Path(order.model)
    if (folder / "config.json").is_file():
        with _refusing("it cannot be loaded"):
            model = load_for_reach(folder)
    else:
        models_dir = os.environ.get("OBSERVATORY_MODELS_DIR")
        catalog = Catalog(models_dir=Path(models_dir) if models_dir else None, max_model_bytes=2**40)
        model = catalog.load(order.model).model
        model.set_attn_implementation("sdpa")
    reports: list[CaseReach] = []
    for case in ("plain", *order.cases):
        with _refusing("its reach cannot be measured"):
            reports += model_reach(model, case, tokens=order.tokens, kind=order.kind)
    return reach_lines(reports), all(each.is_as_allowed for each in reports)


@contextmanager
def _refusing(what: str) -> Iterator[None]:
    """Whatever a model's code raises, as a ValueError of one line."""
    try:
        yield
    except Exception as error:
        cause = (str(error).strip().splitlines() or ["no message"])[-1]
        raise ValueError(f"{what}: {type(error).__name__}: {cause}") from error


def load_for_reach(folder: Path) -> PreTrainedModel:
    """A model from a folder in transformers' format, float32, on the CPU. Raises ValueError or OSError."""
    config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    names = list(config.architectures or [])
    model_class = getattr(transformers, names[0], None) if names else None
    if model_class is None:
        raise ValueError(f"folder: transformers has no class {names[0] if names else 'named in config.json'!r}")
    model = model_class.from_pretrained(
        folder, local_files_only=True, use_safetensors=True, dtype=torch.float32, trust_remote_code=False
    )
    return model.eval()


def model_reach(
    model: PreTrainedModel, case: Case = "plain", *, tokens: int = 24, kind: Kind | None = None, **options: Any
) -> list[CaseReach]:
    """Measure a model on ``tokens`` ids of its vocabulary; of an encoder–decoder model both parts.

    ``kind`` is what it may see, unless given by its architecture: earlier positions for a model that generates.
    Raises ValueError for fewer than 8 tokens, or a case that the model does not have.
    """
    if tokens < LEAST_TOKENS:
        raise ValueError(f"tokens must be at least {LEAST_TOKENS}, not {tokens}")
    if model.config.is_encoder_decoder:
        return _of_both_parts(model, case, tokens, options)
    ids = some_ids(model, tokens)
    return [_measured(model, ids, case, kind or kind_of(model), options)]


def _measured(model: PreTrainedModel, ids: Tensor, case: Case, kind: Kind, options: Mapping[str, Any]) -> CaseReach:
    count = len(ids)
    takes = Runner(model).parameters()
    rules = Rules(model.config, kind, count)

    def again(**case_options: Any) -> Callable[[Verdict], Verdict]:
        return lambda verdict: used_in_no_text(verdict, model, ids, **case_options, **options)

    if case == "packed":
        if kind != "causal" or "position_ids" not in takes:
            raise ValueError("packed: the model does not take position_ids of packed documents")
        documents = (count // 2 - 1, count - count // 2 + 1)
        inputs = {"position_ids": restarting_positions(documents)}
        measured = reach(model, ids, inputs=inputs, **options)
        deviation = packed_deviation(model, ids, documents, inputs=inputs, **options)
        return rules.judged(case, measured, within=packed(documents), deviation=deviation, again=again(inputs=inputs))
    if case == "padded":
        mask, inputs = _padding(count, model)
        return rules.judged(case, reach(model, ids, inputs=inputs, **options), padding=mask, again=again(inputs=inputs))
    if case == "cached":
        if "past_key_values" not in takes or kind != "causal":
            raise ValueError("cached: the model does not take past_key_values")
        measured = reach(model, ids, chunk=1, **options)
        return rules.judged(case, measured, deviation=cached_deviation(model, ids, **options), again=again(chunk=1))
    return rules.judged(case, reach(model, ids, **options), again=again())


class Writing(nn.Module):
    """The decoder of an encoder–decoder model beside what its encoder has read once, as `generate` runs it."""

    def __init__(self, model: nn.Module, heard: Any, rest: Mapping[str, Tensor]) -> None:
        """``heard`` is the encoder's output of one row, ``rest`` what else the model is given, of one row."""
        super().__init__()
        self.model, self.heard, self.rest = model, heard, rest

    def forward(self, input_ids: Tensor, past_key_values: Any = None, use_cache: bool = False) -> Any:
        """The model's own output."""
        return self.model(
            encoder_outputs=type(self.heard)(**rows_of(self.heard, len(input_ids))),
            decoder_input_ids=input_ids,
            past_key_values=past_key_values,
            use_cache=use_cache,
            **rows_of(self.rest, len(input_ids)),
        )


def rows_of(inputs: Mapping[str, Any], rows: int) -> dict[str, Tensor]:
    """Those of the inputs that are tensors of one row, repeated."""
    tensors = {name: value for name, value in inputs.items() if isinstance(value, Tensor)}
    return {name: value.expand(rows, *value.shape[1:]).contiguous() for name, value in tensors.items()}


def _of_both_parts(model: PreTrainedModel, case: Case, tokens: int, options: Mapping[str, Any]) -> list[CaseReach]:
    """Encoder and decoder; padding is the encoder's, cached steps are the decoder's."""
    ids = some_ids(model, tokens)
    source = some_ids(model, tokens + 3)[None]  # so that its states are no decoder's
    beside: dict[str, Any] = {"argument": "decoder_input_ids", "inputs": {"input_ids": source}, **options}
    read, written = Rules(model.config, "all", tokens), Rules(model.config, "causal", tokens)
    encoder = model.get_encoder()
    if case == "packed":
        raise ValueError("packed: an encoder–decoder model does not take position_ids of packed documents")
    if case == "cached":
        if "past_key_values" not in Runner(model).parameters():
            raise ValueError("cached: the model does not take past_key_values")
        with evaluating(model):
            asks = inspect.signature(model.forward).parameters["input_ids"].default is inspect.Parameter.empty  # FSMT
            writing = Writing(model, encoder(source), {"input_ids": source} if asks else {})
        found = reach(writing, ids, chunk=1, **options)
        return [written.judged(case, found, deviation=cached_deviation(writing, ids, **options))]
    if case == "padded":
        mask, inputs = _padding(tokens, encoder)
        return [read.judged(case, reach(encoder, ids, inputs=inputs, **options), padding=mask)]
    return [
        read.judged("encoder", reach(encoder, ids, **options)),
        written.judged("decoder", reach(model, ids, **beside)),
    ]


def _padding(count: int, model: nn.Module) -> tuple[Tensor, dict[str, Tensor]]:
    """A mask (1, N) with padding on the left, and as an input."""
    if "attention_mask" not in Runner(model).parameters():
        raise ValueError("padded: the model does not take an attention_mask")
    mask = (torch.arange(count) >= PADDING).long()[None]
    return mask, {"attention_mask": mask}


@dataclass(frozen=True)
class Rules(DeclaredMasks):
    """Judges what was measured by what layers may see, and must see."""

    def judged(
        self,
        case: str,
        found: Reach,
        *,
        within: Tensor | None = None,
        padding: Tensor | None = None,
        deviation: Deviation | None = None,
        again: Callable[[Verdict], Verdict] = lambda verdict: verdict,
    ) -> CaseReach:
        """Compare with what was measured; ``within`` limits all layers, ``again`` asks other texts."""
        layers = sum(map(is_layer, found.names))
        inside = torch.ones_like(self.whole) if within is None else within
        allowed = [each & inside for each in self.may(layers)]
        verdict = judge_padded(found, allowed, padding)
        needed = reachable([each & inside for each in self.must(layers)])[-1]
        unused = tuple(pair for pair in verdict.unused if bool(needed[pair]))
        asked = torch.ones(self.count, dtype=torch.bool) if padding is None else padding[0].bool()
        may = permitted(found, [each & asked for each in allowed])
        return CaseReach(case, found, again(replace(verdict, unused=unused)), may, asked, deviation)


def kind_of(model: nn.Module) -> Kind:
    """Causal for what generates and for what the catalog calls a decoder, else everything."""
    config: Any = model.config
    if getattr(config, "use_bidirectional_attention", None) in {True, "all"} or not getattr(config, "is_causal", True):
        return "all"
    if type(model).__name__.endswith(GENERATES):
        return "causal"
    facts = support_from(config).facts
    return "causal" if facts is not None and facts.kind == "decoder" else "all"


def some_ids(model: PreTrainedModel, count: int) -> Tensor:
    """(N,) Ids from all over the vocabulary, none of them special; always the same."""
    size = model.config.get_text_config().vocab_size
    special = special_ids(model)
    known = [each for each in range(size) if each not in special]
    return torch.tensor([known[(STEP * (place + 1)) % len(known)] for place in range(count)])


def table(found: CaseReach) -> list[str]:
    """A line for each state: pairs reached, of these not allowed, allowed and not reached, and attended to."""
    rows: list[tuple[str, ...]] = [("state", "reached", "not allowed", "allowed, not reached", "attended to")]
    for index, name in enumerate(found.found.names):
        reached, may = found.found.reached[index][found.asked], found.permitted[index][found.asked]
        weights = found.found.weights[index]
        looks = "–" if weights is None else str(int((weights[found.asked] > 0).sum()))
        missing = "–" if name == EMBEDDINGS else str(int((may & ~reached).sum()))
        rows.append((name, str(int(reached.sum())), str(int((reached & ~may).sum())), missing, looks))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]


def reach_lines(reports: Sequence[CaseReach]) -> list[str]:
    """What the command prints."""
    lines = []
    for each in reports:
        exact = "bit for bit" if each.found.exact else f"changes above {float(each.found.floor.max()):.1g}"
        lines += [f"{each.case}: {each.found.change.shape[1]} positions, {exact}", *table(each)]
        lines += each.sentences or ["Everything is as allowed."]
    return lines
