"""Tokenise texts, with each token's span in the original text."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Int
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from attention_core.pretrained.errors import (
    ChatError,
    EmptyTextError,
    NoPairsError,
    ReadsImagesError,
    ReadsSoundsError,
    as_unavailable,
)
from attention_core.pretrained.inputs.chat import Chat, write_chat
from attention_core.pretrained.inputs.spans import Span, bare_piece, searched, token_text, without_borrowed
from attention_core.pretrained.inputs.text_checks import check_text, text_named
from attention_core.pretrained.inputs.token_limit import check_length
from attention_core.pretrained.inputs.word_boundaries import words_of
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.preprocessing.image_rules import REFUSAL
from attention_core.pretrained.models.preprocessing.sound_rules import TAKES_SOUNDS
from attention_core.pretrained.models.tokenizers.special_tokens import role_ids, shared_unknown
from attention_core.pretrained.models.tokenizers.start_token import start_token

Inputs = dict[str, Int[Tensor, "1 N"]]


@dataclass(frozen=True)
class Token:
    """One token for display."""

    index: int
    id: int
    text: str
    """What it says, with the blank in front of a word; of a piece that is only part of a character, that character."""
    token: str
    """As the vocabulary spells it."""
    start: int | None
    """First character in its text; null for a token that stands for no character."""
    end: int | None
    """One past the last character: ``text[start:end]`` is what the token was made from."""
    special: bool
    """A token with a role ([CLS], </s>, [MASK]) rather than a piece of text."""
    segment: int
    """0 for text, 1 for text_pair; a special token belongs to the text before it."""
    box: tuple[int, int, int, int] | None = None
    """Of an image patch: left, top, width and height in pixels of the model's input. Left out for texts."""
    seconds: tuple[float, float] | None = None
    """Of a position in a sound: its beginning and its end. Left out for texts."""
    word: int | None = None
    """Which word of the input it belongs to, by Unicode's word boundaries, counted from 0; null for special tokens."""
    word_text: str | None = None
    """Of the first of several tokens of a word, the word as it stands in the text; null for all other tokens."""


@dataclass(frozen=True)
class Encoding:
    """The tokenizer's output for one or two texts."""

    ids: list[int]
    texts: list[int | None]
    """Which text each token was made from; None for a token that the tokenizer added."""
    spans: list[Span]
    """In the text of each; empty for a token that stands for no character."""
    inputs: dict[str, list[int]]


def tokenise(
    loaded: LoadedModel,
    text: str,
    text_pair: str | None = None,
    max_tokens: int | None = None,
    chat: Chat | None = None,
) -> tuple[Inputs, list[Token]]:
    """The model's inputs (batch of one, on its device) and all tokens, special ones included.

    ``max_tokens`` is the operator's limit; the model's own always applies. With ``chat`` the text is a message, which
    the model's chat template writes. Raises EmptyTextError, InvalidTextError, TextTooLongError or ChatError; nothing is
    truncated.
    """
    if loaded.images is not None:
        raise ReadsImagesError(REFUSAL)
    if loaded.sounds is not None:
        raise ReadsSoundsError(TAKES_SOUNDS)
    if chat is not None and text_pair is not None:
        raise ChatError("A chat message has no second text.", field="text_pair")
    if chat is not None:
        return _tokenise_chat(loaded, text, chat, max_tokens)
    if text_pair is not None and not loaded.entry.takes_pairs:
        raise NoPairsError(
            "{id} knows one kind of text, and its tokenizer marks a second text as another kind. Give one text.",
            loaded.entry.id,
        )
    texts = {"text": text} if text_pair is None else {"text": text, "text_pair": text_pair}
    for name, content in texts.items():
        check_text(content, name)
    with loaded.tokenizer_lock:
        encoding = encode(loaded.tokenizer, text, text_pair)
    check_length(loaded, len(encoding.ids), max_tokens, "text")
    for number, name in enumerate(texts):
        _check_something_left(encoding, number, name)
    tokens = tokens_of(loaded.tokenizer, encoding, list(texts.values()))
    return _inputs(loaded, encoding), tokens


