/** Choose an output and a study of it: candidates at one position, one followed, another subtracted. */

import { el, fill, smallButton } from "../../base/dom.js";
import { drawnView } from "../../base/mount.js";
import { t } from "../../base/i18n.js";
import { piecesById, tokenLabel } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { numberedName, tokenName } from "../../wording/token_name.js";
import { segmented } from "../widgets/segmented.js";

/** @typedef {import("../../api/output.js").Look} Look */
/** @typedef {import("../../api/output.js").Output} Output */
/** @typedef {import("../../api/types.js").Token} Token */

/** @typedef {import("../state/chosen_output.js").Choice} Choice */

/**
 * @typedef {object} OutputData
 * @property {Output} output
 * @property {Token | null} token  position of the output
 * @property {Choice[]} further  choices besides the candidates
 * @property {number | null} followed
 * @property {number | null} against
 * @property {Look} look
 * @property {number | null} aim  another token, at which the model's own prediction is read
 * @property {0 | 1} numbering
 */

/**
 * @typedef {object} OutputOptions
 * @property {(token: number) => void} [onFollow]  without which nothing else can be followed
 * @property {(token: number | null) => void} [onAgainst]
 * @property {(look: Look) => void} onLook
 * @property {(query: number) => void} [onAim]
 */

/** @returns {Record<Look, string>} */
function lookNames() {
  return {
    logit_lens: t("Logit lens"),
    direct_effect: t("Direct effect"),
    attribution: t("Gradient × attention"),
  };
}

/**
 * @param {HTMLElement} element
 * @param {OutputData} data
 * @param {OutputOptions} options
 * @returns {import("../../base/mount.js").View<OutputData>}
 */
export function outputView(element, data, options) {
  const title = el("p", { class: "token-title" });
  const aiming = el("div");
  const candidates = el("div", { class: "output-candidates" });
  const looks = el("div", { class: "output-looks" });
  const meaning = el("p", { class: "note output-meaning" });
  fill(element, el("div", { class: "stage-line" }, title, aiming), candidates, looks, meaning);
  /** The data from which the fields were built; while it stays the same they are kept, with their focus. */
  let built = "";
  /** @type {ReturnType<typeof candidateFields> | null} */
  let fields = null;
  /** @type {ReturnType<typeof lookChoice> | null} */
  let choice = null;

  return drawnView(element, data, (next) => {
    const { output, further, look } = next;
    const key = JSON.stringify([output.candidates, further, output.looks]);
    if (key !== built) {
      fields = candidateFields(next, options);
      choice = lookChoice(output.looks, options.onLook);
      fill(candidates, ...fields.nodes);
      fill(looks, choice.element);
      looks.hidden = output.looks.length < 2;
    }
    built = key;
    fill(title, ...titleOf(next));
    fill(aiming, aimButton(next, options.onAim));
    fields?.show(next);
    choice?.check(look);
    fill(meaning, meaningOf(look));
  });
}

/** @param {OutputData} data */
function titleOf({ output, token, numbering }) {
  const said = {
    next_token: t("After this token the model predicts:"),
    masked_token: t("In place of this token the model predicts:"),
    class: t("The model classifies the whole input as:"),
    embedding: t(
      "This model predicts no tokens. It returns the text's embedding e, the mean of its last hidden states; the output studied here is the length of e, ‖e‖.",
    ),
  }[output.kind];
  const name = token ? [...numberedName(token, numbering, { class: "is-query" }), " "] : [];
  return [...name, el("span", { class: "note" }, said)];
}

/**
 * The way to the token at which the model's own prediction is read; null where one is there.
 * @param {OutputData} data
 * @param {OutputOptions["onAim"]} onAim
 */
function aimButton({ output, aim }, onAim) {
  if (!onAim || aim === null) return null;
  const where = output.kind === "next_token" ? t("Go to the last token") : t("Go to the masked token");
  return smallButton(where, () => onAim(aim));
}

/**
 * @param {readonly Look[]} looks
 * @param {(look: Look) => void} onLook
 */
