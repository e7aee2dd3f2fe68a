/** Editable tensors of the scoring lab: Q, K, V, a bias, and a custom mask. */

import { drawnView, matrixControl } from "../frame/views.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { lowered } from "../../base/numbers.js";
import { LARGEST, MOST_SIZE, MOST_TOKENS, fitted, withTensor } from "./state.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").ScoringState} ScoringState */

const BOUNDS = { least: -LARGEST, most: LARGEST, rows: MOST_TOKENS, columns: MOST_SIZE };

/** @param {"queries" | "keys" | "values"} name */
export function tensorControl(name) {
  const names = () =>
    ({
      queries: /** @type {const} */ ({ title: t("Queries Q"), symbol: "q", role: "query" }),
      keys: /** @type {const} */ ({ title: t("Keys K"), symbol: "k", role: "key" }),
      values: /** @type {const} */ ({ title: t("Values V"), symbol: "v", role: "value" }),
    })[name];
  return matrixControl(
    {
      shown: (/** @type {Readonly<ScoringState>} */ state) => ({ ...names(), values: state[name] }),
      change: (state, values) => withTensor(state, name, values),
    },
    { ...BOUNDS, field: name },
  );
}

/** Of every query and key, as many as there are. */
export const biasControl = matrixControl(
  {
    shown: (/** @type {Readonly<ScoringState>} */ { biased, bias, queries, keys }) => {
      const values = fitted(bias, queries.length, keys.length, 0);
      return biased ? { title: t("Bias B"), values, symbol: "q", role: "query" } : null;
    },
    change: (_, bias) => ({ bias }),
  },
  { ...BOUNDS, columns: MOST_TOKENS, field: "bias", isFixed: true },
);

/** @type {import("../frame/concept.js").ConceptView<{state: Readonly<ScoringState>}>} */
export const allowedControl = drawnView((element, { set }) => {
  const show = mount(element, maskInput, {
    onChange: (allowed) => set({ allowed }, "pick"),
  });
  return ({ state: { mask, allowed, queries, keys } }) =>
    show(mask === "custom" ? { allowed: fitted(allowed, queries.length, keys.length, 1) } : null);
});

/**
 * A switch for each query and key: on where reading is allowed.
 * @param {HTMLElement} element
 * @param {{allowed: number[][]}} data
 * @param {{onChange: (allowed: number[][]) => void}} options
 * @returns {import("../../base/mount.js").View<{allowed: number[][]}>}
 */
function maskInput(element, data, { onChange }) {
  /** @type {HTMLInputElement[][]} */
  let boxes = [];

  /** @param {{allowed: number[][]}} next */
  function draw({ allowed }) {
    if (boxes.length !== allowed.length || boxes[0].length !== allowed[0].length) build(allowed);
    allowed.forEach((row, query) => row.forEach((may, key) => (boxes[query][key].checked = may !== 0)));
  }

  /** @param {number[][]} allowed */
  function build(allowed) {
    boxes = allowed.map((row, query) =>
      row.map((_, key) =>
        el("input", {
          type: "checkbox",
          "aria-label": t("query {query} may attend to key {key}", { query, key }),
          onchange: tell,
        }),
      ),
    );
    const heads = allowed[0].map((_, key) => el("th", { scope: "col", class: "is-key" }, `k${lowered(key)}`));
    const lines = boxes.map((row, query) =>
      el(
        "tr",
        {},
        el("th", { scope: "row", class: "is-query" }, `q${lowered(query)}`),
        ...row.map((input) => el("td", {}, input)),
      ),
    );
    fill(
      element,
      el(
        "table",
        { class: "matrix-input mask-input", "data-field": "mask" },
        el("caption", {}, t("Which query may attend to which key")),
        el("thead", {}, el("tr", {}, el("td", {}), ...heads)),
        el("tbody", {}, ...lines),
      ),
    );
  }

  function tell() {
    onChange(boxes.map((row) => row.map((input) => Number(input.checked))));
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
}
