"""Limits that hold because they were tried: lengths, pairs, and settings of how to run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tiny_models import byte_pairs, write_model_folder

from attention_core.pretrained.errors import DoesNotRunError, NoPairsError, TextTooLongError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.trial import tried_limits
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse, prepare
from attention_core.pretrained.running.batch import analyse_together

SIZES = {
    "vocab_size": 384,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
}
XPATHS = {"xpath_unit_hidden_size": 8, "max_depth": 4, "tag_pad_id": 10, "subs_pad_id": 10}
TABLES = {"max_xpath_tag_unit_embeddings": 20, "max_xpath_subs_unit_embeddings": 20}


def short_gpt2() -> transformers.GPT2Config:
    """With 40 positions."""
    return transformers.GPT2Config(vocab_size=384, n_positions=40, n_embd=32, n_layer=2, n_head=4, pad_token_id=0)


AT_LIMIT: dict[str, tuple[str, Callable[[], Any], int]] = {
    "roberta, padding 0": (
        "RobertaForMaskedLM",
        lambda: transformers.RobertaConfig(**SIZES, max_position_embeddings=40, pad_token_id=0, type_vocab_size=1),
        39,
    ),
    "mpnet, padding 0": (
        "MPNetForMaskedLM",
        lambda: transformers.MPNetConfig(**SIZES, max_position_embeddings=40, pad_token_id=0),
        38,
    ),
    "mpnet, padding 3": (
        "MPNetForMaskedLM",
        lambda: transformers.MPNetConfig(**SIZES, max_position_embeddings=40, pad_token_id=3),
        38,
    ),
    "markuplm, padding 0": (
        "MarkupLMModel",
        lambda: transformers.MarkupLMConfig(**SIZES, **XPATHS, **TABLES, max_position_embeddings=40, pad_token_id=0),
        39,
    ),
    "gpt2": ("GPT2LMHeadModel", short_gpt2, 40),
}


def load(folder: Path) -> LoadedModel:
    return Catalog(models_dir=folder.parent, device="cpu", hub_models=()).load(folder.name)


def write(folder: Path, architecture: str, config: Any) -> Path:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        getattr(transformers, architecture)(config).save_pretrained(folder)
    byte_pairs(specials=architecture != "GPT2LMHeadModel").save_pretrained(folder)
    return folder


def tokens(loaded: LoadedModel, count: int) -> int:
    """The tokens of an analysis of about so many words; each word is a token, and some have two around them."""
    around = loaded.tokenizer.num_special_tokens_to_add()
    return len(analyse(loaded, AnalysisRequest("a" + " a" * (count - around - 1)), max_tokens=999).tokens)


@pytest.mark.full("roberta, padding 0", "mpnet, padding 3", "gpt2")
@pytest.mark.parametrize("name", AT_LIMIT)
def test_a_text_of_the_longest_length_runs_and_one_more_is_refused(tmp_path: Path, name: str) -> None:
    architecture, make, limit = AT_LIMIT[name]
    loaded = load(write(tmp_path / "model", architecture, make()))
    assert loaded.entry.max_tokens == limit
    assert tokens(loaded, limit) == limit
    with pytest.raises(TextTooLongError):
        tokens(loaded, limit + 1)


@pytest.mark.full("20")
@pytest.mark.parametrize("rows", [20, 33])
def test_a_table_that_begins_elsewhere_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """Of a type of which nobody knows where its positions begin."""
    forward = transformers.models.gpt2.modeling_gpt2.GPT2Model.forward

    def later(self: Any, input_ids: Any = None, **kwargs: Any) -> Any:
        places = torch.arange(input_ids.shape[-1])[None] + 40 - rows
        return forward(self, input_ids, **{**kwargs, "position_ids": places})

    monkeypatch.setattr(transformers.models.gpt2.modeling_gpt2.GPT2Model, "forward", later)
    config = short_gpt2()
    loaded = load(write(tmp_path / "model", "GPT2LMHeadModel", config))
    assert loaded.entry.max_tokens == rows
    assert tokens(loaded, rows) == rows


def test_both_sides_of_a_model_are_tried(tmp_path: Path) -> None:
    sides = {"encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4}
    config = transformers.LEDConfig(
        vocab_size=384,
        max_encoder_position_embeddings=64,
        max_decoder_position_embeddings=24,
        d_model=32,
        encoder_ffn_dim=48,
        decoder_ffn_dim=48,
        attention_window=[8, 8],
        **sides,
    )
    loaded = load(write(tmp_path / "model", "LEDForConditionalGeneration", config))
    assert (loaded.entry.max_tokens, loaded.entry.max_target_tokens) == (64, 24)
    assert tokens(loaded, 64) == 64
    request = AnalysisRequest("a", target_text="a" + " a" * 21)
    assert len(analyse(loaded, request, max_tokens=99).target_tokens or []) == 24
    with pytest.raises(TextTooLongError):
        analyse(loaded, AnalysisRequest("a", target_text="a" + " a" * 22), max_tokens=99)


def test_what_would_cost_much_is_not_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tried_limits, "MOST_TOKENS", 30)
    monkeypatch.setattr(tried_limits, "_runs", lambda *_: False)
    config = short_gpt2()
    assert load(write(tmp_path / "model", "GPT2LMHeadModel", config)).entry.max_tokens == 40


@pytest.mark.parametrize("kinds", [1, 2])
def test_a_pair_needs_two_kinds_of_text(tmp_path: Path, kinds: int) -> None:
    """Its tokenizer marks the second text as another kind; the model may have one row for it, or two."""
    folder = write_model_folder(tmp_path, "tiny-bert")
    config = transformers.BertConfig(**SIZES, max_position_embeddings=48, type_vocab_size=kinds)
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    loaded = load(folder)
    assert loaded.entry.takes_pairs is (kinds == 2)
    assert analyse(loaded, AnalysisRequest("a cat"), max_tokens=99).tokens
    request = AnalysisRequest("a cat", text_pair="a mat")
    if kinds == 2:
        assert {token.segment for token in analyse(loaded, request, max_tokens=99).tokens} == {0, 1}
    else:
        with pytest.raises(NoPairsError) as refused:
            analyse(loaded, request, max_tokens=99)
        assert refused.value.field == "text_pair"


def test_one_kind_of_text_that_is_never_marked_takes_pairs(models_dir: Path) -> None:
    """RoBERTa's."""
    assert load(models_dir / "tiny-roberta").entry.takes_pairs


