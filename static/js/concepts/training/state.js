/** The training page as data: its fields and the run that a state asks for. */

import { choice, flag, number, text, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} TrainingState */

const TASKS = /** @type {const} */ (["repeat", "copy", "reverse", "sort", "brackets"]);
const MOST_LAYERS = 6;
const MOST_HEADS = 8;
const MOST_SEED = 2 ** 32 - 1;
const LONGEST_ID = 64;
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
  run: text("", LONGEST_ID),
};

/**
 * The body of `POST /api/training`.
 * @param {Readonly<import("../../base/fields.js").ValuesOf<typeof fields>>} state
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

/**
 * The settings of a run: the inverse of `request`.
 * @param {import("../../api/training.js").RunAnswer["config"]} config
 * @returns {Partial<TrainingState>}
 */
export function settingsOf(config) {
  const { task, num_layers: layers, num_heads: heads, positions, mechanism, steps, seed } = config;
  return {
    task,
    layers,
    heads,
    positions,
    mechanism,
    steps,
    seed,
    kv: isGrouped(config) ? /** @type {TrainingState["kv"]} */ (String(config.num_kv_heads)) : "all",
    width: /** @type {TrainingState["width"]} */ (String(config.d_model)),
    mlp: config.feed_forward,
    rate: config.learning_rate,
  };
}

/** Whether query heads share key/value heads. @param {import("../../api/training.js").RunAnswer["config"]} config */
export function isGrouped({ num_kv_heads: kept, num_heads: heads }) {
  return kept !== null && kept !== heads;
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
