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
  /** @type {{part: string, first: number, grid: ReturnType<typeof createHeadGrid>}[]} */
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
    const boxes = table.parts.map((part) => {
      const own = Array.from(cells.keys()).filter((index) => table.at(index).part === part);
      const place = el("div", { class: "atlas-grid", "aria-label": t("Heads of all layers") });
      const grid = createHeadGrid(place, {
        onPick: (index) => set(table.at(own[index]), "pick"),
        onPoint: (index) => pointing.point(index === null ? null : own[index]),
      });
      const heads = [...new Set(own.map((index) => table.at(index).head))];
      const layers = [...new Set(own.map((index) => table.at(index).layer))];
      grid.build(
        { corner: t("layer"), layers: layers.map(String), heads: heads.map(String) },
        own.map((index) => cells[index]),
      );
      grids.push({ part, first: own[0], grid });
      return el("div", {}, table.parts.length > 1 && el("h3", {}, partName(part)), place);
    });
    const axes = el("p", { class: "axes" }, t("layer ↓ head →"));
    fill(element, axes, ...boxes);
  }

  function paint() {
    const { table, index } = current.answer;
    const quantity = table?.quantity(current.state.colour);
    if (!table || !quantity) return;
    const colourOf = colouring(quantity);
    const selected = new Set(selectedIn(current.state, table));
    cells.forEach((cell, head) => {
      const colour = colourOf(head);
      const isSeries = colour.startsWith("series-");
      cell.className = `atlas-cell${isSeries ? ` ${colour}` : ""}${selected.size > 0 && !selected.has(head) ? " is-faint" : ""}`;
      cell.style.backgroundColor = isSeries ? "" : colour;
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
    if (table !== built) {
      grids = [];
      build(table);
    }
    paint();
  }

  return drawnView(element, data, update, () => {
    stop();
    stopTheme();
  });
};

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
