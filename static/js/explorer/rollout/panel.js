/** Panel of attention chained over layers: rollout and flow of the chosen query, and the rollout of all queries. */

import { getFlow, getRollout, getRolloutLayers } from "../../api/rollout.js";
import { arrange, condense, shownPlace, shownPlaces, shownRange, tokenAt, tokenRange } from "../state/arrangement.js";
import { isRecorded } from "../../requests/recorded_answers.js";
import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { grouped } from "../../base/numbers.js";
import { remembering } from "../../base/memoise.js";
import { betweenTexts, rolloutNotes } from "./notes.js";
import { condenseRows, nothingFrom, numbered } from "./rows.js";
import { reachOf } from "../state/allowed_keys.js";
import { formatRange, parseRange } from "../state/selection.js";
import { mount } from "../../base/mount.js";
import { createOptions, sumsNote } from "../widgets/options.js";
import { answersOf, createPanel, createProblem } from "../widgets/panel.js";
import { rolloutView } from "./rollout.js";
import { wholeRolloutView } from "./all_queries.js";

/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../widgets/panel.js").Scene} Scene */

const KEPT_WHOLE = 4;

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function rolloutPanel(element, bench) {
  const { state } = bench;
  const obstacle = el("p", { class: "note" });
  const boxes = { chosen: el("div", { class: "rollout" }), whole: el("div", { class: "rollout-whole" }) };
  const layers = answersOf(bench, "rollout/layers", getRolloutLayers);
  const flows = answersOf(bench, "flow", getFlow);
  const wholes = answersOf(bench, "rollout", getRollout, { kept: KEPT_WHOLE });
  const problems = {
    chosen: createProblem(...(isRecorded() ? [layers] : [layers, flows])),
    whole: createProblem(wholes),
  };
  const options = createOptions(state, { offered: ["hide"] });
  const arranged = remembering(arrange);
  const arrangedNumbers = createArrangedNumbers();
  const reaches = remembering(reachesOf);
  const masked = remembering(nothingFrom);
  const maskedInAll = remembering(nothingInAny);
  /** @type {{keys: import("../state/arrangement.js").Arrangement, count: number} | null} */
  let shown = null;
  const tokenOf = (/** @type {number | null} */ place) => tokenAt(shown?.keys, place);
  const views = mountViews(boxes, bench, tokenOf, zoom);

  /**
   * @param {Range | null} rows  places; null for those in view
   * @param {Range} cols
   */
  function zoom(rows, cols) {
    if (!shown) return;
    const { keys, count } = shown;
    const written = (/** @type {Range} */ range) => formatRange(tokenRange(keys, range, count), count);
    state.set({ ...(rows && { rows: written(rows) }), cols: written(cols) }, "move");
  }

  /** @param {Scene} scene */
  function draw(scene) {
    const { value, analysis, part, keys: tokens, palette } = scene;
    const { layer, numbering, hide, faint } = value;
    const query = value.query ?? 0;
    const keys = arranged(tokens, hide, false);
    shown = { keys, count: tokens.length };
    const [ofLayers] = layers.take(analysis.id, [{ part: part.name, query }]);
    const { noFlow, noWhole } = obstaclesTo(ofLayers, tokens.length);
    const [flow] = flows.take(analysis.id, ofLayers && !noFlow ? [{ part: part.name, layer, query }] : []);
    const [matrix] = wholes.take(analysis.id, ofLayers && !noWhole ? [{ part: part.name, layer }] : []);
    const { means, rollout } = ofLayers ?? { means: null, rollout: null };
    const cols = shownRange(keys, parseRange(value.cols, tokens.length));
    const key = shownPlace(keys, value.key);
    const common = { layer, key, cols, numbering, faint, paints: palette.weights };
    const reach = reaches(part);
    views.chosen({
      token: tokens[query],
      keys: keys.tokens,
      noFlow: noFlow || notHere(flows.failure()),
      ...arrangedNumbers.ofLayers(part.layers, numbering, keys, { rollout, means, flow: flow ?? null }),
      ...common,
      pointed: shownPlace(keys, scene.pointed.key),
      isMasked: masked(reach(query), keys),
    });
    views.whole({
      matrix: arrangedNumbers.ofAll(matrix ?? null, keys),
      obstacle: noWhole,
      tokens: keys.tokens,
      ...common,
      rows: shownRange(keys, parseRange(value.rows, tokens.length)),
      query: shownPlace(keys, query),
      pointed: shownPlaces({ queries: keys, keys }, scene.pointed),
      isMasked: maskedInAll(reach, keys, layer),
    });
  }

  const panel = createPanel(element, {
    stands: [options.box, obstacle, problems.chosen.box, boxes.chosen, problems.whole.box, boxes.whole, rolloutNotes()],
    views,
    asks: [layers, flows, wholes, ...Object.values(problems), options],
    draw(scene) {
      const { part, value } = scene;
      const isOneText = part.query_side === part.key_side;
      obstacle.hidden = isOneText;
      obstacle.textContent = isOneText ? "" : betweenTexts();
      if (isOneText) {
        options.show(value, { sums: sumsNote({ ...value, renormalise: false }) });
        draw(scene);
      } else panel.clear();
      for (const problem of Object.values(problems)) problem.show();
      boxes.chosen.hidden = boxes.whole.hidden = !isOneText || layers.failure()?.kind === "failed";
    },
    point(place) {
      const keys = shown?.keys;
      if (!keys) return;
      views.chosen.patch(() => ({ pointed: shownPlace(keys, place.key) }));
      views.whole.patch(() => ({ pointed: shownPlaces({ queries: keys, keys }, place) }));
    },
    forget: () => (shown = null),
  });
  return panel;
}

