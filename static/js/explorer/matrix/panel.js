/** The matrix of the chosen head with what belongs to it: legend, table, and what the chosen query reads. */

import { shownRange, tokenRange } from "../state/arrangement.js";
import { isUploaded } from "../../api/analyses.js";
import { need } from "../../base/dom.js";
import { createShownMap } from "./shown_map.js";
import { t } from "../../base/i18n.js";
import { stageMeaning } from "../../wording/labels.js";
import { remembering } from "../../base/memoise.js";
import { isMasked, isUnsigned, limitsOf } from "../../charts/heat_map/scales.js";
import { segmentChoices } from "../state/segments.js";
import { formatRange, parseRange } from "../state/selection.js";
import { axesVerb, rowSums } from "../../wording/stage_words.js";
import { failureView } from "../../page/failure.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { matrixView } from "../../charts/heat_map/heat_map.js";
import { matrixTableView } from "./matrix_table.js";
import { minimapView } from "../../charts/heat_map/minimap.js";
import { mount } from "../../base/mount.js";
import { optionsView } from "../widgets/options.js";
import { readsView } from "../widgets/reads.js";
import { segmentsView } from "../widgets/segments.js";

/** @typedef {import("../../api/types.js").Pointed} Pointed */
/** @typedef {import("../../api/types.js").Range} Range */
/** @typedef {import("../../api/types.js").Scene} Scene */
/** @typedef {import("./shown_map.js").ShownMap} ShownMap */

/**
 * @param {HTMLElement} element
 * @param {import("../../api/types.js").Bench} bench
 * @returns {import("../../api/types.js").Panel}
 */
