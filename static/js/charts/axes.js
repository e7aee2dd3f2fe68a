/** Chart axes: scales, round ticks and labels. */

import { svg } from "../base/dom.js";
import { drawnView } from "../base/mount.js";
import { whenSized } from "../base/theme/paper.js";
import { fixed, grouped, small } from "../base/numbers.js";

/**
 * @typedef {object} Axis
 * @property {string} [name]
 * @property {number} [least]
 * @property {number} [most]
 * @property {boolean} [log]
 * @property {number[]} [ticks]
 * @property {(value: number) => string} [says]  a place in words; by default the axis's name and the number
 */

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */

/**
 * @typedef {object} Scale
 * @property {number} least
 * @property {number} most
 * @property {(value: number) => number} place  in the picture
 * @property {(place: number) => number} value  back
 * @property {number[]} ticks
 * @property {boolean} log
 */

const TICKS = 5;
/** Room right of the axis, and the width of a digit, in pixels. */
const [BEYOND, PER_SIGN] = [10, 8];
/** Width of a chart whose place has none yet, in pixels. */
const USUAL = 560;
/** Widths of a chart. */
const WIDTHS = { least: 280, most: 760 };

/**
 * A chart as wide as its container, so that its text keeps its size on a phone; redrawn when data or width change.
 * @template D
 * @param {HTMLElement} element
 * @param {D} data
 * @param {(data: D, width: number) => void} draw
 * @param {{least: number, most: number}} [widths]
 * @returns {import("../base/mount.js").View<D>}
 */
export function fittedView(element, data, draw, { least, most } = WIDTHS) {
  let shown = data;
  let width = 0;
  const measured = () => Math.round(Math.min(Math.max(element.clientWidth || USUAL, least), most));
  /** @param {D} next */
  function update(next) {
    shown = next;
    width = measured();
    draw(next, width);
  }
  const stopSizing = whenSized(element, () => {
    if (measured() !== width) update(shown);
  });
  return drawnView(element, data, update, stopSizing);
}

/**
 * Round numbers between two others, about `count` of them.
 * @param {number} least
 * @param {number} most
 * @param {number} [count]
 * @returns {number[]}
 */
export function ticks(least, most, count = TICKS) {
  const rough = (most - least) / count;
  if (!(rough > 0)) return [least];
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * ten).find((step) => step >= rough * 0.999) ?? 10 * ten;
  const first = Math.ceil(least / step - 1e-9);
  const last = Math.floor(most / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/**
 * Powers of ten between two numbers, and 2 and 5 times them where there is room.
 * @param {number} least
 * @param {number} most
 * @returns {number[]}
 */
function logTicks(least, most) {
  const [low, high] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
  const decades = high - low;
  const every = Math.ceil(decades / 6);
  const tens = Array.from({ length: decades + 1 }, (_, index) => low + index).filter(
    (exponent) => (exponent - low) % every === 0,
  );
  const candidates = tens.flatMap((exponent) => (decades > 2 ? [1] : [1, 2, 5]).map((times) => times * 10 ** exponent));
  return candidates.filter((tick) => tick >= least * 0.999 && tick <= most * 1.001);
}

/**
 * @param {Axis} axis
 * @param {number[]} values  what must be on it
 * @param {number} from  where its least lies in the picture
 * @param {number} to
 * @returns {Scale}
 */
export function scaleOf({ least, most, log = false, ticks: fixedTicks }, values, from, to) {
  const fit = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  let low = least ?? (fit.length ? Math.min(...fit) : log ? 0.1 : 0);
  let high = most ?? (fit.length ? Math.max(...fit) : 1);
  if (!(high > low)) [low, high] = log ? [low / 2, low * 2] : [low - 0.5, low + 0.5];
  const map = log ? Math.log : (/** @type {number} */ value) => value;
  const back = log ? Math.exp : (/** @type {number} */ value) => value;
  const [start, span] = [map(low), map(high) - map(low)];
  return {
    least: low,
    most: high,
    log,
    place: (value) => from + ((map(value) - start) / span) * (to - from),
    value: (place) => back(start + ((place - from) / (to - from)) * span),
    ticks: fixedTicks ?? (log ? logTicks(low, high) : ticks(low, high)),
  };
}

/**
 * A tick's number in its shortest form.
 * @param {number} value
 */
export function short(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return small(value).replace(/^1\.0\s×\s/, "");
  if (size >= 1000 && Number.isInteger(value)) return (value < 0 ? "−" : "") + grouped(size);
  return String(Number(value.toPrecision(4))).replace("-", "−");
}

/** A value with enough digits for a curve's readout. @param {number} value */
export function readout(value) {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size === 0) return fixed(value, 0);
  if (size < 1e-4) return small(value);
  return size >= 100 || Number.isInteger(value)
    ? short(Number(value.toPrecision(5)))
    : fixed(value, size >= 10 ? 2 : 4);
}

/**
 * Lines and numbers of both axes.
 * @param {Box} box
 * @param {Scale} x
 * @param {Scale} y
 * @param {{x?: string, y?: string}} names
 * @returns {SVGElement[]}
 */
export function axes({ left, right, top, bottom }, x, y, names) {
  return [
    ...y.ticks.map((tick) =>
      svg("line", { class: "mark-grid", x1: left, x2: right, y1: y.place(tick), y2: y.place(tick) }),
    ),
    ...y.ticks.map((tick) => svg("text", { class: "mark-tick is-y", x: left - 6, y: y.place(tick) }, short(tick))),
    svg("line", { class: "mark-axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    ...x.ticks.map((tick) => {
      // The last number stays inside the picture.
      const most = right + BEYOND - (short(tick).length * PER_SIGN) / 2;
      return svg("text", { class: "mark-tick is-x", x: Math.min(x.place(tick), most), y: bottom + 15 }, short(tick));
    }),
    svg("text", { class: "mark-name is-x", x: right, y: bottom + 31 }, names.x ?? ""),
    svg("text", { class: "mark-name is-y", x: 2, y: top - 8 }, names.y ?? ""),
  ];
}
