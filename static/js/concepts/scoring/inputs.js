/** The lab's tensors to be edited: Q, K, V, a bias, and a mask of one's own. */

import { el, fill, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { below, matrixInput } from "../../charts/matrix_input.js";
import { LARGEST, MOST_SIZE, MOST_TOKENS, fitted, withTensor } from "./state.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").ScoringState} ScoringState */

const BOUNDS = { least: -LARGEST, most: LARGEST, rows: MOST_TOKENS, columns: MOST_SIZE };

/**
 * @param {ParentNode} root
 * @param {import("../../base/store.js").Store<ScoringState>} state
 * @returns {(value: Readonly<ScoringState>, captions: Record<string, string>) => void}
 */
export function bindTensors(root, state) {
  const change = (/** @type {"queries" | "keys" | "values"} */ name) => ({
    ...BOUNDS,
    field: name,
    onChange: (/** @type {number[][]} */ values, /** @type {string} */ origin) =>
      state.set(withTensor(state.get(), name, values), origin),
  });
  const queries = mount(need(root, "#queries"), matrixInput, change("queries"));
  const keys = mount(need(root, "#keys"), matrixInput, change("keys"));
  const values = mount(need(root, "#values"), matrixInput, change("values"));
  const bias = mount(need(root, "#bias"), matrixInput, {
    ...BOUNDS,
    columns: MOST_TOKENS,
    field: "bias",
    isFixed: true,
    onChange: (/** @type {number[][]} */ changed, /** @type {string} */ origin) => state.set({ bias: changed }, origin),
  });
  const allowed = mount(need(root, "#allowed"), maskInput, {
    onChange: (/** @type {number[][]} */ changed) => state.set({ allowed: changed }, "pick"),
  });

  return (value, captions) => {
    const size = /** @type {const} */ ([value.queries.length, value.keys.length]);
    queries({ title: t("Queries Q"), values: value.queries, symbol: "q", role: "query" });
    keys({ title: t("Keys K"), values: value.keys, symbol: "k", role: "key" });
    values({ title: t("Values V"), values: value.values, symbol: "v", role: "value" });
    bias(
      value.biased ? { title: t("Bias B"), values: fitted(value.bias, ...size, 0), symbol: "q", role: "query" } : null,
    );
    allowed(value.mask === "custom" ? { allowed: fitted(value.allowed, ...size, 1) } : null);
    for (const name of ["queries", "keys", "values"]) need(root, `#${name}-caption`).textContent = captions[name];
  };
}

/**
 * A switch for each query and key: on where reading is allowed.
 * @param {HTMLElement} element
 * @param {{allowed: number[][]}} data
 * @param {{onChange: (allowed: number[][]) => void}} options
 * @returns {import("../../api/types.js").View<{allowed: number[][]}>}
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
          "aria-label": t("query {query} may read key {key}", { query, key }),
          onchange: tell,
        }),
      ),
    );
    const heads = allowed[0].map((_, key) => el("th", { scope: "col", class: "is-key" }, `k${below(key)}`));
    const lines = boxes.map((row, query) =>
      el(
        "tr",
        {},
        el("th", { scope: "row", class: "is-query" }, `q${below(query)}`),
        ...row.map((one) => el("td", {}, one)),
      ),
    );
    fill(
      element,
      el(
        "table",
        { class: "matrix-input mask-input", "data-field": "mask" },
        el("caption", {}, t("Who may read whom")),
        el("thead", {}, el("tr", {}, el("td", {}), ...heads)),
        el("tbody", {}, ...lines),
      ),
    );
  }

  function tell() {
    onChange(boxes.map((row) => row.map((one) => Number(one.checked))));
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
}
