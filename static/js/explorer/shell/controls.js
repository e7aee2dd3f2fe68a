/** The page's own controls (theme, language, share, metric, stage, zoom …): each sets the state and shows it. */

import { el, fill, need } from "../../base/dom.js";
import { examples } from "../state/examples.js";
import { zoom } from "../../charts/heat_map/geometry.js";
import { t } from "../../base/i18n.js";
import { address } from "./history.js";
import { metricTitle, partName } from "../../wording/labels.js";
import { isUnsigned } from "../../charts/heat_map/scales.js";
import { formatRange, parseRange } from "../state/selection.js";
import { writeState } from "../state/view_state.js";

/** @typedef {import("../../api/types.js").MetricInfo} MetricInfo */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../api/types.js").Stage} Stage */
/** @typedef {import("../../api/types.js").ViewState} ViewState */

/** Links longer than this are cut by some programs that pass them on. */
const LONG_LINK = 4000;
const MESSAGE_MS = 4000;

/**
 * @typedef {object} Shown  what the controls need to know about what is shown
 * @property {Part} part
 * @property {Part[]} parts
 * @property {Record<string, MetricInfo>} info
 * @property {import("../heads/head_measures.js").Offer[]} offers  measures that cost a run of their own
 */

/**
 * @param {Document} root
 * @param {import("../../base/store.js").Store<ViewState>} state
 * @param {import("../state/draft.js").Wanted} wanted
 * @param {(example: import("../state/examples.js").Example) => void} onExample  is wanted
 */
export function bindControls(root, state, wanted, onExample) {
  /** @template {HTMLElement} T @param {string} id @returns {T} */
  const find = (id) => /** @type {any} */ (need(root, `#${id}`));
  const theme = /** @type {HTMLSelectElement | null} */ (root.querySelector("#theme")); // not in a frame
  const metric = /** @type {HTMLSelectElement} */ (find("metric"));
  const numbering = /** @type {HTMLSelectElement} */ (find("numbering"));
  const sorted = /** @type {HTMLInputElement} */ (find("sorted"));
  const faint = /** @type {HTMLInputElement} */ (find("faint"));
  const partBox = find("parts");
  const stages = [.../** @type {NodeListOf<HTMLInputElement>} */ (root.querySelectorAll("input[name=stage]"))];
  const links = [.../** @type {NodeListOf<HTMLAnchorElement>} */ (root.querySelectorAll("a[data-lang]"))];
  const buttons = examples().map(exampleButton);
  /** @type {Shown | null} */
  let shown = null;
  let listed = "";

  fill(find("examples"), ...buttons.map(({ button }) => button));
  theme?.addEventListener("change", () => {
    state.set({ theme: /** @type {ViewState["theme"]} */ (theme.value) }, "switch");
  });
  metric.addEventListener("change", () => state.set({ metric: metric.value }, "pick"));
  numbering.addEventListener("change", () => state.set({ numbering: numbering.value === "1" ? 1 : 0 }, "switch"));
  sorted.addEventListener("change", () => state.set({ sorted: sorted.checked }, "pick"));
  faint.addEventListener("change", () => state.set({ faint: faint.checked }, "switch"));
  // Written when they are about to be followed: with a long text that takes longer than a frame.
  for (const link of links) for (const event of ["pointerenter", "focus", "click"]) link.addEventListener(event, aim);
  for (const stage of stages) {
    stage.addEventListener("change", () => state.set({ stage: /** @type {Stage} */ (stage.value) }, "pick"));
  }
  find("zoom-in").addEventListener("click", () => zoomBy(0.5));
  find("zoom-out").addEventListener("click", () => zoomBy(2));
  find("zoom-all").addEventListener("click", () => state.set({ rows: "", cols: "" }, "pick"));
  root.querySelector("#share")?.addEventListener("click", () => void share());

  /** @param {import("../state/examples.js").Example} example */
  function exampleButton(example) {
    const { name, text, pair = "" } = example;
    const choose = () => onExample(example);
    return { text, pair, button: el("button", { type: "button", class: "example", onclick: choose }, name) };
  }

  /** The same picture in another language. @param {Event} event */
  function aim({ currentTarget }) {
    const link = /** @type {HTMLAnchorElement} */ (currentTarget);
    const [search, hash = ""] = writeState({ ...wanted.get(), lang: link.dataset.lang ?? "" }).split("#");
    link.search = search;
    link.hash = hash;
  }

  /** @param {number} factor */
  function zoomBy(factor) {
    if (!shown) return;
    const { query_tokens: queries, key_tokens: keys } = shown.part;
    const { rows, cols, query, key } = state.get();
    const down = zoom(parseRange(rows, queries), factor, query, queries);
    const across = zoom(parseRange(cols, keys), factor, key, keys);
    state.set({ rows: formatRange(down, queries), cols: formatRange(across, keys) }, "pick");
  }

  async function share() {
    const link = new URL(address(state.get()), location.href).href;
    const status = find("share-status");
    try {
      await navigator.clipboard.writeText(link);
      status.textContent =
        link.length > LONG_LINK
          ? t("Copied. The link holds the whole text ({count} characters); some programs cut such links.", {
              count: link.length,
            })
          : t("Link copied.");
    } catch {
      history.replaceState(null, "", link);
      status.textContent = t("The browser does not allow copying; the address bar holds the link.");
    }
    setTimeout(() => (status.textContent = ""), MESSAGE_MS);
  }

  /** @param {Shown} next */
  function listChoices({ part, parts, info, offers }) {
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
    fill(partBox, ...parts.map((one) => partChoice(one.name, one.name === parts[0].name, one === part)));
  }

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

  return {
    /**
     * @param {ViewState} value
     * @param {Shown | null} next
     */
    update(value, next) {
      shown = next;
      if (next) listChoices(next);
      if (theme) theme.value = value.theme;
      metric.value = value.metric;
      numbering.value = String(value.numbering);
      sorted.checked = value.sorted;
      sorted.disabled = value.metric === "";
      faint.checked = value.faint;
      faint.disabled = !isUnsigned(value.stage);
      const known = next?.part.stages;
      for (const stage of stages) {
        stage.checked = stage.value === value.stage;
        stage.disabled = known !== undefined && !known.includes(stage.value);
      }
      const asked = wanted.get();
      for (const { text, pair, button } of buttons) {
        button.setAttribute("aria-pressed", String(text === asked.text && pair === asked.pair));
      }
    },
  };
}
