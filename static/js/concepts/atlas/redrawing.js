/** Views that leave their elements as they are while nothing that they show has changed. */

/** @returns {(...shown: unknown[]) => boolean}  whether the same objects and values were shown last */
export function createShown() {
  /** @type {unknown[] | null} */
  let before = null;
  return (...shown) => {
    const isSame = shown.every((value, index) => value === before?.[index]) && before !== null;
    before = shown;
    return isSame;
  };
}
