"""Mathematics inside texts: ``d_k``, ``e^(−m)``, ``√d_k`` and ``q₀`` become MathML or plain Unicode.

``static/js/base/maths/maths_text.js`` reads the same notation in scripts; ``tests/maths_text.json`` tests both.
"""

import re
from dataclasses import dataclass

from markupsafe import Markup, escape

SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789+−aehijklmnoprstuvx", strict=True))
SUPERSCRIPTS = dict(
    zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀ", "0123456789+−abcdefghijklmnoprstuvwxyzT", strict=True)
)
BELOW, ABOVE = f"[{''.join(SUBSCRIPTS)}]", f"[{''.join(SUPERSCRIPTS)}]"
LETTER = "[A-Za-z\u0391-\u03c9]"
BEGINS = re.compile(
    rf"(?<![A-Za-z0-9_.])(?:(?:{LETTER}|[0-9]+)(?=[_^][A-Za-z0-9(−∞])|{LETTER}(?={BELOW}|{ABOVE}))|√(?=[A-Za-z0-9(])"
)
NAME = re.compile(r"(?:[A-Za-z]+|[0-9]+)(?![A-Za-z0-9_])")
NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
EXPONENT = re.compile(r"[−-]?(?:[0-9]+(?:\.[0-9]+)?|[A-Za-zα-ω∞])(?![A-Za-z0-9_])")
WORD = re.compile(r"[A-Za-z\u0391-\u03c9]+|[^\s0-9()_^√+\-−*/·=,.|‖<>\[\]]+")
TAG = re.compile(r"(<[^>]*>)")


@dataclass(frozen=True)
class Term:
    """A MathML element: a name, number or operator with its text, or one that holds others."""

    tag: str
    text: str = ""
    parts: tuple["Term", ...] = ()


def maths(text: str) -> Markup:
    """The text with its mathematics as MathML; tags in ``Markup`` stay as they are."""
    if not isinstance(text, Markup):
        return _with_terms(escape(text))
    return Markup().join(Markup(part) if part.startswith("<") else _with_terms(part) for part in TAG.split(text))  # noqa: S704 - it was markup


def plain_maths(text: str) -> str:
    """The same where only plain text can stand: titles, options, names for screen readers."""
    plain = "".join(part if isinstance(part, str) else _plain(part) for part in read_maths(str(text)))
    return Markup(plain) if isinstance(text, Markup) else plain  # noqa: S704 - it was markup


def read_maths(text: str) -> list[str | Term]:
    """The text's parts: strings as they are, and terms."""
    parts: list[str | Term] = []
    while match := BEGINS.search(text):
        term, length = _term(text[match.start() :])
        parts += [text[: match.start()], term]
        text = text[match.start() + length :]
    return [part for part in (*parts, text) if part != ""]


def _with_terms(text: str) -> Markup:
    """``text`` is HTML."""
    parts = read_maths(str(text))
    return Markup("".join(part if isinstance(part, str) else _formula(part) for part in parts))  # noqa: S704


def _formula(term: Term) -> str:
    """Labels and headings have no other name, so it is spelled out, where Unicode can."""
    name = _plain(term)
    attribute = "" if "^" in name else f' aria-label="{escape(name)}"'
    return f"<math{attribute}>{_markup(term)}</math>"


def _markup(term: Term) -> str:
    return f"<{term.tag}>{term.text}{''.join(map(_markup, term.parts))}</{term.tag}>"


def _plain(term: Term) -> str:
    if not term.parts:
        return term.text
    first, *others = map(_plain, term.parts)
    if term.tag == "msub":
        return first + (_small(others[0], SUBSCRIPTS) or (f" {others[0]}" if len(others[0]) > 1 else others[0]))
    if term.tag == "msup":
        return first + (_small(others[0], SUPERSCRIPTS) or f"^({others[0]})")
    inside = "".join((first, *others))
    if term.tag == "msqrt":
        return f"√({inside})" if len(inside) > 1 and term.parts[0].tag == "mrow" else f"√{inside}"
    return inside


def _small(text: str, signs: dict[str, str]) -> str | None:
    by_full = {full: small for small, full in signs.items()}
    return "".join(by_full[sign] for sign in text) if all(sign in by_full for sign in text) else None


def _term(text: str) -> tuple[Term, int]:
    """The term at the beginning of the text with its indices, and its length."""
    if text.startswith("√"):
        inside, length = _group(text[1:]) if text[1:2] == "(" else _term(text[1:])
        return Term("msqrt", parts=(inside,)), 1 + length
    term, length = _atom(text)
    while index := _index(text[length:]):
        tag, own, more = index
        term, length = Term(tag, parts=(term, own)), length + more
    return term, length


def _atom(text: str) -> tuple[Term, int]:
    if number := NUMBER.match(text):
        return Term("mn", number[0]), number.end()
    word = WORD.match(text)
    if word is None:
        return Term("mo", "−" if text[0] == "-" else text[0]), 1
    if re.match(f"{LETTER}(?:{BELOW}|{ABOVE})", word[0]):
        return Term("mi", word[0][0]), 1
    return Term("mi", word[0]), word.end()


def _index(text: str) -> tuple[str, Term, int] | None:
    for tag, signs in (("msub", SUBSCRIPTS), ("msup", SUPERSCRIPTS)):
        if small := re.match(f"[{''.join(signs)}]+", text):
            return tag, _whole("".join(signs[sign] for sign in small[0])), small.end()
    if text[:1] not in {"_", "^"}:
        return None
    tag, pattern = ("msub", NAME) if text[0] == "_" else ("msup", EXPONENT)
    if text[1:2] == "(":
        term, length = _group(text[1:])
        return tag, term, length + 1
    match = pattern.match(text[1:])
    return (tag, _whole(match[0]), match.end() + 1) if match else None


def _group(text: str) -> tuple[Term, int]:
    """A balanced pair of parentheses, which only group."""
    depth = 0
    for index, sign in enumerate(text):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth == 0:
            return _whole(text[1:index]), index + 1
    return _whole(text[1:]), len(text)


def _whole(text: str) -> Term:
    """A whole expression."""
    terms = []
    text = text.lstrip()
    while text:
        term, length = _term(text)
        terms.append(term)
        text = text[length:].lstrip()
    return terms[0] if len(terms) == 1 else Term("mrow", parts=tuple(terms))
