/** Where and how fast an analysis was computed, and a comparison with the library's own attention. */

import { isUploaded, isWeightsOnly } from "../../api/analyses.js";
import { el, fill, plainButton } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { t } from "../../base/i18n.js";
import { duration, small } from "../../base/numbers.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").Parity} Parity */

/**
 * @typedef {object} ComputationData
 * @property {Analysis} analysis
 * @property {"none" | "running" | "done" | "failed"} check
 * @property {Parity | null} parity
 * @property {string} problem
 */

/**
 * @param {HTMLElement} element
 * @param {ComputationData} data
 * @param {{onCheck: () => void}} options
 * @returns {import("../../base/mount.js").View<ComputationData>}
 */
export function computationView(element, data, { onCheck }) {
  const facts = el("dl", { class: "facts" });
  const button = plainButton(null, onCheck);
  const result = el("div", { "aria-live": "polite" });
  const checked = el("p", { class: "note" });
  fill(element, facts, checked, button, result);

  /** @param {ComputationData} next */
  function draw({ analysis, check, parity, problem }) {
    const steps = Object.entries(analysis.timings_ms).map(([name, ms]) => [stepName(name), duration(ms)]);
    const rows = [[t("device"), analysis.device], [t("data type"), analysis.dtype], ...steps];
    fill(facts, ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
    const selfCheck = typeof analysis.model === "string" ? null : analysis.model.self_check;
    checked.textContent = selfCheck ? selfCheckLine(selfCheck) : "";
    checked.hidden = !selfCheck;
    button.textContent = check === "running" ? t("Comparing …") : t("Compare with the library's own attention");
    button.setAttribute("aria-disabled", String(check === "running"));
    const obstacle = obstacleTo(analysis);
    button.disabled = obstacle !== "";
    fill(
      result,
      obstacle && el("p", { class: "note" }, obstacle),
      check === "done" && parity && verdict(parity),
      check === "failed" && problemNote(problem),
    );
  }

  return drawnView(element, data, draw);
}

/** @param {import("../../api/types.js").SelfCheck} selfCheck */
function selfCheckLine({ weights, last_hidden_state: state, tokens }) {
  return weights === null
    ? t("✓ Checked against the library when loaded, on {tokens} random tokens: last hidden state within {state}.", {
        tokens,
        state: small(state),
      })
    : t("✓ Checked against the library when loaded, on {tokens} random tokens: weights within {weights}.", {
        tokens,
        weights: small(weights),
      });
}

/** Why nothing can be compared; "" if it can. @param {Analysis} analysis */
function obstacleTo(analysis) {
  if (isUploaded(analysis.id)) {
    return t("No model ran here on uploaded tensors, so there is no library result to compare them with.");
  }
  return isWeightsOnly(analysis)
    ? t("Weights only: these are the library's own, and there is nothing to compare them with.")
    : "";
}

/** @param {string} problem */
function problemNote(problem) {
  return el("p", { class: "field-error" }, problem);
}

/**
 * @param {Parity} parity
 */
function verdict({ weights, last_hidden_state: state, relative_hidden_state: share, bound, within_bound: agrees }) {
  return el(
    "div",
    { class: "parity" },
    el(
      "p",
      { class: agrees ? "is-good" : "is-bad" },
      agrees
        ? t("✓ They agree within {bound}.", { bound: small(bound) })
        : t("✗ They differ by more than {bound}.", { bound: small(bound) }),
    ),
    el(
      "dl",
      { class: "facts" },
      el("div", {}, el("dt", {}, t("largest difference of weights")), el("dd", {}, small(weights))),
      el("div", {}, el("dt", {}, t("largest difference of the last hidden state")), el("dd", {}, small(state))),
      el("div", {}, el("dt", {}, t("relative to its largest value")), el("dd", {}, small(share))),
    ),
  );
}

/** @param {string} name */
function stepName(name) {
  /** @type {Record<string, string>} */
  const names = {
    tokenize: t("tokenise"),
    forward: t("forward pass"),
    overview: t("thumbnails"),
    metrics: t("metrics"),
    predictions: t("predictions"),
    parity: t("comparison"),
    total: t("total"),
  };
  return names[name] ?? name;
}
