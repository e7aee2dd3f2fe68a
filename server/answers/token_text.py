"""A token as the pages write it: what cannot be seen in it, such as the space before a word, has a sign."""

BLANKS = "\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}\N{LOWER ONE EIGHTH BLOCK}"
"""How vocabularies write a space before a word."""
SIGNS = {ord(" "): "·", ord("\n"): "⏎", ord("\r"): "␍", ord("\t"): "⇥", 0xA0: "⍽", 0x3000: "□"}
"""As in ``static/js/wording/token_text.js``."""


def shown_text(text: str, piece: str = "", *, is_placed: bool = False) -> str:
    """The token's text with signs, without the sign of a word's continuation, with the space that decoding omits.

    ``piece`` is the token as its vocabulary spells it; where both are the same, no tokenizer was there to decode it.
    ``is_placed``: whether it stands for characters of a text, and so says what these are.
    """
    if is_placed:
        return text.translate(SIGNS)
    if piece.startswith("##"):
        return text.removeprefix("##") or text
    bare = text.lstrip(BLANKS) if text == piece else text
    blanks = len(text) - len(bare) or int(piece.startswith(tuple(BLANKS)) and not text[:1].isspace())
    return f"{' ' * blanks}{bare}".translate(SIGNS)
