/** Choose a token or class whose logit counts: one that is probable in either run, or any other, typed. */

import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** Of the option behind which any token is typed; ids are numbers. */
const TYPED = "typed";
/** Most characters that the server takes for a token. */
const LONGEST = 200;

/**
 * @typedef {object} AnswerData
 * @property {number | null} token  by its id; null for the best
 * @property {string} typed  a text of exactly one token, or the name of a class, which goes before the id; "" for none
 * @property {{id: number, name: string}[]} answers  probable ones
 * @property {boolean} isClass  rather than a token
 * @property {string} refusal  of the server; "" for none
 */

/**
 * @param {HTMLElement} element
 * @param {AnswerData} data
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.label
 * @param {string} options.best  what the best one is called
 * @param {(chosen: {token: number | null, typed: string}) => void} options.onPick
 * @returns {import("../../base/mount.js").View<AnswerData>}
 */
export function answerChoiceView(element, data, { id, label, best, onPick }) {
  const [noteId, errorId] = [`${id}-note`, `${id}-error`];
  const select = el("select", { id, "aria-describedby": errorId, onchange: onChoose });
  const input = typedField(`${id}-typed`, `${noteId} ${errorId}`, onTyped);
  const note = el("span", { id: noteId, class: "note" });
  const error = el("span", { id: errorId, class: "field-error", role: "alert" });
  fill(element, el("label", { for: id }, label), select, input, note, error);
  /** Whether a token is to be typed, though there is none yet. */
  let isOpen = false;
  let current = data;
  draw(data);

  function onChoose() {
    isOpen = select.value === TYPED;
    if (isOpen) {
      draw(current);
      input.focus();
    } else onPick({ token: select.value === "" ? null : Number(select.value), typed: "" });
  }

  function onTyped() {
    isOpen = true;
    onPick({ token: null, typed: input.value });
  }

  /** @param {AnswerData} next */
  function draw(next) {
    if (next.typed !== current.typed || (next.typed !== "" && input.value === "")) input.value = next.typed;
    current = next;
    const { token, typed, isClass, refusal } = next;
    input.setAttribute(
      "aria-label",
      isClass ? t("{label}: the name of a class", { label }) : t("{label}: exactly one token", { label }),
    );
    say(note, isClass ? t("The name of a class.") : t("One token; most words begin with a space."));
    if (token !== null) isOpen = false;
    const chosen = chosenOption(next, isOpen);
    const isTyping = chosen === TYPED;
    const choices = [["", best], ...listedOptions(next)];
    fill(select, ...choices.map(([value, name]) => el("option", { value, selected: value === chosen }, name)));
    input.hidden = !isTyping;
    note.hidden = !isTyping || typed !== "";
    say(error, refusal);
    for (const control of [select, input]) {
      if (refusal !== "" && control === (isTyping ? input : select)) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    }
  }

  return { update: draw, destroy: () => element.replaceChildren() };
}

/**
 * @param {string} id
 * @param {string} described  ids of what describes it
 * @param {() => void} onchange
 */
function typedField(id, described, onchange) {
  return el("input", {
    type: "text",
    id,
    dir: "auto",
    maxlength: LONGEST,
    spellcheck: "false",
    autocomplete: "off",
    size: 10,
    "aria-describedby": described,
    onchange,
  });
}

/**
 * The value of the option that is chosen: a token's id, "" for the best one, or that behind which a token is typed.
 * @param {Pick<AnswerData, "token" | "typed">} data
 * @param {boolean} isOpen  whether a token is to be typed, though there is none yet
 * @returns {string}
 */
export function chosenOption({ token, typed }, isOpen) {
  if (isOpen || typed !== "") return TYPED;
  return token === null ? "" : String(token);
}

/**
 * Values and names of the options below the best one: probable tokens, the chosen one where it is none of them, any.
 * @param {Pick<AnswerData, "token" | "answers" | "isClass">} data
 * @returns {[value: string, name: string][]}
 */
export function listedOptions({ token, answers, isClass }) {
  const isListed = token === null || answers.some(({ id }) => id === token);
  const further = isClass ? t("class {id}", { id: token ?? 0 }) : t("token {id}", { id: token ?? 0 });
  return [
    ...answers.map(({ id, name }) => /** @type {[string, string]} */ ([String(id), name])),
    .../** @type {[string, string][]} */ (isListed ? [] : [[String(token), further]]),
    [TYPED, isClass ? t("another class …") : t("another token …")],
  ];
}
