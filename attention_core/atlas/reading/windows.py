"""Windows of the corpus: the texts and tokens around what is shown of a head."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from attention_core.atlas.reading.atlas import Atlas


@dataclass(frozen=True)
class Window:
    """A piece of a document that the model was given."""

    document: str
    """The document's id."""
    text: str
    tokens: list[dict[str, Any]]
    """Of each: text, start and end (characters of the window's text), special (the tokenizer added it), and, but in
    atlases of the first format, token (as the vocabulary spells it) and word (a number; null for special tokens).

    Mappings rather than objects: there may be tens of thousands in one answer.
    """


def read_windows(atlas: Atlas, ids: Iterable[int]) -> dict[str, Window]:
    """Windows by id. Raises AtlasError for a damaged file."""
    wanted = sorted(set(ids))
    if not wanted:
        return {}
    columns = ("window", "document_id", "text", "tokens")
    table = atlas.table("windows", columns, 'WHERE "window" = ANY($wanted)', wanted=wanted)
    return {
        str(window): Window(document, text, tokens)
        for window, document, text, tokens in zip(*(table[name].to_pylist() for name in columns), strict=True)
    }
