/** Lines between tokens: the chosen head and those chosen beside it. */

import { arrange } from "../state/arrangement.js";
import { el, fill } from "../../base/dom.js";
import { createHeadRows, meanRows, rowsOf } from "../data/head_rows.js";
import { formatHeads, headsDrawn, indexOfHead } from "../state/head_list.js";
import { t } from "../../base/i18n.js";
import { headName } from "../../wording/labels.js";
import { seriesOf } from "./links.js";
import { remembering } from "../../base/memoise.js";
import { chosenSegment, rangesOf, segmentChoices } from "../state/segments.js";
import { failureView } from "../../page/failure.js";
import { linesView } from "./lines.js";
import { mount } from "../../base/mount.js";
import { optionsView } from "../widgets/options.js";
import { segmentsView } from "../widgets/segments.js";
import { seriesView } from "./series.js";

/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */
/** @typedef {import("../state/arrangement.js").Arrangement} Arrangement */
/** @typedef {import("../../api/types.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Range} Range */
/** @typedef {import("../../api/types.js").Scene} Scene */
/** @typedef {import("./lines.js").Followed} Followed */

/**
 * @param {HTMLElement} element
 * @param {import("../../api/types.js").Bench} bench
 * @returns {import("../../api/types.js").Panel}
 */
export function linesPanel(element, { state, pointed, session, schedule }) {
  const bars = {
    options: el("div"),
    segments: el("div"),
    series: el("div"),
    problem: el("div", { class: "failure" }),
    lines: el("div"),
  };
  const rows = createHeadRows(session, schedule);
  const arrangeQueries = remembering(arrange);
  const arrangeKeys = remembering(arrange);
  const choicesOf = remembering(segmentChoices);
  const makeSeries = remembering(seriesFrom);
  const follow = remembering(followedIn);
  /** @type {Range} places in view */
  let view = [0, 40];
  /** @type {{scene: Scene, heads: HeadAt[], queries: ReturnType<typeof arrange>, keys: ReturnType<typeof arrange>} | null} */
  let shown = null;
  const tokenAt = (/** @type {Followed} */ { side, place }) => {
    const arranged = side === "query" ? shown?.queries : shown?.keys;
    return arranged?.spans[place]?.[0] ?? null;
  };
  const setHeads = (/** @type {HeadAt[]} */ heads) => state.set({ heads: formatHeads(heads) }, "pick");
  const show = {
    options: mount(bars.options, optionsView, {
      onChange: (name, value) => state.set({ [name]: value }, "switch"),
    }),
    segments: mount(bars.segments, segmentsView, { onPick: (window) => state.set(window, "pick") }),
    series: mount(bars.series, seriesView, {
      onAdd: (more) => {
        const beside = shown?.heads.slice(1) ?? [];
        setHeads([...beside, ...more.filter((one) => shown && indexOfHead(shown.heads, one) < 0)]);
      },
      onRemove: (one) => setHeads((shown?.heads.slice(1) ?? []).filter((each) => each !== one)),
      onTop: (top) => state.set({ top }, "move"),
      onUnlock: () => state.set({ lock: "" }, "pick"),
    }),
    problem: mount(bars.problem, failureView, {}),
    lines: mount(bars.lines, linesView, {
      onPoint: (at) => pointed.set({ query: null, key: null, ...(at && { [at.side]: tokenAt(at) }) }),
      onLock: (at) => state.set(at ? { [at.side]: tokenAt(at), lock: at.side } : { lock: "" }, "pick"),
      onView: (range) => {
        if (range[0] === view[0] && range[1] === view[1]) return;
        view = range;
        schedule();
      },
    }),
  };

  /** @param {Scene} scene */
  function draw(scene) {
    const { value, analysis, part } = scene;
    const { hide, words, renormalise, mean, top, numbering, lock } = value;
    const heads = headsDrawn(value, part);
    const choices = choicesOf(scene.queries, scene.keys);
    const texts = chosenSegment(choices, value);
    const { down, across } = rangesOf(texts, part);
    const queries = arrangeQueries(scene.queries, hide, words, down);
    const keys = arrangeKeys(scene.keys, hide, words, across);
    shown = { scene, heads, queries, keys };
    const blocks = rows.take({ id: analysis.id, part, heads, rows: wantedRows() });
    const isMean = mean && heads.length > 1;
    const { series: colors } = scene.palette;
    const look = /** @type {const} */ ([queries, keys, renormalise && hide, isMean, numbering, colors]);
    const series = makeSeries(...look, heads, blocks);
    const sums = hide && !renormalise ? t("Hidden columns keep their share: rows add up to less than 1.") : "";
    show.options({ hide, renormalise, words, mean, heads: heads.length, sums, obstacle: "" });
    show.segments(choices.length > 0 ? { choices, ...texts } : null);
    const looks = series.map(({ color, dash }) => ({ color, dash }));
    show.series({ changed: scene.changed, part, heads, looks, mean: isMean, top, isLocked: lock !== "", numbering });
    const tokens = { queries: queries.tokens, keys: keys.tokens };
    show.lines({
      ...{ ...tokens, series, top: top / 100, numbering },
      query: value.query === null || queries.places[value.query] < 0 ? null : queries.places[value.query],
      locked: lock === "" ? null : follow(lock, value[lock], lock === "query" ? queries : keys),
      pointed: pointedIn(scene.pointed, queries, keys),
      isOneText: part.query_side === part.key_side,
    });
    show.problem(rows.failure());
  }

  /** @returns {Range[]}  tokens in view, and the one followed */
  function wantedRows() {
    if (!shown) return [];
    const { queries, scene } = shown;
    const { spans } = queries;
    const last = Math.min(view[1], spans.length) - 1;
    const first = Math.min(view[0], last);
    const { query, lock } = scene.value;
    /** @type {Range[]} */
    const followed = lock === "query" && query !== null ? [[query, query + 1]] : [];
    return last < 0 ? [] : [[spans[first][0], spans[last][1]], ...followed];
  }

  return {
    point(at) {
      const now = shown;
      if (now) show.lines.patch(() => ({ pointed: pointedIn(at, now.queries, now.keys) }));
    },
    show(scene) {
      if (!bars.lines.isConnected) fill(element, ...Object.values(bars));
      draw(scene);
    },
    hide() {
      rows.clear();
      for (const update of Object.values(show)) update(null);
      element.replaceChildren();
      shown = null;
    },
  };
}

