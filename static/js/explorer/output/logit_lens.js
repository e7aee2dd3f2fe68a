/** Logit lens: the predictions after each layer, and the rank of one token there. */

import { el, fill, keepingFocus } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { t } from "../../base/i18n.js";
import { piecesById } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { tokenName } from "../../wording/token_name.js";

/** @typedef {import("../../api/output.js").LensState} LensState */

/**
 * @typedef {object} LogitLensData
 * @property {import("../../api/output.js").LogitLens} lens
 * @property {0 | 1} numbering
 */

/**
 * @param {HTMLElement} element
 * @param {LogitLensData} data
 * @param {{onPick?: (token: number) => void}} options  without which nothing is pressed
 * @returns {import("../../base/mount.js").View<LogitLensData>}
 */
export function logitLensView(element, data, { onPick }) {
  /** @param {LogitLensData} next */
  function draw({ lens, numbering }) {
    const label = t("Prediction after each layer");
    const known = lens.states.flatMap(({ candidates }) => candidates);
    const nameOf = piecesById([{ id: lens.token_id, text: lens.token_text }, ...known]);
    const [first] = lens.states;
    const cell = (/** @type {LensState["candidates"][number]} */ candidate) =>
      candidateCell(candidate, tokenName(nameOf(candidate.id)), candidate.id === lens.token_id, onPick);
    const heads = [
      el("th", { scope: "col" }, t("after layer")),
      el("th", { scope: "col", class: "lens-followed" }, tokenName(nameOf(lens.token_id))),
      el("th", { scope: "col" }, t("rank")),
      el("th", { scope: "col" }, t("entropy")),
      el("th", { scope: "colgroup", colspan: first.candidates.length }, t("most probable token")),
    ];
    const table = el(
      "table",
      { class: "lens-table" },
      el("caption", { class: "visually-hidden" }, label),
      el("thead", {}, el("tr", {}, ...heads)),
      el("tbody", {}, ...lens.states.map((state) => row(state, numbering, state.candidates.map(cell)))),
    );
    keepingFocus(element, () =>
      fill(
        element,
        el("div", { class: "lens-scroller", tabindex: 0, role: "region", "aria-label": label }, table),
        el(
          "p",
          { class: "note" },
          t("Rank 1 is the most probable token. Entropy in nats over all probabilities."),
          onPick && ` ${t("Click a token to follow it.")}`,
        ),
      ),
    );
  }

  return drawnView(element, data, draw);
}

/**
 * @param {LensState} state
 * @param {0 | 1} numbering
 * @param {HTMLElement[]} candidates  cells
 */
function row({ layer, probability, rank, entropy }, numbering, candidates) {
  const bar = el("span", { class: "lens-bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", String(probability));
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, layer < 0 ? t("embedding") : layer + numbering),
    el("td", { class: "lens-followed" }, said(probability), bar),
    el("td", {}, rank + 1),
    el("td", {}, fixed(entropy, 2)),
    ...candidates,
  );
}

/**
 * @param {LensState["candidates"][number]} candidate
 * @param {HTMLElement} name
 * @param {boolean} isFollowed
 * @param {((token: number) => void) | undefined} onPick
 */
function candidateCell({ id, probability }, name, isFollowed, onPick) {
  const what = { class: isFollowed ? "lens-token is-followed" : "lens-token" };
  const pressed = { type: "button", "aria-pressed": String(isFollowed), onclick: () => onPick?.(id) };
  const button = el(
    onPick ? "button" : "span",
    onPick ? { ...what, ...pressed } : what,
    name,
    el("span", { class: "lens-number" }, said(probability)),
  );
  button.style.setProperty("--share", String(probability));
  return el("td", { class: "lens-candidate" }, button);
}

/** @param {number} probability */
function said(probability) {
  return probability > 0 && probability < 0.0005 ? "<0.001" : fixed(probability, 3);
}
