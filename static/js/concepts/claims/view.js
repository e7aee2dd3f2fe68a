/** Claims as cards: what was published, what was measured, and whether the one bears out the other. */

import { claimSays, publishedSays, verdictSays } from "./steps.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";

/** @typedef {{claims: import("./steps.js").Claim[], chosen: number}} ClaimsData */

/**
 * @param {HTMLElement} element
 * @param {ClaimsData} data
 * @param {{onPick: (claim: number) => void}} options
 * @returns {import("../../api/types.js").View<ClaimsData>}
 */
export function claimsView(element, data, { onPick }) {
  const list = el("ul", { class: "claims" });
  fill(element, list);

  /** @param {ClaimsData} next */
  function draw({ claims, chosen }) {
    const focused = [...list.querySelectorAll("button")].findIndex((button) => button === document.activeElement);
    fill(list, ...claims.map((claim, index) => cardOf(claim, index, index === chosen)));
    list.querySelectorAll("button")[focused]?.focus();
  }

  /**
   * @param {import("./steps.js").Claim} claim
   * @param {number} index
   * @param {boolean} isChosen
   */
  function cardOf(claim, index, isChosen) {
    const kind = claim.holds === null ? "is-open" : claim.holds ? "is-good" : "is-bad";
    const title = {
      type: "button",
      class: "claim-title",
      "aria-pressed": String(isChosen),
      onclick: () => onPick(index),
    };
    return el(
      "li",
      { class: `claim ${kind}${isChosen ? " is-chosen" : ""}` },
      el("button", title, claimSays(claim)),
      el("p", { class: "note" }, claim.model_title),
      el(
        "dl",
        { class: "facts" },
        el("div", {}, el("dt", {}, t("published")), el("dd", {}, publishedSays(claim))),
        el(
          "div",
          {},
          el("dt", {}, t("measured")),
          el("dd", {}, claim.measured === null ? "–" : fixed(claim.measured, 3)),
        ),
      ),
      el("p", { class: "claim-verdict" }, claim.available ? verdictSays(claim) : t("weights not at hand")),
    );
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
}
