/** What-if controls: the changes available for the chosen head and cell, and the list of those made. */

import { hasChange, withChange, withoutChange } from "../state/changes/changes.js";
import { changeName, placeName } from "../state/changes/change_names.js";
import { cellChanges, headChanges, placeOf, temperatureOf, withTemperature } from "./offered_changes.js";
import { el, fill, keepingFocus, plainButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";
import { fixed } from "../../base/numbers.js";

/** @typedef {import("../state/changes/changes.js").Change} Change */
/** @typedef {import("./offered_changes.js").Scope} Scope */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} ChangesData
 * @property {string} obstacle  why nothing can be changed; "" where it can
 * @property {string} written  the changes as in the URL, for comparison
 * @property {Change[]} changes
 * @property {string} part  "" for the first
 * @property {number} layer  the chosen head
 * @property {number} head
 * @property {number | null} query
 * @property {number | null} key
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {0 | 1} numbering
 */

/** The slider's steps: temperature is 2 to this power. */
const DOUBLINGS = { least: -4, most: 4, step: 0.25 };

/**
 * @param {HTMLElement} element
 * @param {ChangesData} data
 * @param {{onChange: (changes: Change[]) => void}} options
 * @returns {import("../../base/mount.js").View<ChangesData>}
 */
export function changesView(element, data, { onChange }) {
  let current = data;
  /** @type {Scope} */
  let scope = "head";
  const choice = el("select", {
    id: "change-scope",
    onchange() {
      scope = /** @type {Scope} */ (choice.value);
      draw(current);
    },
  });
  const heads = el("div", { class: "change-buttons" });
  const cells = el("div", { class: "change-buttons" });
  const temperature = createTemperature((value) => {
    const next = withTemperature(current.changes, placeOf(scope, current), value);
    if (next) onChange(next);
  });
  const about = el("p", { class: "note" });
  const line = (/** @type {Record<string, string>} */ attributes, /** @type {Node[]} */ ...content) =>
    el("div", { class: "change-line", ...attributes }, ...content);
  fill(
    element,
    line({}, el("label", { for: "change-scope" }, t("Change")), choice),
    line({ role: "group", "aria-label": t("How heads compute") }, heads, temperature.element),
    line({ role: "group", "aria-label": t("What the chosen token attends to") }, cells),
    about,
  );

  /** @param {ChangesData} next */
  function draw(next) {
    current = next;
    const { changes, obstacle, key } = next;
    const place = placeOf(scope, next);
    listScopes(choice, scope, next);
    choice.disabled = obstacle !== "";
    for (const [box, offered] of /** @type {const} */ ([
      [heads, headChanges(place)],
      [cells, cellChanges(place, next)],
    ])) {
      keepingFocus(box, () => fill(box, ...offered.map((change) => button(next, change, onChange))));
    }
    temperature.show(temperatureOf(changes, place)?.temperature ?? 1, obstacle !== "");
    about.textContent = obstacle || meaning(key);
  }

  return drawnView(element, data, draw);
}

/** @param {(temperature: number) => void} onChange */
function createTemperature(onChange) {
  const slider = el("input", {
    type: "range",
    id: "change-temperature",
    min: DOUBLINGS.least,
    max: DOUBLINGS.most,
    step: DOUBLINGS.step,
    oninput: () => label(),
    onchange: () => onChange(2 ** Number(slider.value)),
  });
  const output = el("output", { for: "change-temperature" });
  function label() {
    output.textContent = shownTemperature(2 ** Number(slider.value));
    slider.setAttribute("aria-valuetext", output.textContent);
  }
  return {
    element: el("label", { class: "change-temperature" }, el("span", {}, t("temperature")), slider, output),
    /** @param {number} temperature @param {boolean} isDisabled */
    show(temperature, isDisabled) {
      slider.value = String(Math.log2(temperature));
      slider.disabled = isDisabled;
      label();
    },
  };
}

/**
 * @param {HTMLSelectElement} choice
 * @param {Scope} scope
 * @param {ChangesData} data
 */
function listScopes(choice, scope, data) {
  const scopes = /** @type {const} */ (["head", "layer", "all"]);
  const names = scopes.map((scope) => placeName(placeOf(scope, data), data.numbering));
  if (names.join("\n") === [...choice.options].map((option) => option.text).join("\n")) return;
  fill(choice, ...scopes.map((value, index) => el("option", { value }, names[index])));
  choice.value = scope;
}

/**
 * @param {ChangesData} data
 * @param {Change} change
 * @param {(changes: Change[]) => void} onChange
 */
function button({ changes, obstacle, queries, keys, numbering }, change, onChange) {
  const isMade = hasChange(changes, change);
  const toggle = () => onChange(isMade ? withoutChange(changes, change) : withChange(changes, change));
  const attributes = { "aria-pressed": String(isMade), disabled: obstacle !== "" };
  const name = changeName(change, { sides: () => ({ queries, keys }), numbering });
  return plainButton(el("bdi", {}, name), toggle, attributes);
}

/** @param {number | null} key */
function meaning(key) {
  return key === null
    ? t("Choose a cell of the matrix to cut that edge, or to let its query attend to nothing else.")
    : t("Everything after the changed head is recomputed in the real model.");
}

/** @param {number} value */
function shownTemperature(value) {
  return fixed(value, value < 1 ? 2 : value < 10 ? 1 : 0);
}
