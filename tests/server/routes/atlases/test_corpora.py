"""GET, POST and DELETE /api/corpora."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from server.settings import Settings

TREE = """# text = Cats sleep.
1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

1\tbroken

"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    root = tmp_path_factory.mktemp("server")
    return Settings(
        device="cpu", hub_models=(), preload=False, atlases_dir=root, max_corpus_bytes=20_000, max_corpus_documents=50
    )


def upload(client: TestClient, name: str, content: bytes | Iterator[bytes]) -> Any:
    return client.post("/api/corpora", params={"name": name}, content=content)


@pytest.mark.full
def test_an_upload_says_what_was_read_and_what_was_not(client: TestClient) -> None:
    answer = upload(client, "trees.conllu", TREE.encode())
    assert answer.status_code == 201
    corpus = answer.json()
    reason = corpus["skipped"]["first"][0].pop("reason")
    assert reason
    assert corpus == {
        "id": corpus["id"], "name": "trees.conllu", "state": "ready", "reason": None, "documents": 1,
        "characters": len("Cats sleep."), "has_relations": True, "has_upos": True, "uploaded": True,
        "yours": True, "deletable": True, "skipped": {"count": 1, "first": [{"line": 6}]},
    }  # fmt: skip
    assert corpus["id"] in {each["id"] for each in client.get("/api/corpora").json()["corpora"]}
    assert corpus["id"] in {each["id"] for each in client.get("/api/atlases").json()["corpora"]}
    assert client.delete(f"/api/corpora/{corpus['id']}").status_code == 204
    assert corpus["id"] not in {each["id"] for each in client.get("/api/corpora").json()["corpora"]}


@pytest.mark.full
def test_malformed_lines_are_in_the_answer_by_number(client: TestClient) -> None:
    lines = ['{"text": "One."}', "{", '{"words": 3}', '{"text": "Two."}', '{"text": ""}']
    corpus = upload(client, "a.jsonl", "\n".join(lines).encode()).json()
    assert corpus["documents"] == 2
    assert [each["line"] for each in corpus["skipped"]["first"]] == [2, 3, 5]
    assert all(each["reason"] for each in corpus["skipped"]["first"])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b""),
        ("a.txt", b"\x00\x00"),
        ("a.jsonl", b"[]"),
        ("a.conllu", b"no columns\n"),
        ("a.parquet", b"PAR1"),
        ("a.csv", b"\xff\xfe\x00"),
        ("a.txt.gz", b"not packed"),
    ],
)
def test_broken_files_are_refused_with_a_reason(
    client: TestClient, assert_error: Any, name: str, content: bytes
) -> None:
    assert_error(upload(client, name, content), 422, "corpus_invalid", "corpus")


def test_limits_are_named(client: TestClient, assert_error: Any) -> None:
    assert_error(upload(client, "a.txt", b"a" * 20_001), 413, "body_too_large", "body", 20_000)
    pieces = iter([b"a" * 9_000] * 3)
    assert_error(upload(client, "a.txt", pieces), 413, "body_too_large", "body", 20_000)
    message = assert_error(upload(client, "a.txt", b"a\n\n" * 51), 422, "corpus_too_large", "corpus", 50)
    assert "max_corpus_documents" in message


@pytest.mark.parametrize("name", ["a.pdf", "a", "folder/a.txt", "..\\a.txt", "a\n.txt", ".txt", "a" * 200 + ".txt", ""])
def test_names_that_are_no_file_names_are_refused(client: TestClient, assert_error: Any, name: str) -> None:
    assert_error(upload(client, name, b"text"), 422, "invalid_request", "name")


def test_corpora_that_are_not_there_or_not_uploaded_cannot_be_deleted(client: TestClient, assert_error: Any) -> None:
    assert_error(client.delete("/api/corpora/upload-1"), 404, "unknown_corpus", "corpus")
    assert_error(client.delete("/api/corpora/probe"), 409, "corpus_kept", "corpus_id")


def test_nothing_of_an_upload_is_left_but_the_corpus(client: TestClient, settings: Settings) -> None:
    corpus = upload(client, "a.txt", b"A text.").json()
    folder = settings.atlases_folder / "corpora"
    assert [path.name for path in folder.iterdir() if path.name.startswith(("incoming", "deleted"))] == []
    kept = {path.name for path in Path(folder / corpus["id"]).iterdir()}
    assert kept == {"corpus.json", "shard-00000.parquet", ".lock"}
    assert json.loads((folder / corpus["id"] / "corpus.json").read_text())["name"] == "a.txt"


def test_the_column_of_the_texts_can_be_said_and_a_refusal_calls_the_file_by_its_name(
    client: TestClient, assert_error: Any
) -> None:
    content = b"title,body\nA,One.\nB,Two.\n"
    refused = assert_error(upload(client, "my news.csv", content), 422, "corpus_invalid", "column")
    assert refused == 'my news.csv has no column called "text", but "title", "body": say which one holds the texts.'
    answer = client.post("/api/corpora", params={"name": "my news.csv", "column": "body"}, content=content)
    assert (answer.status_code, answer.json()["documents"], answer.json()["characters"]) == (201, 2, 8)
    wrong = client.post("/api/corpora", params={"name": "my news.csv", "column": "text"}, content=content)
    assert_error(wrong, 422, "corpus_invalid", "column")
    long = assert_error(upload(client, "長" * 170 + ".csv", content), 422, "corpus_invalid", "column")
    assert long.startswith("長" * 49 + "….csv has no column")
