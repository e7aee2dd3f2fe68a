/** Panel of several prompts: measures and weights averaged over them, any of them opened. */

import { say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { remembering } from "../../base/memoise.js";
import { differs } from "../../base/mount.js";
import { isUploaded } from "../../api/analyses.js";
import { readSet, requestOfSet, setOf } from "../state/prompt_set.js";
import { isInLink } from "../state/set_in_link.js";
import { createPanel, createProblem } from "../widgets/panel.js";
import { createKeptDraft } from "./editor/kept_draft.js";
import { createKeptSets } from "./editor/kept_sets.js";
import { layOut, mountViews } from "./layout.js";
import { createPromptQuestions } from "./questions.js";
import { createResults } from "./results.js";
import { noteOn, refusedPrompt, whereKept } from "./words.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("../state/prompt_set.js").Ability} Ability */
/** @typedef {import("../state/prompt_set.js").PromptRequest} PromptRequest */
/** @typedef {import("../state/prompt_set.js").SetText} SetText */
/** @typedef {{text: string, target: string, chat: boolean, system: string}} OpenedText */

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench & {openText: (input: OpenedText) => void}} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function promptsPanel(element, bench) {
  const { state, schedule, openText } = bench;
  const most = bench.config.limits.max_prompts;
  const boxes = layOut();
  const questions = createPromptQuestions(schedule);
  const problem = createProblem(questions);
  boxes.problem.append(problem.box);
  const sets = createSets(state, most);
  /** @type {PromptRequest | null} */
  let request = null;
  const views = mountViews(boxes, state, {
    editor: { onRun: sets.run, kept: createKeptDraft() },
    waiting: questions,
    list: { onOpen: (prompt) => openText(openedText(prompt, request)) },
  });
  const results = createResults(boxes, bench, { views, questions, problem });

  /** @param {Scene} scene */
  function draw(scene) {
    const { value, analysis } = scene;
    const isPossible = analysis.model.reads === "text" && !isUploaded(analysis.id);
    const { text, set, ability, isLost, ...shown } = sets.shown(scene);
    request = isPossible ? shown.request() : null;
    const isEmpty = set.count === 0;
    views.editor({
      set: text,
      most,
      isOpen: isEmpty,
      link: whereKept(text, { isEmpty, isKept: value.keptSet !== "", isLost }),
      refused: refusedPrompt(request && questions.failure()),
      hasDecoder: ability.hasDecoder,
      hasChat: ability.hasChat,
    });
    say(boxes.note, isPossible ? noteOn(value, analysis.parts, ability) : t("Prompts need a model that reads text."));
    if (request) results.draw(scene, { request, predicts: ability.predicts, count: set.count });
    else results.clear();
  }

  return createPanel(element, {
    stands: [boxes.editor, boxes.note, boxes.problem, boxes.waiting, boxes.results],
    views,
    asks: [questions, problem, results.pattern],
    draw,
  });
}

/**
 * The set that is shown: what the address says, or what the browser keeps under the name in it; each object stays the
 * same as long as it says the same.
 * @param {import("../widgets/panel.js").Bench["state"]} state
 * @param {number} most  prompts
 */
function createSets(state, most) {
  const kept = createKeptSets();
  const [readOnce, requestOnce] = [remembering(readSet), remembering(requestOfSet)];
  /** @type {(set: SetText) => SetText} */
  const sameSet = steady();
  /** @type {(ability: Ability) => Ability} */
  const sameAbility = steady();
  return {
    /** @param {SetText} set */
    run(set) {
      const keptSet = isInLink(set) ? "" : (kept.keep(set) ?? "");
      state.set({ ...set, keptSet, promptCell: "" }, "pick");
    },
    /** @param {Scene} scene */
    shown({ value, analysis }) {
      const written = setOf(value);
      const isByName = written.prompts === "" && written.template === "" && value.keptSet !== "";
      const keptSet = isByName ? kept.find(value.keptSet) : null;
      if (keptSet) state.set(keptSet, "settle"); // what is said of the page, as in a pin, says it of the set
      const text = sameSet(keptSet ?? written);
      const set = readOnce(text, most);
      const ability = sameAbility(abilityOf(analysis));
      return { text, set, ability, isLost: isByName && !keptSet, request: () => requestOnce(set, ability) };
    },
  };
}

/** What of a set the model can take. @param {Scene["analysis"]} analysis @returns {Ability} */
function abilityOf({ model, predictions }) {
  return {
    id: model.id,
    hasDecoder: model.kind === "encoder_decoder",
    hasChat: model.has_chat_template ?? false,
    predicts: predictions.some(({ kind }) => kind === "next_token"),
  };
}

/**
 * @param {{text: string, target_text?: string | null}} prompt
 * @param {PromptRequest | null} request  of its set
 * @returns {OpenedText}
 */
function openedText({ text, target_text: target }, request) {
  return { text, target: target ?? "", chat: request?.chat ?? false, system: request?.system_text ?? "" };
}

/**
 * The object before, as long as the next one says the same.
 * @template {object} T
 * @returns {(next: T) => T}
 */
function steady() {
  /** @type {T | null} */
  let before = null;
  return (next) => {
    if (before === null || differs(before, next)) before = next;
    return before;
  };
}