/**
 * @param {Record<"chosen" | "whole", HTMLElement>} boxes
 * @param {import("../widgets/panel.js").Bench} bench
 * @param {(place: number | null) => number | null} tokenOf
 * @param {(rows: Range | null, cols: Range) => void} zoom
 */
function mountViews(boxes, { state, pointed }, tokenOf, zoom) {
  return {
    chosen: mount(boxes.chosen, rolloutView, {
      onPick: ({ layer, key }, origin) =>
        state.set({ ...(layer !== undefined && { layer }), ...(key !== undefined && { key: tokenOf(key) }) }, origin),
      onPoint: (key) => pointed.set({ query: null, key: tokenOf(key) }),
      onZoom: (cols) => zoom(null, cols),
    }),
    whole: mount(boxes.whole, wholeRolloutView, {
      onPick: ({ query, key }, origin) => state.set({ query: tokenOf(query), key: tokenOf(key) }, origin),
      onPoint: ({ query, key }) => pointed.set({ query: tokenOf(query), key: tokenOf(key) }),
      onZoom: zoom,
    }),
  };
}

/**
 * What can have come to each query, worked out when it is looked at.
 * @param {Scene["part"]} part
 */
function reachesOf(part) {
  /** @type {Map<number, import("../state/allowed_keys.js").Reach | null>} */
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
 * @param {import("../state/arrangement.js").Arrangement} tokens
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
     * @param {import("../state/arrangement.js").Arrangement} keys
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
     * @param {import("../state/arrangement.js").Arrangement} keys
     */
    ofAll: (matrix, keys) => matrix && whole(matrix, keys, keys, false),
  };
}

/**
 * The note in a saved file on what it does not hold.
 * @param {import("../../requests/request_scheduler.js").Failure | null} failure
 * @returns {string}
 */
function notHere(failure) {
  return isRecorded() && failure?.error instanceof Error ? failure.error.message : "";
}

/**
 * Why there is no flow, and no rollout of all queries; "" where there is, or while it is not known.
 * @param {{maxFlow: number, maxWhole: number} | null} ofLayers
 * @param {number} tokens
 */
function obstaclesTo(ofLayers, tokens) {
  const said = (/** @type {number} */ most) => ({ most: grouped(most), count: grouped(tokens) });
  return {
    noFlow:
      ofLayers && tokens > ofLayers.maxFlow
        ? t("Flow is computed for up to {most} tokens; this text has {count}.", said(ofLayers.maxFlow))
        : "",
    noWhole:
      ofLayers && tokens > ofLayers.maxWhole
        ? t(
            "Available for up to {most} tokens; this text has {count}. Choose one query at a time.",
            said(ofLayers.maxWhole),
          )
        : "",
  };
}
