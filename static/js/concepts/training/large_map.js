/** The map of the chosen head, a cell of it that pointer and arrow keys move, and the row of that cell's query. */

import { el, fill } from "../../base/dom.js";
import { fixed } from "../../base/numbers.js";
import { mapOf } from "./run.js";
import { t } from "../../base/i18n.js";
import { headCode } from "../../wording/labels.js";

/** @typedef {import("./view.js").Maps} Maps */
/** @typedef {import("./view.js").Paint} Paint */

/**
 * The chosen head's map, with a cell that pointer and arrow keys move, and the row of its query.
 * @param {Maps} data  the first
 */
export function createLargeMap(data) {
  const [map, cross] = [
    el("canvas", { class: "train-map" }),
    el("div", { class: "train-cross", "aria-hidden": "true" }),
  ];
  const frame = el("div", { class: "train-frame", role: "application", tabindex: 0 }, map, cross);
  const title = el("h3", { class: "train-title" });
  const readout = el("p", { class: "train-readout", role: "status" });
  const strip = createStrip();
  const axes = el("p", { class: "axes" }, el("span", { class: "is-query" }, t("query ↓")), " ", t("attends to"), " ");
  axes.append(el("span", { class: "is-key" }, t("key →")));
  const caption = el("p", { class: "note" }, t("The row of this query, token by token:"));
  const element = el("div", { class: "train-large" }, title, axes, frame, readout, caption, strip.element);
  const current = { query: data.update.size - 2, key: -1 };
  let shown = data;
  bindCell(
    frame,
    map,
    current,
    () => ({ size: shown.update.size, strongest: strongest(rowOf(shown, current.query)) }),
    read,
  );

  /** @param {Maps} next @param {Paint} paint */
  function draw(next, paint) {
    shown = next;
    const names = { head: headCode(next.layer, next.head, 0), step: next.update.step };
    const name = t("Map of {head}: arrow keys move from query to query and key to key", names);
    paint(map, mapOf(next.update, next), next.update.size);
    title.textContent = t("{head} at step {step}", names);
    frame.setAttribute("aria-label", name);
    read();
  }

  function read() {
    const { update, example } = shown;
    const row = rowOf(shown, current.query);
    const key = current.key < 0 ? strongest(row) : current.key;
    cross.style.setProperty("--row", String(current.query / update.size));
    cross.style.setProperty("--column", String(key / update.size));
    cross.style.setProperty("--cell", String(1 / update.size));
    readout.textContent = t("Query {query} (“{token}”) attends to key {key} (“{other}”) with weight {weight}", {
      query: current.query,
      token: example[current.query],
      weight: fixed(row[key] / 255, 2),
      key,
      other: example[key],
    });
    strip.draw(example, row, current.query);
  }
  return { element, draw };
}

/** @param {Maps} data @param {number} query */
function rowOf(data, query) {
  const { size } = data.update;
  return mapOf(data.update, data).subarray(query * size, (query + 1) * size);
}

/** @param {Uint8Array} row */
function strongest(row) {
  return row.indexOf(Math.max(...row));
}

/**
 * Moves the chosen cell.
 * @param {HTMLElement} frame
 * @param {HTMLElement} map
 * @param {{query: number, key: number}} current  key: −1 for the strongest
 * @param {() => {size: number, strongest: number}} now
 * @param {() => void} onMove
 */
function bindCell(frame, map, current, now, onMove) {
  /** @param {PointerEvent} event */
  function onPointer(event) {
    const box = map.getBoundingClientRect();
    const { size } = now();
    const place = (/** @type {number} */ share) => Math.min(Math.max(Math.floor(share * size), 0), size - 1);
    current.query = place((event.clientY - box.top) / box.height);
    current.key = place((event.clientX - box.left) / box.width);
    onMove();
  }
  frame.addEventListener("pointermove", onPointer);
  frame.addEventListener("pointerdown", onPointer);
  frame.addEventListener("keydown", (event) => {
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const last = now().size - 1;
    current.query = Math.min(Math.max(current.query + by[0], 0), last);
    current.key = Math.min(Math.max((current.key < 0 ? now().strongest : current.key) + by[1], 0), last);
    onMove();
  });
}

/** The weights of one query as bars below the tokens of the example. */
function createStrip() {
  const element = el("ol", { class: "train-strip" });
  /** @type {string[]} */
  let built = [];
  /** @type {{bar: HTMLElement, token: HTMLElement}[]} */
  let tokens = [];
  return {
    element,
    /** @param {string[]} example @param {Uint8Array} row @param {number} query */
    draw(example, row, query) {
      if (example !== built) {
        built = example;
        tokens = example.map((word) => {
          const bar = el("span", { class: "train-bar", "aria-hidden": "true" });
          return { bar, token: el("li", { class: "train-token" }, bar, word) };
        });
        fill(element, ...tokens.map((entry) => entry.token));
      }
      tokens.forEach(({ bar, token }, index) => {
        bar.style.setProperty("--weight", String(row[index] / 255));
        token.classList.toggle("is-now", index === query);
        token.classList.toggle("is-later", index > query);
      });
    },
  };
}