export function matrixPanel(element, bench) {
  const { state, pointed, closer, remember, schedule } = bench;
  const at = (/** @type {string} */ id) => need(element, `#${id}`);
  const details = /** @type {HTMLDetailsElement} */ (at("numbers"));
  details.ontoggle = schedule;
  const shownMap = createShownMap(bench);
  const choicesOf = remembering(segmentChoices);
  const wholeOf = remembering((/** @type {number} */ queries, /** @type {number} */ keys) => [
    { rows: /** @type {Range} */ ([0, queries]), cols: /** @type {Range} */ ([0, keys]) },
  ]);
  /** @type {{part: Scene["part"], map: ShownMap} | null} */
  let shown = null;
  /** @param {Pointed} place */
  const tokensOf = ({ query, key }) => ({
    query: query === null ? null : (shown?.map.queries.spans[query]?.[0] ?? null),
    key: key === null ? null : (shown?.map.keys.spans[key]?.[0] ?? null),
  });
  const show = {
    options: mount(at("matrix-options"), optionsView, {
      onChange: (name, value) => state.set({ [name]: value }, "switch"),
    }),
    segments: mount(at("segments"), segmentsView, { onPick: (window) => state.set(window, "pick") }),
    matrix: mount(at("matrix"), matrixView, {
      onPick: (place, origin) => state.set(tokensOf(place), origin),
      onPoint: (place) => pointed.set(tokensOf(place)),
      onZoom: zoomTo,
    }),
    problem: mount(at("matrix-problem"), failureView, {}),
    minimap: mount(at("minimap"), minimapView, { onMove: zoomTo }),
    legend: mount(at("legend"), legendView, {}),
    table: mount(at("table"), matrixTableView, {}),
    reads: mount(at("reads"), readsView, {
      onPick: (key) => state.set({ key: tokensOf({ query: null, key }).key }, "pick"),
      onPoint: (key) => {
        const place = tokensOf({ query: null, key });
        pointed.set({ ...place, query: key === null ? null : state.get().query });
      },
    }),
  };

  /**
   * @param {Range} rows
   * @param {Range} cols
   */
  function zoomTo(rows, cols) {
    if (!shown) return;
    const { part, map } = shown;
    const down = tokenRange(map.queries, rows, part.query_tokens);
    const across = tokenRange(map.keys, cols, part.key_tokens);
    state.set({ rows: formatRange(down, part.query_tokens), cols: formatRange(across, part.key_tokens) }, "move");
  }

  /** @param {Scene} scene */
  function draw(scene) {
    const { value, part, palette, analysis } = scene;
    const { layer, head, stage, numbering, faint, hide, words, renormalise, mean } = value;
    const tokens = {
      rows: parseRange(value.rows, part.query_tokens),
      cols: parseRange(value.cols, part.key_tokens),
    };
    const look = { id: analysis.id, part, layer, head, stage, ...tokens, query: value.query };
    const map = shownMap.take(scene, look);
    shown = { part, map };
    const { queries, keys, matrix, row, name } = map;
    const [rows, cols] = [shownRange(queries, tokens.rows), shownRange(keys, tokens.cols)];
    const query = placeOf(queries, value.query);
    const key = placeOf(keys, value.key);
    const isPlain = isUnsigned(stage);
    const limits = limitsOf(stage, matrix, closer.distribution(look));
    const paint = isPlain ? palette.weights[faint ? "faint" : "plain"] : palette.scores;
    const { pictures, sheet } = remember(part);
    const picture = stage === "weights" && !map.isChanged ? sheet(palette.bytes[faint ? "faint" : "plain"]) : null;
    show.options({ hide, words, renormalise, mean, heads: map.heads, obstacle: map.obstacle });
    const choices = choicesOf(scene.queries, scene.keys);
    show.segments(choices.length > 0 ? { choices, rows: value.rows, cols: value.cols } : null);
    show.matrix({
      ...{ stage, name, layer, head, rows, cols, query, key, numbering, matrix, paint, limits },
      ...{ queries: queries.tokens, keys: keys.tokens },
      pointed: pointedIn(map, scene.pointed),
      ...inView(map, look),
      chosenValue: row && key !== null ? row[key] : null,
      pictures,
      sheet: picture,
    });
    const hasMasked = matrix !== null && isMasked(matrix);
    const isWhole = value.rows === "" && value.cols === "";
    const size = { queries: queries.tokens.length, keys: keys.tokens.length };
    show.minimap(isWhole ? null : { rows, cols, size, layer, head, numbering, pictures, sheet: picture });
    show.legend({ scale: isPlain ? "weight" : "signed", limits, faint: isPlain && faint, hasMasked });
    const isExact = matrix !== null && matrix.cellRows === 1 && matrix.cellCols === 1;
    const sides = { queries: queries.tokens, keys: keys.tokens };
    show.table(isExact && details.open ? { matrix, ...sides, stage, query, numbering } : null);
    const reader = row && query !== null ? queries.tokens[query] : null;
    show.reads(row && reader ? { query: reader, keys: keys.tokens, weights: row, stage, key, numbering } : null);
    const isGiven = isUploaded(analysis.id);
    const sums = rowSums(stage, matrix, { keys: size.keys, isHiding: hide && !renormalise, isGiven });
    at("stage-meaning").textContent = [isGiven ? t("weights as they were uploaded") : stageMeaning(stage), sums]
      .filter(Boolean)
      .join(": ");
    at("axes-verb").textContent = axesVerb(stage);
    show.problem(map.failure);
  }

  /**
   * What of the matrix is at hand, and what could not be had.
   * @param {ShownMap} map
   * @param {import("../data/head_loader.js").Look} look
   */
  function inView(map, look) {
    if (!map.isChanged) {
      const { tiles, missing } = closer.tiles(look);
      return { tiles, missing };
    }
    const isMissing = map.matrix === null && map.failure?.kind === "failed";
    return { tiles: [], missing: isMissing ? wholeOf(map.queries.tokens.length, map.keys.tokens.length) : [] };
  }

  return {
    show: draw,
    point(at) {
      const map = shown?.map;
      if (map) show.matrix.patch(() => ({ pointed: pointedIn(map, at) }));
    },
    hide() {
      shownMap.clear();
      closer.clear();
      shown = null;
      for (const update of Object.values(show)) update(null);
    },
  };
}

/**
 * @param {ShownMap} map
 * @param {Pointed} pointed  tokens
 * @returns {Pointed}  places
 */
function pointedIn({ queries, keys }, { query, key }) {
  return { query: placeOf(queries, query), key: placeOf(keys, key) };
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
