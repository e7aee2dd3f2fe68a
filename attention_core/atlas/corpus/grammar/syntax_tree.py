"""Dependency trees that are built by a grammar and written out as documents."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from attention_core.atlas.corpus.document import ROOT, Document, Word

Side = Literal["before", "after"]
VOWELS = "aeiou"
CONSONANT_SOUNDS = ("use", "one", "uni")
"""Words that begin with a vowel in writing alone: “a useful lamp”."""


@dataclass(eq=False, slots=True)
class Node:
    """A word with its dependents, in the order of the text."""

    form: str
    upos: str
    before: list["Node"] = field(default_factory=list)
    after: list["Node"] = field(default_factory=list)
    relation: str | None = None
    """To the node that it was added to."""
    antecedent: "Node | None" = None
    glued: Side | None = None
    """Where it has no space: a comma ``before`` it, an opening quotation mark ``after`` it."""

    def add(self, relation: str, *dependents: "Node", side: Side = "after") -> "Node":
        """Attach dependents, each the outermost so far on its side, and return this node."""
        for dependent in dependents:
            dependent.relation = relation
            if side == "after":
                self.after.append(dependent)
            else:
                self.before.append(dependent)
        return self

    def lead(self, relation: str, *dependents: "Node") -> "Node":
        """Attach dependents before this node and what already is before it; the last is the nearest."""
        for dependent in dependents:
            dependent.relation = relation
        self.before[:0] = dependents
        return self

    def in_order(self) -> Iterator["Node"]:
        """The node and all below it in the order of the text."""
        for dependent in self.before:
            yield from dependent.in_order()
        yield self
        for dependent in self.after:
            yield from dependent.in_order()


def mark(form: str, glued: Side = "before") -> Node:
    """A punctuation mark."""
    return Node(form, "PUNCT", glued=glued)


def written(name: str, root: Node) -> Document:
    """The sentence of a tree: its first letter a capital, ``a`` and ``an`` as the next word demands."""
    nodes = list(root.in_order())
    places = {id(node): place for place, node in enumerate(nodes)}
    heads = {id(dependent): places[id(node)] for node in nodes for dependent in [*node.before, *node.after]}
    text, words = "", []
    capital = True
    for place, node in enumerate(nodes):
        form = node.form
        if form == "a" and _begins_with_a_vowel(nodes[place + 1].form):
            form = "an"
        if capital and node.upos != "PUNCT":
            form, capital = form[0].upper() + form[1:], False
        if text and node.glued != "before" and nodes[place - 1].glued != "after":
            text += " "
        start = len(text)
        text += form
        antecedent = None if node.antecedent is None else places[id(node.antecedent)]
        words.append(Word(start, len(text), heads.get(id(node), ROOT), node.relation or "root", node.upos, antecedent))
    return Document(name, text, tuple(words))


def _begins_with_a_vowel(form: str) -> bool:
    return form[0].lower() in VOWELS and not form.startswith(CONSONANT_SOUNDS)
