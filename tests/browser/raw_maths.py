"""Finds mathematics that was left in a programmer's notation."""

import re

NOTATION = r"(?<![A-Za-z0-9_])(?:[A-Za-z\u0391-\u03c9]|[0-9]+)[_^][A-Za-z0-9(\u2212\u221e]|\bsqrt\("
RAW = re.compile(rf"{NOTATION}|√[A-Za-z0-9(](?![₀-ₜ])")
RAW_IN_PLAIN_TEXT = re.compile(NOTATION)
"""Where only plain text can stand, √d is as good as it gets."""

READ = """() => {
  const found = { html: [], plain: [], formulas: [] };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent.closest("script, style, pre, code, textarea, .failure, [translate=no]")) continue;
    if (parent.closest("math")) found.formulas.push(node.data);
    else (parent.closest("svg, option, .mark-legend") ? found.plain : found.html).push(node.data);
  }
  for (const element of document.querySelectorAll("[title], [aria-label], [aria-valuetext], [placeholder]"))
    for (const name of ["title", "aria-label", "aria-valuetext", "placeholder"])
      if (element.hasAttribute(name)) found.plain.push(element.getAttribute(name));
  found.plain.push(document.title);
  return found; }"""
"""The texts of a page: as HTML, where only plain text or SVG can stand, and in formulas."""


def raw_maths(texts: dict[str, list[str]]) -> list[str]:
    """What of these texts is raw."""
    plain = [text for text in texts["plain"] if RAW_IN_PLAIN_TEXT.search(text)]
    return [text for text in texts["html"] if RAW.search(text)] + plain
