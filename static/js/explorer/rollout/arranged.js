/** What the views of rollout draw of the server's numbers: without hidden tokens, by place, memoised. */

import { arrange, condense, shownPlace, shownPlaces, shownRange } from "../state/arrangement.js";
import { remembering } from "../../base/memoise.js";
import { reachOf } from "../state/allowed_keys.js";
import { parseRange } from "../state/selection.js";
import { condenseRows, nothingFrom, numbered } from "./rows.js";

/** @typedef {import("../state/allowed_keys.js").Reach} Reach */
/** @typedef {import("../state/arrangement.js").Arrangement} Arrangement */
/** @typedef {import("../widgets/panel.js").Scene} Scene */

/**
 * @typedef {object} ArrangedRollout
 * @property {Arrangement} keys
 * @property {import("./rollout.js").RolloutData} chosen  of the chosen query
 * @property {import("./all_queries.js").WholeRolloutData} whole  of all queries
 */

export function createArrangedRollout() {
  const arranged = remembering(arrange);
  const numbers = createArrangedNumbers();
  const reaches = remembering(reachesOf);
  const masked = remembering(nothingFrom);
  const maskedInAll = remembering(nothingInAny);

  /**
   * @param {Pick<Scene, "value" | "part" | "keys" | "pointed" | "palette">} scene
   * @param {import("./questions.js").RolloutAnswers} answers
   * @returns {ArrangedRollout}
   */
  return function take({ value, part, keys: tokens, pointed, palette }, { matrix, noFlow, noWhole, ...ofLayers }) {
    const { layer, numbering, hide, faint } = value;
    const query = value.query ?? 0;
    const keys = arranged(tokens, hide, false);
    const reach = reaches(part);
    const key = shownPlace(keys, value.key);
    const cols = shownRange(keys, parseRange(value.cols, tokens.length));
    const common = { layer, key, cols, numbering, faint, paints: palette.weights };
    return {
      keys,
      chosen: {
        ...common,
        token: tokens[query],
        keys: keys.tokens,
        noFlow,
        ...numbers.ofLayers(part.layers, numbering, keys, ofLayers),
        pointed: shownPlace(keys, pointed.key),
        isMasked: masked(reach(query), keys),
      },
      whole: {
        ...common,
        matrix: numbers.ofAll(matrix, keys),
        obstacle: noWhole,
        tokens: keys.tokens,
        rows: shownRange(keys, parseRange(value.rows, tokens.length)),
        query: shownPlace(keys, query),
        pointed: shownPlaces({ queries: keys, keys }, pointed),
        isMasked: maskedInAll(reach, keys, layer),
      },
    };
  };
}

/**
 * What can have come to each query, worked out when it is looked at.
 * @param {Scene["part"]} part
 */
function reachesOf(part) {
  /** @type {Map<number, Reach | null>} */
  const reaches = new Map();
  return (/** @type {number} */ query) => {
    const reach = reaches.get(query) ?? reachOf(part, query);
    reaches.set(query, reach);
    return reach;
  };
}

/**
 * Whether nothing can have come from some places to others after a layer.
 * @param {ReturnType<typeof reachesOf>} reach
 * @param {Arrangement} tokens
 * @param {number} layer
 * @returns {import("../../charts/heat_map/cell_text.js").IsMasked}
 */
function nothingInAny(reach, tokens, layer) {
  return (rows, cols) =>
    tokens.spans.slice(...rows).every(([query]) => nothingFrom(reach(query), tokens)("rollout", layer, cols));
}

/** The server's numbers without hidden tokens, memoised. */
function createArrangedNumbers() {
  const [rollout, means, flow] = [0, 1, 2].map(() => remembering(condenseRows));
  const labels = remembering(numbered);
  const whole = remembering(condense);
  return {
    /**
     * @param {number} layers
     * @param {0 | 1} numbering
     * @param {Arrangement} keys
     * @param {Record<import("./names.js").What, Float32Array | null>} values
     */
    ofLayers: (layers, numbering, keys, values) => ({
      layers: labels(layers, numbering),
      rollout: rollout(values.rollout, keys),
      means: means(values.means, keys),
      flow: flow(values.flow, keys),
    }),
    /**
     * @param {import("../../base/decode.js").Matrix | null} matrix
     * @param {Arrangement} keys
     */
    ofAll: (matrix, keys) => matrix && whole(matrix, keys, keys, false),
  };
}
