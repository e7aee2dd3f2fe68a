/** A picture as its patches, which are the tokens: what the chosen one reads is laid over it, and arrows move it. */

import { cssColor, mix } from "../../base/color.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { tokenLabel } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { nextPatch } from "../../wording/patches.js";
import { tokenName } from "../../wording/token_name.js";

/** @typedef {import("../../api/types.js").Pointed} Pointed */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} PictureData
 * @property {import("../../api/types.js").Picture} picture
 * @property {Token[]} tokens  patches row by row, before them those that are none
 * @property {number | null} query
 * @property {number | null} key
 * @property {Pointed} pointed
 * @property {Float32Array | null} weights  of the chosen query; null while they are fetched
 * @property {number} shade  percent
 * @property {import("../../charts/heat_map/heat_map.js").Paint} paint
 */

/**
 * @typedef {object} PictureOptions
 * @property {(query: number) => void} onQuery
 * @property {(key: number) => void} onKey
 * @property {(token: number | null) => void} onPoint
 * @property {(shade: number) => void} onShade
 */

const DIGITS = 4;

/**
 * @param {HTMLElement} element
 * @param {PictureData} data
 * @param {PictureOptions} options
 * @returns {import("../../api/types.js").View<PictureData>}
 */
export function pictureView(element, data, { onQuery, onKey, onPoint, onShade }) {
  const bare = el("img", { class: "picture-bare", alt: "" });
  const cover = el("canvas", { class: "picture-cover", "aria-hidden": "true" });
  const above = el("div", { class: "picture-others", role: "row" });
  const grid = el("div", { class: "picture-grid" });
  const frame = el("div", { class: "picture-frame" }, bare, cover, grid);
  const board = el("div", { class: "picture-board", role: "grid", "aria-label": t("Query patch") }, above, frame);
  const readout = el("p", { class: "readout picture-readout" });
  const shade = el("input", { type: "range", id: "picture-shade", min: 0, max: 100, step: 5 });
  const scale = el("span", { class: "note" });
  const slider = el("label", { class: "picture-shade" }, el("span", {}, t("weights over the picture")), shade);
  fill(element, board, readout, slider, scale, hint());
  shade.addEventListener("input", () => onShade(Number(shade.value)));
  board.addEventListener("click", (event) => {
    const index = indexOf(event.target);
    if (index !== null) choose(index, event.shiftKey);
  });
  board.addEventListener("pointerover", (event) => onPoint(indexOf(event.target)));
  board.addEventListener("pointerleave", () => onPoint(null));
  board.addEventListener("keydown", onKeyDown);

  let current = data;
  /** @type {HTMLElement[]} */
  let cells = [];
  const marked = { query: -1, key: -1, pointedQuery: -1, pointedKey: -1 };
  build();
  draw();

  /** @param {EventTarget | null} target */
  function indexOf(target) {
    const cell = target instanceof Element ? target.closest("[data-index]") : null;
    return cell instanceof HTMLElement ? Number(cell.dataset.index) : null;
  }

  /**
   * @param {number} index
   * @param {boolean} isKey
   */
  function choose(index, isKey) {
    (isKey ? onKey : onQuery)(index);
  }

  function build() {
    const { picture, tokens } = current;
    const [down, across] = picture.grid;
    bare.src = `data:image/png;base64,${picture.png}`;
    cover.width = across;
    cover.height = down;
    frame.style.setProperty("--across", String(across));
    frame.style.setProperty("--ratio", String(picture.width / picture.height));
    cells = tokens.map((token, index) =>
      el("span", {
        ...{ class: token.box ? "patch" : "token is-special", role: "gridcell", tabindex: -1, "data-index": index },
        "aria-label": tokenLabel(token),
      }),
    );
    tokens.forEach((token, index) => !token.box && fill(cells[index], tokenName(token)));
    const first = firstPatch(tokens);
    fill(above, ...cells.slice(0, first));
    const rows = Array.from({ length: down }, (_, row) =>
      el(
        "div",
        { role: "row", class: "picture-row" },
        ...cells.slice(first + row * across, first + (row + 1) * across),
      ),
    );
    fill(grid, ...rows);
    for (const name of /** @type {(keyof typeof marked)[]} */ (Object.keys(marked))) marked[name] = -1;
  }

  function draw() {
    shade.value = String(current.shade);
    cover.style.opacity = String(current.shade / 100);
    bare.style.filter = current.shade > 0 ? `grayscale(${current.shade}%)` : "";
    paint();
    mark();
  }

  /** Weights of patches, from 0 to the largest of them: a share of one among hundreds is small. */
  function paint() {
    const { weights, tokens, picture, paint: colors } = current;
    const first = firstPatch(tokens);
    const largest = weights ? Math.max(...weights.subarray(first)) : 0;
    const [down, across] = picture.grid;
    const image = new ImageData(across, down);
    for (let patch = 0; weights && patch < down * across; patch++) {
      const share = largest > 0 ? weights[first + patch] / largest : 0;
      image.data.set([...mix(colors.stops, colors.emphasis(share)), 255], patch * 4);
    }
    cover.getContext("2d")?.putImageData(image, 0, 0);
    cells.slice(0, first).forEach((cell, index) => {
      const share = weights ? weights[index] : 0;
      cell.style.setProperty("--share", String(share));
      cell.style.setProperty("--share-color", cssColor(mix(colors.stops, 0.6)));
    });
    scale.textContent = weights
      ? t("The strongest colour is {value}, the largest weight of a patch.", { value: digits(largest) })
      : "";
    board.setAttribute("aria-busy", String(weights === null));
  }

  function mark() {
    const { query, key, pointed } = current;
    if (marked.query !== query) {
      for (const cell of cells) cell.tabIndex = -1;
      const focusable = cells[query ?? 0];
      if (focusable) focusable.tabIndex = 0;
    }
    move("query", query, (cell, isIt) => cell.setAttribute("aria-selected", String(isIt)));
    move("key", key, (cell, isIt) => cell.classList.toggle("is-key", isIt));
    move("pointedQuery", pointed.query, (cell, isIt) => cell.classList.toggle("is-pointed-query", isIt));
    move("pointedKey", pointed.key, (cell, isIt) => cell.classList.toggle("is-pointed-key", isIt));
    tell();
  }

  /**
   * @param {keyof typeof marked} name
   * @param {number | null} to
   * @param {(cell: HTMLElement, isIt: boolean) => void} set
   */
  function move(name, to, set) {
    const next = to !== null && cells[to] ? to : -1;
    if (next === marked[name]) return;
    if (marked[name] >= 0) set(cells[marked[name]], false);
    if (next >= 0) set(cells[next], true);
    marked[name] = next;
  }

  function tell() {
    const { tokens, query, key, pointed, weights } = current;
    const shown = pointed.key ?? key;
    const reader = query === null ? null : tokens[query];
    if (!reader) return;
    const read = shown === null ? null : tokens[shown];
    const name = tokenName(reader, { class: "is-query" });
    if (!read || !weights || shown === null) fill(readout, name, ` ${t("reads: point at a patch for its weight")}`);
    else {
      const value = el("strong", {}, digits(weights[shown]));
      fill(readout, name, ` ${t("reads from")} `, tokenName(read, { class: "is-key" }), ": ", value);
    }
  }

  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    const index = indexOf(event.target);
    if (index === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const [down, across] = current.picture.grid;
    const next = nextPatch({ first: firstPatch(current.tokens), down, across }, index, event.key);
    const isChoice = event.key === "Enter" || event.key === " ";
    if (next === null && !isChoice) return;
    event.preventDefault();
    if (next === null) return choose(index, event.shiftKey);
    // With Shift one looks around, and the query stays; without, it comes along.
    if (event.shiftKey) onPoint(next);
    else onQuery(next);
    cells[index].tabIndex = -1;
    cells[next].tabIndex = 0;
    cells[next].focus();
  }

  return {
    update(next) {
      const before = current;
      current = next;
      if (next.picture !== before.picture || next.tokens !== before.tokens) {
        build();
        draw();
      } else if (next.weights !== before.weights || next.paint !== before.paint || next.shade !== before.shade) draw();
      else mark();
    },
    destroy() {
      element.replaceChildren();
    },
  };
}

/** @param {Token[]} tokens */
function firstPatch(tokens) {
  return Math.max(
    0,
    tokens.findIndex((token) => token.box),
  );
}

/** @param {number} value */
function digits(value) {
  return fixed(value, DIGITS);
}

function hint() {
  return el(
    "p",
    { class: "note" },
    t(
      "Click a patch, or move with the arrows: it is the query. With Shift you look around, and Shift + Enter or Shift + click picks the key.",
    ),
  );
}
