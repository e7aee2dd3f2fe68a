/** The corrupt prompt, a text or an image, and what is patched where, with pairs of prompts to begin with. */

import { el, fill, keepingFocus, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { isSending } from "../../base/key_moves.js";
import { mount } from "../../base/mount.js";
import { piecesById, tokenLabel } from "../../wording/labels.js";
import { answerChoiceView } from "./answer_choice.js";
import { exampleAddress, examples } from "./examples.js";
import { pathHeadOf, predictsClasses } from "./questions.js";
import { answerPlaceControl, placeControls, studyControls } from "./study_controls.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("../../api/types.js").Token} Token */

/** Milliseconds after the last key until the tokens of what was typed are asked for. */
const PAUSE = 250;

/**
 * @typedef {object} InputsData
 * @property {ViewState} value
 * @property {Token[]} tokens  of the clean prompt
 * @property {boolean} isOfImages  rather than of texts
 * @property {Token[]} predicting  at which the model predicts; none of a model that predicts classes
 * @property {{id: number, name: string}[]} answers  to choose from
 * @property {{layer: number, head: number}} pathHead
 * @property {boolean} hasStudy  of the prompts as they stand: then the grid comes first
 * @property {{answer: string, against: string}} refused  why the server takes no such token; "" where it does
 */

/** Id of the note that says why nothing can be changed. */
const REASON = "patching-reason";

/**
 * @param {HTMLElement} element
 * @param {InputsData} data
 * @param {object} options
 * @param {(patch: Partial<ViewState>) => void} options.onSet
 * @param {(corrupt: string) => void} options.onTyped  what stands in the field, not sent yet
 * @param {HTMLElement} options.tokens  of both prompts, to stand below them
 * @param {HTMLElement} options.image  the choice of the corrupt image, which stands in place of the text
 * @param {string} [options.reason]  why nothing can be changed; "" where it can
 * @returns {import("../../base/mount.js").View<InputsData>}
 */
export function inputsView(element, data, { onSet, onTyped, tokens, image, reason = "" }) {
  const isFixed = reason !== "";
  const { form, text, stopTyping } = createPromptForm({ isFixed, onTyped, onSend: (corrupt) => onSet({ corrupt }) });
  const starts = el("p", { class: "patching-examples" });
  const summary = el("summary");
  const more = isFixed
    ? tokens
    : el("details", { class: "disclosure patching-more", open: true }, summary, starts, image, tokens);
  const controls = isFixed
    ? el("fieldset", { class: "patching-controls", disabled: true, "aria-labelledby": REASON })
    : el("div", { class: "patching-controls" });
  const [study, places, after] = [0, 1, 2].map(() => el("span", { class: "patching-some" }));
  const compared = createComparedAnswers(onSet);
  fill(controls, study, ...furtherChoices(places, ...compared.elements, after));
  const note = el("p", { id: REASON, class: "note patching-reason" }, reason);
  fill(element, form, more, isFixed && note, controls);
  let hadStudy = false;
  /** @type {InputsData | null} */
  let current = null;
  draw(data);

  /** @param {InputsData} next */
  function draw(next) {
    const { value, isOfImages, hasStudy } = next;
    if (value.corrupt !== current?.value.corrupt) text.value = value.corrupt;
    current = next;
    form.hidden = starts.hidden = isOfImages;
    image.hidden = !isOfImages;
    say(
      summary,
      isOfImages ? t("The corrupt image, and both patch by patch") : t("Examples, and both prompts token by token"),
    );
    fill(starts, el("span", { class: "note" }, t("Examples:")), ...exampleLinks(value));
    if (hasStudy !== hadStudy && more instanceof HTMLDetailsElement) more.open = !hasStudy;
    hadStudy = hasStudy;
    keepingFocus(study, () => fill(study, ...studyControls(next, onSet)));
    keepingFocus(places, () => fill(places, ...placeControls(next, onSet)));
    keepingFocus(after, () => fill(after, next.predicting.length > 0 && answerPlaceControl(next, onSet)));
    compared.show(next);
  }

  return {
    update: draw,
    destroy() {
      stopTyping();
      compared.show(null);
      element.replaceChildren();
    },
  };
}

/**
 * The field of the corrupt text: what is typed is told after a pause, and sent with Enter or its button.
 * @param {{isFixed: boolean, onTyped: (text: string) => void, onSend: (text: string) => void}} options
 */
function createPromptForm({ isFixed, onTyped, onSend }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let pause;
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    clearTimeout(pause);
    onSend(text.value);
  };
  const text = el("textarea", {
    id: "patching-corrupt",
    rows: 1,
    dir: "auto",
    spellcheck: "false",
    readonly: isFixed,
    "aria-describedby": isFixed ? REASON : null,
    onkeydown: (event) => isSending(/** @type {KeyboardEvent} */ (event)) && send(event),
    oninput() {
      clearTimeout(pause);
      pause = setTimeout(() => onTyped(text.value), PAUSE);
    },
  });
  const form = el(
    "form",
    { class: "patching-prompt", autocomplete: "off", onsubmit: send },
    el("label", { for: text.id }, t("Corrupt prompt")),
    text,
    !isFixed && el("button", { class: "button is-primary" }, t("Patch")),
  );
  return { form, text, stopTyping: () => clearTimeout(pause) };
}

