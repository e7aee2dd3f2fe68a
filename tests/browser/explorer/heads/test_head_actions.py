"""Head actions from the grid, by button and by key."""

from typing import Any

import pytest
from driving import expect_address, head
from playwright.sync_api import Page, Response, expect
from settling import until

ADDRESS = "/?model=tiny-bert&text=A+small+model.&layer=0&head=1"


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


def changes_in(response: Response) -> list[dict[str, Any]]:
    """What an analysis was asked for with; nothing if it is the answer to something else."""
    if not response.url.endswith("/api/analyses"):
        return []
    return list(response.request.post_data_json.get("interventions", []))


def expect_pressed(page: Page, *names: str) -> None:
    expect(page.locator("#head-actions [aria-pressed=true]")).to_have_text(list(names))


@pytest.mark.gate
def test_buttons_switch_a_head_off_make_it_uniform_or_leave_it_alone(page: Page) -> None:
    page.goto(ADDRESS)
    actions = page.get_by_role("group", name="What if: Layer 0, head 1")
    actions.get_by_role("button", name="off", exact=True).click()
    page.wait_for_url("**changes=off-0.1")
    expect_pressed(page, "off")
    actions.get_by_role("button", name="attends to all equally").click()
    page.wait_for_url("**changes=off-0.1_uniform-0.1")
    with page.expect_response(lambda response: len(changes_in(response)) == 4) as answer:
        actions.get_by_role("button", name="alone in its layer").click()
    expect_address(page, changes="uniform-0.1_off-0.0_off-0.2_off-0.3")
    expect_pressed(page, "attends to all equally", "alone in its layer")
    assert [(one["kind"], one["layer"], one["heads"]) for one in changes_in(answer.value)] == [
        ("pattern", 0, [1]),
        ("head_off", 0, [0]),
        ("head_off", 0, [2]),
        ("head_off", 0, [3]),
    ]
    assert answer.value.status == 200
    actions.get_by_role("button", name="alone in its layer").click()
    page.wait_for_url("**changes=uniform-0.1")


def test_keys_change_the_head_that_has_the_focus(page: Page) -> None:
    page.goto(ADDRESS)
    head(page, 0, 1).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Delete")
    page.wait_for_url("**layer=1&head=1**changes=off-1.1")
    expect(head(page, 1, 1)).to_be_focused()
    page.keyboard.press("Delete")
    until(page, "() => !location.search.includes('changes')")
    page.keyboard.press("u")
    page.wait_for_url("**changes=uniform-1.1")
    page.keyboard.press("o")
    page.wait_for_url("**changes=uniform-1.1_off-1.0_off-1.2_off-1.3")


def test_heads_switched_off_are_marked_wherever_heads_are_named(page: Page) -> None:
    page.goto(f"{ADDRESS}&changes=off-0.1_uniform-1.2&heads=1.2")
    off, changed = head(page, 0, 1), head(page, 1, 2)
    expect(off).to_have_accessible_name("Layer 0, head 1, switched off")
    expect(off.locator(".head-mark")).to_have_text("✕")
    expect(changed).to_have_accessible_name("Layer 1, head 2, changed")
    expect(page.locator("#grid .head-mark:visible")).to_have_count(2)
    expect(page.locator(".grid-legend")).to_have_text("✕ switched off≠ changed")
    expect(page.locator("#head-title")).to_have_text("Layer 0, head 1 ✕ switched off")
    page.get_by_role("tab", name="Heads").click()
    expect(page.locator(".heads-pick .head-mark")).to_have_text(["✕", "≠"])
    page.get_by_role("tab", name="Lines").click()
    expect(page.locator(".series-chip .head-mark")).to_have_text(["✕ switched off", "≠ changed"])
    page.get_by_role("radio", name="Before").check(force=True)
    expect(page.locator("#grid .head-mark:visible")).to_have_count(0)
    expect(page.locator("#head-title")).to_have_text("Layer 0, head 1")


def test_a_mean_of_heads_is_what_its_parts_concern(page: Page) -> None:
    page.goto(f"{ADDRESS}&heads=1.2&mean=1")
    expect(page.locator("#head-title")).to_have_text("Mean of 2 heads")
    expect(page.locator("#heads-name")).to_have_text("Mean of 2 heads")
    expect(page.locator("#heads .note").first).to_have_text("Mean of the measures of heads L0 H1, L1 H2.")
    expect(page.locator("#distribution .note")).to_contain_text("Layer 0, head 1 (this head only, not the mean)")
    page.get_by_role("button", name="Switch these 2 heads off").click()
    page.wait_for_url("**changes=off-0.1_off-1.2")
    expect(page.locator("#head-title")).to_have_text("Mean of 2 heads ✕ 2: switched off")
    page.get_by_role("button", name="Undo").click()
    until(page, "() => !location.search.includes('changes')")


def test_rows_are_said_once_to_add_up_to_what_they_do(page: Page) -> None:
    meaning = page.locator("#stage-meaning")
    page.goto(ADDRESS)
    expect(meaning).to_contain_text("softmax of each row: every row adds up to 1")
    page.get_by_label("Hide special tokens").check()
    expect(meaning).to_contain_text("hidden columns keep their share")
    expect(meaning).not_to_contain_text("every row adds up to 1")
    expect(page.locator("#matrix-options .note")).to_be_hidden()
    page.get_by_label("rows add up to 1 again").check()
    expect(meaning).to_contain_text("softmax of each row: every row adds up to 1")
    page.get_by_role("radio", name="raw", exact=True).check(force=True)
    expect(meaning).not_to_contain_text("add")
    expect(page.locator("#axes-verb")).to_have_text("with")
    expect(page.locator("#reads .reads-title")).to_contain_text("scores highest with (raw scores)")
