"""One probe sentence in which a head's role can be seen: its weights, between tokens and between words."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float

from attention_core.atlas.corpus.document import Document, Word, arcs
from attention_core.atlas.folding.scanned_model import ScannedModel
from attention_core.atlas.folding.word_attention import word_tokens
from attention_core.atlas.head_roles import CELLS, ROLES, HeadRoles, probe_halves, scanned, windows_of
from attention_core.atlas.summaries.relation_counts import DIRECTIONS
from attention_core.atlas.texts.batches import Batch, batches
from attention_core.pretrained.inputs.tokens import Token, tokenise
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.recording.selection import check_index, check_name
from attention_core.pretrained.recording.word_attention import WordTokens, strongest_other_word
from attention_core.pretrained.running.cancellation import stopping
from attention_core.repeated_tokens import induction_keys

RELATION = "relation"
EXAMPLE_ROLES = (*ROLES, RELATION)
SHORT = 14
"""Sentences of so many words fit on a line; they come first."""
KINDS = {"induction": "repetition"}
"""By role: how the ids of the sentences begin in which it can be seen; any for the others."""


@dataclass(frozen=True)
class RolePair:
    """Two words between which a relation holds in the sentence."""

    reader: int
    """Index of the word that attends."""
    right: int
    """The one that it should attend to."""
    strongest: int | None
    """The one that it does attend to most, itself left out; null if it attends to no other."""


@dataclass(frozen=True, eq=False)
class RoleExample:
    """A sentence and one head's weights in it. Rows are queries, columns are keys."""

    layer: int
    head: int
    number: int
    """Which of the sentences that show this role."""
    count: int
    """How many there are."""
    text: str
    tokens: list[Token]
    words: list[str]
    word_of_token: list[int]
    """For each token its word; −1 for special tokens."""
    followed: list[int]
    """For each token the key that shows induction: what followed its last occurrence; −1 without one."""
    weights: Float[np.ndarray, "queries keys"]
    """Between tokens."""
    word_weights: Float[np.ndarray, "reading read"]
    """Between words: summed over the tokens of the key, averaged over those of the query."""
    pairs: list[RolePair]
    """Where the relation holds; empty for the other roles."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.weights.nbytes + self.word_weights.nbytes + 200 * len(self.tokens)


def role_example(
    loaded: LoadedModel,
    roles: HeadRoles,
    role: str,
    *,
    relation: str | None = None,
    direction: str = DIRECTIONS[0],
    layer: int | None = None,
    head: int | None = None,
    number: int = 0,
    cancelled: Callable[[], bool] | None = None,
) -> RoleExample:
    """One sentence for a role, or for a relation in a direction; without a head, that which stands out most.

    Short sentences come first, else in the order of the corpus, whether or not the head does in them what it mostly
    does. They are of the half on which relations are measured. Raises SelectionError for what does not exist.
    """
    check_name("role", role, EXAMPLE_ROLES)
    best = _best(roles, role, relation, direction)
    layer = best[0] if layer is None else check_index("layer", layer, roles.layers)
    head = best[1] if head is None else check_index("head", head, roles.heads)
    _, measured_on = probe_halves(roles.sentences)
    shown = [document for document in measured_on if _shows(document, role, relation)]
    shown.sort(key=lambda document: len(document.words or ()) > SHORT)
    model = scanned(loaded)
    (window,) = windows_of(model, [shown[check_index("number", number, len(shown))]])[:1]
    check = stopping(cancelled, "measurement")
    (batch,) = batches([window], CELLS)
    weights = _weights(model, batch, layer, head, check)
    owned = word_tokens(window)
    between = WordTokens.of(torch.from_numpy(owned).to(weights)).weights(weights)
    words = window.words or ()
    _, tokens = tokenise(loaded, window.text)
    return RoleExample(
        layer=layer,
        head=head,
        number=number,
        count=len(shown),
        text=window.text,
        tokens=tokens,
        words=[window.text[word.start - window.start : word.end - window.start] for word in words],
        word_of_token=[int(row.argmax()) if row.any() else -1 for row in owned],
        followed=induction_keys(window.tokens.ids, window.tokens.special).tolist(),
        weights=weights.numpy(),
        word_weights=between.numpy(),
        pairs=_pairs(words, relation, direction, between) if role == RELATION else [],
    )


def _best(roles: HeadRoles, role: str, relation: str | None, direction: str) -> tuple[int, int]:
    if role != RELATION:
        values = roles.values[role]
        layer, head = np.unravel_index(int(values.argmax()), values.shape)
        return int(layer), int(head)
    check_name("direction", direction, DIRECTIONS)
    known = {each.relation: each for each in roles.relations if each.direction == direction}
    check_name("relation", relation or "", list(known))
    best = known[relation or ""].best
    return best.layer, best.head


def _shows(document: Document, role: str, relation: str | None) -> bool:
    if role == RELATION:
        return bool(_arcs(document.words or (), relation))
    return document.id.startswith(KINDS.get(role, ""))


def _arcs(words: tuple[Word, ...], relation: str | None) -> list[tuple[int, int]]:
    """Dependent and head of each pair with this relation."""
    return [(dependent, head) for dependent, head, name in arcs(words) if name == relation]


def _pairs(
    words: tuple[Word, ...], relation: str | None, direction: str, between: Float[torch.Tensor, "W W"]
) -> list[RolePair]:
    best = [None if each < 0 else each for each in strongest_other_word(between).tolist()]
    pairs = _arcs(words, relation)
    sides = pairs if direction == DIRECTIONS[0] else [(head, dependent) for dependent, head in pairs]
    return [RolePair(reader, right, best[reader]) for reader, right in sides]


def _weights(
    model: ScannedModel, batch: Batch, layer: int, head: int, check: Callable[[], None]
) -> Float[torch.Tensor, "N N"]:
    with torch.inference_mode(), record(check) as recording:
        model.run(batch)
    record_: Any = recording.layers[layer]
    size = slice(0, batch.real.shape[1])
    weights = record_.attention.weights(size, size, record_.log_sum_exp)[0, head]
    return weights.float().cpu().clone()
