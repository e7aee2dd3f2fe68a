/** A chart's keys: acts of its own, and steps from one of its points to another. */

/**
 * Does what a key without a modifier is for.
 * @template P  a point
 * @param {KeyboardEvent} event
 * @param {object} keys
 * @param {Record<string, () => void>} keys.acts
 * @param {(key: string) => P | null} keys.step  to where another key leads; null: nowhere
 * @param {(to: P) => void} keys.move
 * @returns {boolean}  whether it did something
 */
export function actOnKey(event, { acts, step, move }) {
  const { key, altKey, ctrlKey, metaKey } = event;
  if (altKey || ctrlKey || metaKey) return false;
  const act = Object.hasOwn(acts, key) ? acts[key] : null;
  const to = act ? null : step(key);
  if (!act && to === null) return false;
  event.preventDefault();
  if (act) act();
  else if (to !== null) move(to);
  return true;
}
