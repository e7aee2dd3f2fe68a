"""Tokenise many texts at once, with the character span of each token."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Int32

from attention_core.pretrained.inputs.spans import Span, without_borrowed
from attention_core.pretrained.inputs.tokens import Token, decode, encode, tokens_of
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.tokenizers.special_tokens import role_ids, shared_unknown


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of one text as the model receives them."""

    ids: Int32[np.ndarray, " N"]
    starts: Int32[np.ndarray, " N"]
    """First character of each; −1 for a token that stands for no character."""
    ends: Int32[np.ndarray, " N"]
    special: Bool[np.ndarray, " N"]
    """Whether a token has a role ([CLS], </s>, [MASK]) rather than being a piece of text."""

    def __len__(self) -> int:
        return len(self.ids)


class Tokeniser:
    """A model's tokenizer: the same tokens as an analysis of each text, for many texts in one call."""

    def __init__(self, loaded: LoadedModel) -> None:
        self._loaded = loaded
        tokenizer: Any = loaded.tokenizer
        self._roles = np.array(sorted(role_ids(tokenizer)), dtype=np.int32)
        self._shared, self._unknown = shared_unknown(tokenizer), tokenizer.unk_token
        self.separators = np.array(
            sorted({tokenizer.sep_token_id, tokenizer.eos_token_id} - {None}), dtype=np.int32
        )  # as in an analysis' metrics
        self.added = len(self(["a"])[0].ids) - int((~self(["a"])[0].special).sum())
        """Special tokens that are added to a text."""

    def __call__(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text."""
        tokenizer: Any = self._loaded.tokenizer
        if not texts:
            return []
        with self._loaded.tokenizer_lock:
            if not tokenizer.is_fast:
                return [self._slowly(text) for text in texts]
            encoded = tokenizer(list(texts), return_attention_mask=False, return_token_type_ids=False, verbose=False)
        return [
            self._tokens(
                encoding.ids,
                without_borrowed(encoding.tokens, encoding.offsets, encoding.sequence_ids, [text]),
                encoding.special_tokens_mask,
                text,
            )
            for encoding, text in zip(encoded.encodings, texts, strict=True)
        ]

    def shown(self, text: str) -> list[Token]:
        """The same tokens of one text, as an analysis shows them."""
        with self._loaded.tokenizer_lock:
            return tokens_of(self._loaded.tokenizer, encode(self._loaded.tokenizer, text, None), [text])

    def text(self, token_id: int) -> str:
        """A token decoded by itself."""
        return decode(self._loaded.tokenizer, token_id)

    def _tokens(self, ids: list[int], spans: Sequence[Span], added: list[int], text: str) -> Tokens:
        tokens, is_added = np.array(ids, dtype=np.int32), np.array(added, dtype=bool)
        sides = np.array(spans, dtype=np.int32).reshape(-1, 2)
        nowhere = is_added | (sides[:, 0] >= sides[:, 1])
        starts, ends = (np.where(nowhere, -1, side).astype(np.int32) for side in sides.T)
        special = is_added | np.isin(tokens, self._roles)
        for index in np.flatnonzero(~special & (tokens == self._shared)) if self._shared is not None else ():
            special[index] = text[starts[index] : ends[index]].strip() == self._unknown
        return Tokens(tokens, starts, ends, special)

    def _slowly(self, text: str) -> Tokens:
        encoding = encode(self._loaded.tokenizer, text, None)
        added = [int(number is None) for number in encoding.texts]
        return self._tokens(encoding.ids, encoding.spans, added, text)
