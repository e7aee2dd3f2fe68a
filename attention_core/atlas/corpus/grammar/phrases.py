"""Phrases of the probe grammar: noun phrases and verb phrases as dependency trees of Universal Dependencies."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Literal

from attention_core.atlas.corpus.grammar import vocabulary as words
from attention_core.atlas.corpus.grammar.syntax_tree import Node, mark
from attention_core.atlas.corpus.grammar.vocabulary import Category, Verb

Gender = Literal["she", "he", "they", "it"]
Case = Literal["subject", "object", "possessive"]
Tense = Literal["past", "perfect", "past perfect", "progressive", "future", "modal", "negative"]
PRONOUNS: dict[Gender, dict[Case, str]] = {
    "she": {"subject": "she", "object": "her", "possessive": "her"},
    "he": {"subject": "he", "object": "him", "possessive": "his"},
    "they": {"subject": "they", "object": "them", "possessive": "their"},
    "it": {"subject": "it", "object": "it", "possessive": "its"},
}
TENSES: tuple[Tense, ...] = ("past", "past", "past", "perfect", "progressive", "future", "modal", "negative")
NARRATED: tuple[Tense, ...] = ("past", "past", "perfect", "future")
EARLIER: tuple[Tense, ...] = ("past", "past perfect")
HAPPENED: frozenset[Tense] = frozenset({"past", "perfect", "past perfect"})
PREPOSITIONS = ("in", "near", "behind", "from")


@dataclass(frozen=True)
class Phrase:
    """A noun phrase and what its verb and its pronouns must agree with."""

    node: Node
    plural: bool
    category: Category

    @property
    def gender(self) -> Gender:
        """The pronoun of its subject form; people known by their work alone are never referred to by one."""
        if self.node.form in words.WOMEN:
            return "she"
        if self.node.form in words.MEN:
            return "he"
        return "they" if self.plural else "it"


def pronoun(antecedent: Phrase, case: Case) -> Phrase:
    """A pronoun for a phrase."""
    node = Node(PRONOUNS[antecedent.gender][case], "PRON", antecedent=antecedent.node)
    return Phrase(node, antecedent.plural, antecedent.category)


class Grammar:
    """Phrases of one sentence, drawn with one random generator. No noun, name or verb comes twice by accident."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.used: set[str] = set()
        self.timed = False
        """Whether the sentence says when."""

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.rng.random() < probability

    def fresh(self, options: Iterable[str]) -> str:
        """A word that the sentence does not have yet."""
        word = self.rng.choice([word for word in options if word not in self.used])
        self.used.add(word)
        return word

    def pick(self, verbs: Iterable[Verb], *categories: Category) -> Verb:
        """A verb that the sentence does not have yet, with objects of one of the categories (any, if none is given)."""
        fit = [verb for verb in verbs if not categories or {*verb.objects} & {*categories}]
        verb = self.rng.choice([verb for verb in fit if verb.base not in self.used] or fit)
        self.used.add(verb.base)
        return verb

    # Noun phrases.

    def name(self, names: tuple[str, ...] | None = None) -> Phrase:
        """A first name."""
        return Phrase(Node(self.fresh(names or words.WOMEN + words.MEN), "PROPN"), False, "person")

    def names(self, count: int) -> list[str]:
        """Different first names."""
        return self.rng.sample(words.WOMEN + words.MEN, count)

    def noun(
        self,
        category: Category,
        *,
        plural: bool | None = None,
        adjectives: int | None = None,
        definite: bool = False,
        modifier: float = 0.25,
    ) -> Phrase:
        """A noun with determiner, up to three adjectives and, with the probability ``modifier``, what follows it."""
        plurals = dict(words.NOUNS[category])
        many = plurals[one := self.fresh(plurals)]
        plural = bool(many) and (self.chance(0.25) if plural is None else plural)
        node = Node(many if plural else one, "NOUN")
        phrase = Phrase(node, plural, category)
        node.lead("amod", *self._adjectives(category, adjectives))
        self._determine(phrase, countable=bool(many), definite=definite)
        if self.chance(modifier):
            self.modify(phrase)
        return phrase

    def _adjectives(self, category: Category, count: int | None) -> list[Node]:
        if count is None:
            count = self.rng.choices((0, 1, 2, 3), (9, 7, 3, 1))[0]
        sizes = words.SIZES if category in words.SIZED else ()
        kinds = [words.QUALITIES[category], sizes, words.AGES.get(category, ()), words.COLOURS.get(category, ())]
        filled = [kind for kind in kinds if kind]
        chosen = sorted(self.rng.sample(range(len(filled)), min(count, len(filled))))
        nodes = [Node(self.rng.choice(filled[kind]), "ADJ") for kind in chosen]
        if nodes and chosen[0] == 0 and self.chance(0.2):
            nodes[0].lead("advmod", Node(self.rng.choice(words.DEGREES), "ADV"))
        return nodes

    def _determine(self, phrase: Phrase, *, countable: bool, definite: bool) -> None:
        if phrase.plural and self.chance(0.2):
            number = self.rng.choice(("two", "three", "four", "five"))
            phrase.node.lead("nummod", Node(number, "NUM"))
            if not definite and self.chance(0.5):
                return
        determiners = {"the": 8.0, "these" if phrase.plural else "this": 1.0, "those" if phrase.plural else "that": 1.0}
        if not definite and not (phrase.plural and phrase.node.before[:1] and phrase.node.before[0].upos == "NUM"):
            determiners |= {"a": 6.0, "every": 0.3} if countable and not phrase.plural else {"some": 3.0}
        phrase.node.lead("det", Node(self.rng.choices([*determiners], [*determiners.values()])[0], "DET"))

    def modify(self, phrase: Phrase) -> None:
        """Add what stands after a noun: a place, a relative clause, or what somebody is doing."""
        if phrase.category == "person" and self.chance(0.6):
            if self.chance(0.7):
                phrase.node.add("acl:relcl", self._who(phrase))
            else:
                phrase.node.add("acl", self._stay("gerund"))
        elif phrase.category not in {"person", "place"} and self.chance(0.5):
            phrase.node.add("acl:relcl", self._that(phrase))
        else:
            is_place = phrase.category == "place"
            place = self.placed(PREPOSITIONS[1:3] if is_place else PREPOSITIONS, 0.0 if is_place else 0.15)
            phrase.node.add("nmod", place)

    def placed(self, prepositions: tuple[str, ...] = ("in", "near"), modifier: float = 0.1) -> Node:
        """A place with its preposition: “near the old harbour”."""
        place = self.noun("place", plural=False, definite=True, modifier=modifier).node
        return place.lead("case", Node(self.rng.choice(prepositions), "ADP"))

    def _who(self, phrase: Phrase) -> Node:
        who = Node("who", "PRON")
        if self.chance(0.5):
            return self._stay("past").lead("nsubj", who)
        return self.transitive(who, phrase.plural, tense=self.rng.choice(EARLIER), modifier=0.0, adverb=0.2)

    def _that(self, phrase: Phrase) -> Node:
        verb = self.pick([verb for verb in words.VERBS if not verb.particle], phrase.category)
        subject = self.name() if self.chance(0.4) else self.noun("person", definite=True, modifier=0.0)
        node = self.verb(verb, subject.plural, self.rng.choice(EARLIER))
        return node.lead("nsubj", subject.node).lead("obj", Node("that", "PRON"))

    def _stay(self, form: Literal["past", "gerund"]) -> Node:
        verb = self.pick(words.STAYS)
        node = Node(verb.past if form == "past" else verb.gerund, "VERB")
        return node.add("obl", self.placed(PREPOSITIONS[:3], 0.0))

    # Verb phrases.

    def verb(self, verb: Verb, plural: bool, tense: Tense, adverb: float = 0.0) -> Node:
        """A verb with its auxiliaries and particle and, with the probability ``adverb``, an adverb before it."""
        be, have = ("were", "have") if plural else ("was", "has")
        happens = verb.base in words.HAPPENINGS
        if happens and tense not in HAPPENED:
            tense = "past"
        forms: dict[Tense, tuple[str, list[str]]] = {
            "past": (verb.past, []),
            "perfect": (verb.participle, [have]),
            "past perfect": (verb.participle, ["had"]),
            "progressive": (verb.gerund, [be]),
            "future": (verb.base, ["will"]),
            "modal": (verb.base, [self.rng.choice(("could", "must", "should"))]),
            "negative": (verb.base, ["did", "not"]),
        }
        form, auxiliaries = forms[tense]
        node = Node(form, "VERB")
        for auxiliary in auxiliaries:
            is_not = auxiliary == "not"
            node.add("advmod" if is_not else "aux", Node(auxiliary, "PART" if is_not else "AUX"), side="before")
        if self.chance(adverb):
            adverb_node = Node(self.rng.choice(("also", "recently")), "ADV") if happens else self.adverb()
            node.add("advmod", adverb_node, side="before")
        if verb.particle:
            node.add("compound:prt", Node(verb.particle, "ADP"))
        return node

    def adverb(self) -> Node:
        """How, or how often: “very quietly”."""
        if self.chance(0.3):
            return Node(self.rng.choice(words.FREQUENCIES), "ADV")
        manner = Node(self.rng.choice(words.MANNERS), "ADV")
        return manner.lead("advmod", Node(self.rng.choice(("very", "rather")), "ADV")) if self.chance(0.25) else manner

    def transitive(
        self,
        subject: Node,
        plural: bool,
        *,
        tense: Tense | None = None,
        modifier: float = 0.3,
        adverb: float = 0.3,
        categories: tuple[Category, ...] = (),
    ) -> Node:
        """A clause of a subject, a verb and an object of one of the categories (any, if there are none)."""
        verb = self.pick(words.VERBS, *categories)
        node = self.verb(verb, plural, self.rng.choice(TENSES) if tense is None else tense, adverb)
        category = self.rng.choice([choice for choice in verb.objects if not categories or choice in categories])
        object_ = self.object(category, modifier=modifier)
        if verb.particle and not object_.node.after and self.chance(0.5):  # “picked the old lamp up”
            particle = node.after.pop()
            return node.lead("nsubj", subject).add("obj", object_.node).add("compound:prt", particle)
        return node.lead("nsubj", subject).add("obj", object_.node)

    def object(self, category: Category, *, modifier: float = 0.3) -> Phrase:
        """A noun phrase, or a name where a person is meant."""
        by_name = category == "person" and self.chance(0.35)
        return self.name() if by_name else self.noun(category, modifier=modifier)

    def subject(self, modifier: float = 0.4) -> Phrase:
        """Somebody: a name or a person, perhaps with much to say about them before the verb comes."""
        return self.name() if self.chance(0.25) else self.noun("person", modifier=modifier)

    def day(self) -> Node:
        """A day or a time of it with its preposition: “on Monday”, “in the morning”."""
        self.timed = True
        if self.chance(0.5):
            return Node(self.fresh(words.DAYS), "PROPN").lead("case", Node("on", "ADP"))
        time = Node(self.fresh(words.TIMES), "NOUN").lead("det", Node("the", "DET"))
        return time.lead("case", Node("in", "ADP"))

    def when(self) -> Node:
        """A day, or an event with its preposition: “after the long storm”."""
        if self.chance(0.6):
            return self.day()
        self.timed = True
        node = Node(self.fresh(words.EVENTS), "NOUN")
        if self.chance(0.4):
            node.lead("amod", Node(self.rng.choice(("long", "short", "first", "last")), "ADJ"))
        node.lead("det", Node("the", "DET"))
        return node.lead("case", Node(self.rng.choice(("before", "after", "during")), "ADP"))

    def framed(self, clause: Node, fronted: float = 0.25, last: float = 0.4) -> Node:
        """A sentence of a clause: perhaps a time before it or a time or place after it, and a full stop."""
        if self.chance(fronted) and not self.timed:
            clause.lead("punct", mark(",")).lead("obl", self.when())
        elif self.chance(last):
            clause.add("obl", self.placed() if self.timed or self.chance(0.4) else self.when())
        return clause.add("punct", mark("."))
