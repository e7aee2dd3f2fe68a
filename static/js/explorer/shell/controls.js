/** Controls of the view (theme, part, metric, stage, zoom …), bound to the state both ways. */

import { el, fill, need } from "../../base/dom.js";
import { zoom } from "../../charts/heat_map/geometry.js";
import { t } from "../../base/i18n.js";
import { metricTitle, partName } from "../../wording/labels.js";
import { isUnsigned } from "../../charts/heat_map/scales.js";
import { formatRange, parseRange } from "../state/selection.js";

/** @typedef {import("../../api/types.js").MetricInfo} MetricInfo */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../api/types.js").Stage} Stage */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("../../base/store.js").Store<ViewState>} State */

/**
 * @typedef {object} Shown  what the controls need to know about what is shown
 * @property {Part} part
 * @property {Part[]} parts
 * @property {string[]} stages  of the chosen head
 * @property {Record<string, MetricInfo>} info
 * @property {import("../data/head_measures.js").Offer[]} offers  measures that cost a run of their own
 */

/**
 * @param {Document} root
 * @param {State} state
 */
export function bindControls(root, state) {
  const theme = /** @type {HTMLSelectElement | null} */ (root.querySelector("#theme")); // not in a frame
  const metric = /** @type {HTMLSelectElement} */ (need(root, "#metric"));
  const numbering = /** @type {HTMLSelectElement} */ (need(root, "#numbering"));
  const sorted = /** @type {HTMLInputElement} */ (need(root, "#sorted"));
  const faint = /** @type {HTMLSelectElement} */ (need(root, "#faint"));
  const showStages = bindStages(root, state);
  const list = createLists(root, metric, state);
  const bindZooms = createZooms(root, state);

  theme?.addEventListener("change", () => {
    state.set({ theme: /** @type {ViewState["theme"]} */ (theme.value) }, "switch");
  });
  metric.addEventListener("change", () => state.set({ metric: metric.value }, "pick"));
  numbering.addEventListener("change", () => state.set({ numbering: numbering.value === "1" ? 1 : 0 }, "switch"));
  sorted.addEventListener("change", () => state.set({ sorted: sorted.checked }, "pick"));
  faint.addEventListener("change", () =>
    state.set({ faint: /** @type {ViewState["faint"]} */ (faint.value) }, "switch"),
  );

  return {
    /**
     * @param {ViewState} value
     * @param {Shown | null} shown
     */
    update(value, shown) {
      bindZooms(shown?.part ?? null);
      if (shown) list(shown);
      if (theme) theme.value = value.theme;
      metric.value = value.metric;
      numbering.value = String(value.numbering);
      sorted.checked = value.sorted;
      sorted.disabled = value.metric === "";
      faint.value = value.faint;
      faint.disabled = !isUnsigned(value.stage);
      showStages(value.stage, shown?.stages ?? null);
    },
  };
}

/**
 * @param {Document} root
 * @param {State} state
 * @returns {(chosen: Stage, available: string[] | null) => void}
 */
function bindStages(root, state) {
  const inputs = [.../** @type {NodeListOf<HTMLInputElement>} */ (root.querySelectorAll("input[name=stage]"))];
  const labels = inputs.map((input) => /** @type {HTMLElement} */ (input.closest("label")));
  const meanings = labels.map(({ title }) => title);
  for (const input of inputs) {
    input.addEventListener("change", () => state.set({ stage: /** @type {Stage} */ (input.value) }, "pick"));
  }
  return (chosen, available) => {
    for (const [index, input] of inputs.entries()) {
      input.checked = input.value === chosen;
      input.disabled = available !== null && !available.includes(input.value);
      labels[index].title = input.disabled ? t("This stage is not available for this head.") : meanings[index];
    }
  };
}

/**
 * @param {Document} root
 * @param {State} state
 * @returns {(part: Part | null) => void}  says of what is shown
 */
function createZooms(root, state) {
  /** @type {Part | null} */
  let part = null;
  need(root, "#zoom-in").addEventListener("click", () => zoomBy(0.5));
  need(root, "#zoom-out").addEventListener("click", () => zoomBy(2));
  need(root, "#zoom-all").addEventListener("click", () => state.set({ rows: "", cols: "" }, "pick"));

  /** @param {number} factor */
  function zoomBy(factor) {
    if (!part) return;
    const { query_tokens: queries, key_tokens: keys } = part;
    const { rows, cols, query, key } = state.get();
    const down = zoom(parseRange(rows, queries), factor, query, queries);
    const across = zoom(parseRange(cols, keys), factor, key, keys);
    state.set({ rows: formatRange(down, queries), cols: formatRange(across, keys) }, "pick");
  }

  return (shown) => void (part = shown);
}

/**
 * Lists the measures and the parts that there are to choose from.
 * @param {Document} root
 * @param {HTMLSelectElement} metric
 * @param {State} state
 * @returns {(shown: Shown) => void}
 */
function createLists(root, metric, state) {
  const partBox = need(root, "#parts");
  let listed = "";

  /**
   * @param {string} name
   * @param {boolean} isFirst
   * @param {boolean} isChosen
   */
  function partChoice(name, isFirst, isChosen) {
    const value = isFirst ? "" : name;
    const change = () => state.set({ part: value, query: null, key: null, rows: "", cols: "" }, "pick");
    const input = el("input", { type: "radio", name: "part", value, checked: isChosen, onchange: change });
    return el("label", {}, input, el("span", {}, partName(name)));
  }

  return ({ part, parts, info, offers }) => {
    const names = Object.keys(part.metrics);
    const key = JSON.stringify([part.name, names, offers.map(({ group }) => group.name)]);
    if (key === listed) return;
    listed = key;
    const options = names.map((name) => el("option", { value: name }, metricTitle(name, info[name])));
    const further = offers.map(({ group }) => {
      const choices = Object.entries(group.titles()).map(([value, title]) => el("option", { value }, title));
      return el("optgroup", { label: group.words().title }, ...choices);
    });
    fill(metric, el("option", { value: "" }, t("none")), ...options, ...further);
    partBox.hidden = parts.length < 2;
    fill(partBox, ...parts.map((choice) => partChoice(choice.name, choice.name === parts[0].name, choice === part)));
  };
}
