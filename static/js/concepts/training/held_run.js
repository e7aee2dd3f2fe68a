/** A run in a saved page: every number of its curves, and the maps of as many updates as there is room for. */

import { packedSize } from "../../requests/packed_records.js";
import { playedFrom } from "./run.js";

/** @typedef {import("./run_control.js").Run} Run */
/** @typedef {import("./run.js").Update} Update */
/** @typedef {import("./run.js").Measured} Measured */

/**
 * @typedef {object} HeldRun
 * @property {Run["answer"]} answer
 * @property {Run["standing"]} standing
 * @property {string} guess
 * @property {Measured[]} updates
 * @property {number[]} mapped  which of them have maps
 * @property {number} size  tokens of the example
 * @property {string} cells  of those maps: see `packMaps`
 */

/** The name under which a saved page has its runs. */
export const HELD = "/api/training of this page";
/** Bytes, compressed, that all runs in a file may take: with the page itself, in signs, less than 500 kB. */
export const MOST_BYTES = 195_000;
/** Cells beyond which it is not worth trying whether they fit. */
const MOST_CELLS = 3_000_000;
/** The first sign that stands for a number: behind the quotation mark, which JSON would write as two signs. */
const FIRST_SIGN = 0x23;
const VALUES = 256;

/**
 * The cells at and before the diagonal, one after the other, each over all updates: as a sign for its first byte and for
 * every change of it, so that what changes little takes little room. Nothing is rounded.
 * @param {readonly Update[]} updates
 * @returns {string}
 */
export function packMaps(updates) {
  const places = causalPlaces(updates[0].maps.length, updates[0].size);
  const signs = places.map((place) => {
    let before = 0;
    const changes = updates.map(({ maps }) => {
      const change = (maps[place] - before + VALUES) % VALUES;
      before = maps[place];
      // Small changes of either sign stand first: 0, −1, 1, −2, 2 …
      return FIRST_SIGN + (change < VALUES / 2 ? 2 * change : 2 * (VALUES - change) - 1);
    });
    return String.fromCharCode(...changes);
  });
  return signs.join("");
}

/**
 * @param {string} cells
 * @param {number} count  of updates
 * @param {{heads: number, size: number}} shape  all heads of all layers
 * @returns {Uint8Array[]}  the maps of each update
 */
export function unpackMaps(cells, count, { heads, size }) {
  const maps = Array.from({ length: count }, () => new Uint8Array(heads * size * size));
  let position = 0;
  for (const place of causalPlaces(heads * size * size, size)) {
    let value = 0;
    for (const map of maps) {
      const sign = cells.charCodeAt(position++) - FIRST_SIGN;
      value = (value + (sign % 2 === 0 ? sign / 2 : VALUES - (sign + 1) / 2)) % VALUES;
      map[place] = value;
    }
  }
  return maps;
}

/** Where a query may attend: at itself and before. @param {number} length @param {number} size */
function causalPlaces(length, size) {
  const places = Array.from({ length }, (_, place) => place);
  return places.filter((place) => place % size <= Math.floor(place / size) % size);
}

/**
 * @param {Run} run  that is over, with at least one update
 * @param {number} most  bytes, compressed, of its curves and maps
 * @returns {Promise<HeldRun>}
 */
export async function heldRun({ answer, standing, guess, record }, most) {
  const updates = record.mapped();
  const [{ maps, size }] = updates;
  const recorded = record.all();
  const curves = await packedSize(JSON.stringify(recorded.map(measured)));
  let every = Math.max(1, Math.ceil((updates.length * maps.length) / 2 / MOST_CELLS));
  for (;;) {
    const chosen = thinned(updates, every);
    const cells = packMaps(chosen);
    if (chosen.length > 2 && (await packedSize(cells)) > most - curves) {
      every += 1;
      continue;
    }
    const mapped = chosen.map((update) => recorded.indexOf(update));
    return { answer, standing, guess, updates: recorded.map(measured), mapped, size, cells };
  }
}

/**
 * Every so many of them, the first and the last in any case.
 * @template T
 * @param {readonly T[]} list
 * @param {number} every
 */
function thinned(list, every) {
  return list.filter((_, index) => index % every === 0 || index === list.length - 1);
}

/** @param {Measured} update @returns {Measured} */
function measured({ step, loss, accuracy, seconds, scores }) {
  return { step, loss, accuracy, seconds, scores };
}

/** @param {HeldRun} held @returns {Run} */
export function playedRun({ answer, standing, guess, updates, mapped, size, cells }) {
  const { num_layers: layers, num_heads: heads } = answer.config;
  const maps = unpackMaps(cells, mapped.length, { heads: layers * heads, size });
  const whole = mapped.map((index, place) => ({ ...updates[index], maps: maps[place], size }));
  const record = playedFrom(
    () => updates,
    () => whole,
  );
  return { answer, standing, guess, isLost: false, record };
}
