"""The Explorer's page with what the server has at hand: controls, tokens, the first answers that its script needs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from attention_core.pretrained.inputs.tokens import Token
from attention_core.pretrained.inputs.words import continues_word
from attention_core.pretrained.recording.windows import STAGES
from attention_core.pretrained.running.predictions import Prediction
from ..answers.token_text import shown_text
from .contexts import PageContext

DEFAULT_TEXT = "The cat sat on the mat because it was tired."
"""As in ``state/view_state.js``."""
DEFAULT_TOKENS = (8, 2)
"""*it* and *cat*, chosen in that text."""
VIEWS = (
    "matrix",
    "lines",
    "vectors",
    "token",
    "rollout",
    "output",
    "flow",
    "patching",
    "heads",
    "compare",
    "prompts",
    "reach",
)


@dataclass(frozen=True)
class ModelChoice:
    """An option of the model select."""

    id: str
    title: str
    available: bool
    layers: int | None
    heads: int | None


LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class Chip:
    """A token in the strip."""

    number: int
    """As it is counted."""
    text: str
    special: bool
    joined: bool
    """To the token before, as a part of the same word."""
    starts: bool
    """The second text."""
    chosen: bool
    is_key: bool
    """Chosen as the key."""

    @property
    def numbered(self) -> str:
        """The token with its number, as scripts write it in sentences: it₈."""
        return self.text + str(self.number).translate(LOWERED)


@dataclass(frozen=True)
class Opening:
    """What the page shows before its script runs."""

    text: str = ""
    pair: str = ""
    example: str = ""
    """Which of the page's examples this is."""
    model: str = ""
    models: tuple[ModelChoice, ...] = ()
    view: str = VIEWS[0]
    stage: str = "weights"
    layer: int = 5
    head: int = 11
    numbering: int = 0
    layers: int = 6
    """Of the model, for the place of its heads."""
    heads: int = 12
    predicts: bool = False
    """Whether the model predicts something, which has its place beside the matrix."""
    tokens: tuple[Chip, ...] = ()
    """Empty if the analysis is not at hand."""
    answers_json: Markup = field(default_factory=lambda: Markup("[]"))
    """``[{request, answer}]``: the first answers that the script asks for."""


@dataclass(frozen=True)
class ExplorerContext(PageContext):
    """Template context of the Explorer."""

    opening: Opening


def explorer_context(page: PageContext, opening: Opening) -> ExplorerContext:
    """The context of the Explorer's page."""
    return ExplorerContext(**{each.name: getattr(page, each.name) for each in fields(page)}, opening=opening)


@dataclass(frozen=True)
class View:
    """What an address asks for, read as ``state/view_state.js`` reads it."""

    model: str
    text: str
    pair: str
    target: str
    view: str
    stage: str
    layer: int
    head: int
    query: int | None
    key: int | None
    numbering: int
    is_plain: bool
    """Whether the analysis is of these texts in the model as it is: no image, no change, no chat."""


def read_view(parameters: Mapping[str, str]) -> View:
    """The view in the query of an address."""
    text = parameters.get("text", DEFAULT_TEXT)
    query, key = (_whole(parameters.get(name)) for name in ("query", "key"))
    if text == DEFAULT_TEXT and not {"query", "key"} & parameters.keys():
        query, key = DEFAULT_TOKENS
    layer, head = (_whole(parameters.get(name)) for name in ("layer", "head"))
    return View(
        model=parameters.get("model", ""),
        text=text,
        pair=parameters.get("pair", ""),
        target=parameters.get("target", ""),
        view=_one_of(VIEWS, parameters.get("view"), VIEWS[0]),
        stage=_one_of(STAGES, parameters.get("stage"), "weights"),
        layer=Opening.layer if layer is None else layer,
        head=Opening.head if head is None else head,
        query=query,
        key=key,
        numbering=int(parameters.get("numbering") == "1"),
        is_plain=not {"picture", "changes", "chat"} & {name for name, value in parameters.items() if value},
    )


def opening_query(tokens: Sequence[Token], *, causal: bool, predictions: Iterable[Prediction]) -> int:
    """The query that every view of one text begins with, unless one is chosen: as in ``state/selection.js``."""
    predicted = next((each.index for each in predictions if each.kind != "class"), None)
    if predicted is not None:
        return predicted
    return len(tokens) - 1 if causal else next((token.index for token in tokens if not token.special), 0)


def chips(listed: Sequence[Token], view: View, opening: int) -> tuple[Chip, ...]:
    """The tokens as the strip shows them, the chosen query or else ``opening`` marked."""
    query = view.query if view.query is not None and view.query < len(listed) else opening
    return tuple(
        Chip(
            number=token.index + view.numbering,
            text=shown_text(token.text, token.token, is_placed=token.start is not None),
            special=token.special,
            joined=continues_word(token, before),
            starts=before is not None and not token.special and token.segment != before.segment,
            chosen=token.index == query,
            is_key=token.index == view.key,
        )
        for before, token in zip([None, *listed], listed, strict=False)
    )


def answers_json(answers: Iterable[tuple[str, Any]]) -> Markup:
    """Answers with the requests that they are of, to stand in a page."""
    listed = [{"request": request, "answer": answer} for request, answer in answers]
    return htmlsafe_json_dumps(listed, ensure_ascii=False, allow_nan=False)


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 7 else None


def _one_of(choices: tuple[str, ...], text: str | None, otherwise: str) -> str:
    return text if text in choices else otherwise
