/** Presets as buttons: the one that matches the state is pressed, and its remark is shown. */

import { el, fill, need } from "../../base/dom.js";
import { startsOf } from "../../base/fields.js";
import { isFramed } from "../../page/framed.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../base/fields.js").CommonState} CommonState */

/**
 * @template {CommonState} S
 * @param {object} concept
 * @param {import("../../base/fields.js").Fields} concept.fields
 * @param {() => import("./concept.js").Preset<S>[]} concept.presets
 * @param {(state: Readonly<S>) => unknown} concept.request
 * @param {(state: Readonly<S>) => URLSearchParams} write
 */
export function createPresets({ fields, presets, request }, write) {
  /** The state with all other fields at their defaults. @param {Partial<S>} state */
  const whole = (state) => /** @type {Partial<S>} */ (/** @type {object} */ (startsOf(fields, state)));
  const list = presets().map((preset) => ({ ...preset, state: whole(preset.state) }));
  return {
    whole,
    list,
    /** @param {Readonly<S>} value */
    shown(value) {
      const now = JSON.stringify(request(value));
      const own = String(write(value));
      const same = list.filter((one) => JSON.stringify(request({ ...value, ...one.state })) === now);
      const exact = same.find((one) => String(write({ ...value, ...one.state })) === own);
      return list.indexOf(exact ?? same[0]);
    },
  };
}

/**
 * @template {import("./concept.js").Types} T
 * @param {import("./concept.js").Page<T>} page
 * @returns {(value: Readonly<T["state"]>) => void}
 */
export function bindPresets({ root, presets, state }) {
  const buttons = presets.list.map((preset) => {
    const choose = () => state.set(preset.state, "pick");
    return el("button", { type: "button", class: "preset", onclick: choose }, preset.name);
  });
  const notice = need(root, "#notice");
  fill(need(root, "#presets"), ...buttons);
  return (value) => {
    const now = presets.shown(value);
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === now)));
    const own = isFramed(root) ? t("Your own settings.") : t("Your own settings. The address bar holds them.");
    const text = now < 0 ? own : presets.list[now].notice;
    if (notice.textContent !== text) notice.textContent = text;
  };
}
