"""The probe corpus: English sentences with known relations, from a seeded grammar, any number of them.

A treebank samples a language as people use it; here each relation is there often, at many distances, in sentences that
the grammar knows to the last word. Sentence ``i`` depends on the seed and ``i`` alone, so that a larger corpus begins
with the smaller one.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from attention_core.atlas.corpus.conllu import write_conllu
from attention_core.atlas.corpus.document import CorpusBounds, Document, Word
from attention_core.atlas.corpus.facts import CorpusFacts
from attention_core.atlas.corpus.grammar.phrases import Grammar
from attention_core.atlas.corpus.grammar.pronoun_sentences import KINDS as PRONOUN_KINDS
from attention_core.atlas.corpus.grammar.sentence_kinds import KINDS
from attention_core.atlas.corpus.grammar.syntax_tree import Node, written
from attention_core.atlas.corpus.grammar.vocabulary import PILE
from attention_core.atlas.corpus.shards import prepare_documents
from attention_core.refusal import check_at_least

SENTENCES = 2_000
SEED = 0
GRAMMAR = 1
"""Changes whenever the same seed gives other sentences."""
EACH_OF_THE_PRONOUNS, REPETITIONS = 4, 6
"""Of a hundred sentences or so, as the weights in ``sentence_kinds``."""
SHORTEST_PILE, LONGEST_PILE = 4, 16


def probe_corpus(sentences: int = SENTENCES, seed: int = SEED) -> Iterator[Document]:
    """Yield the sentences of a seed; the id of each begins with its kind.

    Kinds are those of ``sentence_kinds.KINDS``, of ``pronoun_sentences.KINDS`` and ``repetition``: a random sequence of
    words, twice or three times, in which no word has a known relation.
    """
    check_at_least(1, sentences=sentences)
    makers = _makers()
    names, weights = [*makers], [weight for weight, _ in makers.values()]
    for number in range(1, sentences + 1):
        rng = Random(f"{seed}:{number}")  # noqa: S311 - reproducible, not secret
        kind = rng.choices(names, weights)[0]
        name = f"{kind}-{number}"
        make = makers[kind][1]
        yield _repetition(name, rng) if make is None else written(name, make(Grammar(rng)))


def write_probe(path: Path, sentences: int = SENTENCES, seed: int = SEED) -> None:
    """Write the probe corpus as a CoNLL-U file."""
    write_conllu(probe_corpus(sentences, seed), path)


def prepare_probe(folder: Path, sentences: int = SENTENCES, seed: int = SEED) -> CorpusFacts:
    """Prepare the probe corpus, with the same hash as its CoNLL-U file has; does nothing where it is prepared."""
    bounds = CorpusBounds(max_documents=sentences)
    source = {"probe": {"sentences": sentences, "seed": seed, "grammar": GRAMMAR}}
    return prepare_documents(probe_corpus(sentences, seed), folder, bounds, "probe", source)


def _makers() -> dict[str, tuple[int, Callable[[Grammar], Node] | None]]:
    """By kind: its weight, and what makes a tree of it."""
    pronouns = {f"pronoun-{make.__name__.replace('_', '-')}": (EACH_OF_THE_PRONOUNS, make) for make in PRONOUN_KINDS}
    return {**KINDS, **pronouns, "repetition": (REPETITIONS, None)}


def _repetition(name: str, rng: Random) -> Document:
    pile = rng.sample(PILE, rng.randint(SHORTEST_PILE, LONGEST_PILE))
    forms = pile * rng.choice((2, 2, 3))
    starts = [sum(len(form) + 1 for form in forms[:place]) for place in range(len(forms))]
    words = (Word(start, start + len(form), upos="X") for start, form in zip(starts, forms, strict=True))
    return Document(name, " ".join(forms), tuple(words))
