"""Attention between words in plain loops over the library's own weights."""

from typing import Any

import numpy as np
import torch

from attention_core.atlas.corpus.document import Document
from attention_core.pretrained.models.loading import LoadedModel


def weights_of(loaded: LoadedModel, twin: Any, text: str) -> tuple[np.ndarray, list[int], list[tuple[int, int]]]:
    """(layers, heads, queries, keys), ids and spans of one text."""
    encoded = loaded.tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
    spans = [tuple(span) for span in encoded.pop("offset_mapping")[0].tolist()]
    with torch.inference_mode():
        attentions = twin(**encoded, output_attentions=True).attentions
    return torch.stack(attentions)[:, 0].double().numpy(), encoded["input_ids"][0].tolist(), spans


def between_words(weights: np.ndarray, spans: list[tuple[int, int]], document: Document) -> np.ndarray:
    """Summed over the tokens of the key, averaged over those of the query; a word itself gets −1. Heads come first."""
    owned = [
        [at for at, (start, end) in enumerate(spans) if start < word.end and word.start < end]
        for word in document.words or ()
    ]
    found = np.full((*weights.shape[:2], len(owned), len(owned)), -1.0)
    for query, tokens in enumerate(owned):
        for key, others in enumerate(owned):
            if query != key:
                found[:, :, query, key] = np.mean([sum(weights[:, :, i, j] for j in others) for i in tokens], axis=0)
    return found


def arcs_of(document: Document, relation: str) -> list[tuple[int, int]]:
    pairs = []
    for at, word in enumerate(document.words or ()):
        if relation == "antecedent" and word.antecedent is not None:
            pairs.append((at, word.antecedent))
        elif word.relation is not None and word.relation.split(":")[0] == relation and word.head not in {None, -1}:
            pairs.append((at, word.head))
    return pairs
