/** Exercises that need an idea of a later lesson than their page's: the lesson at whose end they are asked. */
export const ASKED_LATER = /** @type {Readonly<Record<string, string>>} */ ({
  "embedding-cosine": "dot_product",
  "linear-bias": "roles",
  "linear-large": "roles",
  "projections-weights": "scaling",
  "projections-output": "scaling",
  "projections-fourfold": "scaling",
  "circle-ten": "softmax",
  "circle-longer": "softmax",
  "circle-loses": "softmax",
  "scoring-one-query": "scaling",
  "scoring-cosine": "softmax",
  "scoring-temperature": "softmax",
  "multi-head-x3-groups": "decoder",
});
