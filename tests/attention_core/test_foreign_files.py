"""Opening files of folders that strangers made, and that nothing opens them in another way."""

import ast
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from attention_core import foreign_files
from attention_core.foreign_files import ForeignFileError

LIMIT = 100


def make_sparse(path: Path, nbytes: int) -> None:
    with path.open("wb") as file:
        file.truncate(nbytes)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))


NO_FILES = {
    "pipe": (os.mkfifo, "pipe is a named pipe, not a file."),
    "socket": (make_socket, "socket is a socket, not a file."),
    "folder": (Path.mkdir, "folder is a folder, not a file."),
    "loop": (lambda path: path.symlink_to(path.name), "loop is a link that leads back to itself."),
    "nowhere": (lambda path: path.symlink_to("gone"), "nowhere is a link to a place that is not there."),
    "device": (lambda path: path.symlink_to("/dev/zero"), "device is a device, not a file."),
    "terminal": (lambda path: path.symlink_to("/dev/tty"), "terminal is a device, not a file."),
    "missing": (lambda path: None, "missing is missing."),
    "sparse": (lambda path: make_sparse(path, 3 * 10**9), f"sparse is larger than {LIMIT} bytes"),
    "x" * 300: (lambda path: None, f"{'x' * 80!a}… cannot be read (File name too long)."),
    "a\0b": (lambda path: None, "is not the name of a file."),
}


@pytest.mark.parametrize("name", NO_FILES)
def test_what_is_no_file_is_refused_at_once_and_says_why(tmp_path: Path, name: str) -> None:
    make, reason = NO_FILES[name]
    make(tmp_path / name)
    started = time.monotonic()
    with pytest.raises(ForeignFileError) as refused:
        foreign_files.read(tmp_path / name, LIMIT)
    assert time.monotonic() - started < 5
    assert reason in str(refused.value)
    assert foreign_files.is_file(tmp_path / name) is (name == "sparse")
    assert foreign_files.is_folder(tmp_path / name) is (name == "folder")
    assert foreign_files.is_there(tmp_path / name) is (name not in ("missing", "x" * 300, "a\0b"))
    assert foreign_files.is_dangling(tmp_path / name) is (name in ("loop", "nowhere"))
    assert foreign_files.is_endless(tmp_path / name) is (name == "loop")
    assert (foreign_files.state_of(tmp_path / name) is not None) is (name == "sparse")


def test_files_and_links_to_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * LIMIT)
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "c").symlink_to(tmp_path / "b")
    for name in "abc":
        assert foreign_files.read(tmp_path / name, LIMIT) == b"x" * LIMIT
        with pytest.raises(ForeignFileError, match="larger than 99 bytes"):
            foreign_files.read(tmp_path / name, LIMIT - 1)
        assert foreign_files.why_unreadable(tmp_path / name) is None


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * LIMIT)
    real = os.fstat

    def grown(descriptor: int) -> os.stat_result:
        found = real(descriptor)
        with path.open("ab") as file:
            file.write(b"more")
        return found

    monkeypatch.setattr(os, "fstat", grown)
    with pytest.raises(ForeignFileError, match="larger than 100 bytes"):
        foreign_files.read(path, LIMIT)


def test_a_file_that_is_swapped_for_a_pipe_between_looking_and_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x")
    real = os.stat

    def swapped(given: Path) -> os.stat_result:
        found = real(given)
        path.unlink()
        os.mkfifo(path)
        return found

    monkeypatch.setattr(os, "stat", swapped)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(ForeignFileError, match="is a named pipe"):
        foreign_files.read(path, LIMIT)
    assert len(os.listdir("/proc/self/fd")) == before


def test_entries_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "cab":
        (tmp_path / name).touch()
    assert [path.name for path in foreign_files.entries(tmp_path)] == ["a", "b", "c"]
    monkeypatch.setattr(foreign_files, "MAX_ENTRIES", 2)
    with pytest.raises(ForeignFileError, match="holds more than 2 files"):
        foreign_files.entries(tmp_path)
    with pytest.raises(ForeignFileError, match="gone is missing"):
        foreign_files.entries(tmp_path / "gone")


