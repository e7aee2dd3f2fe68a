"""Every text for users is marked for translation and has a Japanese one."""

import ast
import re
import textwrap
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

import messages
import server.app  # noqa: F401 - makes every kind of refusal known
from attention_core.refusal import Refusal

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("ja",)
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%[sd]|\{\w*(?:[:!][^{}]*)?\}")
WORD = re.compile(r"[^\W\d_²³¹⁰-ₜ]{2,}")
"""Two letters of any script in a row: something to read rather than a sign, a variable of a formula or a number."""

NAME = "Attention Observatory"
"""The product's name is the same in every language."""

READ_ALOUD = ("alt", "aria-label", "aria-description", "aria-roledescription", "placeholder", "title")
NOT_PROSE = {"code", "kbd", "math", "script", "style", "svg"}
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}

JS_TEXT = re.compile(
    r"""(?: \.(?:textContent|innerText|title|placeholder|alt|ariaLabel) \s* \+?= \s*
        | \b(?:textContent|title|placeholder|alt|ariaLabel|"aria-label") \s* : \s*
        | setAttribute\( \s* "(?:aria-label|title|placeholder|alt)" \s*, \s* )
        (["'`]) (?P<text> (?:(?!\1).)* ) \1""",
    re.VERBOSE,
)


def templates() -> list[Path]:
    return sorted((ROOT / "templates").rglob("*.html"))


def scripts() -> list[Path]:
    return sorted((ROOT / "static" / "js").rglob("*.js"))


def both(message: object) -> tuple[str, ...]:
    """A message or translation as a tuple: one string, or one for each plural form."""
    return (message,) if isinstance(message, str) else tuple(message)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def found() -> Catalog:
    """Every text in code and templates."""
    return messages.extract(ROOT)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(found: Catalog, language: str) -> None:
    catalog = messages.read(ROOT / "locales" / language / "LC_MESSAGES" / "messages.po")
    untranslated = []
    for message in messages.texts(found):
        entry = catalog.get(message.id, message.context)
        if entry is None or entry.fuzzy or not all(text.strip() for text in both(entry.string)):
            places = ", ".join(f"{file}:{line}" for file, line in message.locations)
            untranslated.append(f"{message.id!r} ({places})")
    assert not untranslated, f"no {language} translation; run `make messages` and fill in:\n" + "\n".join(untranslated)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_is_left_over(found: Catalog, language: str) -> None:
    catalog = messages.read(ROOT / "locales" / language / "LC_MESSAGES" / "messages.po")
    unused = [entry.id for entry in messages.texts(catalog) if found.get(entry.id, entry.context) is None]
    assert not unused, "in the catalogue but nowhere else; `make messages` removes them"


@pytest.mark.parametrize("language", LANGUAGES)
def test_placeholders_agree(language: str) -> None:
    catalog = messages.read(ROOT / "locales" / language / "LC_MESSAGES" / "messages.po")
    wrong = []
    for entry in messages.texts(catalog):
        allowed = {frozenset(PLACEHOLDER.findall(form)) for form in both(entry.id)}
        wrong += [text for text in both(entry.string) if frozenset(PLACEHOLDER.findall(text)) not in allowed]
    assert not wrong


