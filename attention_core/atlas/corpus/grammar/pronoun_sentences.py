"""Sentences of the probe corpus with pronouns, each of which can stand for one antecedent alone.

Women, men, groups of people and things are never two of a kind in such a sentence, so that gender and number decide.
"""

from attention_core.atlas.corpus.grammar import vocabulary as words
from attention_core.atlas.corpus.grammar.phrases import NARRATED, Gender, Grammar, Phrase, Tense, pronoun
from attention_core.atlas.corpus.grammar.syntax_tree import Node, mark
from attention_core.atlas.corpus.grammar.vocabulary import Category

OWNED: tuple[Category, ...] = ("thing", "text", "vehicle", "furniture")
NOT_PEOPLE: tuple[Category, ...] = ("thing", "text", "vehicle", "furniture", "food", "staple", "place")

PEOPLE: tuple[Gender, ...] = ("she", "he", "they")
TOLD: tuple[Tense, ...] = ("past perfect", "modal")
GAINS, NEXT = ("buy", "find"), ("sell", "carry", "clean", "paint", "repair", "read", "copy", "wash")
"""What one does with a thing at first, and then."""
CONJUNCTIONS: tuple[tuple[str, Tense], ...] = (("after", "past perfect"), ("before", "past"), ("when", "past"))


def _somebody(grammar: Grammar, gender: Gender) -> Phrase:
    if gender == "she":
        return grammar.name(words.WOMEN)
    if gender == "he":
        return grammar.name(words.MEN)
    people = grammar.noun("person", plural=True, modifier=0.0, definite=True)
    if grammar.chance(0.4):
        people.node.add("nmod", grammar.placed(("from", "near"), 0.0))
    return people


def _two_people(grammar: Grammar) -> tuple[Phrase, Phrase]:
    first, second = grammar.rng.sample(PEOPLE, 2)
    return _somebody(grammar, first), _somebody(grammar, second)


def _one_thing(grammar: Grammar, verb: words.Verb) -> Phrase:
    category = grammar.rng.choice([choice for choice in verb.objects if choice in OWNED])
    return grammar.noun(category, plural=False, modifier=0.0)


def _verb_for_things(grammar: Grammar) -> words.Verb:
    return grammar.pick([verb for verb in words.VERBS if not verb.particle], *OWNED)


def told(grammar: Grammar) -> Node:
    """“Anna told the two farmers that she had found the key”: either of two may be meant."""
    speaker, listener = _two_people(grammar)
    meant = pronoun(grammar.rng.choice((speaker, listener)), "subject")
    said = grammar.transitive(meant.node, meant.plural, tense=grammar.rng.choice(TOLD), categories=NOT_PEOPLE)
    said.lead("mark", Node("that", "SCONJ"))
    verb = Node(grammar.rng.choice(("told", "reminded", "assured")), "VERB")
    if grammar.chance(0.3):
        verb.lead("advmod", grammar.adverb())
    verb.lead("nsubj", speaker.node).add("iobj", listener.node).add("ccomp", said)
    return grammar.framed(verb, last=0.0)


def because(grammar: Grammar) -> Node:
    """“Paul repaired the old boat because it was slow”: the pronoun may be the subject’s or the object’s."""
    somebody = _somebody(grammar, grammar.rng.choice(PEOPLE))
    verb = _verb_for_things(grammar)
    thing = _one_thing(grammar, verb)
    node = grammar.verb(verb, somebody.plural, grammar.rng.choice(NARRATED[:3]), adverb=0.2)
    node.lead("nsubj", somebody.node).add("obj", thing.node)
    if grammar.chance(0.6):
        node.add("obl", grammar.day())
    meant = pronoun(grammar.rng.choice((somebody, thing)), "subject")
    about = words.QUALITIES[thing.category] if meant.category == thing.category else words.FEELINGS
    taken = {node.form for node in thing.node.in_order()}
    reason = Node(grammar.rng.choice([adjective for adjective in about if adjective not in taken]), "ADJ")
    if grammar.chance(0.4):
        reason.lead("advmod", Node(grammar.rng.choice(("very", "too", "quite")), "ADV"))
    reason.lead("cop", Node("were" if meant.plural else "was", "AUX")).lead("nsubj", meant.node)
    return grammar.framed(node.add("advcl", reason.lead("mark", Node("because", "SCONJ"))), last=0.0)


