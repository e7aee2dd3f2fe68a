"""Read a folder's tokenizer: its ``tokenizer.json`` as it stands, in the library's class for the model.

The library builds most of its classes anew from the vocabulary and the merges of a ``tokenizer.json`` and writes its
own normalizer, pre-tokenizer, decoder and post-processor around them: those of the model after which the class is
named. A tokenizer of one's own then divides texts otherwise than the model learnt them. Here the file counts, as it
does for the library's ``PreTrainedTokenizerFast``; so do the tokens that it adds, whatever ``add_bos_token`` or
``do_lower_case`` in ``tokenizer_config.json`` say. The class gives what the file does not say: names of special tokens,
inputs of the model, and the languages with which translators (mBART, NLLB) begin or end each text.

Classes written in Python cannot take the file: they divide texts by code of their own. Both are compared then, too.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import transformers
from transformers import AutoTokenizer, PreTrainedTokenizerBase, PreTrainedTokenizerFast

from attention_core.foreign_files import is_file
from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable
from attention_core.pretrained.models.files.model_files import for_library
from attention_core.pretrained.models.files.tokenizer_files import FAST
from attention_core.refusal import Sentence

PROBES = (
    "In 2023 the Old cat  said 12345, it's 3.5 metres; DON'T stop!",
    "x = 10\n\n    return  20\t# done\r\n",
    "café naïve cafe\u0301 Straße ﬁne ½",
    "吾輩は猫である。名前はまだ無い。",
    "ｶﾀｶﾅ ＡＢＣ　１２３ 한국어 हिन्दी العربية 🙂",
    " leading and trailing ",
    "a",
)
"""Case, digits, blanks, line breaks, accents, scripts, forms of a letter: what tokenizers do differently."""

UNREADABLE = Sentence("Its tokenizer cannot be read: {cause}.").template
BROKEN = Sentence("Its tokenizer does not work: {cause}.").template
REBUILT = Sentence(
    "The tokens are those of tokenizer.json, as PreTrainedTokenizerFast reads it. AutoTokenizer of transformers "
    "{version} builds {tokenizer} from the vocabulary instead, which divides “{text}” differently."
)
FAILED = Sentence(
    "The tokens are those of tokenizer.json, as PreTrainedTokenizerFast reads it. AutoTokenizer of transformers "
    "{version} makes no working tokenizer of this folder."
)
IN_PYTHON = Sentence(
    "The tokens are those of transformers' {tokenizer}, which does not read tokenizer.json; that file divides “{text}” "
    "differently."
)


def load_tokenizer(folder: Path) -> tuple[PreTrainedTokenizerBase, tuple[Sentence, ...]]:
    """The tokenizer of an inspected folder, and what is to be said of it.

    Raises ModelUnavailableError with the reason if it cannot be read or tokenises nothing.
    """
    if not is_file(folder / FAST):
        with as_unavailable(UNREADABLE):
            library = _of_library(folder)
        with as_unavailable(BROKEN):
            return _checked(library), ()
    with as_unavailable(UNREADABLE):
        file = PreTrainedTokenizerFast.from_pretrained(
            for_library(folder), local_files_only=True, trust_remote_code=False
        )
    with as_unavailable(BROKEN):
        _checked(file)
    try:
        with as_unavailable(BROKEN):
            library = _checked(_of_library(folder))
    except ModelUnavailableError:
        return file, (Sentence(FAILED.template, version=transformers.__version__),)
    if type(library) is PreTrainedTokenizerFast:
        return library, ()
    built = _tokens_of_probes(library)
    if not library.is_fast:
        return library, _said(IN_PYTHON, library, _first_difference(built, _tokens_of_probes(file)))
    with_file = _with_backend(library, file)
    return with_file, _said(REBUILT, library, _first_difference(built, _tokens_of_probes(with_file)))


def _of_library(folder: Path) -> PreTrainedTokenizerBase:
    tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
        for_library(folder), local_files_only=True, trust_remote_code=False
    )
    return tokenizer


def _checked(tokenizer: PreTrainedTokenizerBase) -> PreTrainedTokenizerBase:
    """The same, ready for use by several threads; raises what the library raises on the shortest text."""
    if tokenizer.is_fast:
        # Set once here, so that tokenising never changes the tokenizer and threads can share it.
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
    tokenizer("a")
    return tokenizer


def _with_backend(library: Any, file: PreTrainedTokenizerFast) -> PreTrainedTokenizerBase:
    """The library's class around the file's tokenizer; the file alone if the class cannot work with it."""
    known = file.get_vocab()
    try:
        with as_unavailable(BROKEN):
            if (language := getattr(library, "src_lang", None)) is not None and language not in known:
                return file  # a translator's class would mark every text with a language that the file lacks
            library._tokenizer = file._tokenizer
            for name, token in library._special_tokens_map.items():
                if token is not None and str(token) not in known:
                    library._special_tokens_map[name] = None  # a default of the class, of another vocabulary
            library._extra_special_tokens = [each for each in library._extra_special_tokens if str(each) in known]
            if getattr(library._tokenizer.model, "end_of_word_suffix", None) and hasattr(library, CLIPS):
                getattr(library, CLIPS)()
            return _checked(library)
    except ModelUnavailableError:
        return file


CLIPS = "_wrap_decode_method_backend_tokenizer"
"""Of the library's class for CLIP: decodes the end of a word as a blank."""


def _tokens_of_probes(tokenizer: PreTrainedTokenizerBase) -> list[list[int] | None]:
    """The ids of each text; None for one on which the library fails."""
    ids: list[list[int] | None] = []
    for text in PROBES:
        try:
            with as_unavailable(BROKEN):
                ids.append(list(tokenizer(text)["input_ids"]))
        except ModelUnavailableError:
            ids.append(None)
    return ids


def _first_difference(one: Sequence[list[int] | None], other: Sequence[list[int] | None]) -> str | None:
    return next((text for text, *ids in zip(PROBES, one, other, strict=True) if ids[0] != ids[1]), None)


def _said(sentence: Sentence, library: PreTrainedTokenizerBase, text: str | None) -> tuple[Sentence, ...]:
    if text is None:
        return ()
    shown = " ".join(text.split())
    names = {"version": transformers.__version__, "tokenizer": type(library).__name__}
    return (Sentence(sentence.template, text=shown, **names),)
