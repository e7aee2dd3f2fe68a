"""Ways in which a file of somebody else's folder can be broken."""

import json
import os
import shutil
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

Damage = Callable[[Path], None]


def clear(path: Path) -> None:
    """Remove what is there, whatever it is."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _pipe(path: Path) -> None:
    clear(path)
    os.mkfifo(path)


def _socket(path: Path) -> None:
    clear(path)
    before = os.open(".", os.O_RDONLY)
    try:  # by its name alone: the path may be longer than a socket's may be
        os.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.fchdir(before)
        os.close(before)


def _folder(path: Path) -> None:
    clear(path)
    path.mkdir()


def _link(target: str) -> Damage:
    def make(path: Path) -> None:
        clear(path)
        path.symlink_to(target.format(name=path.name))

    return make


def _content(content: bytes) -> Damage:
    def make(path: Path) -> None:
        clear(path)
        path.write_bytes(content)

    return make


def _truncated(path: Path) -> None:
    content = path.read_bytes() if path.is_file() else b""
    _content(content[: len(content) // 2])(path)


def _sparse(path: Path) -> None:
    clear(path)
    with path.open("wb") as file:
        file.truncate(3 * 10**9)


DAMAGES: Mapping[str, Damage] = {
    "missing": clear,
    "pipe": _pipe,
    "socket": _socket,
    "folder": _folder,
    "loop": _link("{name}"),
    "nowhere": _link("gone"),
    "device": _link("/dev/zero"),
    "longest name": _link("x" * 255),
    "empty": _content(b""),
    "truncated": _truncated,
    "sparse": _sparse,
    "no text": _content(b"\xff\xfe\x00"),
    "deep": _content(b'{"a":' * 50_000),
    "list": _content(b"[]"),
    "long number": _content(b"1" * 5_000),
    "header too long": _content((2**40).to_bytes(8, "little") + b"{}"),
    "header of nothing": _content((2).to_bytes(8, "little") + b"[]"),
    "huge shape": _content(
        (
            len(shape := json.dumps({"a": {"dtype": "F32", "shape": [10**4000] * 3, "data_offsets": [0, 0]}}).encode())
        ).to_bytes(8, "little")
        + shape
    ),
    "negative shape": _content(
        (
            len(shape := json.dumps({"a": {"dtype": "F32", "shape": [-1, -1], "data_offsets": [0, 4]}}).encode())
        ).to_bytes(8, "little")
        + shape
        + bytes(4)
    ),
    "shards of odd names": _content(json.dumps({"weight_map": {"a": "x" * 300, "b": "\udcff"}}).encode()),
    "shard with a NUL": _content(b'{"weight_map": {"a": "x\\u0000y"}}'),
    "adapter of an odd name": _content(
        json.dumps({"base_model_name_or_path": "\ud800/" + "x" * 10**6, "peft_type": "\udfff"}).encode()
    ),
}
"""What is made of a file, there or not."""
