/** The circle: keys as arrows around the origin, queries, the lines by which a query reads, and its output. */

import { legibleType } from "../../charts/legible_type.js";
import { bindHandles } from "./handles.js";
import { drawnView } from "../frame/views.js";
import { fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed, lowered } from "../../base/numbers.js";

/** @typedef {import("./numbers.js").CircleNumbers} CircleNumbers */
/** @typedef {import("./numbers.js").Point} Point */
/** @typedef {import("./state.js").CircleState} CircleState */
/** @typedef {{kind: "query" | "key", index: number}} Arrow */

/** @typedef {import("./numbers.js").CircleData} CircleData */
/** @typedef {import("../frame/concept.js").ConceptView<CircleData>} View */

/** Units from the origin to each edge of the chart. */
const HALF = 110;
const RIM = 100;
const REACHES = [1.32, 1.7, 2.3, 3.2, 4.4, 5.7, 7.5, 10.6];
const ROOM = 1.08;
/** How far a name stands from its arrow's tip: further out, or inside, where another stands; and how far names stay apart. */
const NAME_DISTANCES = [9, 18, -14, 27];
const APART = 9.5;
/** Above this radius arrows of length 1 are so close that their names are written smaller. */
const FAR = 3;

/** @type {View} */
export const circleView = drawnView((element, tools) => {
  const layers = {
    ground: svg("g", { class: "circle-ground" }),
    trail: svg("path", { class: "circle-trail" }),
    reads: svg("g", { class: "circle-reads", "data-step": 4 }),
    values: svg("g", { class: "circle-values" }),
    keys: svg("g", {}),
    queries: svg("g", {}),
    outputs: svg("g", { "data-step": 5 }),
  };
  const picture = svg(
    "svg",
    {
      class: "circle-picture",
      viewBox: `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`,
      tabindex: -1,
      role: "group",
      "aria-label": t("Queries and keys as arrows; drag them, or rotate them with the arrow keys"),
    },
    ...Object.values(layers),
  );
  /** @type {ReturnType<typeof parts> | null} */
  let drawn = null;
  let shape = "";
  let reach = 0;
  /** @type {CircleData} */
  let last;
  const handles = bindHandles(picture, () => ({ data: last, reach }), tools);
  fill(element, legibleType(picture));

  return (data) => {
    last = data;
    const { queries, keys } = data.numbers;
    const wanted = `${queries.length} ${keys.length}`;
    if (wanted !== shape || !drawn) drawn = parts(layers, queries.length, keys.length);
    shape = wanted;
    const fitting = handles.isDragging() ? reach : reachOf(data.state);
    if (fitting !== reach) fill(layers.ground, ...ground(fitting));
    picture.classList.toggle("is-far", fitting > FAR);
    reach = fitting;
    const written = lengthNames(reach).map(({ at }) => at);
    place(drawn, data, (point) => [(point[0] * RIM) / reach, (-point[1] * RIM) / reach], written);
    layers.trail.setAttribute("d", path(data.trail, reach));
  };
});

/** @param {Readonly<CircleState>} state */
function reachOf({ keyLengths, queryLengths }) {
  const longest = ROOM * Math.max(1, ...keyLengths, ...queryLengths);
  return REACHES.find((reach) => reach >= longest) ?? REACHES[REACHES.length - 1];
}

/** The lengths of rings, and where they stand: their ends, at half their height. @param {number} reach */
function lengthNames(reach) {
  const lengths = Array.from({ length: Math.floor(reach) }, (_, index) => index + 1);
  const named = lengths.filter((length) => reach < 6 || length % 2 === 0 || length === 1);
  return named.map((length) => ({ length, at: /** @type {Point} */ ([(length * RIM) / reach - 2, 3.5]) }));
}

/**
 * Axes, a ring at every length that is a whole number, and the angles.
 * @param {number} reach
 */
