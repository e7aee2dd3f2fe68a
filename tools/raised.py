"""What our code says when it fails: the texts of every exception it raises, as templates with named places.

What ``say(…)`` is called with counts too: a failure that is told, not raised.

``raise ValueError(f"temperature must be > 0, not {temperature!r}")`` is "temperature must be > 0, not {temperature}".
The core knows nothing of languages; the server finds the template behind a sentence and says it in another language.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("attention_core", "server")
PATTERNS = "server/web/sentence_patterns.py"
"""Templates that many sentences share."""
UNHEARD = frozenset(
    {
        "attention_core/decoder_weights.py",
        "attention_core/feed_forward.py",
        "attention_core/pretrained/models/devices.py",
        "attention_core/training/history.py",
        "server/settings.py",
        "server/pages/single_file.py",
    }
)
"""What stops the start, or only a program of ours can cause: no request leads to it."""
PLACE = re.compile(r"\{\w+\}")
PLAIN = re.compile(r"[\w.{}()'/-]+")
"""What a pattern's place may stand for in a template that needs no translation of its own."""
SENTENCE = re.compile(r"[A-Za-z{}]\S* \S+")
"""Codes and names of fields have no spaces."""
NOT_FOR_READERS = ("RuntimeError", "KeyError", "NotImplementedError", "AssertionError", "AttributeError")
"""What only a programmer can cause; it never reaches a reader."""


def templates(root: Path) -> Iterator[tuple[str, int, str]]:
    """File, line and text of every template that needs a translation: the shared ones, and what none of them covers."""
    source = (root / PATTERNS).read_text(encoding="utf-8")
    patterns_of = ast.walk(_patterns(ast.parse(source)))
    shared = [
        (node.lineno, node.value)
        for node in patterns_of
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    yield from ((PATTERNS, line, text) for line, text in shared)
    patterns = [_pattern(text) for _, text in shared]
    for path, line, template in raised(root):
        if path not in UNHEARD and not is_covered(template, patterns):
            yield path, line, template


def is_covered(template: str, patterns: list[re.Pattern[str]]) -> bool:
    """Whether a shared pattern says all of a template, so that only names, numbers and places stand in its places."""
    found = (pattern.fullmatch(template) for pattern in patterns)
    return any(one is not None and all(map(PLAIN.fullmatch, one.groups())) for one in found)


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile("(.+?)".join(map(re.escape, PLACE.split(template))))


def _patterns(tree: ast.Module) -> ast.expr:
    (value,) = _assigned(tree.body)["PATTERNS"]
    return value


def raised(root: Path) -> Iterator[tuple[str, int, str]]:
    """File, line and template of every sentence that an exception is raised with."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for line, template in sorted(set(_of_module(tree))):
                yield path.relative_to(root).as_posix(), line, template


def _of_module(tree: ast.Module) -> Iterator[tuple[int, str]]:
    constants = _assigned(tree.body)
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            known = {**constants, **_assigned(list(ast.walk(scope)))}
            for call in ast.walk(scope):
                if isinstance(call, ast.Call) and (_is_error(call) or _is_said(call)):
                    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
                        yield from ((call.lineno, text) for text in _texts(argument, known) if SENTENCE.search(text))


def _is_error(call: ast.Call) -> bool:
    name = ast.unparse(call.func).rpartition(".")[2]
    return (name.endswith("Error") and name not in NOT_FOR_READERS) or name == "Cancelled"


def _is_said(call: ast.Call) -> bool:
    """Whether the server says it in the language of the request although nothing was raised."""
    return ast.unparse(call.func) == "say"


def _assigned(nodes: list[ast.AST] | list[ast.stmt]) -> dict[str, list[ast.expr]]:
    """What names are given, each time."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
    return found


def _texts(node: ast.expr, known: dict[str, list[ast.expr]]) -> Iterator[str]:
    """Every text that an expression may stand for."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield _template(node)
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body, known)
        yield from _texts(node.orelse, known)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for left in _texts(node.left, known):
            yield from (left + right for right in _texts(node.right, known))
    elif isinstance(node, ast.Name):
        for value in known.get(node.id, []):
            if not isinstance(value, ast.Name):
                yield from _texts(value, known)


def _template(node: ast.JoinedStr) -> str:
    names: list[str] = []
    parts = []
    for value in node.values:
        if isinstance(value, ast.Constant):
            parts.append(str(value.value))
        elif isinstance(value, ast.FormattedValue):
            name = _name(value.value)
            while name in names:
                name += "_"
            names.append(name)
            parts.append(f"{{{name}}}")
    return "".join(parts)


def _name(node: ast.expr) -> str:
    """A word for what stands in a place: the last name in it."""
    words = re.findall(r"[A-Za-z_]\w*", ast.unparse(node))
    return (words[-1].strip("_") if words else "") or "value"
