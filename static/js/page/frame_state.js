/**
 * The state of a page in a frame. Decks unload the frames of slides that are far away, and load them again from the
 * address in the slide: what was set there is kept in the frame's name, which lasts as long as the frame. In a deck on
 * disk browsers empty the name; there it is kept beside it, for as long as the tab is open.
 */

import { KEYS } from "../base/kept.js";
import { isInside } from "./framed.js";

const MARK = "observatory ";
/** Browsers refuse more than about 100 rewrites in 30 seconds. */
const REWRITE_EVERY = 400;

/**
 * The address, path and all, at which a frame goes on; null where it begins with the one that it was given.
 * @param {string} name  the frame's
 * @param {string} original  address that it was loaded from
 * @returns {string | null}
 */
export function keptAddress(name, original) {
  if (!name.startsWith(MARK)) return null;
  const [from, to] = name.slice(MARK.length).split("\n");
  return from === original && to ? to : null;
}

/**
 * The name of a frame that was given one address and has come to another.
 * @param {string} original
 * @param {string} now
 * @returns {string}
 */
export function nameFor(original, now) {
  return `${MARK}${original}\n${now}`;
}

/** Of this frame among those of the page around it; frames that come later stand behind it. */
const placeOfFrame = () =>
  `${KEYS.frame} ${Array.from({ length: parent.length }, (_, index) => parent[index]).indexOf(window)}`;

/** The frame's name, or where a deck on disk has emptied it, what it was. */
function keptName() {
  if (window.name !== "" || location.protocol !== "file:") return window.name;
  try {
    return sessionStorage.getItem(placeOfFrame()) ?? "";
  } catch {
    return ""; // storage may be forbidden
  }
}

/** @param {string} name */
function keepName(name) {
  window.name = name;
  if (location.protocol !== "file:") return;
  try {
    sessionStorage.setItem(placeOfFrame(), name);
  } catch {
    // Storage may be forbidden: then the slide begins anew.
  }
}

const here = () => location.pathname + location.search + location.hash;

/**
 * Goes on where the frame has been, before the page reads its address.
 * @returns {boolean}  whether it had been anywhere else than where it begins
 */
export function returnToKept() {
  if (!isInside()) return false;
  const original = here();
  const kept = keptAddress(keptName(), original);
  if (kept) rewrite(kept);
  addressGiven = original;
  return kept !== null;
}

/** That the frame was loaded from. @type {string | null} */
let addressGiven = null;

/**
 * Keeps the address of the state in the frame, once changes have come to rest.
 * @returns {(address: string) => void}
 */
export function createKeeping() {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return (address) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      rewrite(address);
      // A name that the page around it has given to the frame is not ours to change.
      const isOurs = window.name === "" || window.name.startsWith(MARK);
      if (addressGiven !== null && isOurs) keepName(nameFor(addressGiven, address));
    }, REWRITE_EVERY);
  };
}

/** @param {string} address */
function rewrite(address) {
  try {
    history.replaceState(null, "", address);
  } catch {
    // A page without an address of its own, such as `about:srcdoc`, keeps its state in its name.
  }
}
