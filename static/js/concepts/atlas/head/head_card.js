/** The chosen head: its name, the way to its neighbours, and its most telling values with their places among all heads. */

import { el, fill, smallButton } from "../../../base/dom.js";
import { t } from "../../../base/i18n.js";
import { explorerAddress } from "./explorer_link.js";
import { rankOf, said } from "../quantities.js";
import { readHeads, writeHeads } from "../state.js";
import { dataTable, picking, rowOf, scrolled } from "../tables.js";
import { drawnView } from "../../../base/mount.js";

/** @typedef {import("../state.js").AtlasView} AtlasView */
/** @typedef {import("../quantities.js").Quantity} Quantity */
/** @typedef {import("../quantities.js").HeadTable} HeadTable */

/** Values that stand beside the name. */
const SHOWN = 4;
/** What says little of what a head does. */
const PLAIN = new Set(["layer", "head", "map_x", "map_y", "norm_weighted"]);

/** @type {AtlasView} */
export const headTitleView = (element, data, { set, latest }) => {
  const title = el("span", {});
  const step = (/** @type {number} */ by, /** @type {string} */ name, /** @type {string} */ sign) =>
    smallButton(sign, () => go(by), { class: "button is-icon is-small", "aria-label": name });
  const add = smallButton(null, toggle);
  const heading = el("h2", { id: "head-title", class: "atlas-title", "aria-live": "polite" }, title);
  const steps = el("span", { class: "atlas-steps" }, step(-1, t("Previous head"), "‹"), step(1, t("Next head"), "›"));
  fill(element, heading, steps, add);
  let current = data;

  /** @param {number} by */
  function go(by) {
    const { table, index } = current.answer;
    if (table && index >= 0) set(table.at((index + by + table.count) % table.count), "pick");
  }

  function isSelected() {
    const { at } = current.answer;
    return readHeads(latest().heads).some(
      (head) => head.layer === at?.layer && head.head === at.head && head.part === at.part,
    );
  }

  function toggle() {
    const { at } = current.answer;
    if (!at) return;
    const selected = readHeads(latest().heads);
    const others = selected.filter((head) => head.layer !== at.layer || head.head !== at.head || head.part !== at.part);
    set({ heads: writeHeads(isSelected() ? others : [...selected, at]) }, "pick");
  }

  /** @param {import("../state.js").AtlasData} next */
  function update(next) {
    current = next;
    const { table, index } = next.answer;
    title.textContent = table && index >= 0 ? table.title(index) : t("No head is chosen");
    add.textContent = isSelected() ? t("Take out of the selection") : t("Add to the selection");
    add.hidden = index < 0;
  }

  return drawnView(element, data, update);
};

/** In which it differs most from the others, those on the map's axes first. @type {AtlasView} */
export const headValuesView = (element, data) => {
  /** @param {import("../state.js").AtlasData} next */
  function update({ state, answer: { table, index } }) {
    if (!table || index < 0) return element.replaceChildren();
    const onMap = [state.y, state.x, state.colour, state.size].map((id) => table.quantity(id));
    const telling = [...table.quantities].filter((quantity) => quantity.group === "measure").sort(byTelling(index));
    const wanted = [...onMap, ...telling].filter(
      (quantity) => quantity !== null && !PLAIN.has(quantity.id) && !quantity.isKind,
    );
    const quantities = /** @type {Quantity[]} */ ([...new Set(wanted)].slice(0, SHOWN));
    fill(element, ...quantities.map((quantity) => valueOf(quantity, index)));
  }

  return drawnView(element, data, update);
};

/** @param {number} index @returns {(one: Quantity, other: Quantity) => number} */
function byTelling(index) {
  const share = (/** @type {Quantity} */ quantity) => {
    const place = rankOf(quantity, index);
    return place ? Math.min(place.rank - 1, place.of - place.rank) / place.of : 1;
  };
  return (a, b) => share(a) - share(b);
}

/** @param {Quantity} quantity @param {number} index */
function valueOf(quantity, index) {
  const place = rankOf(quantity, index);
  return el(
    "div",
    {},
    el("dt", {}, quantity.title),
    el(
      "dd",
      {},
      el("strong", {}, said(quantity, quantity.values[index])),
      " ",
      el("span", { class: "note atlas-rank" }, place ? rankSays(place) : ""),
    ),
  );
}

/** @param {{rank: number, of: number}} place */
export function rankSays({ rank, of }) {
  if (rank === 1) return t("largest of {count}", { count: of });
  if (rank === of) return t("smallest of {count}", { count: of });
  return t("no. {rank} of {count}", { rank, count: of });
}

/** The heads selected on the map: a line for each, with the map's quantities. @type {AtlasView} */
export const selectionView = (element, data, { set }) => {
  /** @param {import("../state.js").AtlasData} next */
  function update({ state, answer: { table } }) {
    const heads = table ? readHeads(state.heads).filter((head) => table.index(head) >= 0) : [];
    element.hidden = heads.length === 0;
    if (!table || heads.length === 0) return element.replaceChildren();
    const quantities = [...new Set([state.x, state.y, state.colour, state.size])]
      .map((id) => table.quantity(id))
      .filter((quantity) => quantity !== null && quantity.group !== "place");
    const shown = /** @type {Quantity[]} */ (quantities);
    const cells = (/** @type {number} */ index) =>
      shown.map((quantity) => el("td", {}, said(quantity, quantity.values[index])));
    const rows = heads.map((head) => {
      const index = table.index(head);
      const pick = picking(table.title(index), () => set(head, "pick"));
      return rowOf(null, pick, ...cells(index));
    });
    const means = shown.map((quantity) =>
      el("td", {}, quantity.isKind ? "" : said(quantity, meanOf(quantity, heads.map(table.index)))),
    );
    const names = [t("Head"), ...shown.map(({ title }) => title)];
    const foot = el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, t("Mean")), ...means));
    fill(
      element,
      el(
        "div",
        { class: "atlas-selection-head" },
        el("h3", {}, t("{count} heads selected", { count: heads.length })),
        smallButton(t("Clear the selection"), () => set({ heads: "" }, "pick")),
      ),
      scrolled(t("Selected heads"), dataTable(names, rows, { foot })),
    );
  }

  return drawnView(element, data, update);
};

/** @param {Quantity} quantity @param {readonly number[]} indices */
function meanOf({ values }, indices) {
  const there = indices.map((index) => values[index]).filter((value) => value !== null);
  return there.length > 0 ? there.reduce((sum, value) => sum + value, 0) / there.length : null;
}

/** The link that opens the head in the Explorer, with its strongest example of those shown. @param {import("../state.js").AtlasData} data */
export function explorer({ state, answer: { facts, portrait, at } }) {
  const example = portrait?.examples.find((example) => example.without_sinks === state.aside) ?? portrait?.examples[0];
  const shown = example ? portrait?.windows[example.window] : undefined;
  return explorerAddress({
    model: facts?.model ?? state.model,
    at: at ?? { part: "", layer: 0, head: 0 },
    ...(shown && example && { text: shown.text, query: example.query, key: example.key }),
  });
}
