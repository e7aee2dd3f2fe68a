/** The settings of a run in the words of the form, and those by which two runs, or a run and the form, differ. */

import { isGrouped, request } from "./state.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../api/training.js").RunAnswer["config"]} Config */
/** @typedef {{label: string, value: string}} Setting */

/**
 * Labels and values as the form has them, in its order.
 * @param {Config} config
 * @returns {Setting[]}
 */
export function settingsInWords(config) {
  /** @type {[string, string | number][]} */
  const settings = [
    [t("Task"), wordOf(tasks(), config.task)],
    [t("Positions"), wordOf(positions(), config.positions)],
    [t("Scores"), wordOf(mechanisms(), config.mechanism)],
    [t("Layers"), config.num_layers],
    [t("Query heads"), config.num_heads],
    [t("Key/value heads"), isGrouped(config) ? Number(config.num_kv_heads) : t("one each")],
    [t("Width"), config.d_model],
    [t("Learning rate"), config.learning_rate],
    [t("Steps"), config.steps],
    [t("Seed"), config.seed],
    [t("feed-forward layers"), config.feed_forward ? t("with") : t("without")],
  ];
  return settings.map(([label, value]) => ({ label, value: String(value) }));
}

/**
 * Of which settings the curves are, where the form has others by now; "" where it has not.
 * @param {Config} config  of the run that is drawn
 * @param {Readonly<import("./state.js").TrainingState>} state
 */
export function settingsNote(config, state) {
  const asked = /** @type {Config} */ ({ num_kv_heads: null, feed_forward: false, ...request(state) });
  const apart = settingsApart(config, asked).map(({ label, values: [value] }) => `${label} ${value}`);
  const settings = apart.join(" · ");
  return settings && t("The settings have changed since. These curves are of: {settings}", { settings });
}

/**
 * The settings in which two differ.
 * @param {Config} a
 * @param {Config} b
 * @returns {{label: string, values: [string, string]}[]}
 */
export function settingsApart(a, b) {
  const others = settingsInWords(b);
  return settingsInWords(a).flatMap(({ label, value }, index) =>
    value === others[index].value ? [] : [{ label, values: [value, others[index].value] }],
  );
}

/** @param {Record<string, string>} words @param {string} name  which stands for itself where there is no other word */
const wordOf = (words, name) => words[name] ?? name;

/** @returns {Record<string, string>} */
const tasks = () => ({
  repeat: t("repeated sequences"),
  copy: t("copying"),
  reverse: t("reversing"),
  sort: t("sorting"),
  brackets: t("closing brackets"),
});

/** @returns {Record<string, string>} */
const positions = () => ({ none: t("none"), sinusoidal: t("sinusoidal"), rope: "RoPE", alibi: "ALiBi" });

/** @returns {Record<string, string>} */
const mechanisms = () => ({ scaled: t("scaled dot product"), cosine: t("cosine"), qk_norm: "QK-norm" });
