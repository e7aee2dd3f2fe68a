"""The order of the course."""

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
