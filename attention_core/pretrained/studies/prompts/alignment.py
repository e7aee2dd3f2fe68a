"""Which tokens of several prompts correspond: counted from the start, from the end, or by the slots of a template."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.inputs.tokens import Token
from attention_core.pretrained.recording.parts import PartShape, Side
from attention_core.pretrained.recording.selection import check_name
from attention_core.pretrained.studies.prompts.prompt_set import Prompt, PromptSet

AlignmentRule = Literal["start", "end", "slots"]
Place = tuple[int, int]
"""Which segment, and which token in it; segments of special tokens at both ends are counted too."""
EXAMPLES = 5
"""Texts listed for a position at most."""


@dataclass(frozen=True)
class AlignedPosition:
    """A position that several prompts have."""

    offset: int
    """Counted from 0 at the start; by the rule ``end``, from −1 backwards."""
    slot: str | None
    """The slot whose tokens are merged here; null for a single token."""
    texts: list[str]
    """What stands there, the most frequent first, at most five."""
    variants: int
    """How many different texts stand there."""
    count: int
    """Prompts that have the position."""
    special: bool
    """Whether a special token stands there in each of them."""


@dataclass(frozen=True)
class Alignment:
    """Positions, and where each prompt has them."""

    rule: AlignmentRule
    positions: list[AlignedPosition]
    places: list[list[range | None]]
    """For each prompt, the tokens at each position; None where it has none."""


@dataclass(frozen=True)
class AlignedPart:
    """The positions of one part of a model: those of its queries, and those of its keys."""

    part: str
    """encoder, decoder or cross."""
    queries: Alignment
    keys: Alignment


def rules_of(prompts: PromptSet) -> list[AlignmentRule]:
    """The rules that apply, the most telling first."""
    if prompts.template is not None:
        return ["slots", "start", "end"]
    return ["start", "end"]


def align(prompts: PromptSet, rule: AlignmentRule, side: Side = "source") -> Alignment:
    """Align the tokens of all prompts, or of the decoder's texts.

    - ``start``: the first tokens correspond, the second, and so on;
    - ``end``: the last, the one before, and so on;
    - ``slots``, of a template: each slot is one position, however many tokens its word has; between slots the tokens
      of the fixed text correspond in their order, and so do the special tokens before and after the text.

    Raises SelectionError for slots without a template, and for the decoder's side where it is given no text.
    """
    if rule not in rules_of(prompts):
        raise SelectionError("align must be start or end: these prompts have no template", field="align")
    aligned = [_of_side(prompt, side) for prompt in prompts.prompts]
    if rule == "slots":
        located = [dict(_in_template(prompt)) for prompt in aligned]
    else:
        located = [dict(_counted(len(prompt.tokens), rule)) for prompt in aligned]
    order = sorted(set().union(*located))
    places = [[each.get(place) for place in order] for each in located]
    first = -len(order) if rule == "end" else 0
    positions = [
        _position(aligned, [each[index] for each in places], first + index, place) for index, place in enumerate(order)
    ]
    return Alignment(rule, positions, places)


def align_part(prompts: PromptSet, rule: AlignmentRule, parts: Sequence[PartShape], name: str | None) -> AlignedPart:
    """Align the queries and the keys of one part, the first unless named. Raises the errors of ``align``."""
    shape = shape_of(parts, name)
    queries = align(prompts, rule, shape.query_side)
    same = shape.query_side == shape.key_side
    return AlignedPart(shape.name, queries, queries if same else align(prompts, rule, shape.key_side))


def shape_of(parts: Sequence[PartShape], name: str | None) -> PartShape:
    """The part with this name, or the first. Raises SelectionError for an unknown one."""
    names: list[str] = [part.name for part in parts]
    return parts[0 if name is None else names.index(check_name("part", name, names))]


def check_part(prompts: PromptSet, parts: Sequence[PartShape], name: str | None) -> str:
    """The part's name. Raises SelectionError for an unknown part, and for one that needs a text of the decoder."""
    shape = shape_of(parts, name)
    for prompt in prompts.prompts:
        _of_side(prompt, shape.query_side)
    return shape.name


def _of_side(prompt: Prompt, side: Side) -> Prompt:
    if side == "source":
        return prompt
    if prompt.target is None:
        raise SelectionError("The decoder is given no text in these prompts: give target_texts.", field="part")
    return prompt.target


def _counted(count: int, rule: AlignmentRule) -> Iterator[tuple[Place, range]]:
    for index in range(count):
        yield (0, index if rule == "start" else index - count), range(index, index + 1)


def _in_template(prompt: Prompt) -> Iterator[tuple[Place, range]]:
    """Where each token, or the tokens of each slot, stand in the template."""
    segments = _segments_of(prompt)
    for segment, group in groupby(range(len(segments)), key=segments.__getitem__):
        indices = list(group)
        if 0 < segment <= len(prompt.segments) and prompt.segments[segment - 1].slot is not None:
            yield (segment, 0), range(indices[0], indices[-1] + 1)
        else:
            yield from (((segment, order), range(index, index + 1)) for order, index in enumerate(indices))


def _segments_of(prompt: Prompt) -> list[int]:
    """For each token the number of its segment: 0 before the text, 1 … the template's, and one more after it."""
    inside = [token.index for token in prompt.tokens if token.start is not None]
    first, last = min(inside, default=0), max(inside, default=-1)
    segments: list[int] = []
    for token in prompt.tokens:
        if token.index < first:
            segments.append(0)
        elif token.index > last:
            segments.append(len(prompt.segments) + 1)
        elif token.start is None or token.end is None:
            segments.append(segments[-1])
        else:
            segments.append(1 + _segment_at(prompt, token.start, token.end))
    return segments


def _segment_at(prompt: Prompt, start: int, end: int) -> int:
    """The slot that these characters reach into, spaces aside; else the fixed text."""
    piece = prompt.text[start:end]
    if piece.strip():
        start, end = start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
    touched = [number for number, segment in enumerate(prompt.segments) if segment.start < end and start < segment.end]
    return next((number for number in touched if prompt.segments[number].slot is not None), touched[0])


def _position(prompts: Sequence[Prompt], places: Sequence[range | None], offset: int, place: Place) -> AlignedPosition:
    aligned: list[tuple[Prompt, Sequence[Token]]] = [
        (prompt, prompt.tokens[place.start : place.stop])
        for prompt, place in zip(prompts, places, strict=True)
        if place is not None
    ]
    slots = {prompt.segments[place[0] - 1].slot for prompt, _ in aligned if 0 < place[0] <= len(prompt.segments)}
    texts = Counter("".join(token.text for token in tokens) for _, tokens in aligned)
    return AlignedPosition(
        offset=offset,
        slot=next(iter(slots), None),
        texts=[text for text, _ in texts.most_common(EXAMPLES)],
        variants=len(texts),
        count=len(aligned),
        special=all(token.special for _, tokens in aligned for token in tokens),
    )
