"""Prepared corpora: bounds, ids, hashes, folders left half written, memory."""

import json
import multiprocessing
import re
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core.atlas.corpus.document import CorpusBounds, Document, Skipped, Word
from attention_core.atlas.corpus.errors import CorpusError, CorpusTooLargeError
from attention_core.atlas.corpus.facts import CorpusFacts
from attention_core.atlas.corpus.seen_ids import SeenIds
from attention_core.atlas.corpus.shards import (
    FIRST_SKIPPED,
    SHARD_CHARACTERS,
    SHARD_DOCUMENTS,
    prepare,
    prepare_documents,
    read_shard,
)
from attention_core.refusal import Sentence

BOUNDS = CorpusBounds()
WORDS = (
    Word(0, 4, 1, "nsubj", "PROPN"),
    Word(5, 9, -1, "root", "VERB", None),
    Word(10, 13, 1, "obj", "PRON", 0),
    Word(13, 14, None, None, None),
)


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def all_documents(folder: Path) -> list[Document]:
    return [one for index in range(CorpusFacts.read(folder).shards) for one in read_shard(folder, index)]


def test_documents_come_back_as_they_were_written(tmp_path: Path) -> None:
    documents = [Document("a", "Anna saw her.", WORDS), Document("b", "日本 🙂\r\nß", None), Document("c", "x", ())]
    facts = prepare_documents(documents, tmp_path, BOUNDS, "three")
    assert read_shard(tmp_path, 0) == documents
    assert facts == CorpusFacts.read(tmp_path)
    assert (facts.name, facts.documents, facts.characters, facts.shards) == ("three", 3, 13 + 7 + 1, 1)
    assert (facts.has_relations, facts.has_upos, facts.skipped, facts.duplicate_ids) == (True, True, 0, 0)
    table = pq.read_table(tmp_path / "shard-00000.parquet")
    assert table.column_names == ["document", "id", "text", "words"]
    assert table["document"].to_pylist() == [0, 1, 2]
    assert table["words"][0].as_py()[2] == {
        "start": 10, "end": 13, "head": 1, "relation": "obj", "upos": "PRON", "antecedent": 0,
    }  # fmt: skip


def test_a_shard_ends_with_the_document_that_fills_it(tmp_path: Path) -> None:
    lengths = [SHARD_CHARACTERS - 1, 1, 5, 3 * SHARD_CHARACTERS, 7]
    documents = [Document(str(length), "x" * length) for length in lengths]
    facts = prepare_documents(documents, tmp_path, BOUNDS, "lengths")
    shards = [[len(one.text) for one in read_shard(tmp_path, index)] for index in range(facts.shards)]
    assert shards == [[SHARD_CHARACTERS - 1, 1], [5, 3 * SHARD_CHARACTERS], [7]]
    assert pq.read_table(tmp_path / "shard-00001.parquet")["document"].to_pylist() == [2, 3]
    assert facts.characters == sum(lengths)


def test_the_hash_is_of_the_documents_and_not_of_the_file(tmp_path: Path) -> None:
    plain = prepare(write(tmp_path / "a.txt", "One.\n\nTwo.\n"), tmp_path / "1")
    marked = tmp_path / "b.txt"
    marked.write_bytes("One.\r\n\r\nTwo.".encode("utf-16"))
    assert prepare(marked, tmp_path / "2").hash == plain.hash
    lines = "\n".join(json.dumps({"id": one, "text": text}) for one, text in ((1, "One."), (3, "Two.")))
    assert prepare(write(tmp_path / "c.jsonl", lines), tmp_path / "3").hash == plain.hash
    others = ["One.\n\nTwo!\n", "Two.\n\nOne.\n", "One.\n\n\nTwo.\n", "One."]
    hashes = {prepare(write(tmp_path / "d.txt", text), tmp_path / "4").hash for text in others}
    assert len(hashes | {plain.hash}) == 5
    with_words = [
        prepare_documents([Document("1", "One."), Document("3", "Two.", words)], tmp_path / "5", BOUNDS, "").hash
        for words in (None, (), (Word(0, 3),), (Word(0, 3, -1),))
    ]
    assert with_words[0] == plain.hash
    assert len(set(with_words)) == 4


def test_the_same_file_is_prepared_once_and_another_replaces_it(tmp_path: Path) -> None:
    source, folder = write(tmp_path / "a.txt", "word " * 40_000), tmp_path / "corpus"
    facts = prepare(source, folder, CorpusBounds(max_document_characters=50_000))
    before = files(folder)
    kept = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert prepare(source, folder, CorpusBounds(max_document_characters=50_000)) == facts
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir() if path.name != ".lock"} == {
        path: time for path, time in kept.items() if path.name != ".lock"
    }
    again = tmp_path / "again"
    prepare(source, again, CorpusBounds(max_document_characters=50_000))
    assert files(again) == before
    other = prepare(write(tmp_path / "b.txt", "Short."), folder)
    assert (other.shards, sorted(files(folder))) == (1, [".lock", "corpus.json", "shard-00000.parquet"])


