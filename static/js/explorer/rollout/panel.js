/** How attention chains over layers: rollout and flow of the chosen query, and the rollout of all. */

import { getFlow, getRollout, getRolloutLayers } from "../../api/rollout.js";
import { arrange, condense, shownRange, tokenRange } from "../state/arrangement.js";
import { createAnalysisResource } from "../../requests/cached_resource.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { grouped } from "../../base/numbers.js";
import { remembering } from "../../base/memoise.js";
import { betweenTexts, rolloutNotes } from "./notes.js";
import { condenseRows, numbered } from "./rows.js";
import { formatRange, parseRange } from "../state/selection.js";
import { failureView } from "../../page/failure.js";
import { mount } from "../../base/mount.js";
import { optionsView } from "../widgets/options.js";
import { rolloutView } from "./rollout.js";
import { wholeRolloutView } from "./all_queries.js";

/** @typedef {import("../../api/types.js").Range} Range */
/** @typedef {import("../../api/types.js").Scene} Scene */

const KEPT = 16;
const KEPT_WHOLE = 4;

/**
 * @param {HTMLElement} element
 * @param {import("../../api/types.js").Bench} bench
 * @returns {import("../../api/types.js").Panel}
 */
export function rolloutPanel(element, { state, pointed, session, schedule }) {
  const bar = el("div");
  const obstacle = el("p", { class: "note" });
  const box = el("div", { class: "rollout" });
  const whole = el("div", { class: "rollout-whole" });
  const problems = { layers: el("div", { class: "failure" }), whole: el("div", { class: "failure" }) };
  const notes = rolloutNotes();
  const chained = {
    layers: createAnalysisResource(session, getRolloutLayers, {
      lane: "rollout/layers",
      onChange: schedule,
      kept: KEPT,
    }),
    flow: createAnalysisResource(session, getFlow, { lane: "flow", onChange: schedule, kept: KEPT }),
    whole: createAnalysisResource(session, getRollout, { lane: "rollout", onChange: schedule, kept: KEPT_WHOLE }),
  };
  const showProblem = {
    layers: mount(problems.layers, failureView, {}),
    whole: mount(problems.whole, failureView, {}),
  };
  const arranged = remembering(arrange);
  const rolloutRows = remembering(condenseRows);
  const meanRows = remembering(condenseRows);
  const flowRow = remembering(condenseRows);
  const condensed = remembering(condense);
  const layerLabels = remembering(numbered);
  /** @type {{keys: import("../state/arrangement.js").Arrangement, count: number} | null} */
  let shown = null;
  const tokenOf = (/** @type {number | null} */ place) =>
    place === null ? null : (shown?.keys.spans[place]?.[0] ?? null);
  const showOptions = mount(bar, optionsView, {
    onChange: (name, value) => state.set({ [name]: value }, "switch"),
  });
  const show = mount(box, rolloutView, {
    onPick: ({ layer, key }, origin) =>
      state.set({ ...(layer !== undefined && { layer }), ...(key !== undefined && { key: tokenOf(key) }) }, origin),
    onPoint: (key) => pointed.set({ query: null, key: tokenOf(key) }),
    onZoom: (cols) => zoom(null, cols),
  });
  const showWhole = mount(whole, wholeRolloutView, {
    onPick: ({ query, key }, origin) => state.set({ query: tokenOf(query), key: tokenOf(key) }, origin),
    onPoint: ({ query, key }) => pointed.set({ query: tokenOf(query), key: tokenOf(key) }),
    onZoom: zoom,
  });

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
    const { layer, numbering, hide } = value;
    const query = value.query ?? 0;
    const keys = arranged(tokens, hide, false);
    shown = { keys, count: tokens.length };
    const cols = shownRange(keys, parseRange(value.cols, tokens.length));
    const rows = shownRange(keys, parseRange(value.rows, tokens.length));
    const key = placeOf(keys, value.key);
    const [found] = chained.layers.take(analysis.id, [{ part: part.name, query }]);
    const hasFlow = found === null || tokens.length <= found.maxFlow;
    const hasWhole = found !== null && tokens.length <= found.maxWhole;
    const [flow] = chained.flow.take(analysis.id, found && hasFlow ? [{ part: part.name, layer, query }] : []);
    const [matrix] = chained.whole.take(analysis.id, hasWhole ? [{ part: part.name, layer }] : []);
    const paint = palette.weights.faint;
    const said = (/** @type {number} */ most) => ({ most: grouped(most), count: grouped(tokens.length) });
    show({
      token: tokens[query],
      keys: keys.tokens,
      layers: layerLabels(part.layers, numbering),
      rollout: rolloutRows(found?.rollout ?? null, keys),
      means: meanRows(found?.means ?? null, keys),
      flow: flowRow(flow ?? null, keys),
      noFlow: hasFlow
        ? ""
        : t("The flow is computed for up to {most} tokens; this text has {count}.", said(found.maxFlow)),
      ...{ layer, key, pointed: placeOf(keys, scene.pointed.key), cols, numbering, paint },
    });
    showWhole({
      matrix: matrix ? condensed(matrix, keys, keys, false) : null,
      obstacle:
        found === null || hasWhole
          ? ""
          : t(
              "Computed for up to {most} tokens; this text has {count}. Pick one query at a time.",
              said(found.maxWhole),
            ),
      tokens: keys.tokens,
      ...{ layer, numbering, rows, cols, query: placeOf(keys, query), key, paint },
      pointed: pointedIn(keys, scene.pointed),
    });
  }

  return {
    show(scene) {
      if (!notes.isConnected) fill(element, bar, obstacle, problems.layers, box, problems.whole, whole, notes);
      const { part, value } = scene;
      const isOneText = part.query_side === part.key_side;
      obstacle.hidden = isOneText;
      const none = { words: false, renormalise: true, mean: false, heads: 1, obstacle: "" };
      const sums = value.hide ? t("Hidden columns keep their share: rows add up to less than 1.") : "";
      showOptions(isOneText ? { ...none, hide: value.hide, sums, offered: ["hide"] } : null);
      if (isOneText) draw(scene);
      else clear();
      obstacle.textContent = isOneText ? "" : betweenTexts();
      const failure = chained.layers.failure();
      showProblem.layers(failure ?? chained.flow.failure());
      showProblem.whole(chained.whole.failure());
      box.hidden = whole.hidden = !isOneText || failure?.kind === "failed";
    },
    point(at) {
      const keys = shown?.keys;
      if (!keys) return;
      show.patch(() => ({ pointed: placeOf(keys, at.key) }));
      showWhole.patch(() => ({ pointed: pointedIn(keys, at) }));
    },
    hide() {
      clear();
      showOptions(null);
      element.replaceChildren();
    },
  };

  function clear() {
    for (const resource of Object.values(chained)) resource.clear();
    for (const told of Object.values(showProblem)) told(null);
    show(null);
    showWhole(null);
    shown = null;
  }
}

/**
 * @param {import("../state/arrangement.js").Arrangement} arrangement
 * @param {number | null} token
 * @returns {number | null}  null where it is hidden
 */
function placeOf({ places }, token) {
  const place = token === null ? -1 : (places[token] ?? -1);
  return place < 0 ? null : place;
}

/**
 * @param {import("../state/arrangement.js").Arrangement} keys
 * @param {import("../../api/types.js").Pointed} pointed
 */
function pointedIn(keys, { query, key }) {
  return { query: placeOf(keys, query), key: placeOf(keys, key) };
}
