"""Truncate a text to what a model accepts: between two tokens, never inside a character."""

from collections.abc import Sequence
from dataclasses import dataclass

from attention_core.pretrained.errors import ChatError, ReadsImagesError, ReadsSoundsError, TextTooLongError
from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.inputs.text_checks import check_text
from attention_core.pretrained.inputs.token_limit import most_tokens
from attention_core.pretrained.inputs.tokens import Encoding, encode, encode_chat
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.preprocessing.image_rules import REFUSAL
from attention_core.pretrained.models.preprocessing.sound_rules import TAKES_SOUNDS

TRIES = 32
"""Cuts tried before accepting one that changes the tokens of the kept text."""


@dataclass(frozen=True)
class Truncation:
    """The truncated texts and their token counts."""

    text: str
    text_pair: str | None
    target_text: str | None
    tokens: int
    """Of text and text_pair together, special tokens included."""
    target_tokens: int | None
    """Of the target, the decoder's start token included; null without a target."""
    limit: int | None
    """Most tokens that are accepted; null without a limit."""


@dataclass(frozen=True)
class _Piece:
    """A token of one text, and its character span."""

    id: int
    span: tuple[int, int] | None


@dataclass(frozen=True)
class _Reader:
    """A model's tokenizer applied to a source (one or two texts, or a chat message) or a target."""

    loaded: LoadedModel
    is_target: bool
    chat: Chat | None = None

    def read(self, texts: Sequence[str]) -> Encoding:
        """Tokenise the texts as the model receives them."""
        with self.loaded.tokenizer_lock:
            if self.chat is not None:
                return encode_chat(self.loaded.tokenizer, texts[0], self.chat)
            return encode(self.loaded.tokenizer, texts[0], dict(enumerate(texts)).get(1), as_target=self.is_target)

    def count(self, encoding: Encoding) -> int:
        """Number of tokens; a target starts with a start token, and its end token is only predicted."""
        is_ended = self.is_target and bool(encoding.ids) and encoding.texts[-1] is None
        return len(encoding.ids) + self.is_target - is_ended

    @staticmethod
    def pieces(encoding: Encoding, number: int) -> list[_Piece]:
        """The tokens of one text, without special tokens."""
        pieces = zip(encoding.ids, encoding.texts, encoding.spans, strict=True)
        return [
            _Piece(token_id, span if span[0] < span[1] else None) for token_id, text, span in pieces if text == number
        ]


def truncate(
    loaded: LoadedModel,
    text: str,
    text_pair: str | None = None,
    target_text: str | None = None,
    *,
    max_tokens: int | None = None,
    max_characters: int | None = None,
    chat: Chat | None = None,
) -> Truncation:
    """As much of each text as ``analyse`` accepts; of two texts the longer one is truncated first.

    The kept tokens are the first tokens of the whole text wherever the tokenizer allows it: some tokenise the
    characters before a cut differently without what follows. Raises the errors of ``tokenise`` for an invalid text, and
    TextTooLongError if special tokens alone exceed the limit. With ``chat`` the text is a message: what the model's
    template writes around it is kept whole.
    """
    if loaded.images is not None:
        raise ReadsImagesError(REFUSAL)
    if loaded.sounds is not None:
        raise ReadsSoundsError(TAKES_SOUNDS)
    if chat is not None and text_pair is not None:
        raise ChatError("A chat message has no second text.", field="text_pair")
    limit = most_tokens(loaded, max_tokens)
    named = {
        "text": text,
        "text_pair": text_pair,
        "target_text": target_text,
        "system_text": chat.system if chat else None,
    }
    for name, content in named.items():
        if content is not None:
            check_text(content, name)
    sources = [each for each in (text, text_pair) if each is not None]
    kept, tokens = _cut(_Reader(loaded, is_target=False, chat=chat), sources, limit, max_characters, "text")
    first, second = kept[0], kept[1] if len(kept) > 1 else None
    if target_text is None:
        return Truncation(first, second, None, tokens, None, limit)
    most = most_tokens(loaded, max_tokens, is_target=True)
    (target,), count = _cut(_Reader(loaded, is_target=True), [target_text], most, max_characters, "target_text")
    return Truncation(first, second, target, tokens, count, limit)


def _cut(
    reader: _Reader, texts: Sequence[str], limit: int | None, max_characters: int | None, field: str
) -> tuple[list[str], int]:
    """The truncated texts, and their number of tokens."""
    kept = [text[:max_characters] for text in texts]
    whole = reader.read(kept)
    pieces = [reader.pieces(whole, number) for number in range(len(kept))]
    wanted = [len(each) for each in pieces]
    if limit is not None:
        room = limit - (reader.count(whole) - sum(wanted))
        if room < len(kept):
            raise TextTooLongError("Special tokens leave no room for the {field}.", field=field, limit=limit)
        wanted = _shares(wanted, room)
    for number, text in enumerate(texts):
        # A word cut by the character limit may have other tokens than the whole word.
        is_severed = len(kept[number]) < len(text) and not _is_between_words(text, len(kept[number]))
        most = min(wanted[number], len(pieces[number]) - is_severed)
        if most < len(pieces[number]):
            kept[number] = _beginning_of(reader, kept, number, pieces[number], max(most, 1))
    return kept, reader.count(reader.read(kept))


def _is_between_words(text: str, place: int) -> bool:
    return text[place - 1].isspace() or text[place].isspace()


def _shares(counts: Sequence[int], room: int) -> list[int]:
    """Number of tokens each of one or two texts keeps; the longer one is truncated first."""
    if len(counts) == 1:
        return [min(counts[0], room)]
    first = min(counts[0], max(room - counts[1], (room + 1) // 2))
    return [first, min(counts[1], room - first)]


def _beginning_of(reader: _Reader, texts: Sequence[str], number: int, pieces: Sequence[_Piece], most: int) -> str:
    """The longest prefix of one of the texts that has at most this many tokens."""
    spare = None
    for tried, (count, end) in enumerate(_ends(pieces, most)):
        shorter = [*texts[:number], texts[number][:end], *texts[number + 1 :]]
        found = reader.pieces(reader.read(shorter), number)
        if [piece.id for piece in found] == [piece.id for piece in pieces[:count]]:
            return shorter[number]
        if spare is None and 0 < len(found) <= most:
            spare = shorter[number]
        if spare is not None and tried >= TRIES:
            break
    return texts[number][:1] if spare is None else spare


def _ends(pieces: Sequence[_Piece], most: int) -> list[tuple[int, int]]:
    """Token counts in descending order with the end of the last character; none ends inside a character."""
    cuts = []
    end = 0
    for count, piece in enumerate(pieces[:most], start=1):
        end = end if piece.span is None else max(end, piece.span[1])
        following = next((each.span[0] for each in pieces[count : count + TRIES] if each.span is not None), end)
        if 0 < end <= following:
            cuts.append((count, end))
    return cuts[::-1]
