"""KV cache page: the curriculum's byte counts, shared KV heads, and step-by-step decoding."""

import re

import pytest
from playwright.sync_api import Page, expect
from settling import until

READY = "() => document.querySelector('#concept').getAttribute('aria-busy') === 'false'"
# For every query head the kept head that its line ends at.
OWNERS = """() => { const ends = [...document.querySelectorAll(".kv-kept")].map((box) =>
  Number(box.getAttribute("x")) + Number(box.getAttribute("width")) / 2);
  return [...document.querySelectorAll(".kv-line")].map((line) =>
    ends.findIndex((end) => Math.abs(end - Number(line.getAttribute("x2"))) < 0.01)); }"""


def visit(page: Page, address: str) -> None:
    page.goto(address)
    until(page, READY)


def sizes(page: Page) -> list[str]:
    return page.locator(".kv-size").all_text_contents()


def step(page: Page, name: str) -> str:
    page.locator("#steps .step", has_text=re.compile(rf"^\d+{re.escape(name)}$")).click()
    until(page, READY)
    return page.locator(".step-line").inner_text()


@pytest.mark.gate
def test_eight_heads_share_two(page: Page) -> None:
    visit(page, "/kv_cache")
    assert page.evaluate(OWNERS) == [0, 0, 0, 0, 1, 1, 1, 1]
    assert sizes(page) == ["256 MiB", "64 MiB", "32 MiB"]
    assert step(page, "A layer").endswith("67,108,864")
    page.get_by_role("combobox", name="Key/value heads").select_option("4")
    expect(page.locator(".kv-kept")).to_have_count(4)
    assert page.evaluate(OWNERS) == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize(
    ("model", "a_token"),
    [
        ("llama-2-7b", "512 KiB"),
        ("llama-2-70b", "320 KiB"),
        ("llama-3-8b", "128 KiB"),
        ("mistral-7b", "128 KiB"),
        ("gemma-2b", "18 KiB"),
        ("gpt2", "36 KiB"),
    ],
)
def test_what_a_token_takes_in_published_models(page: Page, model: str, a_token: str) -> None:
    visit(page, f"/kv_cache?preset={model}&bytes=2")
    step(page, "A token")
    assert page.locator(".step-says").inner_text().endswith(f": {a_token}.")
    expect(page.locator("#source")).to_contain_text("config")


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("preset=llama-2-7b&batch=1&tokens=4096&bytes=2", "2 GiB: every query head has its own keys and values"),
        ("preset=llama-3-8b&batch=1&tokens=8192&bytes=2", "1 GiB, 4 times less than"),
    ],
)
def test_what_sharing_saves_is_said_only_where_it_saves(page: Page, state: str, says: str) -> None:
    visit(page, f"/kv_cache?{state}")
    step(page, "All of it")
    expect(page.locator(".step-says")).to_contain_text(says)


@pytest.mark.parametrize(
    ("model", "two_bytes", "four_bytes"),
    [("gpt2", "36 KiB", "72 KiB"), ("gemma-2b", "18 KiB", "36 KiB"), ("llama-2-70b", "320 KiB", "640 KiB")],
)
def test_float16_takes_half_of_float32(page: Page, model: str, two_bytes: str, four_bytes: str) -> None:
    visit(page, f"/kv_cache?preset={model}&bytes=4")
    step(page, "A token")
    assert page.locator(".step-says").inner_text().endswith(f": {four_bytes}.")
    page.get_by_label("Bytes per number").select_option("2")
    expect(page.locator(".step-says")).to_contain_text(f": {two_bytes}.")


def test_the_variants_are_compared(page: Page) -> None:
    visit(page, "/kv_cache")
    rows = page.locator(".kv-trade tbody tr")
    assert [row.locator("td").nth(1).inner_text() for row in rows.all()] == ["4 KiB", "1 KiB", "512 B"]


def test_the_film_appends_and_reads(page: Page) -> None:
    visit(page, "/kv_cache?view=steps")
    expect(page.locator(".film-says")).to_contain_text("The prompt: all 3 are computed, and cached.")
    page.locator("#film input").fill("3")
    expect(page.locator(".film-says")).to_contain_text("2 new: computed and appended. 5 read from the cache")
    expect(page.locator(".kv-token.is-cached")).to_have_count(5)
    expect(page.locator(".kv-token.is-new")).to_have_count(2)
    visit(page, "/kv_cache?view=steps&chunks=1_1_1&part=3&step=2")
    assert re.findall(r"\d+", page.locator(".step-says").inner_text()) == ["6", "18"], "as the prediction says"


def test_decoding_step_by_step(page: Page) -> None:
    visit(page, "/kv_cache?view=steps&part=0")
    masks = []
    for part in range(4):
        page.locator("#picture .step").nth(part).click()
        until(page, f"() => document.querySelectorAll('#picture .step')[{part}].hasAttribute('aria-current')")
        until(page, READY)
        cells = page.locator("#picture .matrix-mark").first.locator(".mark-cell text").all_text_contents()
        masks.append([cell == "0" for cell in cells])
    assert masks == [
        [True, False, False, True, True, False, True, True, True],  # the prompt: causal
        [True] * 4,
        [True] * 5,
        [True] * 6 + [False] + [True] * 7,  # a chunk of two: everything stored, causal within
    ]
    step(page, "Computed")
    assert re.findall(r"\d+", page.locator(".step-says").inner_text()) == ["7", "19"]  # 3+1+1+2 and 3+4+5+7
    assert re.search(r"10\s*−[6-9]|^0\.0000$", step(page, "The same")), "rounding alone, or nothing"


def test_own_chunks_are_typed(page: Page) -> None:
    visit(page, "/kv_cache?view=steps")
    page.get_by_label("Then, step by step").fill("4, 4")
    expect(page.locator("#picture .step")).to_have_text(["prompt of 3", "+4", "+4"])


def test_exercises_are_checked_by_the_server(page: Page) -> None:
    visit(page, "/kv_cache")
    for name, said in (("layer", "256, 64, 32"), ("token", "320"), ("owner", "0, 1"), ("chunk", "6, 7")):
        exercise = page.locator(f"[data-exercise=kv-cache-{name}]")
        exercise.locator("summary").click()
        expect(exercise.locator(".exercise-served")).to_have_text(f"The server computes: {said}")
