/**
 * Presets are links in the page, each with a state as its address. Here they act in place; the one that matches the
 * state is marked, and its remark is shown.
 */

import { sayMaths } from "../../base/maths/maths_text.js";
import { isFramed } from "../../page/framed.js";
import { need, showInRow } from "../../base/dom.js";
import { startsOf } from "../../base/fields.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../base/fields.js").CommonState} CommonState */

/**
 * @template {CommonState} S
 * @param {Document} root
 * @param {object} concept
 * @param {import("../../base/fields.js").Fields} concept.fields
 * @param {(state: Readonly<S>) => unknown} concept.request
 * @param {readonly (keyof S)[]} [concept.presetFields]
 * @param {{read: (search: string) => S, write: (state: Readonly<S>) => URLSearchParams}} codec
 */
export function createPresets(root, { fields, request, presetFields }, { read, write }) {
  const links = [.../** @type {NodeListOf<HTMLAnchorElement>} */ (root.querySelectorAll("#presets a"))];
  const list = links.map((link) => presetOf(link, presetFields ?? Object.keys(fields), read));
  /** The state with all other fields at their defaults. @param {Partial<S>} state */
  const whole = (state) => /** @type {Partial<S>} */ (/** @type {object} */ (startsOf(fields, state)));
  return {
    whole,
    list,
    /** @param {Readonly<S>} value */
    shown(value) {
      if (presetFields) {
        const isShown = (/** @type {Partial<S>} */ own) => presetFields.every((name) => own[name] === value[name]);
        return list.findIndex((preset) => isShown(preset.state));
      }
      const now = JSON.stringify(request(value));
      const own = String(write(value));
      const same = list.filter((preset) => JSON.stringify(request({ ...value, ...preset.state })) === now);
      const exact = same.find((preset) => String(write({ ...value, ...preset.state })) === own);
      return list.indexOf(exact ?? same[0]);
    },
  };
}

/**
 * @template {CommonState} S
 * @param {HTMLAnchorElement} link
 * @param {readonly PropertyKey[]} names  of the fields that it sets
 * @param {(search: string) => S} read
 */
function presetOf(link, names, read) {
  const fields = /** @type {Record<PropertyKey, unknown>} */ (/** @type {object} */ (read(link.search)));
  const state = Object.fromEntries(names.map((name) => [name, fields[name]]));
  return {
    link,
    name: link.textContent ?? "",
    notice: link.dataset.notice ?? "",
    state: /** @type {Partial<S>} */ (state),
  };
}

/**
 * @template {import("./concept.js").Types} T
 * @param {import("./concept.js").Page<T>} page
 * @returns {(value: Readonly<T["state"]>) => void}
 */
export function bindPresets({ root, presets, state, write }) {
  const notice = need(root, "#notice");
  for (const preset of presets.list) {
    preset.link.addEventListener("click", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return; // a tab or a window of its own
      event.preventDefault();
      state.set(preset.state, "pick");
    });
  }
  let before = -1;
  return (value) => {
    const now = presets.shown(value);
    presets.list.forEach(({ link, state: own }, index) => {
      link.search = String(write({ ...value, ...own }));
      if (index === now) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    if (now >= 0 && now !== before) showInRow(presets.list[now].link);
    before = now;
    const own = isFramed(root) ? t("Your own settings.") : t("Your own settings. The address bar holds them.");
    const text = now < 0 ? own : presets.list[now].notice;
    sayMaths(notice, text);
  };
}
