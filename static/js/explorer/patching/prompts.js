/** Both prompts token by token, where they differ, and what each run answers. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { drawnView } from "../../base/mount.js";
import { looseToken, tokenLabel } from "../../wording/labels.js";
import { tokenName } from "../../wording/token_name.js";

/** @typedef {import("../../api/patching.js").AnyPatching} AnyPatching */

/**
 * @typedef {object} PromptsData
 * @property {AnyPatching} found
 * @property {0 | 1} numbering
 */

/**
 * @param {HTMLElement} element
 * @param {PromptsData} data
 * @returns {import("../../base/mount.js").View<PromptsData>}
 */
export function promptsView(element, data) {
  return drawnView(element, data, ({ found, numbering }) => {
    const { clean, corrupt, answer, against } = found;
    const isOther = clean.tokens.map((token, index) => token.id !== corrupt.tokens[index].id);
    const label = t("Both prompts, token by token");
    const numbers = clean.tokens.map((token) => el("th", { scope: "col" }, token.index + numbering));
    const head = el("tr", {}, el("td"), ...numbers);
    const row = (/** @type {string} */ name, /** @type {AnyPatching["clean"]} */ { tokens }) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, name),
        ...tokens.map((token, index) => el("td", { class: isOther[index] ? "is-other" : null }, tokenName(token))),
      );
    const names = [answer, against].map(({ text }) => tokenLabel(looseToken(text)));
    const run = (/** @type {string} */ name, /** @type {AnyPatching["clean"]} */ { difference }) =>
      el("span", {}, `${name} `, el("strong", {}, fixed(difference, 2)));
    fill(
      element,
      el(
        "div",
        { class: "patching-tokens", tabindex: 0, role: "region", "aria-label": label },
        el(
          "table",
          {},
          el("caption", { class: "visually-hidden" }, label),
          el("thead", {}, head),
          el("tbody", {}, row(t("clean"), clean), row(t("corrupt"), corrupt)),
        ),
      ),
      el(
        "p",
        { class: "patching-runs" },
        t("Logit difference “{answer}” − “{against}” at token {position}:", {
          ...{ answer: names[0], against: names[1], position: found.position + numbering },
        }),
        " ",
        run(t("clean"), clean),
        " · ",
        run(t("corrupt"), corrupt),
      ),
    );
  });
}
