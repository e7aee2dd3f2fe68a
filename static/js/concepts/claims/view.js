/** Claims as cards: what was published, what was measured, and whether the one bears out the other. */

import { barsMark } from "../../charts/bars.js";
import { chartView, drawnView } from "../frame/views.js";
import { chosenClaim } from "./state.js";
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

/** @type {View} */
export const measuredView = chartView(barsMark, (data) => {
  const claim = chosenClaim(data);
  const { published, measured } = claim;
  return {
    title: t("Published and measured"),
    names: measured === null ? [t("published")] : [t("published"), t("measured")],
    series: [{ name: claimSays(claim), values: measured === null ? [published] : [published, measured] }],
    most: 1,
    height: 170,
  };
});
