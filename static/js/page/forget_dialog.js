/** Have the browser forget what it keeps for its reader: asked once, with what goes and what stays. */

import { el, fill, plainButton } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { deleteOwner } from "../api/owner.js";
import { forgetHere, noteForgotten } from "./forgetting.js";

/**
 * @param {HTMLElement} button  beside which the dialog stands in the page
 */
export function askToForget(button) {
  const dialog = openDialog(button, t("Forget what this browser keeps?"));
  const problem = el("p", { class: "field-error", role: "alert", hidden: true });
  const no = plainButton(t("Keep everything"), () => dialog.close());
  const yes = plainButton(t("Forget"), () => void forget());
  fill(
    dialog,
    ...dialog.childNodes,
    el(
      "p",
      {},
      t(
        "From this browser go: pins and prepared talks, texts and sets of prompts, solved exercises, the last models, all settings, and the right to change or end what you have uploaded or started.",
      ),
    ),
    el(
      "p",
      { class: "note" },
      t(
        "Uploads and runs stay on the server: delete first what nobody should see. The browser's own history stays, with texts in its addresses: only the browser can clear it.",
      ),
    ),
    problem,
    el("p", { class: "forget-buttons" }, no, yes),
  );
  no.focus();

  async function forget() {
    yes.disabled = true;
    forgetHere();
    noteForgotten();
    try {
      await deleteOwner();
    } catch (error) {
      // What is in the storages is gone all the same.
      yes.disabled = false;
      problem.hidden = false;
      problem.textContent = t("The right to what you have uploaded or started is still there: {message}", {
        message: error instanceof Error ? error.message : String(error),
      });
      return;
    }
    location.replace(firstState(location));
  }
}

/**
 * Forgets what the page before has kept as it was left, and says that it is done.
 * @param {HTMLElement} button
 */
export function tellForgotten(button) {
  forgetHere();
  const dialog = openDialog(button, t("This browser keeps nothing of yours here any more."));
  const close = plainButton(t("Close"), () => dialog.close());
  fill(dialog, ...dialog.childNodes, el("p", { class: "forget-buttons" }, close));
  close.focus();
}

/**
 * The page's address as one first comes to it; the language stays.
 * @param {Pick<Location, "pathname" | "search">} place
 * @returns {string}
 */
export function firstState({ pathname, search }) {
  const lang = new URLSearchParams(search).get("lang");
  return lang ? `${pathname}?${new URLSearchParams({ lang })}` : pathname;
}

/**
 * @param {HTMLElement} button
 * @param {string} title
 * @returns {HTMLDialogElement}  open, and gone once it is closed
 */
function openDialog(button, title) {
  const dialog = el(
    "dialog",
    { class: "forget", "aria-labelledby": "forget-title" },
    el("h2", { id: "forget-title" }, title),
  );
  // The page's own keys rest while it is open.
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  dialog.addEventListener("close", () => dialog.remove());
  button.after(dialog);
  dialog.showModal();
  return dialog;
}
