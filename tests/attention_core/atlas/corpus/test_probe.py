"""The probe corpus: its sentences, their trees and what a fixed offset finds of them."""

import hashlib
import json
import re
from collections import Counter
from dataclasses import astuple
from pathlib import Path

import pytest
from fixed_offsets import fixed_offsets

from attention_core.atlas.corpus.document import ROOT, CorpusBounds, Document, Word
from attention_core.atlas.corpus.formats import read_corpus
from attention_core.atlas.corpus.grammar import vocabulary
from attention_core.atlas.corpus.probe import GRAMMAR, SENTENCES, prepare_probe, probe_corpus, write_probe
from attention_core.atlas.corpus.shards import prepare, read_shard

FEMALE, MALE = set(vocabulary.WOMEN), set(vocabulary.MEN)
PLURALS = {many for nouns in vocabulary.NOUNS.values() for _, many in nouns if many}
SINGULARS = {one for nouns in vocabulary.NOUNS.values() for one, _ in nouns}


@pytest.fixture(scope="module")
def sentences() -> list[Document]:
    return list(probe_corpus())


def words_of(document: Document) -> tuple[Word, ...]:
    assert document.words is not None
    return document.words


def forms(document: Document) -> list[str]:
    return [document.text[word.start : word.end] for word in words_of(document)]


def grammatical(sentences: list[Document]) -> list[Document]:
    return [one for one in sentences if not one.id.startswith("repetition")]


def test_a_larger_corpus_begins_with_the_smaller_one(sentences: list[Document]) -> None:
    assert len(sentences) == SENTENCES
    assert list(probe_corpus(50)) == sentences[:50]
    assert list(probe_corpus(51))[:50] == sentences[:50]
    assert not {one.text for one in probe_corpus(50, seed=1)} & {one.text for one in sentences[:50]}
    with pytest.raises(ValueError, match="sentences must be at least 1, not 0"):
        next(probe_corpus(0))


def test_the_grammar_has_the_version_that_its_sentences_were_written_with(sentences: list[Document]) -> None:
    """If this fails, the sentences changed: raise GRAMMAR, so that prepared corpora are made anew."""
    content = json.dumps([(one.id, one.text, [astuple(word) for word in words_of(one)]) for one in sentences[:500]])
    assert (GRAMMAR, hashlib.sha256(content.encode()).hexdigest()[:16]) == (1, "f0553ffafc0e997e")


def test_every_sentence_is_a_projective_tree_of_all_its_words(sentences: list[Document]) -> None:
    for one in grammatical(sentences):
        heads = [word.head for word in words_of(one)]
        assert heads.count(ROOT) == 1
        for place, head in enumerate(heads):
            assert head is not None
            seen, at = {place}, head
            while at != ROOT:
                assert at not in seen, one.text
                seen.add(at)
                at = heads[at] if (step := heads[at]) is not None else ROOT
                assert step is not None
            for between in range(min(place, head) + 1, max(place, head)) if head != ROOT else ():
                at = between
                while at not in {head, ROOT}:
                    step = heads[at]
                    assert step is not None
                    at = step
                assert at == head, (one.text, place, between)


def test_words_are_the_text_with_single_spaces_between(sentences: list[Document]) -> None:
    for one in sentences:
        words = words_of(one)
        assert [one.text[word.start : word.end] for word in words] == re.findall(r"\w+|[^\w\s]", one.text)
        assert "  " not in one.text
        assert one.text == one.text.strip()
        assert words[-1].end == len(one.text)
    for one in grammatical(sentences):
        assert one.text[0].isupper() or one.text[0] == '"'
        assert one.text[-1] in '.?"'
        assert not re.search(r' [,.;?)]|\( |\ba [aeio]|\ban [^aeiou]|" *"', one.text), one.text


