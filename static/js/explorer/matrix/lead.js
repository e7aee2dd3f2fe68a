/** What the matrix shows, in one sentence over it with what a row and a column are; it can be put away for good. */

import { el, fill, need } from "../../base/dom.js";
import { sentences, t } from "../../base/i18n.js";
import { KEYS } from "../../base/kept.js";
import { drawnView } from "../../base/mount.js";
import { isUploaded } from "../../api/analyses.js";
import { caveats, cellSentence, rowAndColumn } from "../../wording/cell_sentence.js";
import { markOf } from "../state/changes/changed_heads.js";

/** @typedef {import("../../wording/cell_sentence.js").Cell} Cell */

/**
 * @param {HTMLElement} element
 * @param {Cell} data
 * @returns {import("../../base/mount.js").View<Cell>}
 */
export function leadView(element, data) {
  const said = el("p", { class: "lead-said" });
  const about = el("span", {});
  const axes = el("span", { class: "lead-axes" });
  const hasGuide = element.ownerDocument.querySelector("#guide") !== null;
  const guide = hasGuide && el("button", { type: "button", class: "guide-start" }, t("Look around in five steps"));
  const note = el("p", { class: "note" }, about, axes, guide && " ", guide);
  const close = el(
    "button",
    { type: "button", class: "series-close", "aria-label": t("Put this explanation away") },
    "×",
  );
  close.addEventListener("click", () => showLead(element.ownerDocument, false));
  fill(element, el("div", { class: "lead-text" }, said, note), close);
  return drawnView(element, data, (next) => {
    const pieces = cellSentence(next).map((piece) =>
      typeof piece === "string" ? piece : el("bdi", { class: `is-${piece.side}` }, piece.label),
    );
    if (said.textContent !== pieces.map((piece) => (typeof piece === "string" ? piece : piece.textContent)).join(""))
      fill(said, ...pieces);
    const meant = sentences(rowAndColumn(next));
    about.textContent = sentences([...caveats(next), meant]).slice(0, -meant.length);
    axes.textContent = meant;
  });
}

/**
 * @param {import("../widgets/panel.js").Scene} scene
 * @param {import("./shown_map.js").ShownMap} map
 * @param {import("../widgets/reads.js").ReadsData} reads  the row of the chosen query
 * @returns {Cell}
 */
export function leadOf({ value, analysis, part, changed }, { queries, keys, heads, isMean }, reads) {
  const isHiding = keys.places.includes(-1);
  return {
    query: reads.query,
    queries: queries.tokens,
    keys: keys.tokens,
    key: reads.key,
    row: reads.weights,
    stage: reads.stage,
    numbering: reads.numbering,
    isCross: part.query_side !== part.key_side,
    isCausal: part.causal,
    heads: isMean ? heads : 1,
    isChanged: analysis.interventions.length > 0,
    isOff: !isMean && markOf(changed, value) === "off",
    hiding: isHiding ? (value.renormalise && reads.stage === "weights" ? "renormalised" : "hidden") : "",
    isGiven: isUploaded(analysis.id),
    hasSink: !!part.sink_shares,
  };
}

/**
 * Shows the explanation, or puts it away until it is asked for again.
 * @param {Document} root
 * @param {boolean} isShown
 */
function showLead(root, isShown) {
  const { documentElement: page } = root;
  if (isShown) delete page.dataset.lead;
  else page.dataset.lead = "off";
  need(root, isShown ? "#lead .series-close" : "#explain").focus();
  if (root.body.classList.contains("is-bare")) return; // embedded pages store nothing
  try {
    if (isShown) localStorage.removeItem(KEYS.lead);
    else localStorage.setItem(KEYS.lead, "off");
  } catch {
    // Storage may be forbidden: then it is put away for this visit.
  }
}

/** The button that brings it back. @param {HTMLElement} panel */
export function bindExplain(panel) {
  need(panel, "#explain").addEventListener("click", () => showLead(panel.ownerDocument, true));
}
