/** An item of a ranked list: a name, its value, and a bar as long as its share. */

import { el } from "../../base/dom.js";

/**
 * @typedef {object} Share
 * @property {import("../../base/dom.js").Child[]} name
 * @property {string} value
 * @property {number} share  0…1 of a whole bar
 * @property {string} [kind]  class of the bar
 * @property {string} [title]
 * @property {number} [key]  by which the button is known when the list is drawn anew
 * @property {boolean} [isChosen]
 * @property {() => void} [onPick]  makes it a button
 * @property {(isIn: boolean) => void} [onPoint]
 */

/**
 * @param {Share} share
 * @returns {HTMLLIElement}
 */
export function shareItem({ name, value, share, kind = "", title, key, isChosen, onPick, onPoint }) {
  const bar = el("span", { class: `reads-bar ${kind}`.trim(), "aria-hidden": "true" });
  bar.style.setProperty("--share", String(share));
  const pause = el("span", { class: "visually-hidden" }, ", ");
  const content = [
    el("span", { class: "reads-name" }, ...name),
    pause,
    el("span", { class: "reads-value" }, value),
    bar,
  ];
  if (!onPick) return el("li", { class: "reads-item", title }, ...content);
  return el(
    "li",
    {},
    el(
      "button",
      {
        type: "button",
        class: "reads-item",
        title,
        "data-key": key,
        onclick: onPick,
        "aria-pressed": isChosen === undefined ? null : String(isChosen),
        onpointerenter: onPoint && (() => onPoint(true)),
        onpointerleave: onPoint && (() => onPoint(false)),
      },
      ...content,
    ),
  );
}