def test_relations_stand_between_the_parts_of_speech_that_they_are_for(sentences: list[Document]) -> None:
    dependents = {"det": {"DET"}, "amod": {"ADJ"}, "case": {"ADP"}, "aux": {"AUX"}, "cop": {"AUX"}, "nummod": {"NUM"},
                  "nsubj": {"NOUN", "PROPN", "PRON"}, "obj": {"NOUN", "PROPN", "PRON"}, "punct": {"PUNCT"},
                  "advmod": {"ADV", "PART"}, "mark": {"SCONJ"}, "cc": {"CCONJ"}, "flat": {"PROPN"}}  # fmt: skip
    heads = {"det": {"NOUN"}, "amod": {"NOUN"}, "nummod": {"NOUN"}, "case": {"NOUN", "PROPN"}, "aux": {"VERB"},
             "nsubj": {"VERB", "ADJ"}, "obj": {"VERB"}, "cop": {"ADJ"}, "flat": {"PROPN"}}  # fmt: skip
    for one in grammatical(sentences):
        words = words_of(one)
        for word in words:
            assert word.relation is not None
            assert word.head is not None
            assert (word.head == ROOT) == (word.relation == "root")
            assert word.upos in dependents.get(word.relation, {word.upos})
            if word.head != ROOT:
                assert words[word.head].upos in heads.get(word.relation, {words[word.head].upos}), one.text


def test_subjects_and_auxiliaries_agree_in_number(sentences: list[Document]) -> None:
    plural, singular = {"were", "are", "have"}, {"was", "is", "has"}
    checked = 0
    for one in grammatical(sentences):
        words, text = words_of(one), forms(one)
        for place, word in enumerate(words):
            if word.relation not in {"aux", "cop", "aux:pass"} or text[place] not in plural | singular:
                continue
            subjects = [at for at, other in enumerate(words) if other.head == word.head
                        and other.relation in {"nsubj", "nsubj:pass"}]  # fmt: skip
            assert len(subjects) == 1
            subject = subjects[0]
            several = text[subject] in PLURALS | {"we", "I", "We", "they"} or any(
                other.head == subject and other.relation == "conj" for other in words
            )
            if text[subject] == "who":
                continue
            assert (text[place] in plural) == several, one.text
            checked += 1
    assert checked > 300


def test_every_pronoun_has_the_one_antecedent_of_its_gender_and_number(sentences: list[Document]) -> None:
    fitting = {"she": FEMALE, "her": FEMALE, "he": MALE, "him": MALE, "his": MALE,
               "they": PLURALS, "them": PLURALS, "their": PLURALS, "it": SINGULARS}  # fmt: skip
    people = {form for pair in vocabulary.NOUNS["person"] for form in pair}
    before = after = 0
    for one in sentences:
        words, text = words_of(one), forms(one)
        for place, word in enumerate(words):
            pronoun = text[place].lower()
            assert (word.antecedent is not None) == (word.upos == "PRON" and pronoun in fitting), one.text
            if word.antecedent is None:
                continue
            candidates = {form for form in text if form in fitting[pronoun]}
            if pronoun in {"they", "them", "their"}:
                candidates &= people
            assert text[word.antecedent] in candidates
            if pronoun in {"she", "her", "he", "him", "his"}:
                main = {form for at, form in enumerate(text) if form in candidates and not relative(words, at)}
                assert main == {text[word.antecedent]}, one.text
            before += word.antecedent < place
            after += word.antecedent > place
    assert before > 500
    assert after > 10  # “Before she sold the boat, Anna …”


def relative(words: tuple[Word, ...], place: int) -> bool:
    """Whether a word is inside a relative clause."""
    at: int | None = place
    while at is not None and at != ROOT:
        if words[at].relation == "acl:relcl":
            return True
        at = words[at].head
    return False


def test_no_noun_comes_twice_but_in_the_kinds_that_repeat(sentences: list[Document]) -> None:
    for one in grammatical(sentences):
        names = [text for text, word in zip(forms(one), words_of(one), strict=True) if word.upos in {"NOUN", "PROPN"}]
        if one.id.startswith("names"):
            assert len(set(names)) < len(names)
        else:
            assert len(set(names)) == len(names), one.text