/**
 * @param {import("../../api/types.js").Pointed} pointed
 * @param {Arrangement} queries
 * @param {Arrangement} keys
 */
function pointedIn(pointed, queries, keys) {
  const isKey = pointed.key !== null && pointed.query === null;
  return isKey ? followedIn("key", pointed.key, keys) : followedIn("query", pointed.query, queries);
}

/**
 * @param {"query" | "key"} side
 * @param {number | null} token
 * @param {Arrangement} arrangement
 * @returns {Followed | null}
 */
function followedIn(side, token, { places }) {
  const place = token === null ? -1 : (places[token] ?? -1);
  return place < 0 ? null : { side, place };
}

/**
 * @param {Arrangement} queries
 * @param {Arrangement} keys
 * @param {boolean} renormalise
 * @param {boolean} mean
 * @param {0 | 1} numbering
 * @param {string[]} colors
 * @param {HeadAt[]} heads
 * @param {(Matrix | null)[][]} blocks  of each head
 * @returns {import("./lines.js").Series[]}
 */
function seriesFrom(queries, keys, renormalise, mean, numbering, colors, heads, blocks) {
  const rows = blocks.map((each) => rowsOf(each, queries, keys, renormalise));
  const look = (/** @type {number} */ index) => {
    const { color, dash } = seriesOf(index);
    return { color: colors[color], dash };
  };
  if (mean) return [{ name: t("Mean of {count} heads", { count: heads.length }), ...look(0), row: meanRows(rows) }];
  return heads.map(({ layer, head }, index) => ({
    name: headName(layer, head, numbering),
    ...look(index),
    row: rows[index],
  }));
}
