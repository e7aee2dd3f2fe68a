"""The kinds of sentences of the probe corpus: what each one probes, and how often it is drawn."""

from collections.abc import Callable

from attention_core.atlas.corpus.grammar import vocabulary as words
from attention_core.atlas.corpus.grammar.phrases import NARRATED, Grammar, Phrase
from attention_core.atlas.corpus.grammar.syntax_tree import Node, mark
from attention_core.atlas.corpus.grammar.vocabulary import Category

DESCRIBED: tuple[Category, ...] = ("person", "thing", "vehicle", "place", "text", "furniture")
PATIENTS: tuple[Category, ...] = ("thing", "vehicle", "furniture", "text", "animal")
LISTED: tuple[tuple[str, tuple[Category, ...]], ...] = (
    ("buy", ("food", "staple")),
    ("prepare", ("food", "staple")),
    ("sell", ("thing", "text")),
    ("lose", ("thing", "text")),
    ("clean", ("thing", "furniture", "vehicle")),
    ("visit", ("place",)),
)
"""Verbs of which people do several things at once, and the things."""


def transitive(grammar: Grammar) -> Node:
    """Subject, verb, object, each of which may be far from the next."""
    subject = grammar.subject(modifier=0.55)
    return grammar.framed(grammar.transitive(subject.node, subject.plural))


def ditransitive(grammar: Grammar) -> Node:
    """An indirect object between the verb and its object."""
    subject, receiver = grammar.subject(), grammar.object("person", modifier=0.35)
    verb = grammar.pick(words.TRANSFERS)
    node = grammar.verb(verb, subject.plural, grammar.rng.choice(NARRATED), adverb=0.15)
    gift = grammar.noun(grammar.rng.choice(verb.objects), modifier=0.3)
    return grammar.framed(node.lead("nsubj", subject.node).add("iobj", receiver.node).add("obj", gift.node))


def copular(grammar: Grammar) -> Node:
    """A property of something: the subject belongs to an adjective."""
    category = grammar.rng.choice(DESCRIBED)
    subject = grammar.noun(category, adjectives=grammar.rng.choice((0, 0, 1)), modifier=0.6, definite=True)
    return grammar.framed(_is(grammar, subject), last=0.0)


def _is(grammar: Grammar, subject: Phrase) -> Node:
    """“… is too heavy”, said of a subject."""
    taken = {node.form for node in subject.node.in_order()}
    qualities = [quality for quality in words.QUALITIES[subject.category] if quality not in taken]
    predicate = Node(grammar.rng.choice(qualities), "ADJ")
    if grammar.chance(0.4):
        predicate.lead("advmod", Node(grammar.rng.choice(("very", "too", "quite", "always")), "ADV"))
    be = grammar.rng.choice(("were", "are") if subject.plural else ("was", "is"))
    return predicate.lead("cop", Node(be, "AUX")).lead("nsubj", subject.node)


def passive(grammar: Grammar) -> Node:
    """What is done stands first, who does it last."""
    category = grammar.rng.choice(PATIENTS)
    patient = grammar.noun(category, modifier=0.4)
    verb = grammar.pick([verb for verb in words.VERBS if not verb.particle], category)
    be = "were" if patient.plural else "was"
    node = Node(verb.participle, "VERB").lead("aux:pass", Node(be, "AUX"))
    if grammar.chance(0.3):
        node.add("advmod", grammar.adverb(), side="before")
    node.lead("nsubj:pass", patient.node)
    if grammar.chance(0.75):
        node.add("obl:agent", grammar.subject(modifier=0.2).node.lead("case", Node("by", "ADP")))
    return grammar.framed(node, last=0.2)


def question(grammar: Grammar) -> Node:
    """The object stands before its verb: “Which old letter did the baker copy?”"""
    verb = grammar.pick([verb for verb in words.VERBS if not verb.particle])
    category = grammar.rng.choice(verb.objects)
    asked = grammar.noun(category, modifier=0.0, definite=True)
    asked.node.before = [node for node in asked.node.before if node.relation == "amod"]
    determiners = ("which",) if category == "person" else ("which", "which", "what")
    asked.node.lead("det", Node(grammar.rng.choice(determiners), "DET"))
    subject = grammar.subject(modifier=0.3)
    node = Node(verb.base, "VERB").lead("nsubj", subject.node)
    node.lead("aux", Node(grammar.rng.choice(("did", "did", "will", "should")), "AUX")).lead("obj", asked.node)
    if grammar.chance(0.4):
        node.add("obl", grammar.when())
    return node.add("punct", mark("?"))


