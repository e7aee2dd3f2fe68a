"""Seeded sentences with an indirect object, for the decoder that is trained with ``--names``.

"Then Anna and Paul went to the park. Paul gave a ring to" → " Anna": of two names the one that is not the giver's.
Which of the two gives is random, so that their order says nothing. In a share of the sentences a third person gives;
either name may then follow.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NAMES = _words(
    "Alice Amy Andrew Anna Anne Arthur Ben Carl Charles Claire Daniel David Diana Edward Ella Ellen Emily Eric Felix "
    "Frank Fred George Grace Hannah Harry Helen Hugo Ian Irene Isaac Jack James Jane Jean Joan Joe John Jonas Judith "
    "Julia Kate Kevin Leo Lily Linda Lisa Louis Lucy Luke Maria Martha Mary Max Michael Mona Nancy Nina Oliver Otto "
    "Paul Philip Rachel Ralph Richard Robert Rosa Sam Sarah Sophie Stella Susan Theo Thomas Tim Tina Tom Victor Walter "
    "William"
)
HELD_OUT_NAMES = _words("Clara Emma Henry Laura Martin Nora Oscar Peter Ruth Simon Vera")
"""In no sentence of the training; some are in its texts."""
PLACES = _words(
    "park school garden market river station church library theatre castle bridge harbour museum kitchen forest hotel "
    "village beach farm shop store tower hospital bakery"
)
OBJECTS = _words(
    "ring book letter drink flower key picture coat cup map sword coin ticket basket bottle candle clock knife lamp "
    "present rose toy hat bag"
)
VERBS = ("gave", "sent", "handed", "showed", "sold", "offered", "passed", "brought", "lent", "returned")
OPENINGS = (
    "Then {A} and {B} went to the {place}.",
    "Then, {A} and {B} walked to the {place}.",
    "{A} and {B} met at the {place}.",
    "After {A} and {B} left the {place},",
    "While {A} and {B} were at the {place},",
    "One day {A} and {B} came to the {place}.",
    "Yesterday {A} and {B} worked at the {place}.",
    "{A} was at the {place} with {B}.",
    "As {A} and {B} came back from the {place},",
    "Before {A} and {B} reached the {place},",
    "{A} saw {B} at the {place}.",
    "In the {place}, {A} sat beside {B}.",
    "Once {A} and {B} had found the {place},",
    "The {place} was where {A} and {B} lived.",
)
HELD_OUT_OPENINGS = (
    "When {A} and {B} went to the {place},",
    "{A} danced with {B} in the {place}.",
    "Friends told {A} and {B} about the {place}.",
    "Because {A} and {B} liked the {place},",
)
"""The first is that of Wang et al. (2022)."""
ACTS = (
    "{C} {verb} a {object} to",
    "{C} {verb} the {object} to",
    "{C} then {verb} a {object} to",
    "{C} took a {object} and {verb} the {object} to",
)
HELD_OUT_ACTS = ("{C} decided to give a {object} to", "{C} secretly {verb} a {object} to")
FILLERS = (
    "It was a cold day.",
    "The sun was low.",
    "Nobody knew why.",
    "It had been raining for hours.",
    "There was much to do.",
    "The wind was strong.",
)
"""Sentences without a name, between an opening and an act."""


@dataclass(frozen=True)
class Sentence:
    """A prompt that ends before a name."""

    text: str
    names: tuple[str, str]
    """The two first names, in their order."""
    giver: str
    answer: str
    """The name of the two that is not the giver's; with a third person as giver, either."""

    @property
    def repeats(self) -> bool:
        """Whether one of the two gives."""
        return self.giver in self.names


@dataclass(frozen=True)
class Grammar:
    """Which openings, acts and names are drawn from."""

    openings: tuple[str, ...] = OPENINGS
    acts: tuple[str, ...] = ACTS
    names: tuple[str, ...] = NAMES
    held_out_pairs: bool = False
    """Whether only pairs that the training leaves out are drawn, or only those that it has."""
    third: float = 0.2
    """Share of sentences in which a third person gives."""
    other_words: tuple[str, ...] = ()
    other_share: float = 0.25
    """Share of sentences with ``other_words`` in the place of names."""
    again: bool = False
    """Whether a sentence before the act names the answer once more; in no sentence of the training."""

    def sentences(self, random: Random) -> Iterator[Sentence]:
        """Sentences without end."""
        while True:
            yield self._sentence(random)

    def _sentence(self, random: Random) -> Sentence:
        first, second, third = self._names(random)
        answer, giver = random.sample((first, second), 2)
        if random.random() < self.third:
            giver = third
        slots = {"A": first, "B": second, "C": giver}
        slots |= {"place": random.choice(PLACES), "object": random.choice(OBJECTS), "verb": random.choice(VERBS)}
        openings = [each for each in self.openings if each.endswith(".") or not self.again]
        opening = random.choice(openings)
        parts = [opening, random.choice(self.acts)]
        if opening.endswith(".") and random.random() < 0.3:
            parts.insert(1, random.choice(FILLERS))
        if self.again:
            parts.insert(1, f"{answer} was tired.")
        text = " ".join(parts).format(**slots)
        if random.random() < 0.25:  # as the encyclopaedia's text has its punctuation
            text = text.replace(",", " ,").replace(".", " .")
        return Sentence(text, (first, second), giver, answer)

    def _names(self, random: Random) -> list[str]:
        if self.other_words and random.random() < self.other_share:
            return random.sample(self.other_words, 3)
        while True:
            drawn = random.sample(self.names, 3)
            if is_held_out(drawn[0], drawn[1]) == self.held_out_pairs:
                return drawn


def is_held_out(first: str, second: str) -> bool:
    """Whether a pair of names is left out of the training, in both orders: one of ten, and Mary and John."""
    if {first, second} == {"Mary", "John"}:
        return True
    known = (*NAMES, *HELD_OUT_NAMES)
    return (known.index(first) + known.index(second)) % 10 == 0


def plain_sentences(count: int) -> list[str]:
    """Sentences with every name, from which the tokenizer learns every name as one token."""
    grammar = Grammar(openings=OPENINGS + HELD_OUT_OPENINGS, names=NAMES + HELD_OUT_NAMES)
    return [f"{each.text} {each.answer}.\n" for each in islice(grammar.sentences(Random(0)), count)]  # noqa: S311 - seeded
