/** A sentence with arcs from each word to the one it attends to most, and the whole row of one of them as bars. */

import { fill, svg } from "../../base/dom.js";
import { fixed } from "../../base/numbers.js";
import { fittedView } from "../../charts/axes.js";
import { t } from "../../base/i18n.js";

/**
 * @typedef {object} SentenceArcs
 * @property {string[]} units  words or tokens
 * @property {readonly (readonly number[])[]} weights  queries × keys
 * @property {readonly number[]} strongest  for each query the key it attends to most
 * @property {number} query
 * @property {number | null} right  what the query should attend to
 */

const WIDTHS = { least: 280, most: 1000 };
/** Of a letter, and around a word, in pixels. */
const [PER_SIGN, AROUND] = [7.4, 12];
/** Heights: the highest arc, the line of words, a number, the highest bar. */
const [ARC, LINE, NUMBER, BAR] = [78, 24, 14, 40];
const FEWEST_SAID = 0.005;

/**
 * @param {HTMLElement} element
 * @param {SentenceArcs} data
 * @param {{onPick: (index: number) => void}} options
 * @returns {import("../../base/mount.js").View<SentenceArcs>}
 */
export function sentenceArcs(element, data, { onPick }) {
  const picture = svg("svg", { class: "mark roles-mark", role: "img" });
  fill(element, picture);

  /** @param {SentenceArcs} next @param {number} room */
  function draw(next, room) {
    const { columns, width } = columnsOf(next.units, room);
    const height = ARC + LINE + NUMBER + BAR + 4;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("width", String(width));
    picture.setAttribute("height", String(height));
    picture.setAttribute("aria-label", described(next));
    fill(
      picture,
      svg("rect", { class: "roles-reader", x: columns[next.query].x, y: 0, width: columns[next.query].width, height }),
      ...arcsOf(next, columns),
      ...next.units.map((unit, index) => wordOf(unit, index, next, columns[index])),
      ...barsOf(next, columns),
      ...next.units.map((unit, index) =>
        svg(
          "rect",
          {
            class: "roles-hit",
            x: columns[index].x,
            y: 0,
            width: columns[index].width,
            height,
            onclick: () => onPick(index),
          },
          svg("title", {}, `${unit}: ${fixed(next.weights[next.query][index], 4)}`),
        ),
      ),
    );
  }

  return fittedView(element, data, draw, WIDTHS);
}

/** @typedef {{x: number, width: number, middle: number}} Column */

/** As wide as their words; what room is left is shared. @param {string[]} units @param {number} room */
function columnsOf(units, room) {
  const natural = units.map((unit) => Math.max([...unit].length, 3) * PER_SIGN + AROUND);
  const total = natural.reduce((sum, value) => sum + value, 0);
  const more = Math.max(0, room - total) / units.length;
  let x = 0;
  const columns = natural.map((wide) => {
    const column = { x, width: wide + more, middle: x + (wide + more) / 2 };
    x += wide + more;
    return column;
  });
  return { columns, width: Math.ceil(x) };
}

/** @param {SentenceArcs} data @param {Column[]} columns */
function arcsOf({ weights, strongest, query }, columns) {
  const widest = columns[columns.length - 1].middle - columns[0].middle || 1;
  const order = strongest.map((_, index) => index).sort((a, b) => Number(a === query) - Number(b === query));
  return order.flatMap((reader) => {
    const read = strongest[reader];
    if (read === reader || weights[reader][read] < FEWEST_SAID) return [];
    const [from, to] = [columns[reader].middle, columns[read].middle];
    const high = (ARC - 10) * (0.35 + 0.65 * Math.sqrt(Math.abs(to - from) / widest));
    const top = ARC - (4 / 3) * high * 0.98;
    const arc = svg("path", {
      class: `roles-arc${reader === query ? " is-query" : ""}`,
      d: `M ${from} ${ARC} C ${from} ${top}, ${to} ${top}, ${to} ${ARC}`,
      "stroke-opacity": Math.max(reader === query ? 0.6 : 0.25, weights[reader][read]).toFixed(2),
    });
    const tip = svg("circle", { class: `roles-tip${reader === query ? " is-query" : ""}`, cx: to, cy: ARC, r: 3 });
    return [arc, tip];
  });
}

/** @param {string} unit @param {number} index @param {SentenceArcs} data @param {Column} column */
function wordOf(unit, index, { query, right }, column) {
  const kind = index === query ? " is-query" : index === right ? " is-key" : "";
  return svg("text", { class: `roles-word${kind}`, x: column.middle, y: ARC + LINE - 7 }, unit);
}

/** The query's row. @param {SentenceArcs} data @param {Column[]} columns */
function barsOf({ weights, query, right }, columns) {
  const bottom = ARC + LINE + NUMBER + BAR;
  const ends = { x1: 0, x2: columns[columns.length - 1].x + columns[columns.length - 1].width };
  return [
    svg("line", { class: "mark-axis", ...ends, y1: bottom, y2: bottom }),
    ...weights[query].flatMap((weight, key) => {
      const high = BAR * Math.min(Math.max(weight, 0), 1);
      const wide = Math.min(columns[key].width - 6, 40);
      const place = { x: columns[key].middle - wide / 2, width: wide, y: bottom - high, height: high };
      return [
        svg("rect", { class: `mark-bar ${key === right ? "is-key" : "roles-bar"}`, ...place }),
        weight < FEWEST_SAID
          ? null
          : svg("text", { class: "mark-value", x: columns[key].middle, y: bottom - high - 4 }, fixed(weight, 2)),
      ];
    }),
  ];
}

/** @param {SentenceArcs} data */
function described({ units, weights, query }) {
  const said = units.map((unit, key) => `${unit} ${fixed(weights[query][key], 2)}`);
  return t("Weights of “{query}”: {weights}", { query: units[query], weights: said.join(", ") });
}