function ground(reach) {
  const rings = Array.from({ length: Math.floor(reach) }, (_, index) => index + 1);
  return [
    svg("line", { x1: -RIM, x2: RIM, y1: 0, y2: 0 }),
    svg("line", { x1: 0, x2: 0, y1: -RIM, y2: RIM }),
    ...rings.map((length) =>
      svg("circle", { r: (length * RIM) / reach, class: length === 1 ? "is-unit" : null, cx: 0, cy: 0 }),
    ),
    ...lengthNames(reach).map(({ length, at: [x, y] }) =>
      svg("text", { x, y: y + 2.5, class: "is-length" }, String(length)),
    ),
    ...[0, 90, 180, 270].map((angle) => {
      const [x, y] = [
        [RIM + 3, 2],
        [0, -RIM - 3],
        [-RIM - 3, 2],
        [0, RIM + 7],
      ][angle / 90];
      return svg("text", { x, y, class: `is-angle is-${angle}` }, `${angle}°`);
    }),
  ];
}

/**
 * @param {Record<"reads" | "values" | "keys" | "outputs" | "queries", SVGGElement>} layers
 * @param {number} queries
 * @param {number} keys
 */
function parts(layers, queries, keys) {
  const count = (/** @type {number} */ n) => Array.from({ length: n }, (_, index) => index);
  const made = {
    reads: count(keys).map(() => svg("line", {})),
    values: count(keys).map(() => svg("rect", { width: 4, height: 4 })),
    keys: count(keys).map((index) => arrow("key", index)),
    outputs: count(queries).map((index) => output(index)),
    queries: count(queries).map((index) => arrow("query", index)),
  };
  fill(layers.reads, ...made.reads);
  fill(layers.values, ...made.values);
  fill(layers.keys, ...made.keys.map((arrow) => arrow.group));
  fill(layers.outputs, ...made.outputs.map((arrow) => arrow.group));
  fill(layers.queries, ...made.queries.map((arrow) => arrow.group));
  return made;
}

/**
 * @param {"query" | "key"} kind
 * @param {number} index
 */
function arrow(kind, index) {
  const shaft = svg("line", { class: "arrow-shaft", x1: 0, y1: 0 });
  const tip = svg("circle", { class: "arrow-tip", r: kind === "query" ? 4.6 : 3.4 });
  const grip = svg("circle", { class: "arrow-grip", r: 10 });
  const label = svg(
    "text",
    { class: "arrow-name", "aria-hidden": "true" },
    symbol(kind === "query" ? "q" : "k", index),
  );
  const title = kind === "query" ? t("Query {index}", { index }) : t("Key {index}", { index });
  const group = svg(
    "g",
    {
      class: `arrow is-${kind}-arrow`,
      tabindex: 0,
      role: "slider",
      "aria-label": title,
      "aria-valuemin": 0,
      "aria-valuemax": 360,
      "data-kind": kind,
      "data-index": index,
    },
    shaft,
    grip,
    tip,
    label,
  );
  return { group, shaft, tip, grip, label };
}

/** @param {number} index */
function output(index) {
  const shaft = svg("line", { class: "output-shaft", x1: 0, y1: 0 });
  const tip = svg("path", { class: "output-tip", d: "M0 -4.2 L4.2 0 L0 4.2 L-4.2 0 Z" });
  const label = svg("text", { class: "output-name" }, symbol("o", index));
  return { group: svg("g", { class: "output" }, shaft, tip, label), shaft, tip, label };
}

/**
 * Moves existing elements and creates none, so that it can follow a pointer.
 * @param {ReturnType<typeof parts>} drawn
 * @param {CircleData} data
 * @param {(point: Point) => Point} onScreen  on the picture
 * @param {readonly Point[]} written  where other texts stand
 */
