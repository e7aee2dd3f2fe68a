/** RoPE's own pictures as SVG: one pair on its circle, the sky, and the clocks of all pairs. */

import { legibleType } from "../../charts/legible_type.js";
import { svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { LADLE, skyStars, starsBefore } from "./state.js";

/** @typedef {import("./state.js").RopeData} RopeData */

/** Half the width of the circle and of the sky, and the length 1 in them. */
const HALF = 120;
const UNIT = 88;
const IN_A_ROW = 8;
const CLOCK = 52;
const RADIUS = 18;

/** @param {string} kind @param {string} label @param {...SVGElement | null} parts */
function round(kind, label, ...parts) {
  const viewBox = `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`;
  return legibleType(svg("svg", { class: `mark ${kind}`, role: "img", "aria-label": label, viewBox }, ...parts));
}

const ground = () => [
  svg("line", { class: "rope-axis", x1: -HALF, x2: HALF, y1: 0, y2: 0 }),
  svg("line", { class: "rope-axis", x1: 0, x2: 0, y1: -HALF, y2: HALF }),
];

/**
 * Where the pair has been at every position up to the last.
 * @param {RopeData} data
 */
export function ropeCircle({ state, answer }) {
  const ends = answer.rotated.map(([x, y]) => [x * UNIT, -y * UNIT]);
  const last = ends.length - 1;
  const [x, y] = ends[last];
  const length = Math.hypot(x, y);
  const vectorText = answer.rotated[last].map((value) => fixed(value, 4)).join(", ");
  return round(
    "rope-circle",
    t("At position {position}: ({vector})", { position: state.position, vector: vectorText }),
    ...ground(),
    svg("circle", { class: "rope-round", r: length }),
    arc(answer.angles[last][0], ends[0], length * 0.3),
    ...ends.slice(0, last).map(([u, v]) => svg("line", { class: "rope-before", x1: 0, y1: 0, x2: u, y2: v })),
    svg("line", { class: "rope-hand", x1: 0, y1: 0, x2: x, y2: y }),
    svg("circle", { class: "rope-tip", cx: x, cy: y, r: 4 }),
    ...ends.map(([u, v], position) =>
      last > 16 && position % 8 !== 0 && position !== last
        ? null
        : svg("text", { class: "rope-number", x: u * 1.12, y: v * 1.12 }, position),
    ),
  );
}

/**
 * From the pair's first direction to its current one, along its rotation.
 * @param {number} angle  radians
 * @param {number[]} start
 * @param {number} radius
 */
function arc(angle, start, radius) {
  const from = Math.atan2(-start[1], start[0]);
  const steps = Math.max(2, Math.ceil(Math.abs(angle) * 12));
  const places = Array.from({ length: steps + 1 }, (_, index) => {
    const along = from + (angle * index) / steps;
    const far = radius * (1 + (0.16 * Math.abs(angle) * index) / steps / Math.PI);
    return `${(far * Math.cos(along)).toFixed(2)} ${(-far * Math.sin(along)).toFixed(2)}`;
  });
  return svg("path", { class: "rope-arc", d: `M${places.join("L")}` });
}

/**
 * Stars where their positions took them, joined; faint behind them, where they stood before anything was moved.
 * @param {RopeData} data
 */
export function ropeSky(data) {
  const { state } = data;
  const now = places(skyStars(data.answer));
  const before = places(starsBefore(data));
  const line = (/** @type {number[][]} */ stars) => `M${LADLE.map((star) => stars[star].join(" ")).join("L")}`;
  return round(
    "rope-sky",
    t("Seven stars, rotated by {angle}° since the start", { angle: fixed(degrees(state.theta * state.slide), 1) }),
    svg("rect", { class: "rope-night", x: -HALF, y: -HALF, width: 2 * HALF, height: 2 * HALF }),
    ...[0.35, 0.7, 1.05].map((radius) => svg("circle", { class: "rope-orbit", r: radius * UNIT })),
    svg("path", { class: "rope-ladle is-before", d: line(before) }),
    svg("path", { class: "rope-ladle", d: line(now) }),
    ...now.flatMap(([x, y], star) => [
      svg("circle", {
        class: `rope-star${state.alone !== 0 && star === state.star ? " is-alone" : ""}`,
        cx: x,
        cy: y,
        r: star % 3 ? 3.2 : 4.2,
      }),
      svg("text", { class: "rope-star-name", x: x + 7, y: y - 6 }, star),
    ]),
    svg("circle", { class: "rope-pole", r: 1.6 }),
  );
}

/** @param {number[][]} stars */
function places(stars) {
  return stars.map(([x, y]) => [x * UNIT, -y * UNIT]);
}

/** @param {number} radians */
function degrees(radians) {
  return (radians * 180) / Math.PI;
}

/**
 * A clock for each pair, its hand at the angle that the position gives it.
 * @param {RopeData} data
 * @param {(pair: number) => void} onPair
 */
export function ropeClocks({ state, answer }, onPair) {
  const angles = answer.angles[0];
  const chosen = Math.min(state.pair, angles.length - 1);
  const across = Math.min(IN_A_ROW, angles.length);
  const [width, height] = [across * CLOCK, Math.ceil(angles.length / across) * (CLOCK + 4)];
  const label = t("Clocks of {count} pairs at position {position}", { count: angles.length, position: state.position });
  const picture = svg(
    "svg",
    { class: "mark rope-clocks", role: "img", "aria-label": label, viewBox: `0 0 ${width} ${height}` },
    ...angles.map((angle, pair) => {
      const x = ((pair % across) + 0.5) * CLOCK;
      const y = Math.floor(pair / across) * (CLOCK + 4) + RADIUS + 4;
      const tip = [x + RADIUS * Math.cos(angle), y - RADIUS * Math.sin(angle)];
      return svg(
        "g",
        { class: `rope-clock${pair === chosen ? " is-chosen" : ""}`, onclick: () => onPair(pair) },
        svg("rect", { x: x - CLOCK / 2, y: y - RADIUS - 4, width: CLOCK, height: CLOCK + 4 }),
        svg("circle", { cx: x, cy: y, r: RADIUS }),
        svg("line", { class: "rope-zero", x1: x + RADIUS - 4, x2: x + RADIUS, y1: y, y2: y }),
        svg("line", { class: "rope-hand", x1: x, y1: y, x2: tip[0], y2: tip[1] }),
        svg("text", { x, y: y + RADIUS + 10 }, pair),
      );
    }),
  );
  return legibleType(picture);
}