class Prose(HTMLParser):
    """Collects what a template would show or read aloud without asking gettext."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.exempt: list[bool] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        inherited = bool(self.exempt) and self.exempt[-1]
        exempt = inherited or tag in NOT_PROSE or attributes.get("translate") == "no"
        if not exempt:
            self.found += [value for name in READ_ALOUD if (value := attributes.get(name)) and WORD.search(value)]
        if tag not in VOID:
            self.exempt.append(exempt)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.exempt.pop()

    def handle_endtag(self, tag: str) -> None:
        if self.exempt and tag not in VOID:
            self.exempt.pop()

    def handle_data(self, data: str) -> None:
        if not (self.exempt and self.exempt[-1]) and WORD.search(data):
            self.found.append(data.strip())


def prose(template: str) -> list[str]:
    """What stands in a template as it is: everything Jinja does not put there."""
    template = re.sub(r"\{%-?\s*trans\b.*?endtrans\s*-?%\}", "", template, flags=re.DOTALL)
    template = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", "", template, flags=re.DOTALL)
    parser = Prose()
    parser.feed(template.replace(NAME, ""))
    parser.close()
    return parser.found


def hard_coded(script: str) -> list[str]:
    """Literal texts that a script puts on the page."""
    literals = (re.sub(r"\$\{[^}]*\}", "", match["text"]) for match in JS_TEXT.finditer(script))
    return [text for text in literals if WORD.search(text)]


def test_templates_hold_no_text_of_their_own() -> None:
    found = {str(path.relative_to(ROOT)): prose(path.read_text(encoding="utf-8")) for path in templates()}
    assert {path: texts for path, texts in found.items() if texts} == {}


def test_scripts_put_no_text_of_their_own_on_the_page() -> None:
    found = {str(path.relative_to(ROOT)): hard_coded(path.read_text(encoding="utf-8")) for path in scripts()}
    assert {path: texts for path, texts in found.items() if texts} == {}


def test_the_search_for_prose_finds_it() -> None:
    template = """
    {# a comment #}<p title="{{ _("translated") }}">{% trans %}also translated{% endtrans %} · x²</p>
    <img alt="A picture"><input placeholder=""><p>Left <b translate="no">BERT</b> over</p><code>softmax(q)</code>
    {% if wide %}<svg><text>not prose</text></svg>{% endif %}<p>忘れた</p>"""
    assert prose(template) == ["A picture", "Left", "over", "忘れた"]


def test_the_search_for_hard_coded_texts_finds_them() -> None:
    script = """
    a.textContent = "Loading"; b.textContent = _("Loading"); c.title = `${n} heads`; d.textContent = `${n}`;
    e.setAttribute("aria-label", 'Close'); element("p", { textContent: "Forgotten" }); f.textContent = "×";"""
    assert hard_coded(script) == ["Loading", " heads", "Close", "Forgotten"]


NOT_FOR_READERS = {
    "attention_core/atlas/command.py",
    "attention_core/decoder_weights.py",
    "attention_core/pretrained/models/devices.py",
    "attention_core/pretrained/studies/reach.py",
    "attention_core/training/history.py",
    "server/pages/address_state.py",
    "server/pages/bundling.py",
    "server/pages/declared_fields.py",
    "server/pages/single_file.py",
    "server/settings.py",
    "server/stores/kept_requests.py",
    "server/web/proxies.py",
}
"""Where a plain ValueError is raised: it stops the start, or only a program of ours can cause it."""
TORCH_ALONE = "attention_core/reach/"
"""It may import no refusals; who measures with it for a request refuses (``studies/text_reach.py``)."""
PLACE = re.compile(r"\{(\w+)\}")


def template_faults(source: str) -> list[str]:
    """What is wrong with the templates that refusals and sentences are made from."""
    tree = ast.parse(source)
    assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    texts = {ast.unparse(node.targets[0]) for node in assigned if is_text(node.value)}
    faults = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        position = messages.TEMPLATES.get(ast.unparse(call.func), (0,))[0]
        if not 0 < position <= len(call.args):
            continue
        template, *values = call.args[position - 1 :]
        if isinstance(template, ast.Constant):
            named = {keyword.arg for keyword in call.keywords} | {"field"} - set(PLACE.findall(str(template.value)))
            named |= {"cause"} if ast.unparse(call.func) == "as_unavailable" else set()  # what was raised
            places = set(PLACE.findall(str(template.value))) - named
            is_of_a_table = ast.unparse(call.func) == "Sentence" and not values
            if len(places) != len(values) and not is_of_a_table:
                faults.append(f"{call.lineno}: {len(values)} values for {template.value!r}")
        elif is_text(template) or ast.unparse(template) in texts:
            faults.append(f"{call.lineno}: {ast.unparse(template)} is no literal")
    return faults


def is_text(node: ast.expr) -> bool:
    """Whether this makes a text rather than a sentence."""
    if isinstance(node, ast.IfExp):
        return is_text(node.body) or is_text(node.orelse)
    return isinstance(node, ast.JoinedStr | ast.BinOp) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def test_every_kind_of_refusal_is_known_to_babel() -> None:
    kinds = [Refusal]
    for kind in kinds:
        kinds += kind.__subclasses__()
    ours = {kind.__name__ for kind in kinds if kind.__module__.startswith(("attention_core", "server"))}
    assert messages.TEMPLATES.keys() - {"Sentence", "as_unavailable"} == ours - {"Refusal"}


@pytest.mark.gate
def test_refusals_have_literal_templates_and_all_their_values() -> None:
    found = {path: template_faults((ROOT / path).read_text(encoding="utf-8")) for path in modules()}
    assert {path: faults for path, faults in found.items() if faults} == {}


def test_what_a_request_can_cause_is_raised_as_a_refusal() -> None:
    plain = {path for path in modules() if re.search(r"\bValueError\(", (ROOT / path).read_text(encoding="utf-8"))}
    assert {path for path in plain if not path.startswith(TORCH_ALONE)} == NOT_FOR_READERS


def modules() -> list[str]:
    return [
        path.relative_to(ROOT).as_posix()
        for room in ("attention_core", "server")
        for path in (ROOT / room).rglob("*.py")
    ]


def test_the_search_for_wrong_templates_finds_them() -> None:
    source = """
    raise InvalidValueError(f"{name} is wrong")
    reason = "It is {what}."
    raise ApiError(422, "code", reason, "wrong")
    raise SelectionError("{name} must be {wanted}", name)
    raise TensorsError("{field} is no array", field=name)
    raise ApiError(404, "code", "{field} must be below {limit}", field="field", limit=3)
    raise InvalidValueError("{name} is wrong")
    raise InvalidValueError(error.sentence)
    KINDS = {"missing": Sentence("{name} is missing")}
    Sentence("good" if yes else "bad")"""
    assert [fault.partition(":")[0] for fault in template_faults(textwrap.dedent(source))] == ["2", "4", "5", "8", "11"]
