/** The map of heads: every head a point, with axes, colour and size from its quantities. */

import { t } from "../../../base/i18n.js";
import { colouring, endsOf } from "./colouring.js";
import { headScatter } from "./head_scatter.js";
import { said } from "../quantities.js";
import { readHeads, writeHeads } from "../state.js";
import { createShown } from "../redrawing.js";

/** @typedef {import("../state.js").AtlasData} AtlasData */
/** @typedef {import("../state.js").AtlasView} AtlasView */
/** @typedef {import("../quantities.js").Quantity} Quantity */
/** @typedef {import("../quantities.js").HeadTable} HeadTable */

const RADIUS = { usual: 6.5, least: 3.5, most: 12 };
/** Larger models have smaller points. */
const MANY = 400;
/** Of the chart, in pixels. */
const HEIGHTS = { least: 300, most: 520 };
/** What else the first screen shows, in the root's type, which is larger while presenting. */
const AROUND = { usual: 25, presenting: 22 };
export const READOUT = "pointed";

/** @type {AtlasView} */
export const mapView = (element, data, { set }) => {
  const { pointing } = data.answer;
  let current = data;
  /** @type {ReturnType<typeof headScatter> | null} */
  let chart = null;
  const isShown = createShown();
  const stop = pointing.listen((index) => chart?.point(index));

  /** @param {AtlasData} next */
  function update(next) {
    current = next;
    const { table, index, otherTable } = next.answer;
    const { x, y, colour, size, heads } = next.state;
    if (isShown(table, index, otherTable, x, y, colour, size, heads)) return;
    draw();
  }

  function draw() {
    const { table } = current.answer;
    if (!table) return;
    const map = mapOf(current, table);
    if (!map) return;
    chart ??= headScatter(element, map, {
      onPoint: pointing.point,
      onPick: (index) => set(current.answer.table?.at(index) ?? {}, "pick"),
      onSelect(indices) {
        const table = current.answer.table;
        if (table) set({ heads: writeHeads(indices.map(table.at)) }, "pick");
      },
      onTheme: draw,
      describedBy: READOUT,
    });
    chart.update(map);
  }

  update(data);
  return {
    update,
    destroy() {
      stop();
      chart?.destroy();
    },
  };
};

/**
 * @param {AtlasData} data
 * @param {HeadTable} table
 * @returns {import("./map_marks.js").HeadMap | null}
 */
function mapOf({ state, answer }, table) {
  const [x, y, colour] = [state.x, state.y, state.colour].map(table.quantity);
  const size = state.size ? table.quantity(state.size) : null;
  if (!x || !y || !colour) return null;
  const shown = [x, y, colour, ...(size ? [size] : [])].filter(
    (quantity, index, list) => list.indexOf(quantity) === index,
  );
  const fillOf = colouring(colour);
  const radiusOf = radii(size, table.count);
  const heads = Array.from({ length: table.count }, (_, index) => index);
  const others = answer.otherTable;
  return {
    of: `${state.atlas} ${x.id} ${y.id}`,
    points: heads.map((index) => ({
      x: x.values[index] ?? null,
      y: y.values[index] ?? null,
      fill: fillOf(index),
      radius: radiusOf(index),
      name: table.name(index),
      says: saysOf(table, index, shown),
    })),
    x: { name: axisName(x), isWhole: x.isWhole },
    y: { name: axisName(y), isWhole: y.isWhole },
    isPlane: x.id === "map_x" && y.id === "map_y",
    chosen: answer.index,
    selected: selectedIn(state, table),
    links: others ? linksTo(table, others, x, y) : [],
    title: t("Map of heads: {y} by {x}", { y: y.title, x: x.title }),
    summary: t("{count} heads; colour is {colour}.", { count: table.count, colour: colour.title }),
    numbers: () => ({
      columns: [t("Head"), ...shown.map(({ title }) => title)],
      rows: heads.map((index) => [
        table.title(index),
        ...shown.map((quantity) => said(quantity, quantity.values[index])),
      ]),
    }),
    heights,
  };
}

/** Heights of the chart in this window. */
function heights() {
  const root = document.documentElement;
  const around = root.hasAttribute("data-present") ? AROUND.presenting : AROUND.usual;
  const room = innerHeight - around * parseFloat(getComputedStyle(root).fontSize);
  return { least: HEIGHTS.least, most: Math.min(Math.max(room, HEIGHTS.least), HEIGHTS.most) };
}

/** @param {Quantity} quantity */
export function axisName({ title, unit }) {
  return unit ? `${title} (${unit})` : title;
}

/**
 * The indices of the selected heads.
 * @param {{heads: string}} state
 * @param {HeadTable} table
 */
export function selectedIn({ heads }, table) {
  return readHeads(heads)
    .map(table.index)
    .filter((index) => index >= 0);
}

/**
 * A head and its values in one line.
 * @param {HeadTable} table
 * @param {number} index
 * @param {readonly Quantity[]} quantities
 */
export function saysOf(table, index, quantities) {
  const values = quantities.map((quantity) => `${quantity.title} ${said(quantity, quantity.values[index])}`);
  return [table.title(index), ...values].join(" · ");
}

/** Areas in proportion to the values. @param {Quantity | null} size @param {number} count */
function radii(size, count) {
  const scale = count > MANY ? 0.6 : 1;
  if (!size) return () => RADIUS.usual * scale;
  const { least, most } = endsOf(size.values);
  return (/** @type {number} */ index) => {
    const value = size.values[index];
    const share = value === null ? 0 : (value - least) / (most - least || 1);
    return scale * Math.sqrt(RADIUS.least ** 2 + share * (RADIUS.most ** 2 - RADIUS.least ** 2));
  };
}

/**
 * From where each head is in the other atlas to where it is in this one.
 * @param {HeadTable} table
 * @param {HeadTable} others
 * @param {Quantity} x
 * @param {Quantity} y
 */
function linksTo(table, others, x, y) {
  if (x.group === "behaviour" || y.group === "behaviour") return []; // each atlas has its own map of behaviour
  const [from, to] = [others.quantity(x.id), others.quantity(y.id)];
  return Array.from({ length: table.count }, (_, index) => index).flatMap((index) => {
    const place = others.index(table.at(index));
    const ends = [from?.values[place], to?.values[place], x.values[index], y.values[index]];
    if (ends.some((end) => end === null || end === undefined)) return [];
    const [x1, y1, x2, y2] = /** @type {number[]} */ (ends);
    return [{ from: /** @type {const} */ ([x1, y1]), to: /** @type {const} */ ([x2, y2]) }];
  });
}
