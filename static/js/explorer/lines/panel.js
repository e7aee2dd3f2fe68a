/** Panel of lines between tokens, for the chosen heads. */

import { arrange, shownPlace, tokenAt } from "../state/arrangement.js";
import { el } from "../../base/dom.js";
import { createHeadRows, meanRows, rowsOf } from "../data/head_rows.js";
import { formatHeads, headsDrawn, indexOfHead } from "../state/head_list.js";
import { t } from "../../base/i18n.js";
import { headName } from "../../wording/labels.js";
import { seriesOf } from "./links.js";
import { remembering } from "../../base/memoise.js";
import { chosenSegment, segmentChoices } from "../state/segments.js";
import { linesView } from "./lines.js";
import { mount } from "../../base/mount.js";
import { createOptions, sumsNote } from "../widgets/options.js";
import { createPanel, createProblem } from "../widgets/panel.js";
import { segmentsView } from "../widgets/segments.js";
import { seriesView } from "./series.js";
import { readWindow } from "../state/selection.js";

/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */
/** @typedef {import("../state/arrangement.js").Arrangement} Arrangement */
/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("./lines.js").Followed} Followed */

/** @typedef {{scene: Scene, heads: HeadAt[], queries: Arrangement, keys: Arrangement}} Shown */

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function linesPanel(element, bench) {
  const { state, session, schedule } = bench;
  const boxes = { segments: el("div"), series: el("div"), lines: el("div") };
  const rows = createHeadRows(session, schedule);
  const problem = createProblem(rows);
  const options = createOptions(state);
  const sidesIn = createSides();
  const makeSeries = remembering(seriesFrom);
  const follow = remembering(followedIn);
  /** @type {Range} places in view */
  let view = [0, 40];
  /** @type {Shown | null} */
  let shown = null;
  const views = mountViews(boxes, bench, () => shown, {
    onView(range) {
      if (range[0] === view[0] && range[1] === view[1]) return;
      view = range;
      schedule();
    },
  });

  return createPanel(element, {
    stands: [options.box, boxes.segments, boxes.series, problem.box, boxes.lines],
    views,
    asks: [rows, problem, options],
    draw(scene) {
      const { value, analysis, part } = scene;
      const { hide, renormalise, mean, top, numbering, lock } = value;
      const heads = headsDrawn(value, part);
      const { choices, texts, queries, keys } = sidesIn(scene);
      shown = { scene, heads, queries, keys };
      const blocks = rows.take({ id: analysis.id, part, heads, rows: wantedRows(shown, view) });
      const isMean = mean && heads.length > 1;
      const look = /** @type {const} */ ([renormalise && hide, isMean, numbering, scene.palette.series]);
      const series = makeSeries(queries, keys, ...look, heads, blocks);
      const looks = series.map(({ color, dash }) => ({ color, dash }));
      options.show(value, { heads: heads.length, sums: sumsNote(value) });
      views.segments(choices.length > 0 ? { choices, ...texts } : null);
      views.series({ changed: scene.changed, part, heads, looks, mean: isMean, top, isLocked: lock !== "", numbering });
      views.lines({
        queries: queries.tokens,
        keys: keys.tokens,
        series,
        top: top / 100,
        numbering,
        query: shownPlace(queries, value.query),
        locked: lock === "" ? null : follow(lock, value[lock], lock === "query" ? queries : keys),
        pointed: pointedIn(scene.pointed, queries, keys),
        isOneText: part.query_side === part.key_side,
      });
      problem.show();
    },
    point(cell) {
      const now = shown;
      if (now) views.lines.patch(() => ({ pointed: pointedIn(cell, now.queries, now.keys) }));
    },
    forget: () => (shown = null),
  });
}

/** The texts to choose from, those chosen, and their tokens; each is the same object as long as it says the same. */
function createSides() {
  const choicesOf = remembering(segmentChoices);
  const [arrangeQueries, arrangeKeys] = [remembering(arrange), remembering(arrange)];
  /** @param {Scene} scene */
  return ({ value, part, queries, keys }) => {
    const { hide, words } = value;
    const choices = choicesOf(queries, keys);
    const texts = chosenSegment(choices, value);
    const { rows, cols } = readWindow(texts, part);
    return {
      choices,
      texts,
      queries: arrangeQueries(queries, hide, words, rows),
      keys: arrangeKeys(keys, hide, words, cols),
    };
  };
}

/**
 * @param {Record<"segments" | "series" | "lines", HTMLElement>} boxes
 * @param {Pick<import("../widgets/panel.js").Bench, "state" | "pointed">} bench
 * @param {() => Shown | null} shown
 * @param {{onView: (range: Range) => void}} options
 */
function mountViews(boxes, { state, pointed }, shown, { onView }) {
  const tokenOf = (/** @type {Followed} */ { side, place }) =>
    tokenAt(side === "query" ? shown()?.queries : shown()?.keys, place);
  const heads = () => shown()?.heads ?? [];
  const setBeside = (/** @type {HeadAt[]} */ beside) => state.set({ heads: formatHeads(beside) }, "pick");
  return {
    segments: mount(boxes.segments, segmentsView, { onPick: (window) => state.set(window, "pick") }),
    series: mount(boxes.series, seriesView, {
      onAdd: (more) => setBeside([...heads().slice(1), ...more.filter((head) => indexOfHead(heads(), head) < 0)]),
      onRemove: (removed) =>
        setBeside(
          heads()
            .slice(1)
            .filter((head) => head !== removed),
        ),
      onTop: (top) => state.set({ top }, "move"),
      onUnlock: () => state.set({ lock: "" }, "pick"),
    }),
    lines: mount(boxes.lines, linesView, {
      onPoint: (token) => pointed.set({ query: null, key: null, ...(token && { [token.side]: tokenOf(token) }) }),
      onLock: (token) => state.set(token ? { [token.side]: tokenOf(token), lock: token.side } : { lock: "" }, "pick"),
      onView,
    }),
  };
}

/**
 * @param {Shown} shown
 * @param {Range} view  places
 * @returns {Range[]}  tokens in view, and the one followed
 */
function wantedRows({ queries: { spans }, scene }, view) {
  const last = Math.min(view[1], spans.length) - 1;
  const first = Math.min(view[0], last);
  const { query, lock } = scene.value;
  /** @type {Range[]} */
  const followed = lock === "query" && query !== null ? [[query, query + 1]] : [];
  return last < 0 ? [] : [[spans[first][0], spans[last][1]], ...followed];
}

/**
 * @param {import("../../charts/heat_map/cells.js").Pointed} pointed
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
function followedIn(side, token, arrangement) {
  const place = shownPlace(arrangement, token);
  return place === null ? null : { side, place };
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
  const rows = blocks.map((headBlocks) => rowsOf(headBlocks, queries, keys, renormalise));
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
