/** The map that the matrix shows: as computed, or with special tokens hidden, sub-words merged, heads averaged. */

import { getWindow } from "../../api/analyses.js";
import { isUnsigned } from "../../charts/heat_map/scales.js";
import { maskedIn, mayAttend } from "../state/allowed_keys.js";
import { arrange, condense, meanMatrix } from "../state/arrangement.js";
import { headsDrawn } from "../state/head_list.js";
import { t } from "../../base/i18n.js";
import { remembering } from "../../base/memoise.js";
import { answersOf } from "../widgets/panel.js";

/** @typedef {import("../state/arrangement.js").Arrangement} Arrangement */
/** @typedef {import("../../base/decode.js").Matrix} Matrix */

/**
 * @typedef {object} ShownMap
 * @property {Arrangement} queries
 * @property {Arrangement} keys
 * @property {Matrix | null} matrix  over the places shown; null while it is fetched
 * @property {Float32Array | null} row  of the chosen query, of the stage shown
 * @property {string} name  of the head, or of the mean
 * @property {number} heads  chosen
 * @property {boolean} isMean  whether their mean is shown
 * @property {import("../../charts/heat_map/cell_text.js").IsMasked} [isMasked]  of places, where weights are shown
 * @property {boolean} isChanged  anything hidden, merged or averaged
 * @property {string} obstacle  why nothing can be
 * @property {import("../../requests/request_scheduler.js").Failure | null} failure  why the matrix is not there
 */

/**
 * @param {import("../widgets/panel.js").Bench} bench
 */
export function createShownMap(bench) {
  const { headLoader, config } = bench;
  const whole = answersOf(bench, "weights", getWindow);
  const arrangeQueries = remembering(arrange);
  const arrangeKeys = remembering(arrange);
  const masking = remembering(maskOf);
  const combine = remembering(meanOf);

  return {
    /**
     * @param {import("../widgets/panel.js").Scene} scene
     * @param {import("../data/head_loader.js").Look} look
     * @returns {ShownMap}
     */
    take({ value, analysis, part, queries: readers, keys: read, name }, look) {
      const isWeights = value.stage === "weights";
      const most = config.limits.max_window_cells;
      const obstacle = part.query_tokens * part.key_tokens > most ? tooLong(most) : "";
      const hide = value.hide && obstacle === "";
      const words = value.words && obstacle === "" && isWeights;
      const queries = arrangeQueries(readers, hide, words);
      const keys = arrangeKeys(read, hide, words);
      const chosen = headsDrawn(value, part);
      const heads = value.mean && isWeights && obstacle === "" ? chosen : chosen.slice(0, 1);
      const isMasked = isUnsigned(value.stage) ? masking(part, JSON.stringify(heads), queries, keys) : undefined;
      const common = { queries, keys, heads: chosen.length, isMean: heads.length > 1, obstacle, isMasked };
      if (queries.isPlain && keys.isPlain && heads.length === 1) {
        whole.clear();
        const [matrix, row] = [headLoader.matrix(look), headLoader.row(look)];
        return { ...common, matrix, row, name, isChanged: false, failure: headLoader.failure() };
      }
      headLoader.clear();
      const { stage } = value;
      const matrices = whole.take(
        analysis.id,
        heads.map(({ layer, head }) => ({ part: part.name, layer, head, stage })),
      );
      const known = matrices.filter((matrix) => matrix !== null);
      const isThere = known.length === heads.length;
      const matrix = isThere ? combine(known, queries, keys, hide && value.renormalise && isWeights) : null;
      const place = value.query === null ? -1 : queries.places[value.query];
      const row =
        matrix && place >= 0 ? matrix.values.subarray(place * matrix.width, (place + 1) * matrix.width) : null;
      const title = heads.length > 1 ? t("Mean of {count} heads", { count: heads.length }) : name;
      return { ...common, matrix, row, name: title, isChanged: true, failure: whole.failure() };
    },
    clear: whole.clear,
  };
}

/**
 * @param {import("../../api/types.js").Part} part
 * @param {string} heads  as JSON
 * @param {Arrangement} queries
 * @param {Arrangement} keys
 */
function maskOf(part, heads, queries, keys) {
  return maskedIn(mayAttend(part, JSON.parse(heads)), { queries, keys });
}

/**
 * @param {Matrix[]} matrices
 * @param {Arrangement} queries
 * @param {Arrangement} keys
 * @param {boolean} renormalise
 */
function meanOf(matrices, queries, keys, renormalise) {
  return condense(meanMatrix(matrices), queries, keys, renormalise);
}

/** @param {number} cells */
function tooLong(cells) {
  const tokens = Math.floor(Math.sqrt(cells));
  return t(
    "Hiding, merging and averaging need the whole matrix, so they are available for texts of up to {count} tokens.",
    {
      count: tokens,
    },
  );
}
