/** Sets of prompts too long for a link, which this browser keeps. */

import { KEYS } from "../../../base/kept.js";
import { EMPTY_SET } from "../../state/prompt_set.js";

/** @typedef {import("../../state/prompt_set.js").SetText} SetText */

/** Sets that are kept, the latest first. */
const KEPT = 8;

/**
 * The same name for the same set.
 * @param {SetText} set
 */
export function nameOf(set) {
  const text = JSON.stringify(Object.keys(EMPTY_SET).map((name) => set[/** @type {keyof SetText} */ (name)]));
  let [one, other] = [0x811c9dc5, 0x9747b28c];
  for (let index = 0; index < text.length; index++) {
    one = Math.imul(one ^ text.charCodeAt(index), 0x01000193);
    other = Math.imul(other ^ text.charCodeAt(index), 0x85ebca6b);
    other ^= other >>> 13;
  }
  return [one, other].map((part) => (part >>> 0).toString(36)).join("-");
}

/** @param {() => Pick<Storage, "getItem" | "setItem">} storage  throws where there is none */
export function createKeptSets(storage = () => localStorage) {
  /** Of this visit, whatever the browser stores. @type {Map<string, SetText>} */
  const known = new Map();

  /** @returns {SetText[]}  the latest first */
  function stored() {
    try {
      const sets = /** @type {unknown} */ (JSON.parse(storage().getItem(KEYS.promptSets) ?? "[]"));
      return Array.isArray(sets) ? sets.flatMap((set) => asSet(set) ?? []) : [];
    } catch {
      return [];
    }
  }

  return {
    /**
     * Keeps a set; older ones give way where there is no room.
     * @param {SetText} set
     * @returns {string | null}  its name; null where the browser does not store it
     */
    keep(set) {
      const name = nameOf(set);
      known.set(name, set);
      const others = stored().filter((kept) => nameOf(kept) !== name);
      for (let count = Math.min(others.length, KEPT - 1); count >= 0; count--) {
        try {
          storage().setItem(KEYS.promptSets, JSON.stringify([set, ...others.slice(0, count)]));
          return name;
        } catch {
          // There is no room for so many.
        }
      }
      return null;
    },
    /**
     * @param {string} name
     * @returns {SetText | null}
     */
    find(name) {
      const set = known.get(name) ?? stored().find((kept) => nameOf(kept) === name) ?? null;
      if (set) known.set(name, set);
      return set;
    },
  };
}

/** @typedef {ReturnType<typeof createKeptSets>} KeptSets */

/**
 * @param {unknown} value
 * @returns {SetText | null}  null for what is no set
 */
export function asSet(value) {
  if (typeof value !== "object" || value === null) return null;
  const fields = /** @type {Record<string, unknown>} */ (value);
  const isSet = Object.entries(EMPTY_SET).every(([name, start]) => typeof fields[name] === typeof start);
  return isSet ? /** @type {SetText} */ (value) : null;
}
