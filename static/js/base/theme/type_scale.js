/** Lengths that scripts set: they grow with the page's type, as those of style sheets in rem do. */

/** Size of type, in pixels, at which such lengths are written down. */
const STANDARD = 16;

/**
 * @param {number} length  pixels at the standard size of type
 * @returns {number}  pixels of the page
 */
export function atTypeSize(length) {
  return (length * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)) / STANDARD;
}
