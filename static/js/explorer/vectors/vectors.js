/** Query and key of one cell element by element: their products add up to the score, and the score becomes a weight. */

import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { tokenLabel } from "../../wording/labels.js";
import { exact, fixed } from "../../base/numbers.js";
import { tokenName } from "../../wording/token_name.js";

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
 * @returns {import("../../api/types.js").View<VectorsData>}
 */
export function vectorsView(element, data, { onOrder, onSwap }) {
  const title = el("p", { class: "vectors-title" });
  const bySize = el("input", { type: "checkbox", id: "vectors-order" });
  const swap = el("button", { type: "button", class: "button", onclick: onSwap }, t("Swap query and key"));
  const strips = el("div", {
    class: "vectors-strips",
    tabindex: 0,
    role: "group",
    "aria-describedby": "vectors-readout",
  });
  const readout = el("p", { class: "vectors-readout", id: "vectors-readout", "aria-live": "polite" });
  const sum = el("div", { class: "vectors-sum" });
  const table = el("div", {
    class: "table-scroller",
    tabindex: 0,
    role: "region",
    "aria-label": t("The elements as a table"),
  });
  const details = el("details", { class: "disclosure" }, el("summary", {}, t("Read as a table")), table);
  const tools = el(
    "div",
    { class: "toolbar" },
    el("label", { class: "check" }, bySize, t("Largest products first")),
    swap,
  );
  strips.setAttribute("aria-label", t("Elements; arrow keys move"));
  fill(element, title, tools, strips, readout, sum, details);

  let current = data;
  /** @type {number[]} elements as they are shown */
  let order = [];
  /** @type {number | null} place in that order */
  let at = null;

  bySize.addEventListener("change", () => onOrder(bySize.checked ? "size" : ""));
  details.addEventListener("toggle", drawTable);
  strips.addEventListener("pointermove", (event) => {
    const box = strips.querySelector("svg")?.getBoundingClientRect();
    if (!box || box.width === 0) return;
    const place = Math.floor(((event.clientX - box.left) / box.width) * order.length);
    point(place >= 0 && place < order.length ? place : null);
  });
  strips.addEventListener("pointerleave", () => point(null));
  strips.addEventListener("focus", () => point(at ?? 0));
  strips.addEventListener("blur", () => point(null));
  strips.addEventListener("keydown", (event) => {
    const from = at ?? 0;
    /** @type {Record<string, number>} */
    const moves = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: order.length - 1 };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    point(Math.min(Math.max(moves[event.key], 0), order.length - 1));
  });

  function draw() {
    const { vectors, query, key, part, numbering, elements } = current;
    const { products } = vectors;
    order = products.map((_, index) => index);
    if (elements === "size") order.sort((one, other) => Math.abs(products[other]) - Math.abs(products[one]));
    bySize.checked = elements === "size";
    swap.hidden = part.query_side !== part.key_side;
    fill(title, ...names(query, key, numbering), el("span", { class: "note" }, positions()));
    const [q, k, v] = [vectors.query_token.query, vectors.key_token.key, vectors.key_token.value];
    const running = sums(order.map((index) => products[index]));
    const most = Math.max(...[...(q ?? []), ...(k ?? [])].map(Math.abs), 1e-9);
    fill(
      strips,
      strip(t("query"), "is-query", inOrder(q), most),
      strip(t("key"), "is-key", inOrder(k), most),
      strip(t("query × key"), "is-product", inOrder(products)),
      strip(t("sum so far"), "is-sum", running),
    );
    const width = v?.length ?? 0;
    fill(
      sum,
      equation(),
      el(
        "div",
        { class: "vectors-value" },
        strip(t("value of {token}", { token: tokenLabel(key) }), "is-value", v ?? []),
      ),
    );
    sum.append(
      el(
        "p",
        { class: "note" },
        t("{weight} of this value vector ({count} elements) goes into what the query takes.", {
          weight: exact(vectors.weight),
          count: width,
        }),
      ),
    );
    point(at);
    drawTable();
  }

  /** @param {number[] | null} vector */
  function inOrder(vector) {
    return order.map((index) => vector?.[index] ?? 0);
  }

  function positions() {
    const { query, key, numbering, part, vectors } = current;
    const parts = [
      part.query_side === part.key_side
        ? t("positions {query} and {key}, distance {distance}", {
            query: query.index + numbering,
            key: key.index + numbering,
            distance: fixed(key.index - query.index, 0),
          })
        : t("positions {query} and {key} of two texts", { query: query.index + numbering, key: key.index + numbering }),
    ];
    if (part.kv_heads !== part.heads) parts.push(t("key and value head {head}", { head: vectors.kv_head + numbering }));
    return parts.join(" · ");
  }

  function equation() {
    const { raw_score: raw, scale, scaled_score: scaled, bias, masked_score: masked, weight } = current.vectors;
    const step = (/** @type {string} */ name, /** @type {string} */ value) =>
      el("div", { class: "vectors-step" }, el("dt", {}, name), el("dd", {}, value));
    const isMasked = masked === "-Infinity";
    return el(
      "dl",
      { class: "vectors-steps" },
      step(t("sum of the products"), exact(raw)),
      step(t("× scale"), exact(scale)),
      step(t("scaled score"), exact(scaled)),
      bias !== 0 && step(t("+ position bias"), exact(bias)),
      (isMasked || bias !== 0) && step(t("masked score"), isMasked ? "−∞" : exact(Number(masked))),
      step(t("softmax over the row: weight"), exact(weight)),
    );
  }

  /** @param {number | null} place */
  function point(place) {
    at = place !== null && place < order.length ? place : null;
    for (const mark of strips.querySelectorAll(".vectors-mark")) {
      mark.setAttribute("visibility", at === null ? "hidden" : "visible");
      mark.setAttribute("x", String((at ?? 0) * BAR));
    }
    const { vectors, numbering } = current;
    if (at === null) {
      fill(readout, t("Point at an element to read it."));
      return;
    }
    const index = order[at];
    const running = order.slice(0, at + 1).reduce((total, one) => total + vectors.products[one], 0);
    fill(
      readout,
      t("element {index}:", { index: index + numbering }),
      " ",
      el("span", { class: "is-query" }, exact(vectors.query_token.query?.[index] ?? 0)),
      " × ",
      el("span", { class: "is-key" }, exact(vectors.key_token.key?.[index] ?? 0)),
      " = ",
      el("strong", {}, exact(vectors.products[index])),
      el("span", { class: "note" }, ` · ${t("sum so far")} ${exact(running)}`),
    );
  }

  function drawTable() {
    if (!details.open) return fill(table);
    const { vectors, numbering } = current;
    const head = [t("element"), t("query"), t("key"), t("query × key")];
    fill(
      table,
      el(
        "table",
        { class: "numbers" },
        el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col" }, name)))),
        el(
          "tbody",
          {},
          ...order.map((index) =>
            el(
              "tr",
              {},
              el("th", { scope: "row" }, index + numbering),
              el("td", {}, exact(vectors.query_token.query?.[index] ?? 0)),
              el("td", {}, exact(vectors.key_token.key?.[index] ?? 0)),
              el("td", {}, exact(vectors.products[index])),
            ),
          ),
        ),
      ),
    );
  }

  draw();
  return {
    update(next) {
      current = next;
      draw();
    },
    destroy() {
      element.replaceChildren();
    },
  };
}

/**
 * @param {Token} query
 * @param {Token} key
 * @param {0 | 1} numbering
 */
function names(query, key, numbering) {
  return [
    tokenName(query, { class: "is-query" }),
    el("span", { class: "token-index" }, query.index + numbering),
    " → ",
    tokenName(key, { class: "is-key" }),
    el("span", { class: "token-index" }, key.index + numbering),
    " ",
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

/** @param {number[]} values */
function sums(values) {
  let total = 0;
  return values.map((value) => (total += value));
}
