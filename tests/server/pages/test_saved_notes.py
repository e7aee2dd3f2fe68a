"""The note beside the save button says what the page's script declares: what it computes, records, or neither."""

import re
from pathlib import Path

import pytest

from server.pages.site import ATLAS, COMPUTED, DECODER_COMPUTED, PAGES, Page

SCRIPTS = Path(__file__).parents[3] / "static" / "js" / "concepts"
CHECKED = Path(__file__).with_name("computed_answers.js").read_text()
SAVED = [page for page in PAGES if page.has_frame and page.stem != ATLAS]
COMPUTES = re.compile(r"^  computes: \{(.*?)\}", re.MULTILINE | re.DOTALL)
NAME = re.compile(r'"?([\w/]+)"?: \w+')
CALL = re.compile(r'stem: (?:/\*\*.*?\*/ \()?"([\w/]+)"')
OF_SOURCE = frozenset({"circle", "training"})
"""Their scripts are no calls and answers: one computes everything, the other plays a run."""


def script(page: Page, name: str) -> str:
    return (SCRIPTS / page.stem / name).read_text()


def computed(page: Page) -> set[str]:
    """The calls that a saved file answers by itself."""
    found = COMPUTES.search(script(page, "index.js"))
    return set(NAME.findall(found[1])) if found else set()


def declares(page: Page, part: str) -> bool:
    return re.search(rf"^  {part}\b", script(page, "index.js"), re.MULTILINE) is not None


@pytest.mark.parametrize("page", [page for page in SAVED if page.stem not in OF_SOURCE], ids=lambda page: page.stem)
def test_a_note_says_what_the_page_declares(page: Page) -> None:
    says = page.in_file
    assert says, page.stem
    assert ("computes" in says) == bool(computed(page))
    assert ("float32" in says and "by itself, in float64" in says) == declares(page, "recordsPresets")
    is_more = any(part in says for part in ("with every number", "every role", "nearest rows", "below 500 kB"))
    assert is_more == declares(page, "grid")


@pytest.mark.parametrize(
    "page", [page for page in SAVED if page.in_file in (COMPUTED, DECODER_COMPUTED)], ids=lambda page: page.stem
)
def test_a_page_that_computes_every_setting_computes_all_its_calls(page: Page) -> None:
    calls = {page.stem, *CALL.findall(script(page, "state.js"))}
    assert calls <= computed(page)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("page", SAVED, ids=lambda page: page.stem)
def test_what_a_file_computes_is_compared_with_the_core(page: Page) -> None:
    checked = set(NAME.findall(CHECKED.partition("COMPUTES = {")[2].partition("}")[0]))
    assert computed(page) <= checked
