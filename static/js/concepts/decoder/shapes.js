/** The shapes of what passes a decoder's stations. */

/**
 * Heads × tokens × numbers of what each box holds.
 * @param {import("./state.js").DecoderAnswer} answer
 * @param {import("./state.js").Station} station
 * @returns {string[]}
 */
export function shapesOf(answer, station) {
  const { d_model: width, num_heads: heads, num_kv_heads: kept } = answer.config;
  const [tokens, dim] = [answer.ids.length, width / heads];
  const [own, few] = [`${heads} × ${tokens} × ${dim}`, `${kept} × ${tokens} × ${dim}`];
  switch (station) {
    case "norm":
    case "attention":
    case "feed_forward":
      return [`${tokens} × ${width}`];
    case "project":
      return [`${tokens} × ${width}`, ...[0, 1].map(() => `${tokens} × ${kept * dim}`)];
    case "heads":
      return [own, few, few];
    case "rope":
    case "qk_norm":
    case "sharpen":
      return [own, few];
    case "value_embedding":
      return [few];
    case "cache":
      return [few, few];
    case "share":
      return [own, own];
    case "window":
      return [`${tokens} × ${tokens}`];
    case "scores":
    case "weights":
      return [`${heads} × ${tokens} × ${tokens}`];
    case "mix":
      return [own];
    case "next":
      return [`${tokens} × ${answer.vocabulary.length}`];
  }
}
