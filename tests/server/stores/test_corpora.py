"""Corpora of a server: built in, the operator's, uploaded; prepared once, few kept, shared with other servers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from attention_core.atlas.corpus.errors import CorpusError
from server.settings import Settings
from server.stores.corpora import Corpora
from server.stores.corpus import Corpus
from server.web.errors import ApiError


def with_corpora(tmp_path: Path, test: Callable[[Corpora], Awaitable[None]], **limits: Any) -> None:
    async def whole() -> None:
        corpora = Corpora(Settings(hub_models=(), atlases_dir=tmp_path / "atlases", **limits))
        try:
            await test(corpora)
        finally:
            await corpora.close()

    asyncio.run(whole())


async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def text(word: str) -> AsyncIterator[bytes]:
    return chunks(f"A text about a {word}.\n".encode())


def names(found: list[Corpus]) -> list[str]:
    return [corpus.name for corpus in found]


@pytest.mark.full
def test_the_operator_s_files_are_corpora_the_broken_ones_with_their_reason(tmp_path: Path) -> None:
    folder = tmp_path / "corpora"
    folder.mkdir()
    (folder / "news.txt").write_text("One.\n\nTwo.\n")
    (folder / "empty.txt").write_text("\n")
    (folder / "notes.pdf").write_bytes(b"%PDF")
    (folder / ".hidden.txt").write_text("no")
    (folder / "folder.txt").mkdir()

    async def test(corpora: Corpora) -> None:
        first = await corpora.all()
        assert names(first) == ["probe", "empty.txt", "news.txt", "notes.pdf"]
        assert (await corpora.ready("news.txt")).facts is not None
        for name in ("empty.txt", "notes.pdf"):
            with pytest.raises(CorpusError):
                await corpora.ready(name)
        by_name = {corpus.name: corpus for corpus in await corpora.all()}
        assert {name: corpus.state for name, corpus in by_name.items()} == {
            "probe": "ready", "empty.txt": "failed", "news.txt": "ready", "notes.pdf": "failed",
        }  # fmt: skip
        news = by_name["news.txt"]
        assert news.facts is not None
        assert (news.id, news.facts.documents, news.uploaded) == ("news.txt", 2, False)
        assert "notes.pdf has an unknown format" in str(by_name["notes.pdf"].reason)
        assert await corpora.own_hashes() == {news.facts.hash}
        (folder / "news.txt").write_text("One.\n\nTwo.\n\nThree.\n")  # another corpus now
        again = (await corpora.ready("news.txt")).facts
        assert again is not None
        assert again.documents == 3

    with_corpora(tmp_path, test, corpora_dir=folder)


@pytest.mark.full
def test_an_upload_is_kept_under_the_hash_of_its_documents(tmp_path: Path) -> None:
    async def test(corpora: Corpora) -> None:
        first = await corpora.upload("one.txt", text("cat"))
        same = await corpora.upload("another name.txt", chunks(b"A text ", b"about a cat.\n\n\n"))
        other = await corpora.upload("two.txt", text("dog"))
        assert first.id == same.id != other.id
        assert first.id.startswith("upload-")
        assert (await corpora.ready(other.id)).facts == other.facts
        assert {corpus.id for corpus in await corpora.all()} == {"probe", first.id, other.id}
        await corpora.remove(first.id)
        assert {corpus.id for corpus in await corpora.all()} == {"probe", other.id}
        with pytest.raises(ApiError, match="no such corpus"):
            await corpora.ready(first.id)
        assert not list((tmp_path / "atlases" / "corpora").glob("incoming-*"))

    with_corpora(tmp_path, test)


@pytest.mark.full
def test_the_least_recently_used_upload_leaves_unless_it_is_being_scanned(tmp_path: Path) -> None:
    async def test(corpora: Corpora) -> None:
        kept = [await corpora.upload("a.txt", text(word)) for word in ("cat", "dog")]
        await corpora.ready(kept[0].id)  # used last
        third = await corpora.upload("a.txt", text("bird"))
        assert {corpus.id for corpus in await corpora.all()} == {"probe", kept[0].id, third.id}
        with corpora.used(kept[0]):
            with pytest.raises(ApiError, match="being scanned"):
                await corpora.remove(kept[0].id)
            fourth = await corpora.upload("a.txt", text("fish"))
        assert {corpus.id for corpus in await corpora.all()} == {"probe", kept[0].id, fourth.id}

    with_corpora(tmp_path, test, kept_corpora=2)


@pytest.mark.full
def test_a_corpus_that_one_server_scans_no_other_deletes(tmp_path: Path) -> None:
    async def test(corpora: Corpora) -> None:
        other = Corpora(Settings(hub_models=(), atlases_dir=tmp_path / "atlases", kept_corpora=1))
        kept = await corpora.upload("a.txt", text("cat"))
        with other.used(kept), other.used(kept):
            with pytest.raises(ApiError) as refused:
                await corpora.remove(kept.id)
            assert (refused.value.status, refused.value.code) == (409, "corpus_in_use")
            await other.upload("a.txt", text("dog"))
            assert kept.id in {corpus.id for corpus in await corpora.all()}, "nor does it leave to make room"
        await corpora.remove(kept.id)
        with pytest.raises(ApiError, match="no such corpus"), other.used(kept):
            pass
        assert not [path for path in (tmp_path / "atlases" / "corpora").iterdir() if path.name.startswith(kept.id)]
        await other.close()

    with_corpora(tmp_path, test)


def test_limits_are_named(tmp_path: Path) -> None:
    async def test(corpora: Corpora) -> None:
        with pytest.raises(CorpusError, match="max_corpus_documents"):
            await corpora.upload("a.txt", chunks(b"One.\n\nTwo.\n\nThree.\n"))
        with pytest.raises(CorpusError, match="max_corpus_characters"):
            await corpora.upload("a.txt", chunks(b"One very long text without an end.\n"))
        assert names(await corpora.all()) == ["probe"]

    with_corpora(tmp_path, test, max_corpus_documents=2, max_corpus_characters=20)


def test_the_server_s_own_corpora_cannot_be_deleted(tmp_path: Path) -> None:
    async def test(corpora: Corpora) -> None:
        with pytest.raises(ApiError, match="the server's own"):
            await corpora.remove("probe")

    with_corpora(tmp_path, test)


@pytest.mark.full
def test_two_servers_with_one_folder_see_each_other_s_uploads(tmp_path: Path) -> None:
    async def test(corpora: Corpora) -> None:
        other = Corpora(Settings(hub_models=(), atlases_dir=tmp_path / "atlases"))
        found = await asyncio.gather(
            *(each.upload("a.txt", text(word)) for each in (corpora, other) for word in ("cat", "dog"))
        )
        assert len({corpus.id for corpus in found}) == 2
        assert await corpora.all() == await other.all()
        assert (await corpora.ready("probe")).facts == (await other.ready("probe")).facts
        await other.close()

    with_corpora(tmp_path, test)
