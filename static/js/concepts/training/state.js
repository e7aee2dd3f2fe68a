/** The training page as data: its fields, the run that a state asks for, and its presets. */

import { choice, flag, number, text, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} TrainingState */

const TASKS = /** @type {const} */ (["repeat", "copy", "reverse", "sort", "brackets"]);
const MOST_LAYERS = 6;
const MOST_HEADS = 8;
const MOST_SEED = 2 ** 32 - 1;
/** Tasks whose answer follows the last occurrence of the same token. */
const INDUCTIVE = new Set(["repeat", "copy"]);

export const fields = {
  task: choice(TASKS),
  layers: whole(2, 1, MOST_LAYERS),
  heads: whole(4, 1, MOST_HEADS),
  kv: choice(["all", "1", "2", "3", "4"]),
  width: choice(["16", "32", "64", "128"], "64"),
  positions: choice(["none", "sinusoidal", "rope", "alibi"], "rope"),
  mechanism: choice(["scaled", "cosine", "qk_norm"]),
  mlp: flag(),
  rate: number(0.01, 0.0001, 10),
  steps: whole(300, 10, 2000),
  seed: whole(0, 0, MOST_SEED),
  guess: text("", 8),
  layer: whole(1, 0, MOST_LAYERS - 1),
  head: whole(0, 0, MOST_HEADS - 1),
};

/**
 * The body of `POST /api/training`.
 * @param {Readonly<TrainingState>} state
 */
export function request(state) {
  return {
    task: state.task,
    num_layers: state.layers,
    num_heads: state.heads,
    ...(state.kv === "all" ? {} : { num_kv_heads: Number(state.kv) }),
    d_model: Number(state.width),
    positions: state.positions,
    mechanism: state.mechanism,
    ...(state.mlp ? { feed_forward: true } : {}),
    learning_rate: state.rate,
    steps: state.steps,
    seed: state.seed,
  };
}

/** Whether the question is where an induction head forms, rather than whether the task is learned. @param {string} task */
export function isInductive(task) {
  return INDUCTIVE.has(task);
}

/** @param {{state: Pick<TrainingState, "task">}} data */
export function question({ state }) {
  return isInductive(state.task) ? t("What will happen?") : t("Will it learn this?");
}

/**
 * What may be predicted: value and words.
 * @param {Pick<TrainingState, "task" | "layers">} state
 * @returns {[string, string][]}
 */
export function guesses({ task, layers }) {
  if (!isInductive(task)) {
    return [
      ["learned", t("It learns the task: more than 95 % correct")],
      ["partly", t("It learns part of the task")],
      ["not", t("It stays near chance")],
    ];
  }
  return [
    ...Array.from(
      { length: layers },
      (_, layer) =>
        /** @type {[string, string]} */ ([String(layer), t("An induction head in layer {layer}", { layer })]),
    ),
    ["none", t("No induction head")],
  ];
}

/** @returns {import("../frame/concept.js").Preset<TrainingState>[]} */
export function presets() {
  const plain = { guess: "" };
  return [
    {
      name: t("Induction"),
      notice: t("Random tokens, repeated. Two layers of attention, nothing else: what must heads do to predict them?"),
      state: plain,
    },
    {
      name: t("One layer"),
      notice: t(
        "The same with one layer. A head could look for the same token, but what it needs is one position after it.",
      ),
      state: { ...plain, layers: 1, layer: 0 },
    },
    {
      name: t("No positions"),
      notice: t("Two layers, but no information about positions. Which of the two jobs becomes impossible?"),
      state: { ...plain, positions: "none" },
    },
    {
      name: "ALiBi",
      notice: t(
        "Positions as a penalty on distance: each head leans towards the recent past. Is that enough to find the previous token?",
      ),
      state: { ...plain, positions: "alibi" },
    },
    {
      name: t("One key/value head for all"),
      notice: t("All four query heads of a layer share one KV head (multi-query attention)."),
      state: { ...plain, kv: "1" },
    },
    {
      name: t("Cosine scores"),
      notice: t("Only angles count, times ten. Induction forms somewhat later; compare the two loss curves."),
      state: { ...plain, mechanism: "cosine" },
    },
    {
      name: t("Reversing"),
      notice: t(
        "“a b c = c b a”: each token is followed by the one that preceded it. Which offset will the maps show?",
      ),
      state: { ...plain, task: "reverse" },
    },
    {
      name: t("Sorting without positions"),
      notice: t(
        "Sorting depends on which numbers there are, not on where they are. Can it be learned with no positions at all?",
      ),
      state: { ...plain, task: "sort", positions: "none" },
    },
    {
      name: t("Brackets"),
      notice: t(
        "After each “·” comes the bracket that closes the last open one: the network must keep count of the depth.",
      ),
      state: { ...plain, task: "brackets", steps: 500 },
    },
    {
      name: t("Steps too large"),
      notice: t("A thousand times the learning rate. What does a failing run look like?"),
      state: { ...plain, rate: 10 },
    },
  ];
}