def _tokenise_chat(loaded: LoadedModel, message: str, chat: Chat, max_tokens: int | None) -> tuple[Inputs, list[Token]]:
    """The same for a chat message: spans are in the message, and all that the template writes around it is special."""
    for name, content in (("text", message), ("system_text", chat.system)):
        if content is not None:
            check_text(content, name)
    with loaded.tokenizer_lock:
        encoding = encode_chat(loaded.tokenizer, message, chat)
    check_length(loaded, len(encoding.ids), max_tokens, "text")
    _check_something_left(encoding, 0, "text")
    return _inputs(loaded, encoding), tokens_of(loaded.tokenizer, encoding, [message])


def tokenise_target(
    loaded: LoadedModel, target_text: str | None = None, max_tokens: int | None = None
) -> tuple[Inputs, list[Token]]:
    """Decoder inputs of an encoder–decoder model: the target shifted right after the start token.

    The end token of the target is only predicted, never an input, so it is omitted. Without a target text the decoder's
    only input is the start token. Errors as in ``tokenise``, for the field ``target_text``.
    """
    encoding = Encoding(ids=[], texts=[], spans=[], inputs={})
    if target_text is not None:
        check_text(target_text, "target_text")
        with loaded.tokenizer_lock:
            encoding = encode(loaded.tokenizer, target_text, None, as_target=True)
        _check_something_left(encoding, 0, "target_text")
    length = len(encoding.ids)
    if length and encoding.texts[-1] is None:
        length -= 1
    start = start_token(loaded.model, loaded.tokenizer)
    is_written = loaded.sounds is not None and encoding.ids[:1] == [start]  # by Whisper's tokenizer
    kept = slice(1 if is_written else 0, length)
    shifted = Encoding(
        ids=[start, *encoding.ids[kept]],
        texts=[None, *encoding.texts[kept]],
        spans=[(0, 0), *encoding.spans[kept]],
        inputs={},
    )
    check_length(loaded, len(shifted.ids), max_tokens, "target_text", is_target=True)
    inputs = {"decoder_input_ids": torch.tensor([shifted.ids], device=loaded.device)}
    return inputs, tokens_of(loaded.tokenizer, shifted, [target_text or ""])


def encode(
    tokenizer: PreTrainedTokenizerBase,
    text: str,
    text_pair: str | None,
    *,
    as_target: bool = False,
    adds_specials: bool = True,
) -> Encoding:
    """Token ids with their source spans, special tokens included; nothing is truncated."""
    names = {"text_target": text} if as_target else {"text": text, "text_pair": text_pair}
    with as_unavailable("Its tokenizer fails on this text."):
        encoded = tokenizer(
            **names,
            add_special_tokens=adds_specials,
            return_offsets_mapping=tokenizer.is_fast,
            return_special_tokens_mask=True,
            verbose=False,
        )
    ids = list(encoded["input_ids"])
    inputs = {name: list(encoded[name]) for name in tokenizer.model_input_names if name in encoded}
    texts = [text] if text_pair is None else [text, text_pair]
    pieces = tokenizer.convert_ids_to_tokens(ids)
    if tokenizer.is_fast:
        numbers = encoded.sequence_ids(0)
        spans = without_borrowed(pieces, encoded["offset_mapping"], numbers, texts)
    else:
        numbers = _texts_in_order(encoded["special_tokens_mask"], len(tokenizer.tokenize(text)))
        spans = _searched_spans(tokenizer, ids, pieces, numbers, texts)
    return Encoding(ids, numbers, spans, inputs)


def _searched_spans(
    tokenizer: PreTrainedTokenizerBase,
    ids: Sequence[int],
    pieces: Sequence[str],
    numbers: Sequence[int | None],
    texts: Sequence[str],
) -> list[Span]:
    """The spans for a tokenizer written in Python, which gives none."""
    bare = {
        token_id: None if token_id == tokenizer.unk_token_id else bare_piece(piece, decode(tokenizer, token_id))
        for token_id, piece in set(zip(ids, pieces, strict=True))
    }
    spans = [(0, 0)] * len(ids)
    for number, text in enumerate(texts):
        own = [index for index, each in enumerate(numbers) if each == number]
        for index, span in zip(own, searched([bare[ids[index]] for index in own], text), strict=True):
            spans[index] = span
    return spans


