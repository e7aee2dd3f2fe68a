/** Which output is looked at, and how: the candidates of one position, one of them followed, another subtracted. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { piecesById, tokenLabel } from "../../wording/labels.js";
import { fixed } from "../../base/numbers.js";
import { tokenName } from "../../wording/token_name.js";

/** @typedef {import("../../api/output.js").Look} Look */
/** @typedef {import("../../api/output.js").Output} Output */
/** @typedef {import("../../api/types.js").Token} Token */

/** @typedef {{id: number, text: string}} Choice */

/**
 * @typedef {object} OutputData
 * @property {Output} output
 * @property {Token | null} token  at which the model says it
 * @property {Choice[]} further  that may be chosen although they are no candidates
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
export function lookNames() {
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
 * @returns {import("../../api/types.js").View<OutputData>}
 */
export function outputView(element, data, { onFollow, onAgainst, onLook, onAim }) {
  const title = el("p", { class: "token-title" });
  const aiming = el("div");
  const candidates = el("div", { class: "output-candidates" });
  const looks = el("div", { class: "output-looks" });
  const meaning = el("p", { class: "note output-meaning" });
  fill(element, el("div", { class: "stage-line" }, title, aiming), candidates, looks, meaning);
  /** What the fields were built from; they are kept while it stays the same, with the focus in them. */
  let built = "";
  /** @type {HTMLInputElement[]} */
  let radios = [];
  /** @type {{follow: HTMLSelectElement, against: HTMLSelectElement} | null} */
  let selects = null;

  /** @param {OutputData} next */
  function draw(next) {
    const { output, further, followed, against, look } = next;
    const key = JSON.stringify([output.candidates, further, output.looks]);
    if (key !== built) build(next);
    built = key;
    drawTitle(next);
    for (const radio of radios) radio.checked = radio.value === (radio.name === "look" ? look : String(followed));
    const isListed = output.candidates.some(({ id }) => id === followed);
    if (selects) selects.follow.value = isListed ? "" : String(followed);
    if (selects) selects.against.value = against === null ? "" : String(against);
    const has = { against: output.kind !== "embedding" && look !== "logit_lens" };
    selects?.against.closest("label")?.toggleAttribute("hidden", !has.against);
    fill(meaning, meaningOf(look));
  }

  /** @param {OutputData} next */
  function drawTitle({ output, token, aim, numbering }) {
    const name = token && [
      tokenName(token, { class: "is-query" }),
      el("span", { class: "token-index" }, token.index + numbering),
    ];
    const said = {
      next_token: t("After this token, the model says next:"),
      masked_token: t("In the place of this token, the model says:"),
      class: t("The model says that the picture shows:"),
      embedding: t(
        "This model predicts no token. What it gives is the text's embedding e, the mean of its last hidden states; looked at is how far e reaches into its own direction, ‖e‖.",
      ),
    }[output.kind];
    fill(title, ...(name ?? []), name && " ", el("span", { class: "note" }, said));
    const where = output.kind === "next_token" ? t("Go to the last token") : t("Go to the masked token");
    const go = () => aim !== null && onAim?.(aim);
    fill(
      aiming,
      onAim !== undefined &&
        aim !== null &&
        el("button", { type: "button", class: "button is-small", onclick: go }, where),
    );
  }

  /** @param {OutputData} next */
  function build({ output, further, followed }) {
    const known = output.candidates;
    const nameOf = piecesById([...known, ...further]);
    radios = [];
    selects = null;
    if (known.length === 0) fill(candidates);
    else if (!onFollow || !onAgainst) {
      const chips = known.map((one) => face(one, nameOf(one.id)));
      fill(candidates, el("div", { class: "output-chips" }, ...chips));
      known.forEach(({ id }, index) => chips[index].classList.toggle("is-followed", id === followed));
    } else {
      const group = el(
        "fieldset",
        { class: "output-chips" },
        el("legend", { class: "visually-hidden" }, t("The token that is followed")),
        ...known.map((one) => chip(one, nameOf(one.id))),
      );
      const follow = select(further, nameOf, t("another token of the text"), (id) => id !== null && onFollow(id));
      const against = select([...known, ...further], nameOf, t("nothing"), onAgainst);
      selects = { follow, against };
      fill(
        candidates,
        group,
        el(
          "div",
          { class: "output-selects" },
          further.length > 0 && el("label", {}, t("or"), " ", follow),
          el("label", {}, t("less the logit of"), " ", against),
        ),
      );
    }
    const names = lookNames();
    const choices = output.looks.map((look) => {
      const input = radio("look", look, () => onLook(look));
      return el("label", {}, input, el("span", {}, names[look]));
    });
    const legend = el("legend", { class: "visually-hidden" }, t("How it came about"));
    fill(looks, el("fieldset", { class: "segmented" }, legend, ...choices));
    looks.hidden = output.looks.length < 2;
  }

  /**
   * @param {import("../../api/types.js").Candidate} candidate
   * @param {import("../../api/types.js").Token} piece  by which it is named
   */
  function chip(candidate, piece) {
    const input = radio("followed", String(candidate.id), () => onFollow?.(candidate.id));
    return el("label", {}, input, face(candidate, piece));
  }

  /**
   * @param {import("../../api/types.js").Candidate} candidate
   * @param {import("../../api/types.js").Token} piece
   */
  function face({ probability, logit }, piece) {
    return el(
      "span",
      { class: "output-chip", title: t("logit {value}", { value: fixed(logit, 3) }) },
      tokenName(piece),
      el("span", { class: "output-share" }, fixed(probability, 3)),
    );
  }

  /**
   * @param {string} name
   * @param {string} value
   * @param {() => void} onchange
   */
  function radio(name, value, onchange) {
    const input = el("input", { type: "radio", name, value, onchange });
    radios.push(input);
    return input;
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
 * @param {Choice[]} choices
 * @param {(id: number) => import("../../api/types.js").Token} nameOf
 * @param {string} none
 * @param {(id: number | null) => void} onPick
 */
function select(choices, nameOf, none, onPick) {
  const options = choices.map(({ id }) => el("option", { value: id }, tokenLabel(nameOf(id))));
  const field = el("select", {}, el("option", { value: "" }, none), ...options);
  field.addEventListener("change", () => onPick(field.value === "" ? null : Number(field.value)));
  return field;
}

/**
 * What a look shows, in one sentence, where it comes from, and what it does not show.
 * @param {Look} look
 */
function meaningOf(look) {
  return {
    logit_lens: t(
      "What the model would say if no further layer followed: the token's state behind each layer, put through the last norm and the output matrix (nostalgebraist 2020). Early layers are not trained to be read in this way: what stands there may be no guess at all.",
    ),
    direct_effect: t(
      "What each head writes straight into the logit: its output, through the last norm and the token's row of the output matrix, with the norm's scale held as it is (Elhage et al. 2021). What a head does to later layers is counted there, not here.",
    ),
    attribution: t(
      "Each weight times the gradient of the output by it, added up over a head: by how much the output would fall, to first order, if the weight went to 0 (Serrano & Smith 2019; Barkan et al. 2021). For so large a change the first order can mislead: switch the head off under “What if …” to see what is lost.",
    ),
  }[look];
}