function place(drawn, { state, numbers }, onScreen, written) {
  const weights = numbers.weights[state.query];
  /** Where names stand. @type {Point[]} */
  const taken = [...written];
  const [fromX, fromY] = onScreen(numbers.queries[state.query]);
  drawn.reads.forEach((line, key) => {
    const [x, y] = onScreen(numbers.keys[key]);
    set(line, { x1: fromX, y1: fromY, x2: x, y2: y });
    set(line, { "stroke-width": 0.25 + 11 * weights[key], "stroke-opacity": 0.22 + 0.5 * weights[key] });
  });
  drawn.values.forEach((mark, key) => {
    const [x, y] = onScreen(numbers.values[key]);
    set(mark, { x: x - 2, y: y - 2, visibility: state.rope ? "visible" : "hidden" });
  });
  drawn.keys.forEach((arrow, index) => {
    taken.push(placeArrow(arrow, onScreen(numbers.keys[index]), index === state.key, taken));
    const said = { angle: state.keyAngles[index], length: state.keyLengths[index], weight: weights[index] };
    say(arrow.group, said.angle, t("{angle}°, length {length}, weight {weight}", readable(said)));
  });
  drawn.outputs.forEach((arrow, index) => {
    const [x, y] = onScreen(/** @type {Point} */ (numbers.outputs[index]));
    arrow.group.classList.toggle("is-chosen", index === state.query);
    set(arrow.shaft, { x2: x, y2: y });
    arrow.tip.setAttribute("transform", `translate(${x} ${y})`);
    const [beyondX, beyondY] = outward(x, y, 10);
    set(arrow.label, { x: x + beyondY, y: y - beyondX + 2.5 }); // beside it: the query often lies in its way
  });
  drawn.queries.forEach((arrow, index) => {
    taken.push(placeArrow(arrow, onScreen(numbers.queries[index]), index === state.query, taken));
    const said = { angle: state.queryAngles[index], length: state.queryLengths[index] };
    say(arrow.group, said.angle, t("{angle}°, length {length}", readable(said)));
  });
}

/**
 * @param {ReturnType<typeof arrow>} parts
 * @param {Point} tip
 * @param {boolean} isChosen
 * @param {Point[]} taken  where other names stand
 * @returns {Point}  where its name stands
 */
function placeArrow({ group, shaft, tip, grip, label }, [x, y], isChosen, taken) {
  group.classList.toggle("is-chosen", isChosen);
  set(shaft, { x2: x, y2: y });
  set(tip, { cx: x, cy: y });
  set(grip, { cx: x, cy: y });
  const places = NAME_DISTANCES.map((distance) => {
    const away = outward(x, y, distance);
    return /** @type {Point} */ ([x + away[0], y + away[1]]);
  });
  const isFree = (/** @type {Point} */ point) =>
    taken.every((other) => Math.hypot(point[0] - other[0], point[1] - other[1]) > APART);
  const free = places.find(isFree) ?? places[0];
  set(label, { x: free[0], y: free[1] + 2.5 });
  return free;
}

/**
 * A step away from the origin.
 * @param {number} x
 * @param {number} y
 * @param {number} distance
 * @returns {Point}
 */
function outward(x, y, distance) {
  const size = Math.hypot(x, y);
  return size < 1e-9 ? [distance, 0] : [(x / size) * distance, (y / size) * distance];
}

/**
 * @param {Element} group
 * @param {number} angle
 * @param {string} text
 */
function say(group, angle, text) {
  set(group, { "aria-valuenow": ((Math.round(angle) % 360) + 360) % 360, "aria-valuetext": text });
}

/**
 * @param {Record<string, number>} values
 * @returns {Record<string, string>}
 */
function readable({ angle, length, weight = 0 }) {
  return { angle: fixed(angle, angle % 1 === 0 ? 0 : 1), length: fixed(length, 2), weight: fixed(weight, 3) };
}

/**
 * @param {Element} element
 * @param {Record<string, string | number>} attributes
 */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

/**
 * @param {Point[]} points
 * @param {number} reach
 */
function path(points, reach) {
  const places = points.map(([x, y]) => `${((x * RIM) / reach).toFixed(2)} ${((-y * RIM) / reach).toFixed(2)}`);
  return places.length > 0 ? `M${places.join("L")}Z` : "";
}

/**
 * A letter with its index below, such as k₁₂.
 * @param {string} letter
 * @param {number} index
 */
export function symbol(letter, index) {
  return letter + lowered(index);
}
