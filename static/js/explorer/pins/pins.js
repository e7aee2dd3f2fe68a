/**
 * Pinned views with notes: a list in the browser's storage and in files, in the order of a talk. A pin is the address of
 * what was shown.
 */

/**
 * @typedef {object} Pin
 * @property {string} address  "?…#…", relative to the Explorer's own page
 * @property {string} title  what was shown, in the words of then
 * @property {string} name  title that its reader gave it; "" for none
 * @property {string} note  for its reader alone: what is shown to an audience never holds it
 * @property {string} at  when, as an ISO date
 */

export const FORMAT = "attention-observatory-pins";
export const MOST_PINS = 200;
const MOST_NOTE = 4_000;
const MOST_NAME = 200;
const MOST_ADDRESS = 250_000;

/**
 * @param {Pin[]} pins
 * @param {Pin} pin
 * @returns {Pin[]}  newest last; one address is pinned once
 */
export function withPin(pins, pin) {
  const known = pins.find((kept) => kept.address === pin.address);
  return known ? pins : [...pins, pin].slice(-MOST_PINS);
}

/**
 * @param {Pin[]} pins
 * @param {string} address
 */
export function withoutPin(pins, address) {
  return pins.filter((pin) => pin.address !== address);
}

/**
 * @param {Pin[]} pins
 * @param {string} address
 * @param {string} note
 */
export function withNote(pins, address, note) {
  return pins.map((pin) => (pin.address === address ? { ...pin, note: note.slice(0, MOST_NOTE) } : pin));
}

/**
 * @param {Pin[]} pins
 * @param {string} address
 * @param {string} name
 */
export function withName(pins, address, name) {
  return pins.map((pin) => (pin.address === address ? { ...pin, name: name.slice(0, MOST_NAME) } : pin));
}

/** What a pin is called. @param {Pin} pin @returns {string} */
export function titleOf({ name, title }) {
  return name.trim() || title;
}

/**
 * One pin moved up or down.
 * @param {Pin[]} pins
 * @param {string} address
 * @param {-1 | 1} by
 */
export function movePin(pins, address, by) {
  const from = pins.findIndex((pin) => pin.address === address);
  const to = from + by;
  if (from < 0 || to < 0 || to >= pins.length) return pins;
  const moved = [...pins];
  [moved[from], moved[to]] = [moved[to], moved[from]];
  return moved;
}

/**
 * Those of a file behind those that are there.
 * @param {Pin[]} pins
 * @param {Pin[]} more
 */
export function mergePins(pins, more) {
  return [...pins, ...more.filter(({ address }) => !pins.some((pin) => pin.address === address))].slice(0, MOST_PINS);
}

/** @param {Pin[]} pins @returns {string} */
export function writePins(pins) {
  return JSON.stringify({ format: FORMAT, version: 1, pins }, null, 1);
}

/**
 * @param {string} text
 * @returns {Pin[] | null}  null where the text is not a list of pins; a pin that leads elsewhere is left out
 */
export function readPins(text) {
  /** @type {unknown} */
  let file = null;
  try {
    file = JSON.parse(text);
  } catch {
    return null;
  }
  const { format, pins } = /** @type {{format?: unknown, pins?: unknown}} */ (file ?? {});
  if (format !== FORMAT || !Array.isArray(pins)) return null;
  const read = /** @type {unknown[]} */ (pins).flatMap((entry) => {
    const { address, title, name, note, at } = /** @type {Record<string, unknown>} */ (entry ?? {});
    const isOurs = typeof address === "string" && address.startsWith("?") && address.length <= MOST_ADDRESS;
    if (!isOurs || typeof title !== "string") return [];
    const text = (/** @type {unknown} */ value, /** @type {number} */ most) =>
      typeof value === "string" ? value.slice(0, most) : "";
    const own = { name: text(name, MOST_NAME), note: text(note, MOST_NOTE), at: text(at, 40) };
    return [{ address, title: title.slice(0, 400), ...own }];
  });
  return read.slice(0, MOST_PINS);
}
