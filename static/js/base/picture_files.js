/** Files made from an SVG: itself, and a PNG; and their download. */

const PIXELS = 2;
/** Where Unicode's signs for control characters begin, ␀ for U+0000. */
const CONTROL_PICTURES = 0x2400;
/** Largest side that browsers can draw. */
const LONGEST = 16_000;

/**
 * @param {SVGSVGElement} picture
 * @returns {Blob}
 */
export function svgFile(picture) {
  return new Blob([wellFormed(new XMLSerializer().serializeToString(picture))], { type: "image/svg+xml" });
}

/**
 * Text without the characters that XML cannot hold, not even escaped, and texts of PDFs and terminals do: the signs for
 * control characters in their place, U+FFFD for other ones.
 * @param {string} text
 * @returns {string}
 */
export function wellFormed(text) {
  return text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, (sign) => {
    const code = sign.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(CONTROL_PICTURES + code) : "\uFFFD";
  });
}

/**
 * @param {SVGSVGElement} picture
 * @param {number} [wide]  in pixels; 0 for two to each of the picture's
 * @returns {Promise<Blob>}
 */
export async function pngFile(picture, wide = 0) {
  const address = URL.createObjectURL(svgFile(picture));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    const [width, height] = ["width", "height"].map((name) => Number(picture.getAttribute(name)));
    const scale = Math.min(wide > 0 ? wide / width : PIXELS, LONGEST / Math.max(width, height));
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be drawn")))),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}

/**
 * @param {Blob} file
 * @param {string} name
 */
export function download(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** @param {Blob} file @returns {Promise<string>} */
export function base64Of(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("the picture could not be read"));
    reader.readAsDataURL(file);
  });
}
