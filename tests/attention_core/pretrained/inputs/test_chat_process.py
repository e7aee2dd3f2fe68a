"""Chat templates in a process that bounds them."""

import sys
import threading

import pytest

from attention_core.pretrained.inputs.chat_process import (
    FRAME_CHARACTERS,
    SECONDS,
    TemplateFailedError,
    TemplateTooExpensiveError,
    _templates,
    run_template,
)

MESSAGES = [{"role": "user", "content": "The cat \ud83d sat."}]
HAS_BOUNDS = pytest.mark.skipif(sys.platform != "linux", reason="its bounds are Linux's")


def test_a_template_writes_with_the_tokens_it_is_given() -> None:
    template = "{{ bos_token }}{% for m in messages %}{{ m.role }}: {{ m.content }}{% endfor %}{{ more | join }}"
    written = run_template(template, MESSAGES, {"bos_token": "<s>", "more": ["<a>", "<b>"]})
    assert written == "<s>user: The cat \ud83d sat.<a><b>"
    assert run_template("{{ add_generation_prompt }}", MESSAGES, {}) == "True"


@pytest.mark.parametrize("template", ["{{ raise_exception('no') }}", "{% for %}", "{{ messages.x.y }}"])
def test_one_that_fails_leaves_the_process_as_it_was(template: str) -> None:
    run_template("", MESSAGES, {})
    before = set(_templates._all)
    with pytest.raises(TemplateFailedError):
        run_template(template, MESSAGES, {})
    assert set(_templates._all) == before


def test_a_slow_template_makes_only_those_wait_who_ask_for_the_same() -> None:
    slow, written = "{{ messages[0].role }}", []
    waiting = threading.Thread(target=lambda: written.append(run_template(slow, MESSAGES, {})))
    with _templates.turn(slow):  # as while it runs
        waiting.start()
        for text in ("one", "two", "three"):
            assert run_template(text, MESSAGES, {}) == text
        assert written == []
    waiting.join(60)
    assert written == ["user"]


@pytest.mark.full
def test_processes_end_at_once_and_are_begun_anew() -> None:
    run_template("", MESSAGES, {})
    ended = list(_templates._all)
    _templates.close()
    assert all(process._process.poll() is not None for process in ended)
    assert run_template("{{ messages[0].role }}", MESSAGES, {}) == "user"


@HAS_BOUNDS
@pytest.mark.full
@pytest.mark.parametrize(
    "template",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{{ 'a' * 2000000000 }}",
        "{% set ns = namespace(x='a') %}{% for _ in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
        f"{{{{ 'a' * {FRAME_CHARACTERS + 1000} }}}}",
    ],
    ids=["time", "memory at once", "memory by and by", "characters"],
)
def test_one_beyond_its_bounds_is_ended_and_the_next_one_runs(template: str) -> None:
    with pytest.raises(TemplateTooExpensiveError):
        run_template(template, MESSAGES, {})
    assert run_template("{{ messages[0].role }}", MESSAGES, {}) == "user"


@HAS_BOUNDS
@pytest.mark.full
def test_the_time_is_the_process_s_own() -> None:
    """A slow machine ends no template early: 60,000 steps take a fraction of what it has."""
    assert SECONDS > 1
    template = "{% for a in range(60000) %}{% endfor %}done"
    assert run_template(template, MESSAGES, {}) == "done"
