"""The watch over the browser: each kind of trouble is really seen, and a profile's next user finds it empty."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from driving import visit_concept
from playwright.sync_api import Error, Page
from profiles import Problems, Profiles

SOME_PAGE = "/embed/rope"


def trouble(problems: Any) -> str:
    """What the watch saw, taken as meant."""
    seen = "\n".join(problems.found)
    problems.expected += [re.escape(found) for found in problems.found]
    return seen


def test_a_console_error_is_seen(page: Page, problems: Any) -> None:
    visit_concept(page, SOME_PAGE)
    with page.expect_console_message():
        page.evaluate("() => console.error('spilled')")
    assert trouble(problems) == "console: spilled"


def test_an_uncaught_exception_is_seen(page: Page, problems: Any) -> None:
    visit_concept(page, SOME_PAGE)
    with page.context.expect_event("weberror"):
        page.evaluate("() => void setTimeout(() => { throw new Error('thrown'); })")
    assert trouble(problems) == "uncaught: thrown"


def test_a_missing_file_is_seen(page: Page, problems: Any) -> None:
    visit_concept(page, SOME_PAGE)
    with page.expect_console_message():
        page.evaluate("() => void document.body.append(Object.assign(new Image(), { src: '/no-such-picture' }))")
    assert re.fullmatch("console: .* 404 .*", trouble(problems))


def test_another_host_is_seen_and_not_reached(page: Page, problems: Any) -> None:
    with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        page.goto("http://elsewhere.invalid/")
    assert "other host: http://elsewhere.invalid/" in trouble(problems)


def test_a_csp_violation_is_seen(page: Page, problems: Any) -> None:
    visit_concept(page, SOME_PAGE)
    with page.expect_console_message(lambda message: message.text.startswith("CSP violation")):
        page.evaluate(
            "() => { const policy = document.createElement('meta'); policy.httpEquiv = 'Content-Security-Policy';"
            " policy.content = \"img-src 'none'\"; document.head.append(policy);"
            " document.body.append(Object.assign(new Image(), { src: '/picture' })); }"
        )
    assert "console: CSP violation: img-src blocked" in trouble(problems)


def test_an_expected_problem_must_happen(problems: Any) -> None:
    problems.expect("never")
    assert problems.verdict() == ["expected, but did not happen: never"]


def test_axe_finds_a_nameless_button(page: Page, axe: Callable[[Page], None]) -> None:
    visit_concept(page, SOME_PAGE)
    page.evaluate("() => document.body.append(document.createElement('button'))")
    with pytest.raises(AssertionError, match="button-name"):
        axe(page)


def test_nothing_is_left_to_a_profiles_next_user(profiles: Profiles, server_url: str, problems: Problems) -> None:
    kind = (server_url, 1024, "light", "en")
    profile = profiles.take(*kind)
    page = profile.open(problems)
    visit_concept(page, SOME_PAGE)
    page.evaluate("() => { localStorage.setItem('left', '1'); document.cookie = 'left=1'; }")
    profile.context.route("**/api/rope*", lambda route: route.abort())
    profile.context.set_offline(True)
    profiles.give_back(profile, *kind)
    assert profiles.take(*kind) is profile
    page = profile.open(problems)
    visit_concept(page, SOME_PAGE)
    assert page.evaluate("() => [localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
    profiles.give_back(profile, *kind)
    assert problems.found == []


def test_a_frozen_clock_is_left_to_nobody(profiles: Profiles, server_url: str, problems: Problems) -> None:
    kind = (server_url, 1024, "light", "ja")
    frozen = profiles.take(*kind)
    profiles.freeze_time(frozen.open(problems))
    profiles.give_back(frozen, *kind)
    profile = profiles.take(*kind)
    page = profile.open(problems)
    with page.context.expect_event("weberror"):
        page.evaluate("() => void setTimeout(() => { throw new Error('thrown'); })")
    assert trouble(problems) == "uncaught: thrown"
    profiles.give_back(profile, *kind)
