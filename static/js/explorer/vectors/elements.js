/** Two vectors element by element, in the order in which they are shown. */

/**
 * @typedef {object} VectorElement
 * @property {number} index  in the vectors
 * @property {number} query
 * @property {number} key
 * @property {number} product
 * @property {number} sum  of the products so far, in this order
 */

/**
 * @param {import("./panel.js").PairVectors} vectors
 * @param {"" | "size"} order  as they are, or the largest product first
 * @returns {VectorElement[]}
 */
export function elementsOf({ products, query_token: { query }, key_token: { key } }, order) {
  const indices = products.map((_, index) => index);
  if (order === "size") indices.sort((a, b) => Math.abs(products[b]) - Math.abs(products[a]));
  let sum = 0;
  return indices.map((index) => {
    sum += products[index];
    return { index, query: query?.[index] ?? 0, key: key?.[index] ?? 0, product: products[index], sum };
  });
}

/**
 * @param {number} share  of the width, from the left
 * @param {number} count
 * @returns {number | null}  null beyond the ends
 */
export function elementAt(share, count) {
  return share >= 0 && share < 1 && count > 0 ? Math.floor(share * count) : null;
}
