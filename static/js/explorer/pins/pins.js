/** Pinned views with notes: a list in the browser's storage and in files. A pin is the address of what was shown. */

/**
 * @typedef {object} Pin
 * @property {string} address  "?…#…", relative to the Explorer's own page
 * @property {string} title  what was shown, in the words of then
 * @property {string} note
 * @property {string} at  when, as an ISO date
 */

export const FORMAT = "attention-observatory-pins";
export const MOST_PINS = 200;
const MOST_NOTE = 4_000;
const MOST_ADDRESS = 250_000;

/**
 * @param {Pin[]} pins
 * @param {Pin} pin
 * @returns {Pin[]}  newest first; one address is pinned once
 */
export function withPin(pins, pin) {
  const known = pins.find((one) => one.address === pin.address);
  return known ? pins : [pin, ...pins].slice(0, MOST_PINS);
}

/**
 * @param {Pin[]} pins
 * @param {string} address
 */
export function withoutPin(pins, address) {
  return pins.filter((one) => one.address !== address);
}

/**
 * @param {Pin[]} pins
 * @param {string} address
 * @param {string} note
 */
export function withNote(pins, address, note) {
  return pins.map((one) => (one.address === address ? { ...one, note: note.slice(0, MOST_NOTE) } : one));
}

/**
 * One pin moved up or down.
 * @param {Pin[]} pins
 * @param {string} address
 * @param {-1 | 1} by
 */
export function movePin(pins, address, by) {
  const from = pins.findIndex((one) => one.address === address);
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
  return [...pins, ...more.filter(({ address }) => !pins.some((one) => one.address === address))].slice(0, MOST_PINS);
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
  let found = null;
  try {
    found = JSON.parse(text);
  } catch {
    return null;
  }
  const { format, pins } = /** @type {{format?: unknown, pins?: unknown}} */ (found ?? {});
  if (format !== FORMAT || !Array.isArray(pins)) return null;
  const all = /** @type {unknown[]} */ (pins).flatMap((one) => {
    const { address, title, note, at } = /** @type {Record<string, unknown>} */ (one ?? {});
    const isOurs = typeof address === "string" && address.startsWith("?") && address.length <= MOST_ADDRESS;
    if (!isOurs || typeof title !== "string") return [];
    const said = typeof note === "string" ? note.slice(0, MOST_NOTE) : "";
    return [{ address, title: title.slice(0, 400), note: said, at: typeof at === "string" ? at.slice(0, 40) : "" }];
  });
  return all.slice(0, MOST_PINS);
}
