"""How often a head's most attended word is the grammatical partner: a direct object's verb, a pronoun's antecedent.

As Clark et al. (2019) count it, see ``recording.word_attention``: a relation counts as found if the word that is
attended to most, other than itself, is the partner. The sentences are this project's own. Half of them choose the head,
and the fixed offset that it must beat; the other half measure both.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float

from attention_core.pretrained.inputs.tokens import Token, tokenise
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.recording.word_attention import (
    WordTokens,
    best_fixed_offset,
    strongest_other_word,
    tokens_of_words,
)

Relation = Literal["direct_object", "pronoun"]

WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Pair:
    """A sentence, the word that should attend, and the word that it should attend to. Each occurs once."""

    text: str
    reader: str
    read: str

    def places(self) -> tuple[int, int]:
        """Which words of the sentence they are."""
        words = WORD.findall(self.text)
        return words.index(self.reader), words.index(self.read)


CHOSEN_ON: dict[Relation, tuple[Pair, ...]] = {
    "direct_object": (
        Pair("The cook cut the fresh bread.", "bread", "cut"),
        Pair("My sister wrote a long letter to the mayor.", "letter", "wrote"),
        Pair("Two men carried the heavy old piano upstairs.", "piano", "carried"),
        Pair("She opened the window before the storm.", "window", "opened"),
        Pair("The dog chased a small grey cat through the garden.", "cat", "chased"),
        Pair("Our neighbours sold their house last year.", "house", "sold"),
        Pair("He forgot his umbrella on the train.", "umbrella", "forgot"),
        Pair("The committee rejected every single proposal.", "proposal", "rejected"),
        Pair("A child drew three red boats on the wall.", "boats", "drew"),
        Pair("They built the new stone bridge in a month.", "bridge", "built"),
        Pair("The teacher praised her youngest pupils again.", "pupils", "praised"),
        Pair("I read that very strange book twice.", "book", "read"),
    ),
    "pronoun": (
        Pair("The dog barked because it was hungry.", "it", "dog"),
        Pair("Anna stayed at home because she was ill.", "she", "Anna"),
        Pair("The old man sat down when he was tired.", "he", "man"),
        Pair("The children laughed until they fell asleep.", "they", "children"),
        Pair("The car stopped on the hill because it was broken.", "it", "car"),
        Pair("My uncle sold the farm after he moved away.", "he", "uncle"),
        Pair("The queen opened the letter when she was alone.", "she", "queen"),
        Pair("The boys left the park before they saw the snake.", "they", "boys"),
        Pair("The bird flew over the lake although it was wounded.", "it", "bird"),
        Pair("Peter bought some bread because he was hungry.", "he", "Peter"),
        Pair("The actress thanked the crowd before she left.", "she", "actress"),
        Pair("The students passed the test because they worked hard.", "they", "students"),
    ),
}
"""Sentences that choose a head and an offset."""

MEASURED_ON: dict[Relation, tuple[Pair, ...]] = {
    "direct_object": (
        Pair("The farmer planted forty young trees near the river.", "trees", "planted"),
        Pair("We watched the film at the old cinema.", "film", "watched"),
        Pair("The nurse cleaned the deep wound carefully.", "wound", "cleaned"),
        Pair("Somebody stole my brother's bicycle yesterday.", "bicycle", "stole"),
        Pair("The company bought a much smaller rival.", "rival", "bought"),
        Pair("He painted the kitchen door green.", "door", "painted"),
        Pair("The wind broke several branches of the tree.", "branches", "broke"),
        Pair("Maria answered all the questions at once.", "questions", "answered"),
        Pair("The guests ate the whole chocolate cake.", "cake", "ate"),
        Pair("The police found a very small knife.", "knife", "found"),
        Pair("She lost her keys in the snow.", "keys", "lost"),
        Pair("The students solved the last problem quickly.", "problem", "solved"),
    ),
    "pronoun": (
        Pair("The horse fell in the mud because it was frightened.", "it", "horse"),
        Pair("The girl closed the door when she heard the rain.", "she", "girl"),
        Pair("The king left the city before he became famous.", "he", "king"),
        Pair("The soldiers slept although they were cold.", "they", "soldiers"),
        Pair("The train waited at the border until it was full.", "it", "train"),
        Pair("Mary closed the shop when she was tired.", "she", "Mary"),
        Pair("The doctor read the book until he fell asleep.", "he", "doctor"),
        Pair("The neighbours sold the house because they were old.", "they", "neighbours"),
        Pair("The cat slept under the table because it was tired.", "it", "cat"),
        Pair("John lost the game although he was fast.", "he", "John"),
        Pair("The woman carried the box until she reached the road.", "she", "woman"),
        Pair("The players cheered when they won the cup.", "they", "players"),
    ),
}
"""Sentences that measure them."""


@dataclass(frozen=True)
class Found:
    """How often each head finds the partner, and how often the best fixed offset does."""

    heads: Float[np.ndarray, "layers heads"]
    """Share of the sentences in MEASURED_ON."""
    best: tuple[int, int]
    """Layer and head that find it most often in CHOSEN_ON."""
    offset: int
    """In words; the one that finds it most often in CHOSEN_ON."""
    baseline: float
    """What that offset finds in MEASURED_ON."""


def relation_found(loaded: LoadedModel, relation: Relation, check: Callable[[], None]) -> Found:
    """Choose a head and an offset on one half of the sentences, and measure them on the other."""
    chosen, measured = (found_by_heads(loaded, sets[relation], check) for sets in (CHOSEN_ON, MEASURED_ON))
    layer, head = np.unravel_index(int(chosen.argmax()), chosen.shape)
    offset = best_fixed_offset(_offsets(CHOSEN_ON[relation]))
    return Found(measured, (int(layer), int(head)), offset, found_by_offset(MEASURED_ON[relation], offset))


def found_by_heads(
    loaded: LoadedModel, pairs: Sequence[Pair], check: Callable[[], None]
) -> Float[np.ndarray, "layers heads"]:
    """The share of these sentences in which the reader attends most to its partner, for every head."""
    return np.mean([_is_found(loaded, pair, check) for pair in pairs], axis=0)


def found_by_offset(pairs: Sequence[Pair], offset: int) -> float:
    """The share of these sentences in which the partner is so many words further on."""
    return _offsets(pairs)[offset] / len(pairs)


def _offsets(pairs: Sequence[Pair]) -> Counter[int]:
    return Counter(read - reader for reader, read in (pair.places() for pair in pairs))


def _is_found(loaded: LoadedModel, pair: Pair, check: Callable[[], None]) -> Bool[np.ndarray, "layers heads"]:
    loaded.check_carried()
    inputs, tokens = tokenise(loaded, pair.text)
    with torch.inference_mode(), record(check) as recording:
        body(loaded.model)(**inputs)
        everything = slice(0, len(tokens))
        weights = torch.stack(
            [layer.attention.weights(everything, everything, layer.log_sum_exp)[0] for layer in recording.layers]
        )
        table = torch.from_numpy(_tokens_of_words(pair.text, tokens)).to(weights)
        strongest = strongest_other_word(WordTokens.of(table).weights(weights))
    reader, read = pair.places()
    return (strongest[..., reader] == read).cpu().numpy()


def _tokens_of_words(text: str, tokens: Sequence[Token]) -> Bool[np.ndarray, "N words"]:
    return tokens_of_words(
        np.array([-1 if token.start is None else token.start for token in tokens]),
        np.array([-1 if token.end is None else token.end for token in tokens]),
        np.array([token.special for token in tokens]),
        [word.span() for word in WORD.finditer(text)],
    )
