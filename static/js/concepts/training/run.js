/** The state of one training run: what the server reported, every update so far, and its phase. */

import { decodeBytes, decodeShape } from "../../base/decode.js";

/** @typedef {"previous_token" | "induction" | "answer"} Role */

/**
 * @typedef {object} Measured  what the curves show of an update
 * @property {number} step
 * @property {number} loss
 * @property {number} accuracy
 * @property {number} seconds
 * @property {Record<Role, number[][]>} scores  by layer and head
 */

/**
 * @typedef {object} Pictures
 * @property {Uint8Array} maps  layers × heads × size × size
 * @property {number} size
 */

/** @typedef {Measured & Pictures} Update */

/** @typedef {Measured & {maps: import("../../api/types.js").EncodedArray}} UpdateJson  as it comes */

/**
 * @typedef {object} Played  the updates of a run, in the order of their steps
 * @property {() => readonly Measured[]} all
 * @property {() => readonly Update[]} mapped  those whose maps are at hand; the first and the newest always are
 * @property {(step: number) => Update | null} at  the last with maps at or before a step
 * @property {() => Update | null} newest
 */

/** @typedef {{layer: number, head: number, score: number}} Best */

export const ROLES = ["previous_token", "induction", "answer"];
/** Bytes of maps that a page keeps of one run; beyond, every second update goes. */
const MOST_BYTES = 24 * 2 ** 20;
const OVER = new Set(["finished", "stopped", "failed"]);

/** @param {{state: string}} state */
export const isOver = ({ state }) => OVER.has(state);

/**
 * @param {UpdateJson} json
 * @returns {Update}
 */
export function decodeUpdate(json) {
  const { maps, ...rest } = json;
  const shape = decodeShape(maps);
  return { ...rest, maps: decodeBytes(maps.bdata), size: shape[shape.length - 1] };
}

/**
 * Updates in the order of their steps, within a budget of bytes. The first and the newest always stay.
 * @param {number} [most]
 */
export function createRecord(most = MOST_BYTES) {
  /** @type {Update[]} */
  let updates = [];
  let stride = 1;
  let bytes = 0;
  const recount = () => (bytes = updates.reduce((sum, update) => sum + update.maps.length, 0));
  return {
    /** @param {Update} update */
    add(update) {
      const newest = updates[updates.length - 1];
      if (newest && update.step <= newest.step) return;
      if (newest && updates.length > 1 && newest.step % stride !== 0) updates.pop();
      updates.push(update);
      recount();
      while (bytes > most && updates.length > 2) {
        stride *= 2;
        const last = updates.length - 1;
        updates = updates.filter((update, index) => index === 0 || index === last || update.step % stride === 0);
        recount();
      }
    },
    ...playedFrom(
      () => updates,
      () => updates,
    ),
  };
}

/**
 * @param {() => readonly Measured[]} all
 * @param {() => readonly Update[]} mapped
 * @returns {Played}
 */
export function playedFrom(all, mapped) {
  return {
    all,
    mapped,
    at: (step) =>
      mapped()
        .filter((update) => update.step <= step)
        .at(-1) ??
      mapped()[0] ??
      null,
    newest: () => mapped().at(-1) ?? null,
  };
}

/**
 * The head that plays a role most.
 * @param {Measured} update
 * @param {Role} role
 * @returns {Best}
 */
export function best(update, role) {
  const heads = update.scores[role].flatMap((row, layer) => row.map((score, head) => ({ layer, head, score })));
  return heads.reduce((most, head) => (head.score > most.score ? head : most));
}

/**
 * The first update in which some head played a role.
 * @param {readonly Measured[]} updates
 * @param {Role} role
 * @param {number} threshold
 * @returns {{update: Measured, best: Best} | null}
 */
export function firstFormed(updates, role, threshold) {
  for (const update of updates) {
    const most = best(update, role);
    if (most.score > threshold) return { update, best: most };
  }
  return null;
}

/**
 * The keys that a query attends to most in the example, largest first.
 * @param {Update} update
 * @param {{layer: number, head: number, heads: number}} which
 * @param {number} query
 * @param {number} [count]
 * @returns {{key: number, weight: number}[]}
 */
export function mostRead({ maps, size }, { layer, head, heads }, query, count = 3) {
  const start = ((layer * heads + head) * size + query) * size;
  const row = Array.from(maps.subarray(start, start + query + 1), (byte, key) => ({ key, weight: byte / 255 }));
  return row.sort((a, b) => b.weight - a.weight || b.key - a.key).slice(0, count);
}

/**
 * @param {Update} update
 * @param {{heads: number, layer: number, head: number}} which
 */
export function mapOf({ maps, size }, { heads, layer, head }) {
  const cells = size * size;
  const start = (layer * heads + head) * cells;
  return maps.subarray(start, start + cells);
}
