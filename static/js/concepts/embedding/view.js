/** A text's tokens with their ids, the chosen one's row as a strip of cells, its neighbours, and all cosines. */

import { drawnView } from "../frame/views.js";
import { cssColor, mix } from "../../base/theme/color.js";
import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { direction, tokenLabel } from "../../wording/labels.js";
import { matrixMark } from "../../charts/matrix.js";
import { fixed, grouped } from "../../base/numbers.js";
import { scaleStops } from "../../base/theme/theme.js";
import { textName, tokenName } from "../../wording/token_name.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("../frame/concept.js").ConceptView<import("./state.js").EmbeddingData>} View */

const PER_LINE = 48;
const CELL = 10;
/** Above this many tokens the cells of the cosines are too small to read. */
const MOST_COSINES = 24;

/** @type {View} */
export const embeddingView = drawnView((element, { set }) => {
  const tokens = el("div", { class: "ids", role: "group", "aria-label": t("Tokens and their ids") });
  const strip = svg("svg", { class: "mark strip", role: "img" });
  const [stripTitle, nearTitle] = [el("h3", {}), el("h3", {})];
  const near = el("ol", { class: "near-list" });
  fill(
    element,
    tokens,
    el("section", { "data-step": 2 }, stripTitle, strip),
    el("section", { "data-step": 5 }, nearTitle, near),
  );
  const drawTokens = tokenButtons(tokens, (token) => set({ token }, "switch"));

  return ({ state: { token }, answer }) => {
    drawTokens(answer.tokens, token);
    const label = tokenLabel(answer.tokens[token]);
    stripTitle.textContent = t("Row {id} of the table: “{token}”, {count} numbers", {
      id: answer.tokens[token].id,
      token: label,
      count: grouped(answer.vectors[token].length),
    });
    drawStrip(strip, answer.vectors[token], label);
    nearTitle.textContent = t("Rows nearest to “{token}”", { token: label });
    fill(near, ...answer.neighbours[token].map(neighbour));
  };
});

/** @type {View} */
export const cosinesView = drawnView((element, { set }) => {
  const box = el("div", { class: "ids-box" });
  const rest = el("p", { class: "note" });
  fill(element, box, rest);
  const cosines = mount(box, matrixMark, {
    onPick: ({ row, column }) => set({ token: row, other: column }, "switch"),
  });

  return ({ state: { token, other }, answer }) => {
    const shown = answer.tokens.slice(0, MOST_COSINES).map(tokenLabel);
    rest.textContent =
      answer.tokens.length > MOST_COSINES ? t("Only the first {count} tokens.", { count: MOST_COSINES }) : "";
    cosines({
      title: t("Cosines between the tokens' rows"),
      values: answer.similarity.slice(0, MOST_COSINES).map((row) => row.slice(0, MOST_COSINES)),
      rows: shown,
      columns: shown,
      scale: "signed",
      most: 1,
      chosen: token < MOST_COSINES && other < MOST_COSINES ? { row: token, column: other } : null,
    });
  };
});

/**
 * A button for each token, built anew only where the tokens are others.
 * @param {HTMLElement} element
 * @param {(index: number) => void} onPick
 * @returns {(tokens: import("./state.js").EmbeddingAnswer["tokens"], chosen: number) => void}
 */
function tokenButtons(element, onPick) {
  let built = "";
  /** @type {HTMLButtonElement[]} */
  let buttons = [];
  return (tokens, chosen) => {
    const wanted = tokens.map((token) => `${token.id} ${tokenLabel(token)}`);
    if (wanted.join("\n") !== built) {
      built = wanted.join("\n");
      buttons = tokens.map((token, index) =>
        el(
          "button",
          { type: "button", class: "id-token", "data-token": wanted[index], onclick: () => onPick(index) },
          el("span", { class: "id-text" }, tokenName(token)),
          el("span", { class: "id-number" }, String(token.id)),
        ),
      );
      element.dir = direction(tokens);
      fill(element, ...buttons);
    }
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === chosen)));
  };
}

/**
 * A cell for each number, 48 in a line; colours as strong as the largest.
 * @param {SVGSVGElement} picture
 * @param {number[]} values
 * @param {string} label
 */
function drawStrip(picture, values, label) {
  const stops = scaleStops("signed");
  const most = Math.max(...values.map(Math.abs), 1e-12);
  const lines = Math.ceil(values.length / PER_LINE);
  picture.setAttribute("viewBox", `0 0 ${PER_LINE * CELL} ${lines * CELL}`);
  const said = { token: label, least: fixed(Math.min(...values), 3), most: fixed(Math.max(...values), 3) };
  picture.setAttribute("aria-label", t("The row of “{token}”: values from {least} to {most}", said));
  fill(
    picture,
    ...values.map((value, index) =>
      svg(
        "rect",
        {
          x: (index % PER_LINE) * CELL + 0.5,
          y: Math.floor(index / PER_LINE) * CELL + 0.5,
          width: CELL - 1,
          height: CELL - 1,
          fill: cssColor(mix(stops, 0.5 + value / (2 * most))),
        },
        svg("title", {}, `${index}: ${fixed(value, 4)}`),
      ),
    ),
  );
}

/** @param {{id: number, token: string, text: string, cosine: number}} near */
function neighbour({ id, token, cosine }) {
  const bar = el("span", { class: "near-bar" });
  bar.style.inlineSize = `${(Math.max(cosine, 0) * 100).toFixed(1)}%`;
  return el(
    "li",
    {},
    textName(token, { class: "near-token", title: token }),
    el("span", { class: "near-id" }, String(id)),
    el("span", { class: "near-track" }, bar),
    el("span", { class: "near-value" }, fixed(cosine, 3)),
  );
}
