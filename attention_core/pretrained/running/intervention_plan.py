"""Validate interventions against a model and a text, and convert them to head edits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.head_edit import ANY, GivenRow, HeadEdit
from attention_core.masks import MaskRule
from attention_core.pretrained.errors import InterventionError, SelectionError, UnsupportedAttentionError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parts import PartName, PartShape, part_of_modules
from attention_core.pretrained.recording.recorder import Change
from attention_core.pretrained.running.interventions import (
    EVERY,
    CutEdges,
    HeadOff,
    Intervention,
    ReplaceRow,
    SetPattern,
    Temperature,
)

Place = tuple[PartName, int]
"""A layer of a part."""


@dataclass(eq=False)
class InterventionPlan:
    """Edits each attention call of one forward pass: pass ``change`` to ``recorder.record``.

    Layers are counted during the pass, so a plan is good for one pass.
    """

    model: PreTrainedModel
    kind: str | None
    sizes: Mapping[PartName, tuple[int, int]]
    """Numbers of queries and keys of each part."""
    by_place: Mapping[Place, list[tuple[int, Intervention]]]
    """For each layer its interventions, with their indices in the request."""
    _seen: dict[PartName, int] = field(default_factory=dict)
    _tensors: dict[int, Tensor] = field(default_factory=dict)
    """By index in the request; heads and layers share them."""

    def __post_init__(self) -> None:
        self._part_of = part_of_modules(self.model, self.kind)

    def change(self, module: nn.Module, attention: BlockwiseAttention) -> BlockwiseAttention:
        """The attention with its layer's edits.

        Raises InterventionError if a row gives weight to a key that its query may not attend to.
        """
        part = self._part_of(module)
        layer = self._seen.get(part, 0)
        self._seen[part] = layer + 1
        interventions = self.by_place.get((part, layer))
        if not interventions:
            return attention
        if (attention.num_queries, attention.num_keys) != self.sizes[part]:
            raise UnsupportedAttentionError("this model's attention covers positions other than the text's tokens")
        for index, intervention in interventions:
            if isinstance(intervention, ReplaceRow):
                _check_readable(index, intervention, attention.mask)
        edits: dict[int, HeadEdit] = {}
        for index, intervention in interventions:
            if index not in self._tensors:
                self._tensors[index] = _tensor(intervention, attention.queries.device)
            for head in _heads(intervention, attention.num_heads):
                edits[head] = _with(edits.get(head, HeadEdit()), intervention, self._tensors[index])
        return replace(attention, edits=edits)


def planned_change(
    loaded: LoadedModel, interventions: Sequence[Intervention], source_tokens: int, target_tokens: int
) -> Change | None:
    """The argument for ``recorder.record`` in one forward pass; None without interventions.

    Raises what ``plan_interventions`` raises.
    """
    if not interventions:
        return None
    tokens = {"source": source_tokens, "target": target_tokens}
    return plan_interventions(interventions, loaded.model, loaded.entry.kind, loaded.parts, tokens).change


def plan_interventions(
    interventions: Sequence[Intervention],
    model: PreTrainedModel,
    kind: str | None,
    shapes: Sequence[PartShape],
    tokens: Mapping[str, int],
) -> InterventionPlan:
    """Validate what can be checked before the model runs. ``tokens`` is the number of tokens on each side.

    Raises SelectionError for a part, layer, head, query or key that does not exist, InterventionError for two that
    contradict each other. Fields are those of a request: ``interventions.2.heads``.
    """
    by_place: dict[Place, list[tuple[int, Intervention]]] = {}
    taken: dict[tuple[PartName, int, int, str], int] = {}
    for index, intervention in enumerate(interventions):
        part = _find_part(index, intervention, shapes)
        _check_numbers(index, intervention, part, tokens[part.query_side], tokens[part.key_side])
        layers = range(part.layers) if intervention.layer == EVERY else (intervention.layer,)
        for layer in layers:
            by_place.setdefault((part.name, layer), []).append((index, intervention))
            for head in _heads(intervention, part.heads):
                for what in _what_it_sets(intervention):
                    first = taken.setdefault((part.name, layer, head, what), index)
                    if first != index:
                        raise InterventionError(
                            "interventions {first} and {index} both set the {what} of head {head} in layer {layer}",
                            first,
                            index,
                            what,
                            head,
                            layer,
                            field=f"interventions.{index}",
                        )
    sizes = {shape.name: (tokens[shape.query_side], tokens[shape.key_side]) for shape in shapes}
    return InterventionPlan(model, kind, sizes, by_place)


def _find_part(index: int, intervention: Intervention, shapes: Sequence[PartShape]) -> PartShape:
    by_name = {shape.name: shape for shape in shapes}
    part = shapes[0] if intervention.part is None else by_name.get(intervention.part)
    if part is None:
        raise SelectionError(
            "{name} must be one of {choices}, not {given}",
            "part",
            ", ".join(by_name),
            repr(intervention.part),
            field=f"interventions.{index}.part",
        )
    return part


def _check_numbers(index: int, intervention: Intervention, part: PartShape, queries: int, keys: int) -> None:
    """Check that every named layer, head and token exists."""

    def check(name: str, values: Iterator[int] | tuple[int, ...], count: int, what: str) -> None:
        for value in values:
            if value >= count:
                raise SelectionError(
                    "{name}: {what} must be from 0 to {limit}, not {given}",
                    name,
                    what,
                    value,
                    field=f"interventions.{index}.{name}",
                    limit=count - 1,
                )

    if intervention.layer != EVERY:
        check("layer", (intervention.layer,), part.layers, "layer")
    if intervention.heads != EVERY:
        check("heads", intervention.heads, part.heads, "head")
    match intervention:
        case CutEdges():
            check("edges", (query for query, _ in intervention.edges if query is not None), queries, "query")
            check("edges", (key for _, key in intervention.edges if key is not None), keys, "key")
        case ReplaceRow():
            check("query", (intervention.query,), queries, "query")
            if len(intervention.weights) != keys:
                raise InterventionError(
                    "weights must be one for each of the {limit} keys, not {given}",
                    len(intervention.weights),
                    field=f"interventions.{index}.weights",
                    limit=keys,
                )
        case SetPattern() if part.name == "cross" and intervention.pattern != "uniform":
            raise InterventionError(
                "pattern {pattern} has no meaning between two texts (cross-attention)",
                intervention.pattern,
                field=f"interventions.{index}.pattern",
            )


def _what_it_sets(intervention: Intervention) -> tuple[str, ...]:
    """Names of the settings of a head that this intervention changes; each may be changed only once."""
    match intervention:
        case HeadOff():
            return ("output",)
        case Temperature():
            return ("temperature",)
        case SetPattern():
            return ("causality" if intervention.pattern == "causal" else "pattern",)
        case ReplaceRow():
            return (f"row {intervention.query}",)
    return ()


def _check_readable(index: int, intervention: ReplaceRow, mask: MaskRule | None) -> None:
    if mask is None:
        return
    query = slice(intervention.query, intervention.query + 1)
    allowed = mask.window(query, slice(0, len(intervention.weights))).flatten(0, -2).all(dim=0)
    for key in (~allowed).nonzero().flatten().tolist():
        if intervention.weights[key] > 0:
            raise InterventionError(
                "weights include key {key}, which query {query} may not attend to",
                key,
                intervention.query,
                field=f"interventions.{index}.weights",
            )


def _heads(intervention: Intervention, count: int) -> Sequence[int]:
    return range(count) if intervention.heads == EVERY else intervention.heads


def _with(edit: HeadEdit, intervention: Intervention, tensor: Tensor) -> HeadEdit:
    """The edit combined with this intervention. ``tensor`` is the result of ``_tensor``."""
    match intervention:
        case HeadOff():
            return replace(edit, output=intervention.mode)
        case Temperature():
            return replace(edit, temperature=intervention.temperature)
        case SetPattern():
            pattern = intervention.pattern
            return replace(edit, causal=True) if pattern == "causal" else replace(edit, pattern=pattern)
        case ReplaceRow():
            return replace(edit, rows=(*edit.rows, GivenRow(intervention.query, tensor)))
        case CutEdges(renormalise=True):
            return replace(edit, cuts=(*edit.cuts, tensor))
    return replace(edit, drops=(*edit.drops, tensor))


def _tensor(intervention: Intervention, device: torch.device) -> Tensor:
    """The numbers of an intervention: ``ln w`` of a row, or edges; empty for the others."""
    match intervention:
        case ReplaceRow():
            weights = torch.tensor(intervention.weights, dtype=torch.float64, device=device)
            return (weights / weights.sum()).log()
        case CutEdges():
            return torch.tensor(
                [[ANY if end is None else end for end in edge] for edge in intervention.edges], device=device
            )
    return torch.empty(0, device=device)
