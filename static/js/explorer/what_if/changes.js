/** What is changed in the model: what one may ask of the chosen head and cell, and the list of what was asked. */

import { hasChange, withChange, withoutChange } from "../state/changes.js";
import { changeName, placeName } from "../state/change_names.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";

/** @typedef {import("../state/changes.js").Change} Change */
/** @typedef {import("../state/changes.js").Place} Place */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} ChangesData
 * @property {string} obstacle  why nothing can be changed; "" where it can
 * @property {string} written  the changes as in the URL, by which a difference is seen
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

/** @typedef {"head" | "layer" | "all"} Scope */

/** The slider's steps: temperature is 2 to this power. */
const DOUBLINGS = { least: -4, most: 4, step: 0.25 };

/**
 * @param {HTMLElement} element
 * @param {ChangesData} data
 * @param {{onChange: (changes: Change[]) => void}} options
 * @returns {import("../../api/types.js").View<ChangesData>}
 */
export function changesView(element, data, { onChange }) {
  let current = data;
  /** @type {Scope} */
  let scope = "head";
  const choice = el("select", { id: "change-scope", onchange: () => rescope() });
  const heads = el("div", { class: "change-buttons" });
  const cells = el("div", { class: "change-buttons" });
  const slider = el("input", {
    ...{ type: "range", id: "change-temperature", min: DOUBLINGS.least, max: DOUBLINGS.most, step: DOUBLINGS.step },
    oninput: () => label(),
    onchange: () => setTemperature(),
  });
  const output = el("output", { for: "change-temperature" });
  const about = el("p", { class: "note" });
  fill(
    element,
    el("div", { class: "change-line" }, el("label", { for: "change-scope" }, t("Change")), choice),
    el("div", { class: "change-line", role: "group", "aria-label": t("How heads work") }, heads, temperature()),
    el("div", { class: "change-line", role: "group", "aria-label": t("What the chosen token reads") }, cells),
    about,
  );
  draw();

  function temperature() {
    return el("label", { class: "change-temperature" }, el("span", {}, t("temperature")), slider, output);
  }

  function rescope() {
    scope = /** @type {Scope} */ (choice.value);
    draw();
  }

  /** @returns {Place} */
  function place() {
    const { part, layer, head } = current;
    return { part, layer: scope === "all" ? null : layer, head: scope === "head" ? head : null };
  }

  /** @param {Change} change */
  function toggle(change) {
    const { changes } = current;
    onChange(hasChange(changes, change) ? withoutChange(changes, change) : withChange(changes, change));
  }

  function setTemperature() {
    const change = /** @type {Change} */ ({ kind: "temperature", ...place(), temperature: 2 ** Number(slider.value) });
    const same = chosenTemperature();
    if (change.kind === "temperature" && change.temperature === 1) {
      if (same) onChange(withoutChange(current.changes, same));
    } else if (!hasChange(current.changes, change)) onChange(withChange(current.changes, change));
  }

  /** @returns {(Change & {kind: "temperature"}) | undefined} */
  function chosenTemperature() {
    const { part, layer, head } = place();
    for (const one of current.changes) {
      const isHere = one.part === part && one.layer === layer && one.head === head;
      if (one.kind === "temperature" && isHere) return one;
    }
    return undefined;
  }

  function label() {
    const doublings = Number(slider.value);
    output.textContent = shownTemperature(2 ** doublings);
    slider.setAttribute("aria-valuetext", output.textContent);
  }

  function draw() {
    const { obstacle } = current;
    choice.disabled = slider.disabled = obstacle !== "";
    listScopes();
    const where = place();
    const settings = /** @type {const} */ (["off", "mean", "uniform", "previous", "causal"]);
    renew(
      heads,
      settings.map((kind) => ({ kind, ...where })),
    );
    renew(cells, cellChanges(where));
    const chosen = chosenTemperature();
    slider.value = String(chosen ? Math.log2(chosen.temperature) : 0);
    label();
    about.textContent = obstacle || meaning(current);
  }

  /**
   * @param {Place} where
   * @returns {Change[]}
   */
  function cellChanges(where) {
    const { query, key } = current;
    if (query === null) return [];
    /** @type {Change[]} */
    const changes = [];
    if (key !== null) changes.push({ kind: "cut", ...where, query, key });
    if (key !== null) changes.push({ kind: "cut", ...where, query: null, key });
    if (key !== null) changes.push({ kind: "row", ...where, query, shares: [[key, 1]] });
    changes.push({ kind: "row", ...where, query, shares: [] });
    return changes;
  }

  function listScopes() {
    const { part, layer, head, numbering } = current;
    /** @type {[Scope, Place][]} */
    const scopes = [
      ["head", { part, layer, head }],
      ["layer", { part, layer, head: null }],
      ["all", { part, layer: null, head: null }],
    ];
    const names = scopes.map(([, where]) => placeName(where, numbering));
    if (names.join("\n") === [...choice.options].map((option) => option.text).join("\n")) return;
    fill(choice, ...scopes.map(([value], index) => el("option", { value }, names[index])));
    choice.value = scope;
  }

  /**
   * Buttons stay while they only change their state, so that focus stays on them.
   * @param {HTMLElement} box
   * @param {Change[]} changes
   */
  function renew(box, changes) {
    const sides = () => current;
    const named = { sides, numbering: current.numbering };
    const focused = [...box.children].indexOf(/** @type {Element} */ (document.activeElement));
    fill(box, ...changes.map((change) => button(change, named)));
    if (focused >= 0) /** @type {HTMLElement | undefined} */ (box.children[focused])?.focus();
  }

  /**
   * @param {Change} change
   * @param {import("../state/change_names.js").Named} named
   */
  function button(change, named) {
    const pressed = hasChange(current.changes, change);
    const disabled = current.obstacle !== "";
    const attributes = { type: "button", class: "button", "aria-pressed": String(pressed), disabled };
    return el("button", { ...attributes, onclick: () => toggle(change) }, el("bdi", {}, changeName(change, named)));
  }

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

/** @param {ChangesData} data */
function meaning({ key }) {
  return key === null
    ? t("Pick a cell of the matrix to cut it, or to let its query read nothing else.")
    : t("Everything after the changed head is computed anew, in the real model.");
}

/** @param {number} value */
function shownTemperature(value) {
  return fixed(value, value < 1 ? 2 : value < 10 ? 1 : 0);
}
