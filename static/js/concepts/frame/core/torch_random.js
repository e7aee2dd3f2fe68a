/**
 * The random numbers of `torch.Generator().manual_seed(seed)`, for pages that compute by themselves in saved
 * files: Mersenne Twister (Matsumoto and Nishimura 1998) and Box–Muller, in the order in which torch draws them. A test
 * compares them with torch's.
 */

const [WORDS, MIDDLE] = [624, 397];
/** torch fills this many numbers at a time; fewer are drawn one after the other. */
const AT_ONCE = 16;

/**
 * @param {number} seed  a whole number
 * @returns {{normals: (count: number) => number[], matrix: (rows: number, columns: number) => number[][],
 *   singles: (count: number, deviation: number) => Float32Array, uniforms: (count: number, bound: number) => Float32Array,
 *   skip: (count: number) => void}}  as `torch.randn(count)`,
 *   `torch.randn(rows, columns)`, `torch.empty(count).normal_(0, deviation)` in float32, `uniform_(-bound, bound)` in
 *   float32, and the same where nobody wants its numbers
 */
export function torchGenerator(seed) {
  const draw = mersenneTwister(seed);
  /** The second of a pair, until it is asked for. @type {number | null} */
  let kept = null;

  /** From 0 to 1, 53 bits of two draws. */
  function uniform() {
    const high = draw() & 0x1fffff;
    return (high * 2 ** 32 + draw()) * 2 ** -53;
  }

  function single() {
    if (kept !== null) {
      const value = kept;
      kept = null;
      return value;
    }
    const [first, second] = [uniform(), uniform()];
    const radius = Math.sqrt(-2 * Math.log1p(-second));
    kept = radius * Math.sin(2 * Math.PI * first);
    return radius * Math.cos(2 * Math.PI * first);
  }

  /** @param {number} count @returns {number[]} */
  function normals(count) {
    if (count < AT_ONCE) return Array.from({ length: count }, single);
    const values = Array.from({ length: count }, uniform);
    for (let start = 0; start + AT_ONCE <= count; start += AT_ONCE) transform(values, start);
    if (count % AT_ONCE === 0) return values;
    const last = count - AT_ONCE; // the last ones are drawn again
    for (let index = last; index < count; index++) values[index] = uniform();
    transform(values, last);
    return values;
  }

  /** @param {number} rows @param {number} columns */
  function matrix(rows, columns) {
    const values = normals(rows * columns);
    return Array.from({ length: rows }, (_, row) => values.slice(row * columns, (row + 1) * columns));
  }

  /** @param {number} count */
  function skip(count) {
    for (let index = 0; index < count; index++) draw();
  }

  return {
    normals,
    matrix,
    singles: (count, deviation) => singles(draw, count, deviation),
    uniforms: (count, bound) => uniforms(draw, count, bound),
    skip,
  };
}

/** In float32, at least 16 of them: of 24 bits each. @param {() => number} draw @param {number} count @param {number} deviation */
function singles(draw, count, deviation) {
  if (count < AT_ONCE) throw new RangeError(`count must be at least ${AT_ONCE}, not ${count}`);
  const values = new Float32Array(count);
  const fill = (/** @type {number} */ from) => {
    for (let index = from; index < count; index++) values[index] = (draw() & 0xffffff) * 2 ** -24;
  };
  fill(0);
  for (let start = 0; start + AT_ONCE <= count; start += AT_ONCE) transform(values, start, Math.fround);
  if (count % AT_ONCE) {
    fill(count - AT_ONCE);
    transform(values, count - AT_ONCE, Math.fround);
  }
  return values.map((value) => value * deviation);
}

/** In float32, of 24 bits each. @param {() => number} draw @param {number} count @param {number} bound */
function uniforms(draw, count, bound) {
  const [least, span] = [Math.fround(-bound), Math.fround(Math.fround(bound) - Math.fround(-bound))];
  return Float32Array.from({ length: count }, () => Math.fround((draw() & 0xffffff) * 2 ** -24 * span) + least);
}

/**
 * Uniform numbers to normal ones, the first eight with the second eight.
 * @param {number[] | Float32Array} values
 * @param {number} from
 * @param {(value: number) => number} [rounded]  to the format in which torch computes
 */
function transform(values, from, rounded = Number) {
  const half = AT_ONCE / 2;
  const turn = rounded(2 * Math.PI);
  for (let index = from; index < from + half; index++) {
    const radius = rounded(Math.sqrt(rounded(-2 * rounded(Math.log(1 - values[index])))));
    const angle = rounded(turn * values[index + half]);
    values[index] = radius * rounded(Math.cos(angle));
    values[index + half] = radius * rounded(Math.sin(angle));
  }
}

/** @param {number} seed @returns {() => number}  whole numbers of 32 bits */
function mersenneTwister(seed) {
  const state = new Uint32Array(WORDS);
  state[0] = seed;
  for (let index = 1; index < WORDS; index++) {
    const before = state[index - 1] ^ (state[index - 1] >>> 30);
    state[index] = Math.imul(1812433253, before) + index;
  }
  let next = WORDS;

  function refill() {
    for (let index = 0; index < WORDS; index++) {
      const joined = (state[index] & 0x80000000) | (state[(index + 1) % WORDS] & 0x7fffffff);
      state[index] = state[(index + MIDDLE) % WORDS] ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
    }
    next = 0;
  }

  return () => {
    if (next === WORDS) refill();
    let word = state[next++];
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  };
}
