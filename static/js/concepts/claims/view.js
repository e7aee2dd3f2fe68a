/** Claims as cards: the reference and whose it is, what was measured, and whether the one bears out the other. */

import { barPlot } from "../../charts/plots/bar_plot.js";
import { chartView, drawnView } from "../frame/views.js";
import { claimSays, referenceSays, verdictSays } from "./steps.js";
import { GROUPS, ordered } from "./state.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { headCode } from "../../wording/labels.js";

/** @typedef {import("../frame/concept.js").ConceptView<import("./state.js").ClaimsData>} View */

/** @type {View} */
export const claimsView = drawnView((element, { set }) => {
  return ({ state, answer }) => {
    const focused = [...element.querySelectorAll("button")].findIndex((button) => button === document.activeElement);
    const shown = ordered(answer);
    const parts = GROUPS.flatMap((group) => {
      const cards = shown
        .filter((entry) => entry.group === group)
        .map(({ claim, index }) => cardOf(claim, index === state.claim, () => set({ claim: index }, "pick")));
      return cards.length ? [el("h3", {}, groupSays(group)), el("ul", { class: "claims" }, ...cards)] : [];
    });
    fill(element, ...parts);
    element.querySelectorAll("button")[focused]?.focus();
  };
});

/** @param {typeof GROUPS[number]} group */
function groupSays(group) {
  if (group === "measured") return t("Measured here, on the chosen model");
  return group === "measurable"
    ? t("Can be measured here: choose the model above")
    : t("Not measured: the weights are not available here");
}

/**
 * @param {import("./steps.js").Claim} claim
 * @param {boolean} isChosen
 * @param {() => void} onPick
 */
function cardOf(claim, isChosen, onPick) {
  const kind = claim.holds === null ? "is-open" : claim.holds ? "is-good" : "is-bad";
  const title = { type: "button", class: "claim-title", "aria-pressed": String(isChosen), onclick: onPick };
  const measured = claim.measured === null ? "–" : fixed(claim.measured, 3);
  return el(
    "li",
    { class: `claim ${kind}${isChosen ? " is-chosen" : ""}` },
    el(
      "div",
      { class: "claim-line" },
      el("button", title, claimSays(claim)),
      el("span", { class: "claim-verdict" }, claim.available ? verdictSays(claim) : t("weights not available")),
    ),
    el(
      "div",
      { class: "claim-line note" },
      el("span", { translate: "no" }, claim.model_title.replace(/ \(.*/, "")),
      el(
        "dl",
        { class: "claim-numbers" },
        el("dt", {}, claim.label),
        el("dd", {}, referenceSays(claim)),
        el("dt", {}, t("measured")),
        el("dd", {}, measured),
        ...(claim.others === null
          ? []
          : [el("dt", {}, t("from other tokens, on average")), el("dd", {}, fixed(claim.others, 3))]),
      ),
    ),
  );
}

/** All claims, the chosen one marked. @type {View} */
export const measuredView = chartView(barPlot, ({ state, answer }) => {
  const shown = ordered(answer);
  const claims = shown.map(({ claim }) => claim);
  return {
    title: t("Reference and measured"),
    names: claims.map(placeOf),
    titles: claims.map((claim) => `${claim.model_title}: ${claimSays(claim)} (${claim.label})`),
    series: [
      { name: t("reference"), values: claims.map((claim) => claim.reference), colour: 7 },
      { name: t("measured"), values: claims.map((claim) => claim.measured), colour: 0 },
    ],
    axis: t("head"),
    unit: t("weight or score"),
    most: 1.05,
    digits: 3,
    chosen: { index: shown.findIndex(({ index }) => index === state.claim), name: t("chosen") },
  };
});

/** Where the claimed head is, or the claimed layers. @param {import("./steps.js").Claim} claim */
function placeOf({ layer, last_layer: last, head }) {
  return head === null ? `L${layer}–L${last}` : headCode(layer, head, 0);
}
