/** Where this reader was in the course; kept in the browser alone. */

import { KEYS } from "../base/kept.js";

/** @param {string} place  a concept's stem, or `#` and a lesson's id */
export function rememberPlace(place) {
  try {
    localStorage.setItem(KEYS.coursePlace, place);
  } catch {
    // Storage may be forbidden: then the course begins at its beginning.
  }
}

/** @returns {string}  "" for somebody who has not been anywhere */
export function lastPlace() {
  try {
    return localStorage.getItem(KEYS.coursePlace) ?? "";
  } catch {
    return "";
  }
}
