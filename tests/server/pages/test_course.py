"""The order of the course."""

import re

import pytest

from server.pages import course
from server.pages.lessons import TEXTS
from server.pages.site import PAGES


def test_every_concept_is_in_one_lesson() -> None:
    assert sorted(course.STEMS) == sorted(page.stem for page in PAGES if page.group)


def test_the_neighbours_lead_through_the_whole_course() -> None:
    walked = [course.STEMS[0]]
    while (following := course.neighbours(walked[-1])[1]) is not None:
        assert course.neighbours(following)[0] == walked[-1]
        walked.append(following)
    assert tuple(walked) == course.STEMS
    assert course.neighbours(walked[0])[0] is None


def test_a_page_outside_the_course_has_no_place() -> None:
    assert course.here("lessons") is None
    assert course.here("linear") == course.Here("linear", 3)


def test_every_lesson_has_its_texts() -> None:
    assert TEXTS.keys() == course.LESSONS.keys()
    assert set(list(TEXTS)[-len(course.OPTIONAL) :]) == course.OPTIONAL


def test_a_lesson_leads_to_all_its_concepts() -> None:
    for lesson, stems in course.LESSONS.items():
        led_to = {address.split("?")[0].strip("/") for address, _ in TEXTS[lesson].looks}
        assert set(stems) <= led_to, lesson


FIRST = {
    "positions": r"RoPE|ALiBi|[Ss]inusoidal",
    "norms": r"QK-norm|RMS norm",
    "heads": r"KV heads?|[Hh]eads split",
    "decoder": r"\bGQA\b|\bMQA\b|\bMHA\b",
    "kernels": r"[Kk]ernel",
}
"""Names by which a lesson's ideas go, by the lesson that explains them."""


@pytest.mark.parametrize("lesson", FIRST)
def test_no_lesson_builds_on_a_later_or_an_optional_one(lesson: str) -> None:
    order = list(course.LESSONS)
    assert re.search(FIRST[lesson], said_in(lesson)), "it explains them itself"
    others = order if lesson in course.OPTIONAL else order[: order.index(lesson)]
    assert [one for one in others if one != lesson and re.search(FIRST[lesson], said_in(one))] == []


def said_in(lesson: str) -> str:
    texts = TEXTS[lesson]
    return " ".join([texts.title, texts.says, *(label for _, label in texts.looks)])


def test_a_lesson_looks_at_pages_of_its_own_or_an_earlier_lesson() -> None:
    seen = {""}
    for lesson, stems in course.LESSONS.items():
        seen |= set(stems)
        assert {address.split("?")[0].strip("/") for address, _ in TEXTS[lesson].looks} <= seen, lesson
