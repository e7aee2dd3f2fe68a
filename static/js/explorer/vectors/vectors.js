/** Query and key of one cell element by element: their products, the score they add up to, and its weight. */

import { numberedLabel } from "../../wording/token_apart.js";
import { el, fill, plainButton, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { moveInList } from "../../base/key_moves.js";
import { drawnView } from "../../base/mount.js";
import { exact, fixed } from "../../base/numbers.js";
import { numberedName } from "../../wording/token_name.js";
import { numberTable, tableDisclosure } from "../widgets/number_table.js";
import { elementAt, elementsOf } from "./elements.js";

/** @typedef {import("./panel.js").PairVectors} PairVectors */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} VectorsData
 * @property {PairVectors} vectors
 * @property {Token} query
 * @property {Token} key
 * @property {import("../../api/types.js").Part} part
 * @property {0 | 1} numbering
 * @property {"" | "size"} elements  their order
 */

/** Of one strip of bars, in units of its viewBox. */
const HEIGHT = 56;
const BAR = 10;

/**
 * @param {HTMLElement} element
 * @param {VectorsData} data
 * @param {{onOrder: (elements: "" | "size") => void, onSwap: () => void}} options
 * @returns {import("../../base/mount.js").View<VectorsData>}
 */
export function vectorsView(element, data, { onOrder, onSwap }) {
  let current = data;
  let elements = elementsOf(data.vectors, data.elements);
  const title = el("p", { class: "vectors-title" });
  const bySize = el("input", {
    type: "checkbox",
    id: "vectors-order",
    onchange: () => onOrder(bySize.checked ? "size" : ""),
  });
  const swap = plainButton(t("Swap query and key"), onSwap);
  const order = el("label", { class: "check" }, bySize, t("Largest products first"));
  const readout = el("p", { class: "vectors-readout", id: "vectors-readout", "aria-live": "polite" });
  const sum = el("div", { class: "vectors-sum" });
  const strips = createStrips((index) => fill(readout, ...spokenElement(elements[index ?? -1], current.numbering)));
  const table = tableDisclosure({
    label: t("The elements as a table"),
    make: () => [
      numberTable(
        [t("element"), t("query"), t("key"), t("query × key")],
        elements.map(({ index, query, key, product }) => [
          index + current.numbering,
          ...[query, key, product].map((value) => exact(value)),
        ]),
      ),
    ],
  });
  fill(element, title, el("div", { class: "toolbar" }, order, swap), strips.element, readout, sum, table.element);

  return drawnView(element, data, (next) => {
    const { vectors, query, key, part, numbering } = next;
    current = next;
    elements = elementsOf(vectors, next.elements);
    bySize.checked = next.elements === "size";
    swap.hidden = part.query_side !== part.key_side;
    fill(
      title,
      ...numberedName(query, numbering, { class: "is-query" }),
      " → ",
      ...numberedName(key, numbering, { class: "is-key" }),
      " ",
      el("span", { class: "note" }, positions(next)),
    );
    strips.draw(elements);
    fill(sum, equation(vectors), ...valueOf(next));
    table.draw();
  });
}

/**
 * Query, key, their products and the sum so far, one strip of bars below the other; one element is pointed at.
 * @param {(at: number | null) => void} onPoint  place among the elements
 */
function createStrips(onPoint) {
  const element = el("div", {
    class: "vectors-strips",
    tabindex: 0,
    role: "group",
    "aria-label": t("Elements; use the arrow keys to move"),
    "aria-describedby": "vectors-readout",
  });
  let count = 0;
  /** @type {number | null} */
  let index = null;
  element.addEventListener("pointermove", ({ clientX }) => {
    const box = element.querySelector("svg")?.getBoundingClientRect();
    if (box && box.width > 0) point(elementAt((clientX - box.left) / box.width, count));
  });
  for (const type of ["pointerleave", "blur"]) element.addEventListener(type, () => point(null));
  element.addEventListener("focus", () => point(index ?? 0));
  element.addEventListener("keydown", (event) => {
    const next = moveInList(event.key, index ?? 0, count, { way: "right" });
    if (next === null) return;
    event.preventDefault();
    point(next);
  });

  /** @param {number | null} place */
  function point(place) {
    index = place !== null && place < count ? place : null;
    for (const mark of element.querySelectorAll(".vectors-mark")) {
      mark.setAttribute("visibility", index === null ? "hidden" : "visible");
      mark.setAttribute("x", String((index ?? 0) * BAR));
    }
    onPoint(index);
  }

  return {
    element,
    /** @param {import("./elements.js").VectorElement[]} elements */
    draw(elements) {
      count = elements.length;
      const of = (/** @type {"query" | "key" | "product" | "sum"} */ name) => elements.map((element) => element[name]);
      const most = Math.max(...[...of("query"), ...of("key")].map(Math.abs), 1e-9);
      fill(
        element,
        strip(t("query"), "is-query", of("query"), most),
        strip(t("key"), "is-key", of("key"), most),
        strip(t("query × key"), "is-product", of("product")),
        strip(t("sum so far"), "is-sum", of("sum")),
      );
      point(index);
    },
  };
}