def two_clauses(grammar: Grammar) -> Node:
    """A main and a subordinate clause in either order; the pronoun may come before its antecedent."""
    somebody = _somebody(grammar, grammar.rng.choice(PEOPLE))
    again = pronoun(somebody, "subject")
    fronted = grammar.chance(0.5)
    main, other = (somebody, again) if not fronted or grammar.chance(0.4) else (again, somebody)
    clause = grammar.transitive(main.node, main.plural, tense="past", modifier=0.1, categories=NOT_PEOPLE)
    conjunction, tense = grammar.rng.choice(CONJUNCTIONS)
    side = grammar.transitive(other.node, other.plural, tense=tense, modifier=0.1, categories=NOT_PEOPLE)
    side.lead("mark", Node(conjunction, "SCONJ"))
    if fronted:
        return clause.lead("punct", mark(",")).lead("advcl", side).add("punct", mark("."))
    return clause.add("advcl", side).add("punct", mark("."))


def own(grammar: Grammar) -> Node:
    """“The farmers showed Anna their new boat”: whose it is."""
    owner, other = _two_people(grammar)
    verb = grammar.pick(words.TRANSFERS[:4])
    thing = grammar.noun(grammar.rng.choice([one for one in verb.objects if one in OWNED]), modifier=0.2)
    thing.node.before = [node for node in thing.node.before if node.relation == "amod"]
    thing.node.lead("nmod:poss", pronoun(owner, "possessive").node)
    node = grammar.verb(verb, owner.plural, grammar.rng.choice(NARRATED), adverb=0.2)
    return grammar.framed(node.lead("nsubj", owner.node).add("iobj", other.node).add("obj", thing.node))


def but(grammar: Grammar) -> Node:
    """“The farmers bought a boat, but they sold it after the summer”: two pronouns with an antecedent each."""
    somebody = _somebody(grammar, grammar.rng.choice(PEOPLE))
    verb = grammar.pick(verb for verb in words.VERBS if verb.base in GAINS)
    thing = _one_thing(grammar, verb)
    node = grammar.verb(verb, somebody.plural, "past", adverb=0.2)
    node.lead("nsubj", somebody.node).add("obj", thing.node)
    if grammar.chance(0.4):
        node.add("obl", grammar.day())
    contrast = grammar.chance(0.5)
    done = grammar.pick((verb for verb in words.VERBS if verb.base in NEXT), thing.category)
    second = grammar.verb(done, somebody.plural, "negative" if contrast else "past", adverb=0.2)
    second.lead("nsubj", pronoun(somebody, "subject").node).add("obj", pronoun(thing, "object").node)
    second.lead("cc", Node("but" if contrast else "and", "CCONJ")).lead("punct", mark(","))
    if grammar.chance(0.5):
        second.add("obl", grammar.when())
    return node.add("conj", second).add("punct", mark("."))


def exchange(grammar: Grammar) -> Node:
    """“Anna met Paul at the station; she gave him a plum, and he thanked her”: four pronouns, two antecedents."""
    first, second = _two_people(grammar)
    met = Node(grammar.rng.choice(("met", "visited", "greeted", "invited")), "VERB")
    met.lead("nsubj", first.node).add("obj", second.node)
    if grammar.chance(0.6):
        met.add("obl", grammar.placed(modifier=0.0) if grammar.chance(0.5) else grammar.when())
    transfer = grammar.pick(words.TRANSFERS)
    giver, receiver = (first, second) if grammar.chance(0.5) else (second, first)
    gave = grammar.verb(transfer, giver.plural, "past").lead("nsubj", pronoun(giver, "subject").node)
    gave.add("iobj", pronoun(receiver, "object").node)
    gave.add("obj", grammar.noun(grammar.rng.choice(transfer.objects), modifier=0.0).node)
    thanked = Node("thanked", "VERB").lead("nsubj", pronoun(receiver, "subject").node)
    thanked.add("obj", pronoun(giver, "object").node)
    gave.add("conj", thanked.lead("cc", Node("and", "CCONJ")).lead("punct", mark(",")))
    return met.add("punct", mark(";")).add("parataxis", gave).add("punct", mark("."))


KINDS = (told, because, two_clauses, own, but, exchange)
