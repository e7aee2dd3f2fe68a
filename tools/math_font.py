"""Make the site's mathematics font: the glyphs of TeX Gyre Pagella Math that formulas need, as WOFF2.

``python tools/math_font.py texgyrepagella-math.otf`` (in Debian's package fonts-texgyre-math) writes
``static/fonts/observatory-math.woff2``. The font gets a name of its own, as its licence requests of derived works.
The MATH table keeps the larger sizes and the parts of brackets, bars and roots. One feature is added, ``ss01``, which
sets letters in bold, so that a vector in a formula is still the plain letter when it is copied or read aloud.
"""

import sys
from pathlib import Path

from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

TARGET = Path(__file__).resolve().parent.parent / "static/fonts/observatory-math.woff2"
NAME = "Observatory Math"
MANIFEST = "Derived from TeX Gyre Pagella Math: a subset, with the feature ss01 added."
BOLD = {**{65 + i: 0x1D400 + i for i in range(26)}, **{97 + i: 0x1D41A + i for i in range(26)}}
"""Letter → the same letter in bold."""
ITALIC = [*range(0x1D434, 0x1D455), 0x210E, *range(0x1D456, 0x1D468), *range(0x1D6E2, 0x1D71C)]
"""Of a single letter, which MathML sets in italics; ℎ is elsewhere in Unicode."""
OPERATORS = "°±·×÷′″‖…−–∑∏√∞≈≠≤≥≡≪≫∈∉∂∇⊤⊙⊗⊕∘∗∥∝∼→←↑↓↦⇒⟨⟩⌈⌉⌊⌋⋮⋯∩∪⊂ℝℒ∀∃ˆ¯˜\u0302\u0304\u2061\u2062"
CHARACTERS = [
    *range(0x20, 0x7F),
    *range(0x391, 0x3A2),
    *range(0x3A3, 0x3AA),
    *range(0x3B1, 0x3CA),
    0x3D1,
    0x3D5,
    0x3F5,
    *map(ord, OPERATORS),
    *ITALIC,
]
NAMES = {1: NAME, 3: "observatory-math", 4: NAME, 6: "ObservatoryMath-Regular", 10: MANIFEST}


def make(source: Path, target: Path = TARGET) -> None:
    """Write the font. Raises ValueError for a source that is no mathematics font."""
    font = TTFont(source)
    if "MATH" not in font:
        raise ValueError(f"{source}: no MATH table")
    options = Options(
        layout_features=[], name_IDs=[0, 1, 2, 3, 4, 5, 6, 10, 13, 14], hinting=False, notdef_outline=True
    )
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[*CHARACTERS, *BOLD.values()])
    subsetter.subset(font)
    glyphs = font.getBestCmap()
    bold = " ".join(f"sub {glyphs[letter]} by {glyphs[heavy]};" for letter, heavy in BOLD.items())
    addOpenTypeFeaturesFromString(font, f"feature ss01 {{ {bold} }} ss01;", tables=["GSUB"])
    for record in font["name"].names:
        record.string = NAMES.get(record.nameID, record.toUnicode())
    font["name"].setName(MANIFEST, 10, 3, 1, 0x409)
    cff = font["CFF "].cff
    cff.fontNames = [NAMES[6]]
    cff.topDictIndex[0].FullName, cff.topDictIndex[0].FamilyName = NAME, NAME
    font["head"].modified = font["head"].created  # the same bytes each time
    font.recalcTimestamp = False
    font.flavor = "woff2"
    font.save(target)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
