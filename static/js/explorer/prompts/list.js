/** The prompts of a set, each with its tokens, the chosen head's measure in it, and a button that opens it. */

import { el, fill, keepingFocus } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";
import { fixed } from "../../base/numbers.js";

/**
 * @typedef {object} ListData
 * @property {import("../../api/prompts.js").Prompts} prompts
 * @property {string} title  of the measure, "" for none
 * @property {(number | null)[] | null} values  of the chosen head in each prompt
 * @property {string} head  its short name
 */

/**
 * @param {HTMLElement} element
 * @param {ListData} data
 * @param {{onOpen: (text: string) => void}} options
 * @returns {import("../../base/mount.js").View<ListData>}
 */
export function promptListView(element, data, { onOpen }) {
  const body = el("tbody");
  const column = el("th", { scope: "col" });
  const heads = [t("Prompt"), t("Tokens")].map((name) => el("th", { scope: "col" }, name));
  const number = el("th", { scope: "col" }, el("span", { class: "visually-hidden" }, t("Number")));
  const open = el("th", { scope: "col" }, el("span", { class: "visually-hidden" }, t("Open")));
  const table = el(
    "table",
    { class: "heads-table prompts-list" },
    el("thead", {}, el("tr", {}, number, heads[0], heads[1], column, open)),
    body,
  );
  const region = { class: "heads-scroller", tabindex: 0, role: "region", "aria-label": t("The prompts of the set") };
  fill(element, el("div", region, table));

  return drawnView(element, data, ({ prompts, title, values, head }) => {
    fill(column, title && `${head} · ${title}`);
    column.hidden = title === "";
    const most = Math.max(...(values ?? []).map((value) => value ?? 0), 1e-9);
    keepingFocus(body, () =>
      fill(
        body,
        ...prompts.prompts.map(({ text, tokens }, index) => {
          const value = values?.[index];
          const cell = el(
            "td",
            { class: "heads-value" },
            value === undefined ? "" : value === null ? "–" : fixed(value, 3),
          );
          cell.style.setProperty("--share", String(Math.max(0, value ?? 0) / most));
          cell.hidden = title === "";
          const name = t("Open prompt {number}", { number: index + 1 });
          return el(
            "tr",
            {},
            el("td", { class: "note" }, index + 1),
            el("th", { scope: "row", class: "prompts-text" }, el("bdi", { title: text }, text)),
            el("td", {}, tokens.length),
            cell,
            el(
              "td",
              {},
              el(
                "button",
                { type: "button", class: "button is-small", "aria-label": name, onclick: () => onOpen(text) },
                t("Open"),
              ),
            ),
          );
        }),
      ),
    );
  });
}
