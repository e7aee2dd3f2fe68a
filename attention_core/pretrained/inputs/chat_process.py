"""Run chat templates in processes of their own, within bounds of time and memory.

A template is a program that comes with a model: two nested loops take hours, `'a' * 2000000000` gigabytes, and no
thread can be stopped. A process lives on between templates; one that goes beyond its bounds takes it along, and the
next template gets a new one. Each template has one process at a time, so that a slow one makes only those wait who ask
for the same.

``python -m attention_core.pretrained.inputs.chat_process`` says ``{"ready": true}``, hears orders and answers each
with ``{"text": …}``, ``{"failed": …}`` or ``{"too_much": …}``.
"""

import atexit
import json
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from attention_core.line_process import LineProcess, begin, say
from attention_core.memory_limit import lacks_memory, limited_memory

SECONDS = 2.0
"""Of the process's own time for one template."""
MEMORY_BYTES = 2**29
FRAME_CHARACTERS = 2**20
"""What a template may write around messages, each of which it may write several times."""
REPEATS = 4
PATIENCE_S = 60.0
"""Where the system bounds no process's time, for one template once the process is there."""
BEGINNING_S = 600.0
"""For a process to be there: it reads a large library, and a busy machine takes its time over that."""
AT_ONCE = 2
"""Templates at once, each in a process of its own; the second process begins with the first that would wait."""

Message = Mapping[str, str]


class TemplateFailedError(Exception):
    """A template that raised something."""


class TemplateTooExpensiveError(Exception):
    """A template that takes more time or memory than it may, or writes too much."""


class _Templates:
    """The processes, begun when they are needed. Each runs one template at a time, and no two the same one."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running: set[str] = set()
        self._idle: list[LineProcess] = []
        self._all: set[LineProcess] = set()

    def run(self, order: Mapping[str, Any]) -> Mapping[str, str]:
        """What a process says to this order. Raises EOFError or TimeoutError if it had to be ended."""
        with self.turn(order["template"]):
            process = self._take()
            try:
                process.tell(order)
                said: Mapping[str, str] = process.hear(PATIENCE_S)
            except BaseException:
                self._end(process)
                raise
            with self._changed:
                self._idle += [process] if process in self._all else []  # unless all were ended meanwhile
            return said

    @contextmanager
    def turn(self, template: str) -> Iterator[None]:
        """Wait until a process may run this template, and keep others from it meanwhile."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._running) < AT_ONCE and template not in self._running)
            self._running.add(template)
        try:
            yield
        finally:
            with self._changed:
                self._running.remove(template)
                self._changed.notify_all()

    def close(self) -> None:
        """End the processes at once, whatever they do."""
        with self._changed:
            processes = list(self._all)
        for process in processes:
            self._end(process)

    def _take(self) -> LineProcess:
        with self._changed:
            if self._idle:
                return self._idle.pop()
        process = LineProcess("attention_core.pretrained.inputs.chat_process")
        with self._changed:
            self._all.add(process)
        try:
            process.hear(BEGINNING_S)
        except BaseException:
            self._end(process)
            raise
        return process

    def _end(self, process: LineProcess) -> None:
        with self._changed:
            self._all.discard(process)
            if process in self._idle:
                self._idle.remove(process)
        process.close()


_templates = _Templates()
atexit.register(_templates.close)


def run_template(template: str, messages: Sequence[Message], special_tokens: Mapping[str, Any]) -> str:
    """What the template writes of these messages, and of the beginning of an answer.

    Raises TemplateFailedError, or TemplateTooExpensiveError beyond its bounds.
    """
    order = {"template": template, "messages": [dict(each) for each in messages], "tokens": dict(special_tokens)}
    try:
        said = _templates.run(order)
    except (EOFError, TimeoutError) as error:
        raise TemplateTooExpensiveError(str(error)) from error
    if "too_much" in said:
        raise TemplateTooExpensiveError(said["too_much"])
    if "failed" in said:
        raise TemplateFailedError(said["failed"])
    return said["text"]


# --- in the process -------------------------------------------------------------------------------------------------


def _main() -> None:
    from transformers.utils import chat_template_utils  # noqa: F401, PLC0415 - before memory is limited

    begin()
    say({"ready": True})
    for line in sys.stdin:
        say(_answer(json.loads(line)))


def _answer(order: Mapping[str, Any]) -> Mapping[str, str]:
    try:
        with limited_memory(MEMORY_BYTES, SECONDS):
            text = _written(**order)
            most = FRAME_CHARACTERS + REPEATS * sum(len(each["content"]) for each in order["messages"])
            return {"text": text} if len(text) <= most else {"too_much": f"{len(text)} characters"}
    except Exception as error:  # noqa: BLE001 - a template may raise anything
        return {"too_much" if lacks_memory(error) else "failed": f"{type(error).__name__}: {error}"[:FRAME_CHARACTERS]}


def _written(template: str, messages: list[dict[str, str]], tokens: dict[str, Any]) -> str:
    from transformers.utils.chat_template_utils import render_jinja_template  # noqa: PLC0415 - only in the process

    rendered, _ = render_jinja_template([messages], chat_template=template, add_generation_prompt=True, **tokens)
    return str(rendered[0])


if __name__ == "__main__":
    _main()