def test_repetitions_are_one_sequence_several_times(sentences: list[Document]) -> None:
    lengths = set()
    for one in sentences:
        if one.id.startswith("repetition"):
            text = forms(one)
            length = len(set(text))
            assert text == text[:length] * (len(text) // length)
            assert len(text) // length in {2, 3}
            assert {word.relation for word in words_of(one)} == {None}
            lengths.add(length)
    assert lengths == set(range(4, 17))


def test_every_kind_is_there_often_enough(sentences: list[Document]) -> None:
    kinds = Counter(one.id.rpartition("-")[0] for one in sentences)
    assert len(kinds) == 16
    assert min(kinds.values()) > 40
    count = sum(len(words_of(one)) for one in sentences)
    assert 28_000 < count < 34_000
    assert max(len(words_of(one)) for one in sentences) < 80


def test_no_fixed_offset_solves_what_the_corpus_is_for(sentences: list[Document]) -> None:
    found = fixed_offsets(sentences)
    most = {"nsubj": 0.4, "obj": 0.3, "antecedent": 0.2, "det": 0.55, "case": 0.55, "obl": 0.2, "conj": 0.2}
    for relation, share in most.items():
        assert 0.1 < found[relation].share < share
        assert found[relation].count > 600
    sides = Counter(
        place < word.head
        for one in sentences
        for place, word in enumerate(words_of(one))
        if word.relation == "nsubj" and word.head is not None
    )
    assert sides[False] > 30  # ‘… said the baker’


@pytest.mark.full
def test_its_file_reads_back_as_the_same_corpus(tmp_path: Path) -> None:
    write_probe(tmp_path / "probe.conllu", 60, 5)
    assert list(read_corpus(tmp_path / "probe.conllu", CorpusBounds())) == list(probe_corpus(60, 5))
    facts = prepare_probe(tmp_path / "probe", 60, 5)
    assert facts.hash == prepare(tmp_path / "probe.conllu", tmp_path / "file").hash
    assert (facts.name, facts.documents, facts.has_relations, facts.has_upos) == ("probe", 60, True, True)
    assert (facts.skipped, facts.duplicate_ids) == (0, 0)
    assert read_shard(tmp_path / "probe", 0) == list(probe_corpus(60, 5))
    shard = tmp_path / "probe" / "shard-00000.parquet"
    before = shard.stat().st_mtime_ns
    assert prepare_probe(tmp_path / "probe", 60, 5) == facts
    assert shard.stat().st_mtime_ns == before
    assert prepare_probe(tmp_path / "probe", 60, 6).hash != facts.hash


def test_the_documentation_has_its_numbers(sentences: list[Document], root: Path) -> None:
    page = (root / "docs" / "corpora.md").read_text("utf-8")
    found = fixed_offsets(sentences)
    rows = re.findall(r"^\| `([\w:]+)` \| ([\d,]+) \| ([+−]\d+) \| (\d+)% \|$", page, re.MULTILINE)
    assert len(rows) == 14
    for relation, count, offset, share in rows:
        best = found[relation]
        assert (count, offset.replace("−", "-")) == (f"{best.count:,}", f"{best.offset:+d}")
        assert share == f"{best.share:.0%}"[:-1]
    assert f"{sum(len(words_of(one)) for one in sentences):,} words" in page
    kinds = Counter("pronoun-…" if one.id.startswith("pronoun") else one.id.rpartition("-")[0] for one in sentences)
    shares = dict(re.findall(r"^\| `([\w…-]+)` \| (\d+) \| [A-Z\"c]", page, re.MULTILINE))
    assert {*shares} == {*kinds}
    for kind, share in shares.items():
        assert abs(int(share) - kinds[kind] / len(sentences) * 100) < 2.5
