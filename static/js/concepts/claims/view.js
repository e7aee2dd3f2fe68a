/** Claims as cards: what was published, what was measured, and whether the one bears out the other. */

import { barPlot } from "../../charts/bar_plot.js";
import { chartView, drawnView } from "../frame/views.js";
import { claimSays, publishedSays, verdictSays } from "./steps.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";

/** @typedef {import("../frame/concept.js").ConceptView<import("./state.js").ClaimsData>} View */

/** @type {View} */
export const claimsView = drawnView((element, { set }) => {
  const list = el("ul", { class: "claims" });
  fill(element, list);
  return ({ state, answer }) => {
    const focused = [...list.querySelectorAll("button")].findIndex((button) => button === document.activeElement);
    const cards = answer.claims.map((claim, index) =>
      cardOf(claim, index === state.claim, () => set({ claim: index }, "pick")),
    );
    fill(list, ...cards);
    list.querySelectorAll("button")[focused]?.focus();
  };
});

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
      el("span", {}, claim.model_title),
      el(
        "dl",
        { class: "claim-numbers" },
        el("dt", {}, t("published")),
        el("dd", {}, publishedSays(claim)),
        el("dt", {}, t("measured")),
        el("dd", {}, measured),
      ),
    ),
  );
}

/** All claims, the chosen one marked. @type {View} */
export const measuredView = chartView(barPlot, ({ state, answer: { claims } }) => ({
  title: t("Published and measured"),
  names: claims.map(placeOf),
  titles: claims.map((claim) => `${claim.model_title}: ${claimSays(claim)}`),
  series: [
    { name: t("published"), values: claims.map((claim) => claim.published), colour: 7 },
    { name: t("measured"), values: claims.map((claim) => claim.measured), colour: 0 },
  ],
  axis: t("layer.head"),
  unit: t("weight or score"),
  most: 1.05,
  digits: 3,
  chosen: { index: Math.min(state.claim, claims.length - 1), name: t("chosen") },
}));

/** Where the claimed head is, or the claimed layers. @param {import("./steps.js").Claim} claim */
function placeOf({ layer, last_layer: last, head }) {
  return head === null ? `${layer}–${last}` : `${layer}.${head}`;
}
