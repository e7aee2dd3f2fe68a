/** A sentence three times, one row of bars above the other: how much of each word reaches the reader. */

import { fill, svg } from "../../base/dom.js";
import { fixed } from "../../base/numbers.js";
import { fittedView } from "../../charts/axes.js";
import { t } from "../../base/i18n.js";

/**
 * @typedef {object} WaysMark
 * @property {string[]} words
 * @property {number} reader
 * @property {number} wanted
 * @property {{title: string, shares: readonly number[], read?: number}[]} rows  `read`: only so many words are read yet
 */

const WIDTHS = { least: 280, most: 1000 };
/** Of a row: its title, the number above a bar, the highest bar, and the gap below, in pixels. */
const [TITLE, NUMBER, BAR, GAP] = [17, 15, 62, 10];
const ROW = TITLE + NUMBER + BAR + GAP;
/** Width of a letter, and of a line of type that stands upright. */
const [PER_SIGN, LINE] = [6.8, 13];
/** Of a number above a bar; where there is less room, and in the description. */
const [FEW, DIGITS] = [2, 3];
/** Letters of a name below its bar; pointed at, it is whole. */
const MOST_LETTERS = 14;

/**
 * @param {HTMLElement} element
 * @param {WaysMark} data
 * @param {{onPick: (index: number) => void}} options
 * @returns {import("../../base/mount.js").View<WaysMark>}
 */
export function waysMark(element, data, { onPick }) {
  const picture = svg("svg", { class: "mark ways-mark", role: "img" });
  fill(element, picture);

  /** @param {WaysMark} next @param {number} width */
  function draw(next, width) {
    const column = width / next.words.length;
    const names = namesOf(next, column);
    const height = next.rows.length * ROW + names.height;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("width", String(width));
    picture.setAttribute("height", String(height));
    picture.setAttribute("aria-label", described(next));
    fill(
      picture,
      svg("rect", {
        class: "ways-reader",
        x: next.reader * column,
        y: 0,
        width: column,
        height,
      }),
      ...next.rows.map((row, index) => rowOf(row, index, { column, width, next })),
      svg("g", { transform: `translate(0 ${next.rows.length * ROW})` }, ...names.elements),
      ...next.words.map((word, index) =>
        svg(
          "rect",
          { class: "ways-hit", x: index * column, y: 0, width: column, height, onclick: () => onPick(index) },
          svg("title", {}, word),
        ),
      ),
    );
  }

  return fittedView(element, data, draw, WIDTHS);
}

/**
 * @param {WaysMark["rows"][number]} row
 * @param {number} index
 * @param {{column: number, width: number, next: WaysMark}} place
 */
function rowOf({ title, shares, read = shares.length }, index, { column, width, next }) {
  const bottom = TITLE + NUMBER + BAR;
  const unread = (shares.length - read) * column;
  const note = t("not read yet");
  return svg(
    "g",
    { class: "ways-row", "data-step": index + 1, transform: `translate(0 ${index * ROW})` },
    svg("text", { class: "ways-title", x: 0, y: 12 }, title),
    svg("line", { class: "mark-axis", x1: 0, x2: width, y1: bottom, y2: bottom }),
    ...barsOf(shares.slice(0, read), next.wanted, { column, width, bottom }),
    unread > PER_SIGN * lengthOf(note)
      ? svg("text", { class: "mark-value ways-unread", x: width - unread / 2, y: bottom - 6 }, note)
      : null,
  );
}

/**
 * Bars up to the largest, with their numbers where these fit; the wanted word always has its own.
 * @param {readonly number[]} shares
 * @param {number} wanted
 * @param {{column: number, width: number, bottom: number}} place
 */
function barsOf(shares, wanted, { column, width, bottom }) {
  const most = Math.max(...shares, 1e-12);
  const edge = Math.min(3, column * 0.12);
  const digits = column >= PER_SIGN * (DIGITS + 3) || column < PER_SIGN * (FEW + 2.5) ? DIGITS : FEW;
  const said = shares.map((share) => written(share, digits));
  const fits = (/** @type {number} */ position) => PER_SIGN * (said[position].length + 0.5) <= column;
  const isCovered = (/** @type {number} */ position) =>
    Math.abs(position - wanted) === 1 && wanted < shares.length && !fits(wanted);
  return shares.flatMap((share, position) => {
    const high = (BAR * share) / most;
    const isWanted = position === wanted;
    const bar = { x: position * column + edge, width: column - 2 * edge, y: bottom - high, height: high };
    const place = { x: inside((position + 0.5) * column, said[position], width), y: bottom - high - 4 };
    return [
      svg("rect", { class: `mark-bar ${isWanted ? "is-key" : "ways-bar"}`, ...bar }),
      isWanted || (fits(position) && !isCovered(position))
        ? svg("text", { class: `mark-value${isWanted ? " is-wanted" : ""}`, ...place }, said[position])
        : null,
    ];
  });
}

/** The middle of a text near an edge. @param {number} middle @param {string} text @param {number} width */
function inside(middle, text, width) {
  const half = (PER_SIGN * (text.length + 1)) / 2;
  return Math.min(Math.max(middle, half), width - half);
}

/** @param {number} share @param {number} digits */
function written(share, digits) {
  const least = 10 ** -digits;
  return share > 0 && share < least / 2 ? `< ${least}` : fixed(share, digits);
}

/**
 * The words below their bars: flat, slanted where they are wider than their columns, or upright.
 * @param {WaysMark} data
 * @param {number} column
 */
function namesOf({ words: whole, reader, wanted }, column) {
  const words = whole.map(shortened);
  const widest = PER_SIGN * Math.max(...words.map(lengthOf));
  const turn = widest <= column - 2 ? 0 : column >= 22 ? 45 : 90;
  const every = turn === 90 ? Math.ceil(LINE / column) : 1;
  const isClear = (/** @type {number} */ index) =>
    [reader, wanted].every((end) => end === index || Math.abs(end - index) >= every);
  const shown = words.flatMap((word, index) =>
    index === reader || index === wanted || (index % every === 0 && isClear(index)) ? [{ word, index }] : [],
  );
  return {
    height: turn === 0 ? 22 : 14 + widest * (turn === 45 ? Math.SQRT1_2 : 1),
    elements: shown.map(({ word, index }) => {
      const kind = index === reader ? " is-query" : index === wanted ? " is-key" : "";
      const x = (index + 0.5) * column;
      const place = turn
        ? { transform: `translate(${x + 4} 8) rotate(-${turn})`, class: `ways-name is-end${kind}` }
        : { x, y: 15, class: `ways-name${kind}` };
      return svg("text", place, word);
    }),
  };
}

/** @param {string} word */
function shortened(word) {
  const letters = [...word];
  return letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS - 1).join("")}…` : word;
}

/** Letters of Japanese count twice. @param {string} text */
function lengthOf(text) {
  return [...text].reduce((sum, sign) => sum + ((sign.codePointAt(0) ?? 0) > 0x2e80 ? 1.9 : 1), 0);
}

/** @param {WaysMark} data */
function described({ words, rows }) {
  return rows
    .map(
      ({ title, shares }) =>
        `${title}: ${shares.map((share, position) => `${words[position]} ${written(share, DIGITS)}`).join(", ")}`,
    )
    .join("; ");
}
