"""Words of the probe grammar, with what fits together: a baker may sell a plum, but does not repair it."""

from dataclasses import dataclass
from typing import Literal

Category = Literal["person", "animal", "food", "staple", "text", "thing", "furniture", "vehicle", "place"]


@dataclass(frozen=True)
class Verb:
    """A verb with its forms and the objects that it takes."""

    base: str
    past: str
    participle: str
    gerund: str
    objects: tuple[Category, ...]
    """Categories of its objects; none if it takes none."""
    particle: str | None = None


def _verb(forms: str, objects: str) -> Verb:
    base, past, participle, gerund, *particle = forms.split()
    return Verb(base, past, participle, gerund, tuple(objects.split()), *particle)  # type: ignore[arg-type]


def _nouns(plurals: str) -> tuple[tuple[str, str], ...]:
    """``baker`` → (baker, bakers); ``box/boxes`` as it is given; ``bread/`` has no plural."""
    pairs = (word.partition("/") for word in plurals.split())
    return tuple((singular, many if slash else f"{singular}s") for singular, slash, many in pairs)


NOUNS: dict[Category, tuple[tuple[str, str], ...]] = {
    "person": _nouns(
        "teacher doctor gardener baker student farmer painter neighbour singer captain librarian carpenter nurse pilot"
        " tailor guide musician sailor inventor scientist visitor"
    ),
    "animal": _nouns("dog cat horse goat duck rabbit donkey pony/ponies hen"),
    "food": _nouns("apple pear plum carrot cake pie potato/potatoes onion sandwich/sandwiches melon"),
    "staple": _nouns("bread/ cheese/ butter/ honey/ soup/ rice/"),
    "text": _nouns("book letter poem report story/stories song diary/diaries"),
    "thing": _nouns("key lamp basket bucket coat hat cup clock box/boxes bag umbrella map camera"),
    "furniture": _nouns("table chair cupboard bench/benches door window fence shelf/shelves"),
    "vehicle": _nouns("boat bicycle cart wagon van"),
    "place": _nouns(
        "garden library/libraries station harbour market school museum village theatre castle workshop hotel"
    ),
}
EVENTS = ("storm", "concert", "meeting", "lesson", "festival", "journey", "match", "ceremony")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
TIMES = ("morning", "afternoon", "evening", "spring", "summer", "autumn", "winter")
WOMEN = ("Anna", "Maria", "Sofia", "Emma", "Clara", "Nora", "Alice", "Ruth", "Julia", "Helen")
MEN = ("Paul", "David", "Thomas", "Peter", "Martin", "Oscar", "Hugo", "Simon", "Daniel", "Victor")
SURNAMES = ("Winter", "Berger", "Holm", "Marsh", "Keller", "Silva", "Novak", "Lindon", "Moretti", "Okada")

QUALITIES: dict[Category, tuple[str, ...]] = {
    "person": ("friendly", "patient", "cheerful", "clever", "polite", "famous", "curious"),
    "animal": ("friendly", "hungry", "clever", "lively", "gentle"),
    "food": ("fresh", "sweet", "cheap", "delicious"),
    "staple": ("fresh", "cheap", "delicious", "warm"),
    "text": ("long", "short", "strange", "beautiful", "famous", "interesting"),
    "thing": ("heavy", "light", "beautiful", "cheap", "useful", "strange", "elegant"),
    "furniture": ("heavy", "beautiful", "cheap", "solid", "elegant"),
    "vehicle": ("heavy", "fast", "cheap", "beautiful", "reliable"),
    "place": ("quiet", "busy", "beautiful", "famous", "pleasant"),
}
"""Adjectives that can be more or less so, which is what ``very`` goes with."""
SIZES = ("small", "large", "little", "big")
SIZED: frozenset[Category] = frozenset({"animal", "food", "thing", "furniture", "vehicle", "place"})
AGES: dict[Category, tuple[str, ...]] = {
    "person": ("young", "old"),
    "animal": ("young", "old"),
    "text": ("new", "old"),
    "thing": ("new", "old"),
    "furniture": ("new", "old"),
    "vehicle": ("new", "old"),
    "place": ("new", "old"),
}
COLOURS: dict[Category, tuple[str, ...]] = {
    "animal": ("brown", "white", "black", "grey"),
    "thing": ("red", "blue", "green", "white", "black", "yellow"),
    "furniture": ("red", "blue", "green", "white", "wooden"),
    "vehicle": ("red", "blue", "green", "white", "yellow"),
}
DEGREES = ("very", "rather", "quite", "unusually", "really")
MANNERS = ("quietly", "slowly", "carefully", "quickly", "gladly", "patiently", "calmly", "proudly")
FREQUENCIES = ("often", "always", "rarely", "sometimes", "usually")

