/** An image as its patches, which are the tokens, overlaid with the weights of the chosen one; arrow keys move it. */

import { cssColor, mix } from "../../base/theme/color.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { createMarks } from "../../base/marks.js";
import { changes, drawnView } from "../../base/mount.js";
import { tokenLabel } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { nextPatch } from "../../wording/patches.js";
import { tokenName } from "../../wording/token_name.js";

/** @typedef {import("../../charts/heat_map/cells.js").Pointed} Pointed */
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
 * @returns {import("../../base/mount.js").View<PictureData>}
 */
export function pictureView(element, data, { onQuery, onKey, onPoint, onShade }) {
  const board = createBoard();
  const readout = el("p", { class: "readout picture-readout" });
  const shade = el("input", {
    type: "range",
    id: "picture-shade",
    min: 0,
    max: 100,
    step: 5,
    oninput: () => onShade(Number(shade.value)),
  });
  const scale = el("span", { class: "note" });
  const slider = el("label", { class: "picture-shade" }, el("span", {}, t("weights over the image")), shade);
  fill(element, board.element, readout, slider, scale, hint());
  /** @type {PictureData | null} */
  let current = null;
  const choose = (/** @type {number} */ index, /** @type {boolean} */ isKey) => (isKey ? onKey : onQuery)(index);

  board.element.addEventListener("click", ({ target, shiftKey }) => {
    const index = indexOf(target);
    if (index !== null) choose(index, shiftKey);
  });
  board.element.addEventListener("pointerover", ({ target }) => onPoint(indexOf(target)));
  board.element.addEventListener("pointerleave", () => onPoint(null));
  board.element.addEventListener("keydown", (event) => {
    const index = indexOf(event.target);
    if (!current || index === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const [down, across] = current.picture.grid;
    const next = nextPatch({ first: firstPatch(current.tokens), down, across }, index, event.key);
    const isChoice = event.key === "Enter" || event.key === " ";
    if (next === null && !isChoice) return;
    event.preventDefault();
    if (next === null) return choose(index, event.shiftKey);
    // With Shift one looks around, and the query stays; without, it comes along.
    if (event.shiftKey) onPoint(next);
    else onQuery(next);
    board.focus(next);
  });

  return drawnView(element, data, (next) => {
    const differs = changes(current, next);
    const { weights, tokens, query, key, pointed } = next;
    current = next;
    const isOther = differs("picture", "tokens");
    if (isOther) board.build(next);
    if (isOther || differs("weights", "paint", "shade")) {
      const largest = weights ? Math.max(...weights.subarray(firstPatch(tokens))) : 0;
      board.paint(next, largest);
      shade.value = String(next.shade);
      const said = { value: digits(largest) };
      scale.textContent = weights
        ? t("The strongest colour stands for {value}, the largest weight of any patch.", said)
        : "";
    }
    if (isOther || differs("query")) board.mark({ focusable: query ?? 0 });
    board.mark({ query, key, pointedQuery: pointed.query, pointedKey: pointed.key });
    if (query !== null && tokens[query]) fill(readout, ...described(next, tokens[query]));
  });
}

/** The picture in grey, the weights over it, and over both a grid of what can be chosen. */
function createBoard() {
  const bare = el("img", { class: "picture-bare", alt: "" });
  const cover = el("canvas", { class: "picture-cover", "aria-hidden": "true" });
  const above = el("div", { class: "picture-others", role: "row" });
  const grid = el("div", { class: "picture-grid" });
  const frame = el("div", { class: "picture-frame" }, bare, cover, grid);
  const element = el("div", { class: "picture-board", role: "grid", "aria-label": t("Query patch") }, above, frame);
  /** @type {HTMLElement[]} */
  let cells = [];
  const marks = createMarks(
    {
      focusable: (cell, isIt) => (cell.tabIndex = isIt ? 0 : -1),
      query: (cell, isIt) => cell.setAttribute("aria-selected", String(isIt)),
      key: (cell, isIt) => cell.classList.toggle("is-key", isIt),
      pointedQuery: (cell, isIt) => cell.classList.toggle("is-pointed-query", isIt),
      pointedKey: (cell, isIt) => cell.classList.toggle("is-pointed-key", isIt),
    },
    (index) => cells[index],
  );
  return {
    element,
    mark: marks.set,
    /** @param {number} index */
    focus(index) {
      marks.set({ focusable: index });
      cells[index].focus();
    },
    /** @param {PictureData} data */
    build({ picture, tokens }) {
      const [down, across] = picture.grid;
      bare.src = `data:image/png;base64,${picture.png}`;
      [cover.width, cover.height] = [across, down];
      frame.style.setProperty("--across", String(across));
      frame.style.setProperty("--ratio", String(picture.width / picture.height));
      cells = tokens.map((token, index) =>
        el(
          "span",
          {
            class: token.box ? "patch" : "token is-special",
            role: "gridcell",
            tabindex: -1,
            "data-index": index,
            "aria-label": tokenLabel(token),
          },
          !token.box && tokenName(token),
        ),
      );
      const first = firstPatch(tokens);
      const rows = Array.from({ length: down }, (_, row) =>
        cells.slice(first + row * across, first + (row + 1) * across),
      );
      fill(above, ...cells.slice(0, first));
      fill(grid, ...rows.map((row) => el("div", { role: "row", class: "picture-row" }, ...row)));
      marks.forget();
    },
    /**
     * Weights of patches, from 0 to the largest of them: a share of one among hundreds is small.
     * @param {PictureData} data
     * @param {number} largest
     */
    paint({ weights, tokens, picture, shade, paint: colors }, largest) {
      const first = firstPatch(tokens);
      const [down, across] = picture.grid;
      const image = new ImageData(across, down);
      for (let patch = 0; weights && patch < down * across; patch++) {
        const share = largest > 0 ? weights[first + patch] / largest : 0;
        image.data.set([...mix(colors.stops, colors.emphasis(share)), 255], patch * 4);
      }
      cover.getContext("2d")?.putImageData(image, 0, 0);
      cover.style.opacity = String(shade / 100);
      bare.style.filter = shade > 0 ? `grayscale(${shade}%)` : "";
      cells.slice(0, first).forEach((cell, index) => {
        cell.style.setProperty("--share", String(weights ? weights[index] : 0));
        cell.style.setProperty("--share-color", cssColor(mix(colors.stops, 0.6)));
      });
      element.setAttribute("aria-busy", String(weights === null));
    },
  };
}

/** @param {EventTarget | null} target */
function indexOf(target) {
  const cell = target instanceof Element ? target.closest("[data-index]") : null;
  return cell instanceof HTMLElement ? Number(cell.dataset.index) : null;
}

/**
 * What the chosen patch reads from the one pointed at, or from the one chosen.
 * @param {PictureData} data
 * @param {Token} reader
 */
function described({ tokens, key, pointed, weights }, reader) {
  const shown = pointed.key ?? key;
  const name = tokenName(reader, { class: "is-query" });
  if (shown === null || !tokens[shown] || !weights)
    return [name, ` ${t("attends to: point at a patch for its weight")}`];
  const value = el("strong", {}, digits(weights[shown]));
  return [name, ` ${t("attends to")} `, tokenName(tokens[shown], { class: "is-key" }), ": ", value];
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
      "Click a patch or move with the arrow keys to choose the query. Hold Shift to look around; Shift+Enter or Shift+click chooses the key.",
    ),
  );
}
