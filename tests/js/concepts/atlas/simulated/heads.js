/** A small atlas for tests: two layers of two heads, one relation. */

export const HEADS = /** @type {import("../../../../../static/js/api/atlases.js").Heads} */ (
  /** @type {unknown} */ ({
    facts: { kind: "encoder" },
    measures: [
      { name: "entropy", title: "Entropy", definition: "−Σ w ln w", source: "Shannon", unit: "nats" },
      { name: "previous_token", title: "Previous token", definition: "", source: "", unit: "share" },
    ],
    part: ["encoder", "encoder", "encoder", "encoder"],
    layer: [0, 0, 1, 1],
    head: [0, 1, 0, 1],
    values: { entropy: [1, 3, null, 2], previous_token: [0.1, 0.2, 0.9, 0.3] },
    map: { x: [0, 1, 2, 3], y: [3, 2, 1, 0], cluster: [0, 0, 1, 1], stress: 0.1 },
    relations: [
      {
        relation: "obj",
        direction: "dependent_to_head",
        accuracy: [0.2, 0.8, 0.5, null],
        count: 40,
        baseline_offset: -2,
        baseline_accuracy: 0.5,
        best: null,
      },
      {
        relation: "det",
        direction: "head_to_dependent",
        accuracy: [0.1, 0.2, 0.95, 0.3],
        count: 10,
        baseline_offset: 1,
        baseline_accuracy: 0.9,
        best: null,
      },
    ],
  })
);