@pytest.mark.parametrize(
    "settings",
    [{"chunk_size_feed_forward": 4}, {"return_dict": False}, {"output_attentions": True, "output_hidden_states": True}],
)
@pytest.mark.full("tiny-gpt2-settings0", "tiny-bert-settings1", "tiny-bert-settings2", "tiny-gpt2-settings2")
@pytest.mark.parametrize("name", ["tiny-bert", "tiny-gpt2"])
def test_how_to_run_is_ours(tmp_path: Path, models_dir: Path, name: str, settings: dict[str, Any]) -> None:
    """11 tokens are no multiple of 4; the numbers are those without the setting."""
    folder = write_model_folder(tmp_path, name)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **settings}))
    found, expected = (
        analyse(load(each), AnalysisRequest("a cat sat on"), max_tokens=99) for each in (folder, models_dir / name)
    )
    assert (found.window(None, 1, 0) == expected.window(None, 1, 0)).all()


@pytest.fixture
def failing(tmp_path: Path) -> LoadedModel:
    """A GPT-2 that fails from the ninth position on, which was not so when it was loaded."""
    loaded = load(write_model_folder(tmp_path, "tiny-gpt2"))
    table = loaded.model.transformer.wpe
    table.weight = torch.nn.Parameter(table.weight[:8].clone(), requires_grad=False)
    return loaded


def test_a_pass_that_fails_says_what_was_raised(failing: LoadedModel) -> None:
    assert analyse(failing, AnalysisRequest("a cat"), max_tokens=99).tokens
    with pytest.raises(DoesNotRunError, match=r"fails on this input: IndexError: index out of range in self\.$"):
        analyse(failing, AnalysisRequest("a cat sat on the mat because it was tired"), max_tokens=99)


def test_one_of_a_batch_fails_alone(failing: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two texts of one length, of which the model fails on the one with a certain token."""
    texts = [prepare(failing, AnalysisRequest(text), max_tokens=99) for text in ("a cat", "a mat")]
    wrong = texts[1].tokens[-1].id
    forward = failing.model.transformer.forward

    def only_others(input_ids: Any = None, **kwargs: Any) -> Any:
        if wrong in input_ids:
            raise ValueError("no mats")
        return forward(input_ids, **kwargs)

    monkeypatch.setattr(failing.model.transformer, "forward", only_others)
    fine, refused = analyse_together(texts, [lambda: False] * 2)
    assert not isinstance(fine, Exception)
    assert str(refused) == "The model fails on this input: ValueError: no mats."