def test_another_name_changes_nothing_else(tmp_path: Path) -> None:
    source = write(tmp_path / "a.txt", "Text.")
    first = prepare(source, tmp_path / "corpus")
    named = prepare(source, tmp_path / "corpus", name="Plays")
    assert (first.name, named.name, first.hash) == ("a.txt", "Plays", named.hash)
    assert CorpusFacts.read(tmp_path / "corpus") == named


@pytest.mark.parametrize("left", ["no corpus.json", "half a corpus.json", "an older format", "no shard"])
def test_a_folder_left_half_written_is_made_anew(tmp_path: Path, left: str) -> None:
    source, folder = write(tmp_path / "a.txt", "One.\n\nTwo."), tmp_path / "corpus"
    prepare(source, folder)
    whole = files(folder)
    (folder / "shard-00000.parquet").write_bytes(whole["shard-00000.parquet"][:50])
    (folder / ".shard-00001.parquet").write_bytes(b"half")
    (folder / "shard-00007.parquet").write_bytes(b"of a longer corpus")
    if left == "no corpus.json":
        (folder / "corpus.json").unlink()
    elif left == "half a corpus.json":
        (folder / "corpus.json").write_bytes(whole["corpus.json"][:60])
    elif left == "no shard":
        (folder / "shard-00000.parquet").unlink()
        prepare(source, folder)
        assert (folder / "shard-00000.parquet").read_bytes() == whole["shard-00000.parquet"]
        return
    else:
        (folder / "corpus.json").write_text(json.dumps(json.loads(whole["corpus.json"]) | {"format": 0}), "utf-8")
    with pytest.raises(CorpusError, match=r"corpus holds no prepared corpus\."):
        CorpusFacts.read(folder)
    prepare(source, folder)
    assert files(folder) == whole


@pytest.mark.full
def test_processes_that_prepare_the_same_folder_wait_for_each_other(tmp_path: Path) -> None:
    source = write(tmp_path / "a.txt", "\n\n".join(f"Paragraph {index}." for index in range(20_000)))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        facts = pool.starmap(prepare, [(source, tmp_path / "corpus")] * 3)
    assert facts[0] == facts[1] == facts[2] == CorpusFacts.read(tmp_path / "corpus")
    assert len(all_documents(tmp_path / "corpus")) == 20_000


@pytest.mark.parametrize(
    ("bounds", "limit", "message"),
    [
        (CorpusBounds(max_bytes=40), 40, r"The corpus has more than 40 bytes \(max_corpus_bytes\)\."),
        (CorpusBounds(max_documents=2), 2, r"The corpus has more than 2 documents \(max_corpus_documents\)\."),
        (CorpusBounds(max_characters=33), 33, r"The corpus has more than 33 characters \(max_corpus_characters\)\."),
    ],
)
def test_a_corpus_beyond_a_bound_is_refused_with_the_name_of_the_setting(
    tmp_path: Path, bounds: CorpusBounds, limit: int, message: str
) -> None:
    source = write(tmp_path / "a.txt", "\n\n".join(["Text number 0", "Text number 1", "Number 2"]) + "\n\n\n")
    assert source.stat().st_size == 41
    assert prepare(source, tmp_path / "fits", CorpusBounds(41, 3, 34)).characters == 34
    with pytest.raises(CorpusTooLargeError, match=message) as refusal:
        prepare(source, tmp_path / "corpus", bounds)
    assert (refusal.value.field, refusal.value.limit) == ("corpus", limit)
    assert {path.name for path in (tmp_path / "corpus").glob("*")} <= {".lock"}


def test_what_is_skipped_is_counted_and_the_first_are_kept(tmp_path: Path) -> None:
    reason = Sentence('The object has no text called "{column}".', "text")
    found = [Document("1", "Text."), *(Skipped(line, reason) for line in range(2, 60))]
    facts = prepare_documents(found, tmp_path, BOUNDS, "a")
    assert (facts.documents, facts.skipped) == (1, 58)
    assert CorpusFacts.read(tmp_path).first_skipped == tuple(Skipped(line, reason) for line in range(2, 22))


def test_a_file_without_any_document_is_refused_with_the_first_reason(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"^empty\.txt contains no text\.$"):
        prepare(write(tmp_path / "empty.txt", "\n \n"), tmp_path / "1")
    with pytest.raises(CorpusError, match=r"^a\.jsonl contains no .* Line 2: The line is not a JSON object\.$"):
        prepare(write(tmp_path / "a.jsonl", "\n[]\n"), tmp_path / "2")


