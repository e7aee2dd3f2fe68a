/** What the four curves measure: their formulas, and each in words with the numbers of the step that is shown. */

import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { formula, mathml, name, number, over, row, sub, sum } from "../../base/maths/mathml.js";
import { fixed } from "../../base/numbers.js";
import { best, mostRead } from "./run.js";
import { headCode } from "../../wording/labels.js";

/** @typedef {import("./run_control.js").Run} Run */
/** @typedef {import("./run.js").Update} Update */
/** @typedef {import("./run.js").Role} Role */

const w = (/** @type {(Element | string)[]} */ ...index) => sub(name("w", "is-weight"), row(...index));
const mean = (/** @type {string} */ over_) => [
  over(number("1"), row("|", name(over_), "|")),
  sum(row(name("i"), "∈", name(over_))),
];

/**
 * @param {import("./run_source.js").TrainingData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation({ answer: { drawn: run, update } }) {
  return {
    formulas: [
      formula(
        mathml("mtext", {}, t("previous token")),
        "=",
        ...mean("Q"),
        w(name("i"), ",", name("i"), "−", number("1")),
      ),
      formula(
        mathml("mtext", {}, t("induction")),
        "=",
        ...mean("R"),
        w(name("i"), ",", name("j"), "(", name("i"), ")", "+", number("1")),
      ),
    ],
    steps: [lossStep(run, update), previousStep(run, update), inductionStep(run, update), answerStep(run, update)],
    table: null,
  };
}

/** @param {Run | null} run @param {Update | null} update */
function lossStep(run, update) {
  const says = t(
    "The loss is −ln of the probability given to the correct next token, averaged over the predictable ones. Guessing uniformly among n tokens costs ln n.",
  );
  if (!run || !update) return { name: t("Loss"), says, line: nothing() };
  const { chance_loss: chance } = run.answer;
  const line = t("ln {count} = {chance} → {loss}: the right token gets {share} % on (geometric) average", {
    count: Math.round(Math.exp(chance)),
    chance: fixed(chance, 2),
    loss: fixed(update.loss, 3),
    share: fixed(100 * Math.exp(-update.loss), update.loss > 2 ? 1 : 0),
  });
  return { name: t("Loss"), says, line: el("span", {}, line) };
}

/** @param {Run | null} run @param {Update | null} update */
function previousStep(run, update) {
  const says = t("Previous token: the weight that query i puts on key i − 1, averaged over all queries but the first.");
  return { name: t("Previous token"), says, line: roleLine(run, update, "previous_token") };
}

/** @param {Run | null} run @param {Update | null} update */
function inductionStep(run, update) {
  const says = t(
    "Induction: j(i) is the last earlier position with the same token as i. The score is the weight on the position after it, averaged over all queries whose token has occurred before (R), unless that position is simply the previous one.",
  );
  return { name: t("Induction"), says, line: roleLine(run, update, "induction") };
}

/** @param {Run | null} run @param {Update | null} update */
function answerStep(run, update) {
  const says = t(
    "Answer position: the weight on all positions that show what must come next. A network may also find the answer another way, through what lower layers have written elsewhere.",
  );
  return { name: t("Answer"), says, line: roleLine(run, update, "answer") };
}

/**
 * The head with the highest score, compared with chance, and what it attends to at one query of the example.
 * @param {Run | null} run
 * @param {Update | null} update
 * @param {Role} role
 */
function roleLine(run, update, role) {
  if (!run || !update) return nothing();
  const { layer, head, score } = best(update, role);
  const { example, scored, chance_scores: chance, config } = run.answer;
  const query = scored.lastIndexOf(true);
  const [read] = mostRead(update, { layer, head, heads: config.num_heads }, query, 1);
  const line = t(
    "Step {step}: {head} scores {score} (chance {chance}). At query {query} (“{token}”) it attends most to key {key} (“{other}”): {weight}",
    {
      step: update.step,
      head: headCode(layer, head, 0),
      score: fixed(score, 2),
      chance: fixed(chance[role], 2),
      query,
      token: example[query],
      key: read.key,
      other: example[read.key],
      weight: fixed(read.weight, 2),
    },
  );
  return el("span", {}, line);
}

function nothing() {
  return el("span", { class: "note" }, t("Run a network to see its numbers here."));
}
