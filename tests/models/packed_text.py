"""What a saved file packs, read back: two of 91 signs for 13 bits, after the number of bytes too many, gzip inside."""

import gzip

SIGNS = [chr(code) for code in range(33, 127) if chr(code) not in "'<\\"]


def read_packed(text: str) -> bytes:
    """The content of an element of packed text."""
    numbers = [SIGNS.index(sign) for sign in text.strip()]
    bits = "".join(f"{high * 91 + low:013b}" for high, low in zip(numbers[1::2], numbers[2::2], strict=True))
    content = bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8))
    return gzip.decompress(content[: len(content) - numbers[0]])
