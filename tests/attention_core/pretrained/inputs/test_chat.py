"""A text as a chat message: tokens as the library's own template gives them, spans in the message."""

from pathlib import Path

import pytest
from tiny_models import write_model_folder
from transformers import AutoTokenizer

from attention_core.pretrained.errors import ChatError, EmptyTextError, TextTooLongError
from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.inputs.truncation import truncate
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel

TEMPLATE = (
    "{% for message in messages %}<s>{{ message.role }}: {{ message.content | trim }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant: {% endif %}"
)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    """A tiny decoder whose tokenizer has a template."""
    directory = tmp_path_factory.mktemp("models")
    folder = write_model_folder(directory, "tiny-llama")
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    return Catalog(models_dir=directory, hub_models=(), device="cpu").load("tiny-llama")


@pytest.mark.gate  # the first of them starts the process that runs templates
@pytest.mark.parametrize("system", [None, "A cat reads."])
@pytest.mark.parametrize("text", ["The cat sat.", "it  was tired, it was", "  user: the cat \n", "A cat reads."])
def test_tokens_are_those_of_the_library_and_spans_those_of_the_message(
    loaded: LoadedModel, tmp_path_factory: pytest.TempPathFactory, text: str, system: str | None
) -> None:
    inputs, tokens = tokenise(loaded, text, chat=Chat(system))
    messages = [{"role": "system", "content": system}] * (system is not None) + [{"role": "user", "content": text}]
    reference = AutoTokenizer.from_pretrained(loaded.tokenizer.name_or_path)
    wanted = reference.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)["input_ids"]
    assert inputs["input_ids"].tolist() == [wanted]
    assert [token.id for token in tokens] == wanted
    inside = [token for token in tokens if not token.special]
    spans = [(token.start, token.end) for token in inside]
    assert "".join(text[slice(*span)] for span in spans if span != (None, None)).split() == ["".join(text.split())], (
        "no character is missed"
    )
    assert [token.index for token in inside] == list(range(inside[0].index, inside[-1].index + 1))
    assert all(token.start is None for token in tokens if token.special)
    assert tokens[0].text == "<s>"


def test_what_cannot_be_a_chat_message_is_refused(loaded: LoadedModel, tmp_path: Path) -> None:
    with pytest.raises(ChatError, match="no second text") as second:
        tokenise(loaded, "a", "b", chat=Chat())
    assert second.value.field == "text_pair"
    with pytest.raises(EmptyTextError):
        tokenise(loaded, " ", chat=Chat())
    with pytest.raises(EmptyTextError) as empty:
        tokenise(loaded, "a", chat=Chat(" "))
    assert empty.value.field == "system_text"
    with pytest.raises(TextTooLongError):
        tokenise(loaded, "a " * 60, chat=Chat())
    write_model_folder(tmp_path, "tiny-gpt2")
    plain = Catalog(models_dir=tmp_path, hub_models=(), device="cpu").load("tiny-gpt2")
    with pytest.raises(ChatError, match="has no chat template"):
        tokenise(plain, "a", chat=Chat())
    for template, message in (
        ("{{ raise_exception('no system') }}", "takes no system message"),
        ("{{ messages[-1].content | upper }}", "does not write the message as it is"),
    ):
        plain.tokenizer.chat_template = template
        with pytest.raises(ChatError, match=message):
            tokenise(plain, "a cat", chat=Chat("b"))


@pytest.mark.parametrize("system", [None, "A cat reads."])
def test_a_message_is_cut_so_that_it_fits_with_the_template_around_it(loaded: LoadedModel, system: str | None) -> None:
    message, chat = "The cat sat on the mat because it was tired. " * 20, Chat(system)
    found = truncate(loaded, message, chat=chat)
    limit = loaded.entry.max_tokens
    _, tokens = tokenise(loaded, found.text, chat=chat)
    assert found.limit == limit
    assert found.tokens == len(tokens) == limit
    assert message.startswith(found.text)
    following = len(found.text) + len(message[len(found.text) :].split(" ")[1]) + 1
    with pytest.raises(TextTooLongError):
        tokenise(loaded, message[:following], chat=chat)
    assert truncate(loaded, "The cat.", chat=chat).text == "The cat."
    with pytest.raises(ChatError, match="no second text"):
        truncate(loaded, "a", "b", chat=chat)
    with pytest.raises(EmptyTextError):
        truncate(loaded, "a", chat=Chat(" "))
    with pytest.raises(TextTooLongError, match="no room"):
        truncate(loaded, "a", chat=Chat("cat " * 200))


@pytest.mark.full
def test_a_template_beyond_its_bounds_is_refused_with_a_system_message_too(tmp_path: Path) -> None:
    folder = write_model_folder(tmp_path, "tiny-llama")
    (folder / "chat_template.jinja").write_text(
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    )
    loaded = Catalog(models_dir=tmp_path, hub_models=(), device="cpu").load("tiny-llama")
    for system in (None, "A cat reads."):
        with pytest.raises(ChatError, match="more time or memory than a template may take"):
            tokenise(loaded, "a", chat=Chat(system))