def quotation(grammar: Grammar) -> Node:
    """Somebody is quoted, before or after it is said who."""
    speaker = grammar.subject(modifier=0.35)
    said = Node(grammar.rng.choice(("said", "said", "answered", "explained")), "VERB")
    if grammar.chance(0.5):
        we = Node(grammar.rng.choice(("we", "I")), "PRON")
        quoted = grammar.transitive(we, True, tense=grammar.rng.choice((*NARRATED, "modal")))
    else:
        subject = grammar.noun(grammar.rng.choice(DESCRIBED[1:]), modifier=0.4, definite=True)
        quoted = _is(grammar, subject)
    if grammar.chance(0.5):
        quoted.lead("punct", mark('"', "after")).add("punct", mark(","), mark('"'))
        return said.lead("ccomp", quoted).add("nsubj", speaker.node).add("punct", mark("."))
    first = next(quoted.in_order())
    first.form = first.form[0].upper() + first.form[1:]
    quoted.lead("punct", mark('"', "after")).add("punct", mark("."), mark('"'))
    return said.lead("nsubj", speaker.node).add("punct", mark(",")).add("ccomp", quoted)


def bracket(grammar: Grammar) -> Node:
    """Something in brackets or between commas parts the subject from its verb."""
    subject = grammar.subject(modifier=0.1)
    singular, many = grammar.rng.choice((("friend", "friends"), ("colleague", "colleagues"), ("cousin", "cousins")))
    of = grammar.noun("person", modifier=0.3, definite=True).node.lead("case", Node("of", "ADP"))
    also = Node(many if subject.plural else singular, "NOUN").add("nmod", of)
    if not subject.plural:
        also.lead("det", Node("a", "DET"))
    opening, closing = (mark("(", "after"), mark(")")) if grammar.chance(0.7) else (mark(","), mark(","))
    subject.node.add("appos", also.lead("punct", opening).add("punct", closing))
    return grammar.framed(grammar.transitive(subject.node, subject.plural), fronted=0.1)


def enumeration(grammar: Grammar) -> Node:
    """A list of objects, or of those who act."""
    count = grammar.rng.choice((3, 3, 4, 5))
    if grammar.chance(0.35):
        people = [grammar.name() for _ in range(count - 1)]
        people.append(grammar.noun("person", plural=True, modifier=0.0, definite=True))
        return grammar.framed(grammar.transitive(_listed(people), True, categories=("place", "food", "vehicle")))
    base, kinds = grammar.rng.choice(LISTED)
    objects = [
        grammar.noun(grammar.rng.choice(kinds), adjectives=grammar.rng.choice((0, 0, 0, 1)), modifier=0.05)
        for _ in range(count)
    ]
    subject = grammar.subject(modifier=0.2)
    verb = grammar.pick(verb for verb in words.VERBS if verb.base == base)
    node = grammar.verb(verb, subject.plural, grammar.rng.choice(NARRATED))
    return grammar.framed(node.lead("nsubj", subject.node).add("obj", _listed(objects)))


def _listed(phrases: list[Phrase]) -> Node:
    """“apples, bread and a melon”: the first carries the others."""
    first, *others = [phrase.node for phrase in phrases]
    for place, other in enumerate(others):
        last = place == len(others) - 1
        first.add("conj", other.lead("cc", Node("and", "CCONJ")) if last else other.lead("punct", mark(",")))
    return first


def repeated_names(grammar: Grammar) -> Node:
    """The same full names again: whoever saw the first name can foretell the surname."""
    names = list(zip(grammar.names(3), grammar.rng.sample(words.SURNAMES, 3), strict=True))
    pairs = [(names[0], names[1]), (names[1], names[2]), (names[2], names[0])][: grammar.rng.choice((2, 3))]
    if len(pairs) == 2 and grammar.chance(0.5):
        pairs[1] = (names[1], names[0])
    verbs = grammar.rng.sample(("met", "called", "thanked", "visited", "invited", "helped"), len(pairs))
    surnames = grammar.chance(0.7)
    clauses = []
    for (who, whom), verb in zip(pairs, verbs, strict=True):
        nodes = [Node(first, "PROPN") for first, _ in (who, whom)]
        if surnames:
            for node, (_, surname) in zip(nodes, (who, whom), strict=True):
                node.add("flat", Node(surname, "PROPN"))
        clause = Node(verb, "VERB").lead("nsubj", nodes[0]).add("obj", nodes[1])
        if grammar.chance(0.5):
            clause.add("obl", grammar.when())
        clauses.append(clause)
    first, *others = clauses
    for place, other in enumerate(others):
        if place == len(others) - 1:
            other.lead("cc", Node("and", "CCONJ"))
        first.add("conj", other.lead("punct", mark(",")))
    return first.add("punct", mark("."))


KINDS: dict[str, tuple[int, Callable[[Grammar], Node]]] = {
    "transitive": (20, transitive),
    "ditransitive": (8, ditransitive),
    "copular": (7, copular),
    "passive": (7, passive),
    "question": (6, question),
    "quotation": (6, quotation),
    "bracket": (7, bracket),
    "list": (6, enumeration),
    "names": (5, repeated_names),
}
"""By name: of a hundred sentences, how many are of this kind, and what makes one."""
