"""The order of the course: which lesson a concept belongs to, and what comes before and after it."""

from dataclasses import dataclass

from .lessons import TEXTS
from .running_example import STATIONS, Station, station_of
from .site import PAGES, Page
from .thread import Thread, thread_of

LESSONS: dict[str, tuple[str, ...]] = {
    "why": ("why",),
    "vectors": ("embedding",),
    "linear": ("linear",),
    "roles": ("projections",),
    "dot_product": ("circle", "scoring"),
    "softmax": ("softmax",),
    "scaling": ("scaling",),
    "masks": ("masks", "reach"),
    "heads": ("multi_head",),
    "training": ("training",),
    "order": ("order",),
    "positions": ("sinusoidal", "rope", "alibi"),
    "norms": ("qk_norm",),
    "block": ("block",),
    "decoder": ("kv_cache", "decoder"),
    "models": ("context", "parity", "claims", "head_roles"),
    "kernels": ("kernel",),
}
"""Lesson → the stems of its concepts, in the order in which they are best read."""
OPTIONAL = frozenset({"kernels"})
"""Lessons that nothing later needs."""
STEMS = tuple(stem for stems in LESSONS.values() for stem in stems)


@dataclass(frozen=True)
class Here:
    """Where a concept stands in the course."""

    lesson: str
    """Id of its lesson."""
    number: int
    """Of the lesson, from 1."""


def here(stem: str) -> Here | None:
    """The place of a concept; None for pages outside the course."""
    for number, (lesson, stems) in enumerate(LESSONS.items(), start=1):
        if stem in stems:
            return Here(lesson, number)
    return None


def neighbours(stem: str) -> tuple[str | None, str | None]:
    """The concepts before and after one in the course; None at its ends."""
    index = STEMS.index(stem)
    return STEMS[index - 1] if index else None, STEMS[index + 1] if index + 1 < len(STEMS) else None


@dataclass(frozen=True)
class CoursePlace:
    """What a concept's page says of its place in the course."""

    here: Here | None
    before: Page | None
    after: Page | None
    total: int
    """Number of lessons."""
    station: Station | None
    """The stage of the running example that the page explains."""
    thread: Thread | None
    """Where that example is on this page, with the page's numbers."""
    stations: tuple[tuple[Station, Page], ...]
    """All of its stages with their pages, in order."""
    titles: tuple[tuple[str, int, str], ...]
    """Each lesson's id, number and title, in English."""


def place(stem: str) -> CoursePlace:
    """A page's place in the course; all None outside it."""
    by_stem = {page.stem: page for page in PAGES}
    place = here(stem)
    before, after = neighbours(stem) if place else (None, None)
    stations = tuple((station, by_stem[station.stem]) for station in STATIONS)
    titles = tuple((lesson, number, TEXTS[lesson].title) for number, lesson in enumerate(LESSONS, start=1))
    return CoursePlace(
        here=place,
        before=by_stem.get(before or ""),
        after=by_stem.get(after or ""),
        total=len(LESSONS),
        station=station_of(stem),
        thread=thread_of(stem),
        stations=stations,
        titles=titles,
    )
