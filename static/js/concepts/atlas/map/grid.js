/** All heads as a grid, layers down and heads across, in the colours of the map; and what is said of the head pointed at. */

import { createHeadGrid } from "../../../charts/head_grid.js";
import { el, fill, say } from "../../../base/dom.js";
import { onThemeChange } from "../../../base/theme/theme.js";
import { t } from "../../../base/i18n.js";
import { partName } from "../../../wording/labels.js";
import { colouring } from "./colouring.js";
import { saysOf, selectedIn } from "./map.js";
import { drawnView } from "../../../base/mount.js";

/** @typedef {import("../state.js").AtlasData} AtlasData */
/** @typedef {import("../state.js").AtlasView} AtlasView */
/** @typedef {import("../quantities.js").HeadTable} HeadTable */

/** @type {AtlasView} */
export const gridView = (element, data, { set }) => {
  const { pointing } = data.answer;
  let current = data;
  /** @type {HeadTable | null} */
  let built = null;
  /** Cells by the index of their head. @type {HTMLButtonElement[]} */
  let cells = [];
  /** @type {ReturnType<typeof gridOf>[]} */
  let grids = [];
  const stopTheme = onThemeChange(() => paint());
  let pointed = -1;
  const stop = pointing.listen((index) => {
    cells[pointed]?.classList.remove("is-pointed");
    pointed = index ?? -1;
    cells[pointed]?.classList.add("is-pointed");
  });

  /** @param {HeadTable} table */
  function build(table) {
    built = table;
    cells = Array.from({ length: table.count }, () =>
      el("button", { type: "button", class: "atlas-cell", role: "gridcell", tabindex: -1 }),
    );
    const pick = (/** @type {number} */ index) => set(table.at(index), "pick");
    grids = table.parts.map((part) => gridOf(table, cells, part, { pick, point: pointing.point }));
    const axes = el("p", { class: "axes" }, t("layer ↓ head →"));
    fill(element, axes, ...grids.map(({ box }) => box));
  }

  function paint() {
    const { table, index } = current.answer;
    const quantity = table?.quantity(current.state.colour);
    if (!table || !quantity) return;
    const colourOf = colouring(quantity);
    const selected = new Set(selectedIn(current.state, table));
    cells.forEach((cell, head) => {
      paintCell(cell, colourOf(head), selected.size > 0 && !selected.has(head));
      cell.setAttribute("aria-label", saysOf(table, head, [quantity]));
    });
    for (const { first, grid } of grids)
      grid.select(index >= first && index < first + grid.cells().length ? index - first : -1);
  }

  /** @param {AtlasData} next */
  function update(next) {
    current = next;
    const { table } = next.answer;
    if (!table) return;
    if (table !== built) build(table);
    paint();
  }

  return drawnView(element, data, update, () => {
    stop();
    stopTheme();
  });
};

/**
 * The heads of one part.
 * @param {HeadTable} table
 * @param {readonly HTMLButtonElement[]} cells  of all heads
 * @param {string} part
 * @param {{pick: (index: number) => void, point: (index: number | null) => void}} on
 */
function gridOf(table, cells, part, { pick, point }) {
  const own = Array.from(cells.keys()).filter((index) => table.at(index).part === part);
  const place = el("div", { class: "atlas-grid", "aria-label": t("Heads of all layers") });
  const grid = createHeadGrid(place, {
    onPick: (index) => pick(own[index]),
    onPoint: (index) => point(index === null ? null : own[index]),
  });
  const heads = [...new Set(own.map((index) => table.at(index).head))];
  const layers = [...new Set(own.map((index) => table.at(index).layer))];
  grid.build(
    { corner: t("layer"), layers: layers.map(String), heads: heads.map(String) },
    own.map((index) => cells[index]),
  );
  const box = el("div", {}, table.parts.length > 1 && el("h3", {}, partName(part)), place);
  return { first: own[0], grid, box };
}

/** @param {HTMLButtonElement} cell @param {string} colour  or a class of the series' colours @param {boolean} isFaint */
function paintCell(cell, colour, isFaint) {
  const isSeries = colour.startsWith("series-");
  cell.className = `atlas-cell${isSeries ? ` ${colour}` : ""}${isFaint ? " is-faint" : ""}`;
  cell.style.backgroundColor = isSeries ? "" : colour;
}

/** What is known of the head pointed at, else how the map is used. @type {AtlasView} */
export const pointedView = (element, data) => {
  const { pointing } = data.answer;
  let current = data;
  let pointed = -1;
  const stop = pointing.listen((index) => {
    pointed = index ?? -1;
    draw();
  });

  function draw() {
    const { table } = current.answer;
    const { x, y, colour, size } = current.state;
    if (!table) return say(element, "");
    const ids = [...new Set([x, y, colour, size])].filter(Boolean);
    const shown = ids.map(table.quantity).filter((quantity) => quantity !== null);
    const rest = t("Click a head to choose it. Arrow keys move, Enter chooses, Shift+Enter selects.");
    say(element, pointed >= 0 ? saysOf(table, pointed, shown) : rest);
  }

  draw();
  return {
    update(next) {
      current = next;
      draw();
    },
    destroy: stop,
  };
};
