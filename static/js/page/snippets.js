/** Snippets that embed a page in other programs; the same in every language. */

/** @typedef {"html" | "markdown" | "reveal" | "jupyter" | "notion"} SnippetKind */

/** @type {readonly SnippetKind[]} */
export const SNIPPETS = ["html", "markdown", "reveal", "jupyter", "notion"];

/**
 * @param {SnippetKind} kind
 * @param {{link: string, embed: string, title: string, height: number}} picture  full addresses
 * @returns {string}
 */
export function snippet(kind, { link, embed, title, height }) {
  if (kind === "notion") return link;
  if (kind === "markdown") return `[${title.replace(/[[\]\\]/g, "\\$&")}](${link.replace(/[()]/g, percent)})`;
  if (kind === "jupyter") {
    return `from IPython.display import IFrame\nIFrame(${python(embed)}, width="100%", height=${height})`;
  }
  if (kind === "reveal") {
    return `<section data-background-iframe="${quoted(embed)}" data-background-interactive data-preload></section>`;
  }
  return `<iframe src="${quoted(embed)}" title="${quoted(title)}" width="100%" height="${height}" style="border: 0; max-height: var(--slide-height, none)" loading="lazy" allow="fullscreen; clipboard-write"></iframe>
<script>
  addEventListener("message", ({ source, data }) => {
    if (data?.type !== "observatory:size") return;
    for (const frame of document.querySelectorAll("iframe")) {
      if (frame.contentWindow !== source) continue;
      const slide = frame.closest(".reveal section"), inner = getComputedStyle(frame).getPropertyValue("--slide-height");
      const room = slide ? parseFloat(inner) - slide.offsetHeight + frame.offsetHeight : data.height;
      frame.style.height = Math.max(200, Math.min(data.height, room || data.height)) + "px";
    }
  });
</script>`;
}

/**
 * Safe between double quotes in HTML.
 * @param {string} text
 */
function quoted(text) {
  return text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
}

/**
 * A Python string literal: JSON's, whose escapes are valid in Python.
 * @param {string} text
 */
function python(text) {
  return JSON.stringify(text);
}

/** @param {string} sign */
function percent(sign) {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}
