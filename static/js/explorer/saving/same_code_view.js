/** One of the ways to the same numbers as code, to be copied; always that of the current state. */

import { absolute } from "../../base/place.js";
import { copyCode } from "../../page/header_tools.js";
import { el, fill, plainButton, say } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { t } from "../../base/i18n.js";
import { segmented } from "../widgets/segmented.js";
import { CODE_KINDS, sameCode } from "./same_code.js";

/** @typedef {import("./same_code.js").CodeKind} CodeKind */
/** @typedef {import("./same_code.js").Shown} Shown */

/**
 * @param {HTMLElement} element
 * @param {Shown} data
 * @returns {import("../../base/mount.js").View<Shown>}
 */
export function sameCodeView(element, data) {
  /** @type {CodeKind} */
  let chosen = "transformers";
  let shown = data;
  const names = kindNames();
  const kinds = segmented({
    name: "code-kind",
    legend: t("The code to show"),
    choices: CODE_KINDS.map((kind) => [kind, names[kind]]),
    onPick(kind) {
      chosen = kind;
      draw(shown);
    },
  });
  const code = el("code", {});
  const place = el(
    "pre",
    { class: "call is-code", tabindex: 0, role: "region", "aria-label": t("Code"), translate: "no" },
    code,
  );
  const note = el("p", { class: "note" });
  const status = el("span", { class: "note", role: "status" });
  const button = plainButton(t("Copy code"), () => void copyCode(code, status));
  fill(element, kinds.element, note, place, el("p", { class: "snippet-head" }, button, status));

  /** @param {Shown} next */
  function draw(next) {
    shown = next;
    const same = sameCode(chosen, next, absolute("/").replace(/\/$/, ""));
    kinds.check(chosen);
    if (code.textContent !== same.code) status.textContent = "";
    say(code, same.code);
    place.hidden = same.code === "";
    button.disabled = same.code === "";
    say(note, same.note);
    note.hidden = same.note === "";
  }

  return drawnView(element, data, draw);
}

/** @returns {Record<CodeKind, string>} */
function kindNames() {
  return {
    transformers: t("With transformers alone"),
    client: t("With our Python client"),
    api: t("From the API"),
  };
}
