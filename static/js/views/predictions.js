/** What the model expects at a token: the next one, or the masked one. */

import { el, fill } from "../dom.js";
import { t } from "../i18n.js";
import { tokenLabel } from "../labels.js";
import { fixed } from "../numbers.js";

/** @typedef {import("../types.js").Prediction} Prediction */
/** @typedef {import("../types.js").Token} Token */

/** @typedef {{predictions: Prediction[], tokens: Token[]}} PredictionsData */

/**
 * @param {HTMLElement} element
 * @param {PredictionsData} data
 * @returns {import("../types.js").View<PredictionsData>}
 */
export function predictionsView(element, data) {
  /** @param {PredictionsData} next */
  function draw({ predictions, tokens }) {
    if (predictions.length === 0) {
      fill(element, el("p", { class: "note" }, t("This model has no part that predicts tokens.")));
      return;
    }
    fill(element, ...predictions.map((prediction) => list(prediction, tokens)));
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
}

/**
 * @param {Prediction} prediction
 * @param {Token[]} tokens
 */
function list({ kind, index, candidates }, tokens) {
  const token = tokens[index];
  const label = token ? tokenLabel(token) : String(index);
  const title = {
    next_token: t("After {token}", { token: label }),
    masked_token: t("In place of {token}", { token: label }),
    class: t("Classes, read from {token}", { token: label }),
  }[kind];
  return el(
    "div",
    {},
    el("p", { class: "reads-title" }, title),
    el(
      "ol",
      { class: "reads" },
      ...candidates.map((candidate) => {
        const bar = el("span", { class: "reads-bar is-plain", "aria-hidden": "true" });
        bar.style.setProperty("--share", String(candidate.probability));
        const name = tokenLabel({ index: 0, ...candidate, start: null, end: null, special: false, segment: null });
        return el(
          "li",
          { class: "reads-item", title: t("logit {value}", { value: fixed(candidate.logit, 3) }) },
          el("span", { class: "reads-name" }, el("bdi", {}, name)),
          el("span", { class: "reads-value" }, fixed(candidate.probability, 3)),
          bar,
        );
      }),
    ),
  );
}
