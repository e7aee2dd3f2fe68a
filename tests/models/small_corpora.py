"""Small prepared corpora for scans."""

from pathlib import Path

import numpy as np

from attention_core.atlas.corpus.document import CorpusBounds, Document, Word
from attention_core.atlas.corpus.shards import prepare_documents, shard_path

TEXTS = (
    "The cat sat on the mat because it was tired. The cat sat down.",
    "Attention is a weighted mean of values, and the weights come from queries and keys.",
    "A small model reads a small text and says what comes next. A small model reads a small text.",
    "Whoever reads this sentence twice has read it once more than needed.",
    "go go go!",
    "Tokens.",
)
"""Texts of several lengths, with repeated tokens."""

TREE = (
    # text, then (word, head, relation, part of speech), heads counted from 1, 0 for the root
    (
        "The cat sat.",
        (
            ("The", 2, "det", "DET"),
            ("cat", 3, "nsubj", "NOUN"),
            ("sat", 0, "root", "VERB"),
            (".", 3, "punct", "PUNCT"),
        ),
    ),
    (
        "A small model reads a text.",
        (
            ("A", 3, "det", "DET"),
            ("small", 3, "amod", "ADJ"),
            ("model", 4, "nsubj", "NOUN"),
            ("reads", 0, "root", "VERB"),
            ("a", 6, "det:predet", "DET"),
            ("text", 4, "obj", "NOUN"),
            (".", 4, "punct", "PUNCT"),
        ),
    ),
    (
        "Whoever reads it was tired.",
        (
            ("Whoever", 2, "nsubj:pass", "PRON"),
            ("reads", 5, "csubj", "VERB"),
            ("it", 2, "obj", "PRON"),
            ("was", 5, "cop", "AUX"),
            ("tired", 0, "root", "ADJ"),
            (".", None, None, "PUNCT"),
        ),
    ),
)
"""Sentences with their trees; one relation is unknown."""


def plain_documents() -> list[Document]:
    """TEXTS as documents."""
    return [Document(f"d{number}", text) for number, text in enumerate(TEXTS)]


def tree_documents(times: int = 1) -> list[Document]:
    """TREE as documents, each several times; the pronoun ``it`` has ``Whoever`` as its antecedent."""
    documents = []
    for number, (text, rows) in enumerate(TREE * times):
        words, at = [], 0
        for word, head, relation, upos in rows:
            at = text.index(word, at)
            parent = None if head is None else head - 1
            antecedent = 0 if word == "it" else None
            words.append(Word(at, at + len(word), parent, relation, upos, antecedent))
            at += len(word)
        documents.append(Document(f"t{number}", text, tuple(words)))
    return documents


def write_corpus(folder: Path, documents: list[Document], shards: int = 1) -> Path:
    """A prepared corpus, cut into several shards whatever its size."""
    folder.mkdir(parents=True)
    if shards == 1:
        prepare_documents(documents, folder, CorpusBounds(), folder.name, {})
        return folder
    return _in_shards(folder, documents, shards)


def _in_shards(folder: Path, documents: list[Document], shards: int) -> Path:
    import attention_core.atlas.corpus.shards as module  # noqa: PLC0415

    before = module.SHARD_DOCUMENTS
    module.SHARD_DOCUMENTS = -(-len(documents) // shards)
    try:
        facts = prepare_documents(documents, folder, CorpusBounds(), folder.name, {})
    finally:
        module.SHARD_DOCUMENTS = before
    assert facts.shards == shards
    assert shard_path(folder, shards - 1).is_file()
    return folder


def repeated_words(count: int) -> list[Document]:
    """Documents of twelve different random words, each said twice in the same order."""
    words = sorted({word.strip(".,!") for text in TEXTS for word in text.lower().split()})
    generator = np.random.default_rng(0)
    documents = []
    for number in range(count):
        half = " ".join(generator.permutation(words)[:12].tolist())
        documents.append(Document(f"r{number}", f"{half} {half}"))
    return documents
