/** The models used last, newest first, kept in the browser; in a frame nothing is stored. */

import { KEYS } from "../../base/kept.js";
import { isFramed } from "../../page/framed.js";

const KEPT = 8;

/** @returns {string[]} */
export function recentModels() {
  if (isFramed(document)) return [];
  try {
    const kept = JSON.parse(localStorage.getItem(KEYS.models) ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string").slice(0, KEPT) : [];
  } catch {
    return []; // storage may be blocked, or hold something else
  }
}

/** @param {string} model */
export function noteRecentModel(model) {
  if (isFramed(document)) return;
  try {
    const others = recentModels().filter((id) => id !== model);
    localStorage.setItem(KEYS.models, JSON.stringify([model, ...others].slice(0, KEPT)));
  } catch {
    // Then the order is the server's.
  }
}