def test_names_that_cannot_be_shown_are_escaped() -> None:
    assert foreign_files.shown("weights.bin") == "weights.bin"
    assert foreign_files.shown("\udcff.bin") == r"'\udcff.bin'…"
    assert foreign_files.shown("a\nb") == r"'a\nb'…"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_what_the_server_is_not_permitted_to_read(tmp_path: Path) -> None:
    (tmp_path / "locked").write_text("x")
    (tmp_path / "locked").chmod(0)
    (tmp_path / "closed").mkdir(mode=0)
    (tmp_path / "closed" / "inside").touch()
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(0o755)
    code = (
        "import os, sys; from pathlib import Path; from attention_core import foreign_files as f\n"
        "os.setuid(65534); folder = Path(sys.argv[1])\n"
        "for do in (lambda: f.read(folder / 'locked', 9), lambda: f.entries(folder / 'closed')):\n"
        "    try: do()\n"
        "    except f.ForeignFileError as error: print(error)\n"
        "print(f.is_there(folder / 'closed' / 'inside'), f.is_file(folder / 'closed' / 'inside'))\n"
    )
    said = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    locked, closed, seen = said.stdout.splitlines()
    assert locked.startswith("locked cannot be read: the account that runs the server is not permitted to.")
    assert closed.startswith("closed cannot be read: the account that runs the server is not permitted to.")
    assert seen == "False False"


# --- nothing opens them in another way --------------------------------------------------------------------------------

ROOMS = (
    "attention_core/pretrained/models",
    "attention_core/atlas/reading",
    "attention_core/atlas/corpus",
    "server/stores/corpora.py",
    "server/stores/atlas_library.py",
)
"""What reads models, adapters, the hub's cache, atlases and corpora."""
OPENING = frozenset({"open", "read_text", "read_bytes", "fdopen"})
LOOKING = frozenset({"is_file", "is_dir", "exists", "stat", "lstat", "iterdir", "glob", "rglob", "resolve", "scandir"})
LISTING = frozenset({"listdir", "walk", "fstat"})
LIBRARIES = frozenset({"from_pretrained", "load_file", "safe_open", "ParquetFile", "read_table", "read_parquet"})
OUR_OWN = {
    ("library_source.py", "read_text"): "the installed library's code",
    ("folders.py", "fstat"): "of a file that is open",
    ("safetensors_header.py", "fstat"): "of a file that is open",
    ("conllu.py", "open"): "written here",
    ("memory_limit.py", "is_file"): "of the system",
    ("memory_limit.py", "read_text"): "of the system",
    ("mapped_files.py", "is_file"): "of the system",
    ("mapped_files.py", "read_text"): "of the system",
    ("shards.py", "is_file"): "a shard that was written here",
    ("shards.py", "glob"): "shards that were written here",
    ("shards.py", "read_table"): "a shard that was written here",
    ("corpora.py", "open"): "an upload is written",
    ("corpora.py", "glob"): "folders that were written here",
}


def calls(tree: ast.AST) -> Iterator[tuple[ast.Call, str, str]]:
    """Every call with its function's name, and what that is an attribute of."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Attribute):
                yield node, function.attr, ast.unparse(function.value)
            elif isinstance(function, ast.Name):
                yield node, function.id, ""


def violations(name: str, source: str) -> list[str]:
    tree = ast.parse(source)
    safe = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith(("foreign_files", "model_files"))
        for alias in node.names
    } | {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}  # whose bodies are looked at, too
    found = []
    for call, function, owner in calls(tree):
        if owner == "foreign_files" or (not owner and function in safe) or (name, function) in OUR_OWN:
            continue
        if function in OPENING | LOOKING | LISTING:
            found.append(f"{name}:{call.lineno} {function}")
        elif function in LIBRARIES and not _is_checked(call):
            found.append(f"{name}:{call.lineno} {function} of an unchecked path")
    return found


def _is_checked(call: ast.Call) -> bool:
    """Whether what the library opens has been checked in the same expression."""
    first = call.args[0] if call.args else None
    return isinstance(first, ast.Call) and ast.unparse(first.func) in {"for_library", "foreign_files.checked"}


def test_files_of_strangers_are_opened_by_this_module_alone(root: Path) -> None:
    files = [
        path for room in ROOMS for path in ([root / room] if room.endswith(".py") else (root / room).rglob("*.py"))
    ]
    assert len(files) > 40
    assert [each for path in sorted(files) for each in violations(path.name, path.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    "line",
    [
        "path.open('rb')",
        "open(path)",
        "path.read_text()",
        "(folder / name).is_file()",
        "os.scandir(folder)",
        "AutoTokenizer.from_pretrained(folder)",
        "load_file(adapter.weights)",
        "json.loads(path.read_bytes())",
    ],
)
def test_the_rule_finds_what_it_looks_for(line: str) -> None:
    assert violations("a.py", line)
    assert not violations("a.py", "from attention_core.foreign_files import is_file\nis_file(path)")
    assert not violations("a.py", "AutoTokenizer.from_pretrained(for_library(folder))")
