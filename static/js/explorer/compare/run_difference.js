/** The difference of two runs: subtracted here where every cell is there, else by the server, or unit by unit. */

import { createDifferenceLoader } from "./difference_loader.js";
import { isComparable, subtract } from "./difference.js";
import { noSuchHead, notPooled, questionOf } from "./positions.js";
import { remembering } from "../../base/memoise.js";
import { limitsOf } from "../../charts/heat_map/scales.js";
import { readWindow } from "../state/selection.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../charts/heat_map/cells.js").Pointed} Pointed */
/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("./run_maps.js").Run} Run */
/** @typedef {import("../../charts/heat_map/cell_text.js").IsMasked} IsMasked */

/**
 * @typedef {object} RunDifference
 * @property {string} reason  why there is none; "" where there is
 * @property {string} note
 * @property {Matrix | null} matrix  null while it is fetched
 * @property {number[][] | null} largest  change of any weight, by layer and head
 */

/**
 * @param {import("../widgets/panel.js").Bench} bench
 * @param {import("../data/session.js").Session} second  the session of the other run
 * @param {ReturnType<typeof import("./pairing.js").createPairing>} pairing
 */
export function createRunDifference({ session, schedule }, second, pairing) {
  const differences = createDifferenceLoader(session, second, schedule);
  const subtracted = remembering(subtract);
  return {
    failure: () => differences.failure() ?? pairing.failure(),
    clear() {
      differences.clear();
      pairing.clear();
    },
    /**
     * @param {Scene} scene
     * @param {[Run, Run]} runs
     * @param {(Matrix | null)[]} windows  of both
     * @param {import("./positions.js").Paired} paired
     * @returns {RunDifference}
     */
    take(scene, runs, [firstMatrix, secondMatrix], { pairing: paired, own }) {
      const { isIdentity } = paired;
      const isExact = firstMatrix !== null && firstMatrix.cellRows === 1 && firstMatrix.cellCols === 1;
      const isAsked = isIdentity && isComparable(runs[0].part, runs[1].part);
      const isPooled = isIdentity && firstMatrix !== null && !isExact && !isAsked;
      const reason = noSuchHead(...runs) || paired.reason || (isPooled ? notPooled() : "");
      const asked = differences.take(isAsked ? questionOf(runs, own, scene) : null);
      const said = { reason, note: reason || paired.note, largest: asked.largest };
      if (reason !== "" || !paired.queries || !paired.keys) return { ...said, matrix: null };
      if (!isIdentity) {
        const side = own === 0 ? "first" : "second";
        return { ...said, matrix: pairing.difference(paired, ...runs, side, scene.value.stage) };
      }
      // Largest cells subtracted are no largest difference: where cells are pooled, the server subtracts first.
      pairing.clear();
      return {
        ...said,
        matrix: isExact ? firstMatrix && secondMatrix && subtracted(firstMatrix, secondMatrix) : asked.matrix,
      };
    },
  };
}

/**
 * What the map of the difference shows: a row and a column for each unit that both texts have.
 * @param {import("../../charts/heat_map/heat_map.js").MatrixData[]} maps  of both runs
 * @param {Scene} scene
 * @param {Matrix | null} matrix
 * @param {{queries: import("./pairing.js").PairedSide, keys: import("./pairing.js").PairedSide}} sides
 * @returns {import("../../charts/heat_map/heat_map.js").MatrixData}
 */
export function differenceMap([first, second], { value, part, pointed, palette }, matrix, { queries, keys }) {
  const { rows, cols } = readWindow(value, part);
  const units = (/** @type {Pointed} */ { query, key }) => ({
    query: queries.across.unitOf(query),
    key: keys.across.unitOf(key),
  });
  return {
    ...second,
    matrix,
    limits: limitsOf("scaled_scores", matrix),
    queries: queries.tokens,
    keys: keys.tokens,
    ...units(value),
    pointed: units(pointed),
    rows: queries.across.unitsIn(rows),
    cols: keys.across.unitsIn(cols),
    missing: [],
    stage: "difference",
    paint: palette.scores,
    sheet: null,
    isMasked: maskedInBoth(first.isMasked, second.isMasked, queries.alignment, keys.alignment),
  };
}

const maskedInBoth = remembering(
  (
    /** @type {IsMasked | undefined} */ first,
    /** @type {IsMasked | undefined} */ second,
    /** @type {import("./alignment.js").Alignment} */ queries,
    /** @type {import("./alignment.js").Alignment} */ keys,
  ) => first && second && bothMasked(first, second, queries, keys),
);

/**
 * Whether all tokens of some units are masked in both runs: a weight that only one run masks has changed.
 * @param {IsMasked} first
 * @param {IsMasked} second
 * @param {Pick<import("./alignment.js").Alignment, "units">} queries
 * @param {Pick<import("./alignment.js").Alignment, "units">} keys
 * @returns {IsMasked}
 */
export function bothMasked(first, second, { units: queries }, { units: keys }) {
  const span = (/** @type {number[]} */ tokens) =>
    /** @type {[number, number]} */ ([tokens[0], tokens[tokens.length - 1] + 1]);
  return (rows, cols) =>
    queries
      .slice(...rows)
      .every((query) =>
        keys
          .slice(...cols)
          .every((key) => first(span(query.first), span(key.first)) && second(span(query.second), span(key.second))),
      );
}
