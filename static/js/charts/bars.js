/** Bars side by side: a group of bars for each name, a bar in it for each series, the number above. */

import { el, fill, svg } from "../base/dom.js";
import { fittedView, readout, scaleOf, short } from "./axes.js";

/**
 * @typedef {object} BarsMark
 * @property {string} title
 * @property {string[]} names  along the axis
 * @property {{name: string, values: readonly number[], colour?: number, role?: "query" | "key" | "value"}[]} series
 * @property {number} [most]  at the top; the largest value unless given
 * @property {number} [digits]  above the bars; as many as are worth reading unless given
 * @property {number | null} [chosen]  name
 * @property {string} [axis]  name of the axis of names
 * @property {number} [height]
 */

const PER_SIGN = 7;

/**
 * @param {HTMLElement} element
 * @param {BarsMark} data
 * @param {{onPick?: (index: number) => void}} [options]  called with the hovered name; a shortcut, never the only way
 * @returns {import("../base/mount.js").View<BarsMark>}
 */
export function barsMark(element, data, { onPick } = {}) {
  const picture = svg("svg", { class: "mark bars-mark", role: "img" });
  const legend = el("p", { class: "mark-legend" });
  fill(element, el("div", { class: "mark-box" }, picture, legend));

  /** @param {BarsMark} next @param {number} width */
  function draw(next, width) {
    const height = next.height ?? 190;
    const bottom = height - (next.axis ? 36 : 22);
    const values = next.series.flatMap((group) => [...group.values]);
    const most = next.most ?? Math.max(...values.filter(Number.isFinite), 1e-12);
    const least = Math.min(0, ...values.filter(Number.isFinite));
    const y = scaleOf({ least, most }, [], bottom, 22);
    const group = width / next.names.length;
    const wide = Math.min((group * 0.84) / next.series.length, 44);
    const say = (/** @type {number} */ value) =>
      next.digits === undefined ? readout(value) : value.toFixed(next.digits);
    // Only numbers that are no wider than their place, so that none overlap.
    const room = next.series.length === 1 ? group : wide;
    const hasRoom = (/** @type {number} */ value) => say(value).length * PER_SIGN <= room;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("aria-label", `${next.title}. ${described(next, say)}`);
    fill(
      picture,
      svg("line", { class: "mark-axis", x1: 0, x2: width, y1: y.place(0), y2: y.place(0) }),
      ...next.names.flatMap((name, index) => {
        const middle = (index + 0.5) * group;
        const isChosen = next.chosen === index;
        const bars = next.series.flatMap((group, position) => {
          const value = group.values[index];
          const x = middle + (position - next.series.length / 2) * wide;
          const seen = Number.isFinite(value) ? Math.min(value, most) : value > 0 ? most : 0;
          const [top, low] = [y.place(Math.max(seen, 0)), y.place(Math.min(seen, 0))];
          const kind = group.role ? `is-${group.role}` : `series-${(group.colour ?? position) % 8}`;
          return [
            svg("rect", { class: `mark-bar ${kind}`, x: x + 0.5, width: wide - 1, y: top, height: low - top }),
            hasRoom(value) || (isChosen && next.series.length === 1)
              ? svg("text", { class: "mark-value", x: x + wide / 2, y: top - 4 }, say(value))
              : null,
          ];
        });
        const label = svg("text", { class: "mark-tick is-x", x: middle, y: bottom + 14 }, name);
        const pick = onPick ? () => onPick(index) : null;
        return [
          svg(
            "g",
            { class: `mark-group${isChosen ? " is-chosen" : ""}${onPick ? " is-pickable" : ""}`, onclick: pick },
            ...bars,
            label,
          ),
        ];
      }),
      svg("text", { class: "mark-name is-x", x: width - 2, y: bottom + 30 }, next.axis ?? ""),
    );
    fill(legend, ...next.series.map(entry));
    legend.hidden = next.series.length < 2;
  }

  return fittedView(element, data, draw);
}

/**
 * @param {BarsMark} data
 * @param {(value: number) => string} say
 */
function described({ names, series }, say) {
  return series
    .map(
      (group) =>
        `${group.name}: ${group.values.map((value, index) => `${names[index] || short(index)} ${say(value)}`).join(", ")}`,
    )
    .join("; ");
}

/** @param {BarsMark["series"][number]} series @param {number} index */
function entry({ name, colour, role }, index) {
  const kind = role ? `is-${role}` : `series-${(colour ?? index) % 8}`;
  const bar = svg("rect", { class: `mark-bar ${kind}`, x: 4, y: 0, width: 14, height: 10 });
  const key = svg(
    "svg",
    { class: "mark-key", viewBox: "0 0 22 10", width: 22, height: 10, "aria-hidden": "true" },
    bar,
  );
  return el("span", { class: "mark-entry" }, key, name);
}
