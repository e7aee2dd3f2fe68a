/**
 * Which keys a query may attend to: the one rule by which lists, tables and readouts leave out, or mark, what the mask
 * forbids. A weight of 0 alone does not say it, for softmax may underflow.
 */

/** @typedef {import("./arrangement.js").Arrangement} Arrangement */
/** @typedef {import("./head_list.js").HeadAt} HeadAt */
/** @typedef {Pick<import("../../api/types.js").Part, "allowed_keys">} Masked  a part */
/** @typedef {import("../../base/decode.js").Range} Range */

/**
 * Whether any of these queries may attend to any of these keys.
 * @typedef {(queries: Range, keys: Range) => boolean} MayAttend
 */

/**
 * The masks of some heads; null where one of them masks nothing.
 * @param {Masked} part
 * @param {HeadAt[]} heads
 * @returns {number[][][] | null}  by mask and query: runs of keys as [first, end, first, end …]
 */
function masksOf({ allowed_keys: allowed }, heads) {
  if (!allowed) return null;
  const indices = [...new Set(heads.map(({ layer, head }) => allowed.of_heads[layer]?.[head] ?? null))];
  const masks = indices.flatMap((index) => (index === null ? [] : [allowed.masks[index]]));
  return masks.length < indices.length ? null : masks;
}

/**
 * @param {Masked} part
 * @param {HeadAt[]} heads  any of which
 * @returns {MayAttend | null}  null where nothing is masked
 */
export function mayAttend(part, heads) {
  const masks = masksOf(part, heads);
  if (masks === null) return null;
  return ([first, end], [from, to]) =>
    masks.some((mask) =>
      mask
        .slice(first, end)
        .some((runs) => runs.some((start, index) => index % 2 === 0 && start < to && runs[index + 1] > from)),
    );
}

/**
 * Whether everything in a cell is masked.
 * @param {MayAttend | null} may
 * @param {{queries: Pick<Arrangement, "spans">, keys: Pick<Arrangement, "spans">}} [map]  whose rows and columns are
 *   arranged; else they are tokens
 * @returns {((queries: Range, keys: Range) => boolean) | undefined}  of ranges of places
 */
export function maskedIn(may, map) {
  if (!may) return undefined;
  if (!map) return (rows, cols) => !may(rows, cols);
  const { queries, keys } = map;
  return (rows, cols) =>
    !queries.spans.slice(...rows).some((own) => keys.spans.slice(...cols).some((other) => may(own, other)));
}

/**
 * A row as it is listed: −∞ where it is masked.
 * @param {Float32Array} row  by the place of the key
 * @param {ReturnType<typeof maskedIn>} isMasked
 * @param {number} query  place
 * @returns {Float32Array}
 */
export function withoutMasked(row, isMasked, query) {
  if (!isMasked) return row;
  return row.map((value, key) => (isMasked([query, query + 1], [key, key + 1]) ? -Infinity : value));
}

/**
 * @typedef {object} Reach  of one query, by layer and token
 * @property {Uint8Array[]} rollout  whether anything of the token is in the query after the layer
 * @property {Uint8Array[]} means  whether the query may attend to it in the layer
 */

/**
 * What can have come to a query through the layers.
 * @param {Masked & {layers: number, heads: number, key_tokens: number}} part  whose queries are its keys
 * @param {number} query
 * @returns {Reach | null}  null where nothing is masked
 */
export function reachOf(part, query) {
  if (!part.allowed_keys) return null;
  const count = part.key_tokens;
  const layers = Array.from({ length: part.layers }, (_, layer) =>
    masksOf(
      part,
      Array.from({ length: part.heads }, (_, head) => ({ layer, head })),
    ),
  );
  const own = new Uint8Array(count);
  own[query] = 1;
  const through = (/** @type {number} */ layer, /** @type {Uint8Array} */ from) => reached(layers[layer], from);
  const rollout = layers.map((_, last) => {
    let reached = own;
    for (let layer = last; layer >= 0; layer--) {
      const next = through(layer, reached);
      reached = next.map((is, token) => is | reached[token]);
    }
    return reached;
  });
  return { rollout, means: layers.map((_, layer) => through(layer, own)) };
}

/**
 * The keys that any of some queries may attend to.
 * @param {number[][][] | null} masks
 * @param {Uint8Array} queries
 * @returns {Uint8Array}
 */
function reached(masks, queries) {
  if (masks === null) return new Uint8Array(queries.length).fill(1);
  const steps = new Int32Array(queries.length + 1);
  for (const mask of masks) {
    mask.forEach((runs, query) => {
      if (queries[query]) runs.forEach((edge, index) => (steps[edge] += index % 2 === 0 ? 1 : -1));
    });
  }
  let open = 0;
  return queries.map((_, key) => Number((open += steps[key]) > 0));
}