GOODS = "food staple text thing vehicle"
VERBS = (
    _verb("buy bought bought buying", GOODS),
    _verb("sell sold sold selling", GOODS),
    _verb("carry carried carried carrying", "food staple thing"),
    _verb("find found found finding", "text thing animal"),
    _verb("lose lost lost losing", "text thing"),
    _verb("paint painted painted painting", "furniture vehicle"),
    _verb("repair repaired repaired repairing", "furniture vehicle"),
    _verb("clean cleaned cleaned cleaning", "furniture vehicle thing"),
    _verb("read read read reading", "text"),
    _verb("write wrote written writing", "text"),
    _verb("copy copied copied copying", "text"),
    _verb("taste tasted tasted tasting", "food staple"),
    _verb("prepare prepared prepared preparing", "food staple"),
    _verb("share shared shared sharing", "food staple"),
    _verb("feed fed fed feeding", "animal"),
    _verb("wash washed washed washing", "animal vehicle"),
    _verb("help helped helped helping", "person"),
    _verb("meet met met meeting", "person"),
    _verb("thank thanked thanked thanking", "person"),
    _verb("invite invited invited inviting", "person"),
    _verb("greet greeted greeted greeting", "person"),
    _verb("visit visited visited visiting", "person place"),
    _verb("draw drew drawn drawing", "place animal"),
    _verb("leave left left leaving", "place"),
    _verb("reach reached reached reaching", "place"),
    _verb("pick picked picked picking up", "text thing food"),
    _verb("put put put putting down", "text thing"),
    _verb("bring brought brought bringing back", "text thing vehicle animal"),
    _verb("give gave given giving away", "food staple text thing"),
    _verb("look looked looked looking up", "text"),
)
TRANSFERS = (
    _verb("give gave given giving", "food staple text thing"),
    _verb("show showed shown showing", "text thing furniture vehicle animal"),
    _verb("send sent sent sending", "text thing food"),
    _verb("lend lent lent lending", "text thing vehicle"),
    _verb("bring brought brought bringing", "food staple text thing"),
    _verb("offer offered offered offering", "food staple text thing"),
    _verb("sell sold sold selling", GOODS),
)
"""Verbs with an indirect object: to give the baker a plum."""
HAPPENINGS = frozenset({"lose", "find", "meet", "reach"})
"""Verbs of what happens to people: nobody does it carefully, and nobody must."""
STAYS = (
    _verb("work worked worked working", ""),
    _verb("wait waited waited waiting", ""),
    _verb("rest rested rested resting", ""),
    _verb("sing sang sung singing", ""),
    _verb("stand stood stood standing", ""),
)
"""Verbs with a place and no object."""
FEELINGS = ("tired", "hungry", "late", "curious", "busy", "happy", "ready", "proud")
PILE = (
    "stone", "river", "paper", "window", "lamp", "button", "garden", "silver", "music", "winter", "market",
    "finger", "bottle", "engine", "forest", "letter", "planet", "pocket", "ribbon", "shadow", "temple", "valley",
    "yellow", "orange", "copper", "dinner", "basket", "candle", "desert", "feather", "hammer", "island", "jacket",
    "kitchen", "ladder", "mirror", "needle", "ocean", "pencil", "rabbit", "saddle", "ticket", "wagon", "blanket",
    "carpet", "diamond",
)  # fmt: skip
"""Words for sequences without grammar."""