def test_duplicate_ids_get_a_suffix_and_nothing_is_lost(tmp_path: Path) -> None:
    ids = ["a", "b", "a", "a#2", "a", "b"]
    facts = prepare_documents([Document(one, f"Text {one}") for one in ids], tmp_path, BOUNDS, "ids")
    assert [one.id for one in read_shard(tmp_path, 0)] == ["a", "b", "a#2", "a#2#2", "a#3", "b#2"]
    assert facts.duplicate_ids == 4


@pytest.mark.full
@settings(deadline=None, suppress_health_check=[*HealthCheck])
@given(st.lists(st.lists(st.sampled_from(["a", "b", "a#2", "a#3", "a#2#2", "c"]))))
def test_ids_are_unique_in_whatever_batches_they_come(batches: list[list[str]]) -> None:
    seen = SeenIds()
    names = [name for batch in batches for name in seen.unique(batch)]
    ids = [name for batch in batches for name in batch]
    assert len(set(names)) == len(names) == len(ids)
    assert all(name == one or name.startswith(f"{one}#") for name, one in zip(names, ids, strict=True))
    assert seen.renamed == sum(name != one for name, one in zip(names, ids, strict=True))
    firsts = {one: ids.index(one) for one in set(ids) if "#" not in one}
    assert all(names[index] == one for one, index in firsts.items())
    assert names == SeenIds().unique(ids)


def test_ids_take_eight_bytes_each() -> None:
    seen = SeenIds()
    for start in range(0, 50_000, 1_000):
        seen.unique([str(index) for index in range(start, start + 1_000)])
    assert sum(level.nbytes for level in seen.levels) == 8 * 50_000
    assert len(seen.levels) < 8
    assert seen.unique(["0", "49999", "50000"]) == ["0#2", "49999#2", "50000"]


MEASURED = """
import resource, sys
from pathlib import Path
from attention_core.atlas.corpus.shards import prepare
warm, source, folder = map(Path, sys.argv[1:])
prepare(warm, folder / "warm")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
facts = prepare(source, folder / "corpus")
print(facts.documents, facts.characters, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.full
@pytest.mark.parametrize("lines", [50, 1_000_000])
def test_memory_does_not_grow_with_a_file_of_a_million_lines(tmp_path: Path, root: Path, lines: int) -> None:
    """In paragraphs of fifty, and in one paragraph: 30 MB that take up 16 MB at most."""
    paragraph = "".join(f"line {line} of a long text\n" for line in range(lines))
    warm = write(tmp_path / "warm.txt", paragraph[:2_000_000] * 2)
    source = write(tmp_path / "large.txt", "\n".join([paragraph] * (1_000_000 // lines)))
    output = subprocess.run(
        [sys.executable, "-c", MEASURED, warm, source, tmp_path], check=True, capture_output=True, text=True, cwd=root
    ).stdout
    documents, characters, megabytes = map(int, output.split())
    if lines == 50:
        assert (documents, characters) == (20_000, 20_000 * len(paragraph.strip()))
    else:
        assert documents == -(-len(paragraph) // BOUNDS.max_document_characters)
        assert characters == len(paragraph.strip()) - (documents - 1)  # less the white space where it is cut
    assert megabytes < 16


def test_the_documentation_has_the_bounds(root: Path) -> None:
    page = (root / "docs" / "corpora.md").read_text("utf-8")
    for name, default in asdict(BOUNDS).items():
        setting = name if name.startswith("max_document_") else name.replace("max_", "max_corpus_")
        assert re.search(rf"^\| `{setting}` +\|.*\| {default:,} +\|$", page, re.MULTILINE), setting
    assert f"{SHARD_CHARACTERS:,} characters, or with its {SHARD_DOCUMENTS:,}th" in " ".join(page.split())
    assert f"the first {FIRST_SKIPPED} of it" in page


KILLED = """
import os, signal, sys
from pathlib import Path
from attention_core.atlas.corpus import shards
written = shards.write_parquet
def kill_after_the_third(table, path):
    written(table, path)
    if path.name == "shard-00002.parquet":
        os.kill(os.getpid(), signal.SIGKILL)
shards.write_parquet = kill_after_the_third
shards.prepare(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.full
def test_what_a_killed_process_leaves_is_made_anew(tmp_path: Path, root: Path) -> None:
    source, folder = write(tmp_path / "a.txt", f"{'word ' * 400}\n\n" * 300), tmp_path / "corpus"
    killed = subprocess.run([sys.executable, "-c", KILLED, source, folder], check=False, cwd=root)
    assert killed.returncode == -signal.SIGKILL
    assert len(list(folder.glob("shard-*"))) == 3
    with pytest.raises(CorpusError, match="holds no prepared corpus"):
        CorpusFacts.read(folder)
    facts = prepare(source, folder)
    assert (facts.documents, len(list(folder.glob("shard-*")))) == (300, facts.shards)
    assert facts.shards > 3