def encode_chat(tokenizer: PreTrainedTokenizerBase, message: str, chat: Chat) -> Encoding:
    """Token ids of a message in the model's chat template; spans are in the message. Raises ChatError."""
    written = write_chat(tokenizer, message, chat.system)
    encoding = encode(tokenizer, written.text, None, adds_specials=False)
    end = written.start + written.length
    inside = [(max(first, written.start), min(stop, end)) for first, stop in encoding.spans]
    moved = written.skipped - written.start
    return Encoding(
        ids=encoding.ids,
        # Some tokenizers give a blank no characters; inside the message it belongs to it all the same.
        texts=[0 if first < stop or written.start < first == stop < end else None for first, stop in inside],
        spans=[(first + moved, stop + moved) for first, stop in inside],
        inputs=encoding.inputs,
    )


def _texts_in_order(added: Sequence[int], first: int) -> list[int | None]:
    """0 for the first ``first`` non-special tokens, 1 for the others, None for special ones."""
    left = iter([0] * first)
    return [None if is_added else next(left, 1) for is_added in added]


def _check_something_left(encoding: Encoding, number: int, name: str) -> None:
    if number not in encoding.texts:
        raise EmptyTextError(
            "The {what} has no character that the model's tokenizer keeps.", text_named(name), field=name
        )


def _inputs(loaded: LoadedModel, encoding: Encoding) -> Inputs:
    """The tokenizer outputs that the model accepts."""
    taken = inspect.signature(loaded.model.forward).parameters
    return {
        name: torch.tensor([values], device=loaded.device) for name, values in encoding.inputs.items() if name in taken
    }


def tokens_of(tokenizer: PreTrainedTokenizerBase, encoding: Encoding, texts: Sequence[str]) -> list[Token]:
    """The tokens for display."""
    roles, shared = role_ids(tokenizer), shared_unknown(tokenizer)
    decoded = {token_id: decode(tokenizer, token_id) for token_id in set(encoding.ids)}
    raw = tokenizer.convert_ids_to_tokens(encoding.ids)
    segment = 0
    reached = [0] * len(texts)
    tokens = []
    for index, (token_id, (start, end)) in enumerate(zip(encoding.ids, encoding.spans, strict=True)):
        number = encoding.texts[index]
        segment = segment if number is None else number
        is_of_text = number is not None and start < end
        is_special = (
            number is None
            or token_id in roles
            or (token_id == shared and texts[number][start:end].strip() == raw[index])
        )
        span = (start, end) if number is not None else (0, 0)
        tokens.append(
            Token(
                index=index,
                id=token_id,
                text=token_text(
                    raw[index], decoded[token_id], texts[segment], span, reached[segment], is_special=is_special
                ),
                token=raw[index],
                start=start if is_of_text else None,
                end=end if is_of_text else None,
                special=is_special,
                segment=segment,
            )
        )
        reached[segment] = max(reached[segment], span[1])
    return with_words(tokens, texts)


def with_words(tokens: Sequence[Token], texts: Sequence[str]) -> list[Token]:
    """The same tokens with their words; ``texts`` by segment, none where tokens came without a text."""
    words = words_of(tokens, texts)
    return [replace(token, word=word.number, word_text=word.text) for token, word in zip(tokens, words, strict=True)]


def decode(tokenizer: PreTrainedTokenizerBase, token_id: int) -> str:
    """Decode the token, including its spaces."""
    if tokenizer.is_fast:  # 20 times faster than the library's own decode
        return tokenizer.backend_tokenizer.decode([token_id], skip_special_tokens=False)
    return tokenizer.decode([token_id], clean_up_tokenization_spaces=False)
