/** Examples of what a head does: its strongest cells, or a sample of one tenth of all queries. */

import { el, fill, smallButton } from "../../../base/dom.js";
import { fixed } from "../../../base/numbers.js";
import { t } from "../../../base/i18n.js";
import { isRecorded } from "../../../requests/recorded_answers.js";
import { explorerLink } from "./explorer_link.js";
import { drawnFor } from "./portrait.js";
import { analysisTokens, tokenLine } from "./token_line.js";
import { drawnView } from "../../../base/mount.js";

/** @typedef {import("../../../api/atlases.js").AtlasWindow} AtlasWindow */
/** @typedef {import("../state.js").AtlasState} AtlasState */
/** @typedef {import("../state.js").AtlasView} AtlasView */

/**
 * One cell of the corpus: its line, its weight, the way to the Explorer and to cells like it.
 * @param {object} given
 * @param {AtlasWindow} given.window
 * @param {{query: number, key: number, weight: number}} given.cell
 * @param {string} given.value  what it is listed by
 * @param {string} given.model
 * @param {import("../../../api/atlases.js").HeadAt} given.at
 * @param {string} given.lang
 * @param {(patch: Partial<AtlasState>, origin?: string) => void} given.set
 */
export function exampleItem({ window, cell, value, model, at, lang, set }) {
  const { line, says } = tokenLine(analysisTokens(window.tokens), cell);
  const { query, key } = cell;
  const href = explorerLink({ model, at, text: window.text, query, key }, lang);
  const search = () => set({ view: "search", text: window.text, query, key }, "pick");
  return el(
    "li",
    { class: "atlas-example" },
    el("span", { class: "atlas-weight" }, value),
    line,
    el("span", { class: "visually-hidden" }, says),
    el(
      "span",
      { class: "atlas-example-tools" },
      el(
        "a",
        { href, class: "atlas-small-link", "aria-label": `${t("Open in the Explorer")}: ${says}` },
        t("Explorer"),
      ),
      !isRecorded() &&
        el(
          "button",
          {
            type: "button",
            class: "atlas-small-link",
            onclick: search,
            "aria-label": `${t("Similar")}: ${says}`,
            title: t("Find similar cells"),
          },
          t("Similar"),
        ),
    ),
  );
}

/** @type {AtlasView} */
export const examplesView = drawnFor(({ portrait, state, answer, set }) => {
  const isStrongest = state.sample === "strongest";
  const chosen = portrait.examples.filter(
    (example) =>
      example.without_sinks === state.aside &&
      (isStrongest
        ? example.kind === "strongest"
        : example.kind === "decile" && example.decile === Number(state.sample)),
  );
  const { facts, at } = answer;
  if (!facts || !at) return [];
  if (chosen.length === 0) return nothingHere(state.aside, set);
  const range = `${fixed(Math.min(...chosen.map(({ weight }) => weight)), 3)}–${fixed(Math.max(...chosen.map(({ weight }) => weight)), 3)}`;
  const words = isStrongest
    ? t("The strongest {count} of all: extremes, which say little of what the head usually does.", {
        count: chosen.length,
      })
    : t("A random sample of the queries whose strongest weight is in this tenth: {range}.", { range });
  const items = chosen.map((example) =>
    exampleItem({
      window: portrait.windows[example.window],
      cell: example,
      value: fixed(example.weight, 3),
      model: facts.model,
      at,
      lang: state.lang,
      set,
    }),
  );
  return [el("p", { class: "note" }, words), el("ol", { class: "atlas-examples" }, ...items)];
});

/**
 * What is said where there is no example; sinks may be all that there is.
 * @param {boolean} aside
 * @param {(patch: Partial<AtlasState>, origin?: string) => void} set
 */
function nothingHere(aside, set) {
  if (!aside) return [el("p", { class: "note" }, t("There are no such examples."))];
  const press = smallButton(t("Show sinks, too"), () => set({ aside: false }, "pick"));
  return [el("p", { class: "note" }, t("Nothing is left: all strongest keys are sinks.")), press];
}

/** Which tenth is shown, as a row of buttons from low to high, and the strongest. @type {AtlasView} */
export const samplesControl = (element, data, { set }) => {
  const entries = /** @type {[AtlasState["sample"], string, string][]} */ ([
    ...Array.from({ length: 10 }, (_, tenth) => [
      String(tenth),
      String(tenth + 1),
      t("Tenth {number} of 10, from the weakest", { number: tenth + 1 }),
    ]),
    ["strongest", t("strongest"), t("The strongest examples")],
  ]);
  const buttons = entries.map(([value, name, title]) =>
    el(
      "button",
      {
        type: "button",
        class: "atlas-tenth",
        "data-sample": value,
        "aria-label": title,
        title,
        onclick: () => set({ sample: value }, "pick"),
      },
      name,
    ),
  );
  fill(element, el("span", { class: "note" }, t("weak")), ...buttons);

  /** @param {import("../state.js").AtlasData} next */
  function update({ state }) {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.sample === state.sample));
  }

  return drawnView(element, data, update);
};
