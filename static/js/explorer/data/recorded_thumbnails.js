/** Thumbnails of a saved file, made of the weights in it: a file that has all of these does not hold them. */

import { decodeMatrix, decodeShape, encodeBytes } from "../../base/decode.js";

/** @typedef {import("../../base/decode.js").EncodedArray} EncodedArray */
/** @typedef {import("../../requests/recorded_answers.js").Recorded} Recorded */
/** @typedef {import("./recorded_windows.js").WindowJson} WindowJson */

const ANALYSIS = /^\/api\/analyses\/[^/?]+$/;
const WEIGHTS = /^\/api\/analyses\/[^/?]+\/weights\?/;
const SHADES = 255;

/**
 * The records, with all thumbnails in the analysis.
 * @param {Recorded[]} records
 * @returns {Recorded[]}
 */
export function withThumbnails(records) {
  const weights = records.flatMap(({ request, answer }) => {
    const window = /** @type {WindowJson} */ (answer);
    return WEIGHTS.test(request) && window.stage === "weights" ? [window] : [];
  });
  return records.map((record) => {
    if (!ANALYSIS.test(record.request)) return record;
    const answer = /** @type {import("../../api/types.js").AnalysisJson} */ (record.answer);
    const overview = madeOf(answer.overview, answer.parts[0].name, weights);
    const parts = answer.parts.map((part) =>
      part.overview ? { ...part, overview: madeOf(part.overview, part.name, weights) } : part,
    );
    return { ...record, answer: { ...answer, overview, parts } };
  });
}

/**
 * @param {EncodedArray} overview
 * @param {string} part
 * @param {readonly WindowJson[]} weights
 * @returns {EncodedArray}
 */
function madeOf(overview, part, weights) {
  if (overview.bdata !== "") return overview;
  const [layers, heads, height, width] = decodeShape(overview);
  const bytes = new Uint8Array(layers * heads * height * width);
  for (const window of weights) {
    const { values } = decodeMatrix(window.matrix);
    const isWhole = window.part === part && values.length === height * width;
    if (isWhole) bytes.set(values.map(shadeOf), (window.layer * heads + window.head) * height * width);
  }
  return { ...overview, bdata: encodeBytes(bytes) };
}

/** As `shades` in `server/pages/packing.py`. @param {number} weight */
function shadeOf(weight) {
  return Math.floor(weight * SHADES + 0.5);
}
