/** The dialog that lists the keyboard shortcuts, by where they work. */

import { el, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/**
 * @param {HTMLElement} button  beside which it stands in the page
 * @returns {HTMLDialogElement}
 */
export function createDialog(button) {
  const title = el("h2", { id: "shortcuts-title" }, t("Keyboard shortcuts"));
  const close = smallButton(t("Close"));
  const hasGuide = button.ownerDocument.querySelector("#guide") !== null;
  const guide = hasGuide && smallButton(t("Look around in five steps"), null, { class: "button is-small guide-start" });
  const dialog = el(
    "dialog",
    { class: "shortcuts", "aria-labelledby": "shortcuts-title" },
    el("div", { class: "shortcuts-head" }, title, guide, close),
    ...shortcuts().map(({ place, keys }) =>
      el(
        "section",
        {},
        el("h3", {}, place),
        el("dl", {}, ...keys.flatMap(([names, what]) => [el("dt", {}, ...keycaps(names)), el("dd", {}, what)])),
      ),
    ),
  );
  for (const button of [close, guide]) button && button.addEventListener("click", () => dialog.close());
  // A click beside it, on its backdrop.
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  // The page's own keys rest while it is open.
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  button.after(dialog);
  return dialog;
}

/** @param {string} names  such as "Shift Enter" */
function keycaps(names) {
  return names.split(" ").flatMap((name, index) => [index > 0 && " ", el("kbd", {}, name)]);
}

/** @returns {{place: string, keys: [string, string][]}[]}  by where they work */
function shortcuts() {
  return [
    {
      place: t("Anywhere"),
      keys: [
        ["?", t("show this list")],
        ["P", t("present; ← and → go on, Escape leaves")],
      ],
    },
    {
      place: t("While presenting"),
      keys: [
        ["← →", t("the pin, stage or example before and after")],
        ["Home End", t("the first and the last pin")],
        ["P", t("a large spot in place of the cursor")],
        ["S", t("speaker notes of the pins, in a second window")],
      ],
    },
    {
      place: t("In the text"),
      keys: [
        ["Enter", t("analyse")],
        ["Shift Enter", t("insert a line break")],
      ],
    },
    {
      place: t("In the map"),
      keys: [
        ["← ↑ → ↓", t("move the cell")],
        ["Shift ←", t("move the window")],
        ["+ −", t("zoom")],
        ["Esc", t("show everything")],
      ],
    },
    {
      place: t("In the grid of heads"),
      keys: [
        ["← ↑ → ↓", t("move")],
        ["Enter", t("open the head")],
        ["Shift Enter", t("choose the head beside the open one")],
        ["Delete", t("switch the head off, or on again")],
        ["U", t("let it attend to all tokens equally")],
        ["O", t("leave only this head on in its layer")],
      ],
    },
    {
      place: t("In tabs, tokens and lists"),
      keys: [
        ["← → Home End", t("move")],
        ["Enter", t("choose")],
      ],
    },
  ];
}