function lookChoice(looks, onLook) {
  const names = lookNames();
  const choices = looks.map((look) => /** @type {const} */ ([look, names[look]]));
  return segmented({ name: "look", legend: t("How it came about"), choices, onPick: onLook });
}

/**
 * The candidates, of which one is followed, and the tokens beside them; in a saved file, where no other can be
 * followed, the candidates alone.
 * @param {OutputData} data
 * @param {OutputOptions} options
 */
function candidateFields({ output, further }, { onFollow, onAgainst }) {
  const known = output.candidates;
  const nameOf = piecesById([...known, ...further], output.kind === "class");
  const chips = known.map((token) => chip(token, nameOf(token.id)));
  if (known.length === 0) return { nodes: [], show: () => {} };
  if (!onFollow || !onAgainst) {
    const show = (/** @type {OutputData} */ { followed }) =>
      chips.forEach((chip, index) => chip.classList.toggle("is-followed", known[index].id === followed));
    return { nodes: [el("div", { class: "output-chips" }, ...chips)], show };
  }
  const radios = known.map(({ id }) =>
    el("input", { type: "radio", name: "followed", value: id, onchange: () => onFollow(id) }),
  );
  const legend = el("legend", { class: "visually-hidden" }, t("Token to follow"));
  const labels = chips.map((chip, index) => el("label", {}, radios[index], chip));
  const follow = select(further, nameOf, t("another token of the text"), (id) => id !== null && onFollow(id));
  const against = select([...known, ...further], nameOf, t("nothing"), onAgainst);
  const less = el("label", {}, t("minus the logit of"), " ", against);
  const other = further.length > 0 && el("label", {}, t("or"), " ", follow);
  return {
    nodes: [
      el("fieldset", { class: "output-chips" }, legend, ...labels),
      el("div", { class: "output-selects" }, other, less),
    ],
    /** @param {OutputData} data */
    show(data) {
      const isListed = known.some(({ id }) => id === data.followed);
      for (const radio of radios) radio.checked = radio.value === String(data.followed);
      follow.value = isListed ? "" : String(data.followed);
      against.value = data.against === null ? "" : String(data.against);
      less.hidden = data.output.kind === "embedding" || data.look === "logit_lens";
    },
  };
}

/**
 * @param {import("../../api/types.js").Candidate} candidate
 * @param {Token} piece  by which it is named
 */
function chip({ probability, logit }, piece) {
  return el(
    "span",
    { class: "output-chip", title: t("logit {value}", { value: fixed(logit, 3) }) },
    tokenName(piece),
    el("span", { class: "output-share" }, fixed(probability, 3)),
  );
}

/**
 * @param {Choice[]} choices
 * @param {(id: number) => Token} nameOf
 * @param {string} none
 * @param {(id: number | null) => void} onPick
 */
function select(choices, nameOf, none, onPick) {
  const options = choices.map(({ id }) => el("option", { value: id }, tokenLabel(nameOf(id))));
  const field = el(
    "select",
    { onchange: () => onPick(field.value === "" ? null : Number(field.value)) },
    el("option", { value: "" }, none),
    ...options,
  );
  return field;
}

/**
 * What a study shows, its source, and what it does not show.
 * @param {Look} look
 */
function meaningOf(look) {
  return {
    logit_lens: t(
      "What the model would predict if no further layer followed: the token's hidden state after each layer, passed through the final norm and the output matrix (nostalgebraist 2020). Early layers are not trained for this, so what they show may not be a meaningful prediction.",
    ),
    direct_effect: t(
      "What each head writes directly into the logit: its output passed through the final norm, whose scale is held fixed, and the token's row of the output matrix (Elhage et al. 2021). Effects of a head through later layers are counted there, not here.",
    ),
    attribution: t(
      "Each weight times the gradient of the output with respect to it, summed over a head: to first order, how much the output would fall if the weights went to 0 (Serrano & Smith 2019; Barkan et al. 2021). A first-order estimate can mislead for so large a change: switch the head off under “What if …” to see the real effect.",
    ),
  }[look];
}
