/** Names of the maps of rollout and flow, and a hint on moving in them. */

import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** @typedef {"rollout" | "means" | "flow"} What */

/** @param {What} what */
export function nameOf(what) {
  return { rollout: t("rollout"), means: t("mean of heads"), flow: t("flow") }[what];
}

/**
 * @param {What} what
 * @param {number} layer  as it is counted on the screen
 */
export function headingOf(what, layer) {
  return {
    rollout: t("Rollout: what the query is a mixture of after each layer"),
    means: t("Mean of the heads: what the query attends to in each layer"),
    flow: t("Flow: how much can reach the query up to layer {layer}", { layer }),
  }[what];
}

/** @param {What} what */
export function axesOf(what) {
  const rows = what === "means" ? t("in layer ↓") : t("after layer ↓");
  const cols = what === "means" ? t("key →") : t("input token →");
  const scale = what === "flow" && el("span", { class: "note" }, t("colours from 0 to 1"));
  return [el("span", { class: "is-query" }, rows), " ", el("span", { class: "is-key" }, cols), " ", scale];
}

export function keysNote() {
  return el(
    "p",
    { class: "note matrix-keys", id: "rollout-keys" },
    t(
      "Click a row to choose its layer, or a token in the text above for another query. Keyboard: arrow keys move the cell, + and − zoom, Escape shows all tokens.",
    ),
  );
}