/** @param {VectorsData} data */
function positions({ query, key, numbering, part, vectors }) {
  const said = { query: query.index + numbering, key: key.index + numbering };
  const distance = fixed(key.index - query.index, 0);
  const isOneText = part.query_side === part.key_side;
  return [
    isOneText
      ? t("positions {query} and {key}, distance {distance}", { ...said, distance })
      : t("positions {query} and {key} of two texts", said),
    part.kv_heads !== part.heads && t("key/value head {head}", { head: vectors.kv_head + numbering }),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** How the products become a weight. @param {PairVectors} vectors */
function equation({
  raw_score: raw,
  scale,
  scaled_score: scaled,
  cap,
  bias,
  masked_score: masked,
  weight,
  sink_weight: sink,
}) {
  const step = (/** @type {string} */ name, /** @type {string} */ value) =>
    el("div", { class: "vectors-step" }, el("dt", {}, name), el("dd", {}, value));
  const isMasked = masked === "-Infinity";
  return el(
    "dl",
    { class: "vectors-steps" },
    step(t("sum of the products"), exact(raw)),
    step(t("× scale"), exact(scale)),
    step(t("scaled score"), exact(scaled)),
    !!cap && step(t("capped: {cap} · tanh(score / {cap})", { cap: exact(cap) }), exact(cap * Math.tanh(scaled / cap))),
    bias !== 0 && step(t("+ position bias"), exact(bias)),
    (isMasked || bias !== 0) && step(t("masked score"), isMasked ? "−∞" : exact(Number(masked))),
    step(t("softmax over the row: weight"), exact(weight)),
    typeof sink === "number" && step(t("the learned sink takes of this row"), exact(sink)),
  );
}

/** The value vector and its weight. @param {VectorsData} data */
function valueOf({ vectors, key, numbering }) {
  const value = vectors.key_token.value ?? [];
  const said = { weight: exact(vectors.weight), count: value.length };
  return [
    el(
      "div",
      { class: "vectors-value" },
      strip(t("value of “{token}”", { token: numberedLabel(key, numbering) }), "is-value", value),
    ),
    el(
      "p",
      { class: "note" },
      t("{weight} of this value vector ({count} elements) goes into the query's output.", said),
    ),
  ];
}

/**
 * @param {import("./elements.js").VectorElement | undefined} element  undefined where none is pointed at
 * @param {0 | 1} numbering
 */
function spokenElement(element, numbering) {
  if (!element) return [t("Hover over an element to read it.")];
  return [
    t("element {index}:", { index: element.index + numbering }),
    " ",
    el("span", { class: "is-query" }, exact(element.query)),
    " × ",
    el("span", { class: "is-key" }, exact(element.key)),
    " = ",
    el("strong", {}, exact(element.product)),
    el("span", { class: "note" }, ` · ${t("sum so far")} ${exact(element.sum)}`),
  ];
}

/**
 * One vector as bars up and down from 0.
 * @param {string} name
 * @param {string} kind
 * @param {number[]} values
 * @param {number} [most]  at the ends of the scale
 */
function strip(name, kind, values, most = Math.max(...values.map(Math.abs), 1e-9)) {
  const middle = HEIGHT / 2;
  const height = (/** @type {number} */ value) => (Math.abs(value) / most) * (middle - 1);
  const gap = values.length > 64 ? 1 : 2;
  return el(
    "div",
    { class: `vectors-strip ${kind}` },
    el("span", { class: "vectors-name" }, name),
    svg(
      "svg",
      {
        viewBox: `0 0 ${Math.max(1, values.length) * BAR} ${HEIGHT}`,
        preserveAspectRatio: "none",
        "aria-hidden": "true",
      },
      svg("rect", { class: "vectors-mark", width: BAR, height: HEIGHT, y: 0, visibility: "hidden" }),
      svg("line", { class: "vectors-zero", x1: 0, x2: values.length * BAR, y1: middle, y2: middle }),
      ...values.map((value, index) =>
        svg("rect", {
          class: value < 0 ? "is-negative" : "is-positive",
          x: index * BAR + gap / 2,
          width: BAR - gap,
          y: value < 0 ? middle : middle - height(value),
          height: height(value),
        }),
      ),
    ),
    el("span", { class: "vectors-scale" }, `±${fixed(most, 2)}`),
  );
}
