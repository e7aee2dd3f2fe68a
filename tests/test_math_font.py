"""The bundled mathematics font, and the notation in texts that it draws."""

from pathlib import Path

from babel.messages.pofile import read_po
from fontTools.ttLib import TTFont
from raw_maths import RAW

from math_font import BOLD, CHARACTERS, NAME
from server.pages.maths_text import read_maths


def font(root: Path) -> TTFont:
    return TTFont(root / "static" / "fonts" / "observatory-math.woff2")


def test_the_font_is_a_small_mathematics_font_with_its_licence_beside_it(root: Path) -> None:
    assert {"OS/2", "MATH", "cmap"} <= set(font(root).keys())
    assert (root / "static" / "fonts" / "observatory-math.woff2").stat().st_size < 45_000
    assert font(root)["name"].getDebugName(1) == NAME  # the licence asks for a name of its own
    licence = (root / "static" / "fonts" / "GUST-FONT-LICENSE.txt").read_text(encoding="utf-8")
    assert "LaTeX Project Public License" in licence
    assert "Pagella" in (root / "static" / "fonts" / "MANIFEST-observatory-math.txt").read_text(encoding="utf-8")


def test_brackets_and_roots_grow_by_sizes_and_by_parts(root: Path) -> None:
    made = font(root)
    variants = made["MATH"].table.MathVariants
    tall = dict(zip(variants.VertGlyphCoverage.glyphs, variants.VertGlyphConstruction, strict=True))
    for sign in "()[]{}|‖√":
        construction = tall[made.getBestCmap()[ord(sign)]]
        assert construction.VariantCount >= 4 or sign in "|‖"
        assert construction.GlyphAssembly.PartCount >= 1


def test_it_has_the_characters_of_formulas_and_bold_letters(root: Path) -> None:
    made = font(root)
    glyphs = made.getBestCmap()
    assert set(CHARACTERS) <= glyphs.keys()
    (lookup,) = made["GSUB"].table.LookupList.Lookup
    (bold,) = lookup.SubTable
    assert bold.mapping == {glyphs[letter]: glyphs[heavy] for letter, heavy in BOLD.items()}


def test_no_notation_in_any_text_is_left_raw(root: Path) -> None:
    catalogue = root / "locales" / "ja" / "LC_MESSAGES" / "messages.po"
    with catalogue.open("rb") as file:
        messages = [message for message in read_po(file, locale="ja") if message.context is None]
    texts = [text for message in messages for text in (message.id, message.string) if isinstance(text, str)]
    left = [part for text in texts for part in read_maths(text) if isinstance(part, str) and RAW.search(part)]
    assert left == []


def test_the_search_for_raw_notation_finds_it() -> None:
    for text in ("a d_k", "W_q x", "e^x", "2^(−8)", "√d of", "sqrt(d)", "10^4"):
        assert RAW.search(text), text
    for text in ("dₖ", "masked_scores", "√ of the count", "num_heads and head_dim"):
        assert not RAW.search(text), text
