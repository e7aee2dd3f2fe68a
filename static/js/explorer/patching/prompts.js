/** Both prompts token by token as they are typed, where they differ, and what each run answers. */

import { el, fill, say } from "../../base/dom.js";
import { sentences, t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { drawnView } from "../../base/mount.js";
import { classToken, looseToken, tokenLabel } from "../../wording/labels.js";
import { apartName, numberedLabel, quoted } from "../../wording/token_apart.js";
import { sideBySide, verdict } from "./side_by_side.js";

/** @typedef {import("../../api/patching.js").AnyPatching} AnyPatching */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("./side_by_side.js").Pairing} Pairing */

/**
 * @typedef {object} PromptsData
 * @property {import("./side_by_side.js").Prompts} pair
 * @property {0 | 1} numbering
 * @property {string} [plan]  what will be computed
 */

/**
 * @param {HTMLElement} element
 * @param {PromptsData} data
 * @returns {import("../../base/mount.js").View<PromptsData>}
 */
export function promptsView(element, data) {
  const label = t("Both prompts, token by token");
  const table = el("table");
  const words = el("p", { class: "note patching-verdict", role: "status" });
  fill(
    element,
    el("div", { class: "patching-tokens", tabindex: 0, role: "region", "aria-label": label }, table),
    words,
  );
  /** @type {PromptsData | null} */
  let shown = null;

  return drawnView(element, data, (next) => {
    if (shown?.pair === next.pair && shown.numbering === next.numbering && shown.plan === next.plan) return;
    shown = next;
    const { pair, numbering, plan = "" } = next;
    const isBegun = pair.corrupt.length > 0;
    const pairings = sideBySide(pair);
    const numbers = pairings.map(({ clean, corrupt }) =>
      el("th", { scope: "col" }, (clean ?? corrupt ?? { index: 0 }).index + numbering),
    );
    const row = (/** @type {string} */ name, /** @type {"clean" | "corrupt"} */ side) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, name),
        ...pairings.map((pairing) => cell(pair[side], pairing[side], pairing, { numbering, isBegun })),
      );
    fill(
      table,
      el("caption", { class: "visually-hidden" }, label),
      el("thead", {}, el("tr", {}, el("td"), ...numbers)),
      el("tbody", {}, row(t("clean"), "clean"), row(t("corrupt"), "corrupt")),
    );
    say(words, sentences([verdict(pair), plan]));
    words.classList.toggle(
      "is-wrong",
      isBegun && (pair.clean.length !== pair.corrupt.length || pair.differing.length === 0),
    );
  });
}

/**
 * @param {Token[]} tokens  of the whole prompt
 * @param {Token | null} token
 * @param {Pairing} pairing
 * @param {{numbering: 0 | 1, isBegun: boolean}} how  begun: there is a corrupt prompt
 */
function cell(tokens, token, { clean, corrupt, isOther }, { numbering, isBegun }) {
  if (!token) return el("td", { class: "is-missing" }, el("span", { class: "visually-hidden" }, t("no token")));
  const isExtra = isBegun && (clean === null || corrupt === null);
  const said = isExtra ? t("too many") : isOther ? t("differs") : "";
  return el(
    "td",
    { class: isExtra ? "is-extra" : isOther ? "is-other" : null },
    apartName(tokens, token, numbering),
    said !== "" && el("span", { class: "visually-hidden" }, ` (${said})`),
  );
}

/**
 * @typedef {object} RunsData
 * @property {AnyPatching} found
 * @property {Token[]} predicting  the tokens of the clean prompt at which the model predicts
 * @property {0 | 1} numbering
 */

/**
 * The logit difference of both unpatched runs.
 * @param {HTMLElement} element
 * @param {RunsData} data
 * @returns {import("../../base/mount.js").View<RunsData>}
 */
export function runsView(element, data) {
  return drawnView(element, data, ({ found, predicting, numbering }) => {
    const tokenOf = found.position === null ? classToken : looseToken;
    const names = [found.answer, found.against].map(({ text }) => tokenLabel(tokenOf(text)));
    const run = (/** @type {string} */ name, /** @type {AnyPatching["clean"]} */ { difference }) =>
      el("span", {}, `${name} `, el("strong", {}, fixed(difference, 2)));
    fill(
      element,
      found.position === null
        ? t("Logit difference “{answer}” − “{against}”:", { answer: names[0], against: names[1] })
        : t("Logit difference “{answer}” − “{against}” at {token}:", {
            answer: names[0],
            against: names[1],
            token: quoted(numberedLabel(predicting[found.position], numbering)),
          }),
      " ",
      run(t("clean"), found.clean),
      " · ",
      run(t("corrupt"), found.corrupt),
    );
  });
}