/**
 * The two answers whose logits are compared.
 * @param {(patch: Partial<ViewState>) => void} onSet
 */
function createComparedAnswers(onSet) {
  const [answer, against] = [0, 1].map(() => el("span", { class: "patching-control" }));
  const showAnswer = mount(answer, answerChoiceView, {
    id: "patching-answer",
    label: t("Answer"),
    best: t("best of clean"),
    onPick: ({ token, typed }) => onSet({ answer: token, answerText: typed }),
  });
  const showAgainst = mount(against, answerChoiceView, {
    id: "patching-against",
    label: t("Against"),
    best: t("best of corrupt"),
    onPick: ({ token, typed }) => onSet({ against: token, againstText: typed }),
  });
  return {
    elements: [answer, against],
    /** @param {InputsData | null} data */
    show(data) {
      if (!data) return [showAnswer, showAgainst].forEach((show) => show(null));
      const { value, answers, refused } = data;
      const among = { answers, isClass: data.predicting.length === 0 };
      showAnswer({ token: value.answer, typed: value.answerText, ...among, refusal: refused.answer });
      showAgainst({ token: value.against, typed: value.againstText, ...among, refusal: refused.against });
    },
  };
}

/** @param {ViewState} value */
function exampleLinks(value) {
  return examples(value.numbering).map(({ name, state }) => {
    const isShown = state.text === value.text && state.corrupt === value.corrupt;
    const pressed = isShown ? { "aria-current": "true" } : {};
    return el("a", { class: "button is-small", href: exampleAddress(value, state), ...pressed }, name);
  });
}

/**
 * Controls in a row with the others, where there is room for all; on a phone, behind a button that opens them.
 * @param {HTMLElement[]} controls
 */
function furtherChoices(...controls) {
  const box = el("span", { id: "patching-further", class: "patching-further" }, ...controls);
  const button = el(
    "button",
    {
      type: "button",
      class: "button patching-unfold",
      "aria-controls": "patching-further",
      "aria-expanded": "false",
      onclick() {
        const isOpen = box.classList.toggle("is-open");
        button.setAttribute("aria-expanded", String(isOpen));
      },
    },
    t("More choices"),
  );
  return [button, box];
}

/**
 * What the inputs show of a scene.
 * @param {Pick<import("../widgets/panel.js").Scene, "value" | "analysis" | "queries">} scene
 */
export function inputsOf({ value, analysis, queries }) {
  return {
    value,
    tokens: queries,
    isOfImages: Boolean(analysis.image),
    predicting: predictsClasses(analysis) ? [] : (analysis.target_tokens ?? analysis.tokens),
    pathHead: pathHeadOf(value, analysis),
  };
}

/**
 * The tokens or classes that can be the answer: those probable in either run, and those compared now.
 * @param {import("../../api/patching.js").AnyPatching | null} patching
 * @returns {{id: number, name: string}[]}
 */
export function answersOfRuns(patching) {
  if (!patching) return [];
  const tokens = [patching.answer, patching.against, ...patching.clean.candidates, ...patching.corrupt.candidates];
  const ids = new Set(tokens.map(({ id }) => id));
  const nameOf = piecesById(tokens, patching.position === null);
  return [...ids].map((id) => ({ id, name: tokenLabel(nameOf(id)) }));
}
