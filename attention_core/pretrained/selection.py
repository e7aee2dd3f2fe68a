"""Picking a part, a layer, a head or a token of an analysis, with an error that names what is out of range."""

from attention_core.pretrained.analysis import Analysis, Part
from attention_core.pretrained.errors import SelectionError


def chosen_part(analysis: Analysis, name: str | None) -> Part:
    """The part of this name, or the first. Raises SelectionError for a part that this analysis does not have."""
    names = [part.name for part in analysis.parts]
    if name is not None and name not in names:
        raise SelectionError(f"part must be one of {', '.join(names)}, not {name!r}", field="part")
    return analysis.parts[0 if name is None else names.index(name)]


def self_attending_part(analysis: Analysis, name: str | None) -> Part:
    """As ``chosen_part``, but refuses attention between two texts, whose layers cannot be chained."""
    part = chosen_part(analysis, name)
    if part.query_side != part.key_side:
        raise SelectionError(
            f"part must be one whose queries and keys are the same tokens; {part.name} is not", field="part"
        )
    return part


def check_index(name: str, value: int, count: int) -> int:
    """The index itself. Raises SelectionError unless 0 ≤ value < count."""
    if not 0 <= value < count:
        raise SelectionError(f"{name} must be from 0 to {count - 1}, not {value}", field=name, limit=count - 1)
    return value
