/** Rollout in an exported file: computed from the weights of all heads, where the file holds them. */

import { el, fill, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { betweenTexts, rolloutNotes } from "../rollout/notes.js";
import { chained, numbered } from "../rollout/rows.js";
import { placesIn } from "../state/selection.js";
import { mount } from "../../base/mount.js";
import { rolloutView } from "../rollout/rollout.js";
import { wholeRolloutView } from "../rollout/all_queries.js";

/** @typedef {import("../../api/types.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../api/types.js").Pointed} Pointed */
/** @typedef {import("../../api/types.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} Chain  by layer
 * @property {Float32Array[]} means  of the heads' weights: tokens × tokens
 * @property {Matrix[]} products
 *
 * @typedef {object} Look
 * @property {Part} part
 * @property {Token[]} queries
 * @property {number} layer
 * @property {number | null} query
 * @property {number | null} key
 * @property {Range} rows
 * @property {Range} cols
 * @property {0 | 1} numbering
 * @property {import("../../charts/heat_map/heat_map.js").Paint} paint
 */

/**
 * @param {Document} root
 * @param {ReturnType<typeof import("./windows.js").createWindows>} windows
 * @param {{set: (changes: {layer?: number, query?: number | null, key?: number | null, rows?: Range, cols?: Range}) => void}} state
 * @param {{set: (place: Pointed) => void}} pointed
 */
export function createSavedRollout(root, windows, state, pointed) {
  const details = /** @type {HTMLDetailsElement} */ (need(root, "#rolled"));
  const box = el("div", { class: "rollout" });
  const whole = el("div", { class: "rollout-whole" });
  const missing = el("p", { class: "note" });
  fill(need(root, "#rollout"), missing, box, whole, rolloutNotes());
  /** @type {Map<Part, Chain | null>} */
  const known = new Map();
  const show = mount(box, rolloutView, {
    onPick: (at) => state.set(at),
    onPoint: (key) => pointed.set({ query: null, key }),
    onZoom: (cols) => state.set({ cols }),
  });
  const showWhole = mount(whole, wholeRolloutView, {
    onPick: (place) => state.set(place),
    onPoint: (place) => pointed.set(place),
    onZoom: (rows, cols) => state.set({ rows, cols }),
  });
  const layerLabels = new Map();

  /**
   * @param {Part} part
   * @returns {Chain | null}  null where the file has not all weights
   */
  function chainOf(part) {
    const found = known.get(part);
    if (found !== undefined) return found;
    const made = isWhole(part) ? makeChain(part) : null;
    known.set(part, made);
    return made;
  }

  /** @param {Part} part */
  function isWhole(part) {
    const head = { part, layer: part.layers - 1, head: part.heads - 1 };
    return (
      windows.isSaved({ ...head, layer: 0, head: 0 }) && windows.isSaved(head) && weights(part, 0, 0).cellRows === 1
    );
  }

  /**
   * @param {Part} part
   * @param {number} layer
   * @param {number} head
   */
  function weights(part, layer, head) {
    const all = /** @type {Range} */ ([0, part.query_tokens]);
    return windows.matrix({ part, layer, head, stage: "weights", rows: all, cols: all });
  }

  /** @param {Part} part */
  function makeChain(part) {
    const size = part.query_tokens;
    const means = Array.from({ length: part.layers }, (_, layer) => {
      const sum = new Float64Array(size * size);
      for (let head = 0; head < part.heads; head++) {
        weights(part, layer, head).values.forEach((weight, cell) => (sum[cell] += weight / part.heads));
      }
      return Float32Array.from(sum);
    });
    const all = /** @type {Range} */ ([0, size]);
    const products = chained(means, size).map((values) => ({
      ...{ values, height: size, width: size, rows: all, cols: all, cellRows: 1, cellCols: 1 },
    }));
    return { means, products };
  }

  /**
   * The row of one query in every layer.
   * @param {Float32Array[]} squares
   * @param {number} query
   * @param {number} size
   */
  function rowsOf(squares, query, size) {
    const rows = new Float32Array(squares.length * size);
    squares.forEach((square, layer) => rows.set(square.subarray(query * size, (query + 1) * size), layer * size));
    return rows;
  }

  /** @type {{chain: Chain, query: number, rollout: Float32Array, means: Float32Array} | null} */
  let rows = null;

  /** @type {Look | null} */
  let latest = null;
  details.addEventListener("toggle", () => latest && draw(latest));

  /** @param {Look} look */
  function draw({ part, queries: tokens, layer, query, key, rows: down, cols, numbering, paint }) {
    const isOneText = part.query_side === part.key_side;
    const chain = isOneText && details.open ? chainOf(part) : null;
    missing.hidden = chain !== null;
    box.hidden = whole.hidden = chain === null;
    missing.textContent = isOneText
      ? t("Rollout needs the weights of all heads, which are too many for this file: open the live page.")
      : betweenTexts();
    if (chain === null) {
      show(null);
      showWhole(null);
      return;
    }
    const size = part.query_tokens;
    const from = query ?? 0;
    if (rows?.chain !== chain || rows.query !== from) {
      const products = chain.products.map(({ values }) => values);
      rows = { chain, query: from, rollout: rowsOf(products, from, size), means: rowsOf(chain.means, from, size) };
    }
    if (!layerLabels.has(part)) layerLabels.set(part, numbered(part.layers, numbering));
    const common = { layer, key, cols, numbering, paint };
    show({
      ...common,
      ...{ token: tokens[from], keys: tokens, layers: layerLabels.get(part), flow: null, pointed: null },
      ...{ rollout: rows.rollout, means: rows.means },
      noFlow: t("The flow is not in this file: the live page computes it."),
    });
    showWhole({
      ...{ ...common, matrix: chain.products[layer], obstacle: "", tokens, rows: down, query: from },
      pointed: { query: null, key: null },
    });
  }

  return {
    /** @param {Look} look */
    show(look) {
      latest = look;
      draw(look);
    },
    /** @param {Pointed} place  which alone has changed */
    point(place) {
      show.patch(({ keys }) => ({ pointed: placesIn({ queries: keys, keys }, place).key }));
      showWhole.patch(({ tokens }) => ({ pointed: placesIn({ queries: tokens, keys: tokens }, place) }));
    },
  };
}
