/**
 * Print one image as one page of its size: the way to a PDF with real text that every browser has.
 *
 * A file without the dialog would need a library that draws PDF and the fonts of every script that a token may be of,
 * megabytes of them, to embed; or a Chromium beside the server. The browser has both, and its text can be selected.
 */

/** An image with the sizes of CSS pixels prints at 96 pixels to the inch. @param {SVGSVGElement} picture */
function sizeOf(picture) {
  return ["width", "height"].map((name) => Math.ceil(Number(picture.getAttribute(name))));
}

/**
 * Opens the browser's print dialog with nothing but the image; it offers to save as PDF.
 * @param {SVGSVGElement} picture  without style sheets
 * @param {string} title  the name that the dialog proposes for the file
 */
export function printImage(picture, title) {
  const frame = document.createElement("iframe");
  frame.className = "print-frame";
  frame.setAttribute("aria-hidden", "true");
  document.body.append(frame);
  const page = /** @type {Window & typeof globalThis} */ (frame.contentWindow);
  const [width, height] = sizeOf(picture);
  const sheet = new page.CSSStyleSheet();
  sheet.replaceSync(`@page { size: ${width}px ${height + 1}px; margin: 0; }
html, body { margin: 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
svg { display: block; }`);
  page.document.adoptedStyleSheets = [sheet];
  page.document.title = title;
  page.document.body.append(page.document.importNode(picture, true));
  page.addEventListener("afterprint", () => setTimeout(() => frame.remove(), 0));
  const before = document.title;
  document.title = title; // some browsers name the file by the outer page
  try {
    page.focus();
    page.print();
  } finally {
    document.title = before;
  }
}
