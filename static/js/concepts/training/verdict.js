/** The outcome of a run: whether the prediction came true, and why. */

import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { best, firstFormed, isOver } from "./run.js";
import { isInductive } from "./state.js";
import { headCode } from "../../wording/labels.js";

/** @typedef {import("./run.js").Measured} Measured */

/**
 * @typedef {object} Judged
 * @property {import("../../api/training.js").RunAnswer} answer
 * @property {import("../../api/training.js").RunState} standing
 * @property {readonly Measured[]} updates
 */

/** Shares of right answers above which a task is learned, and up to which it is not. */
const LEARNED = 0.95;
const GUESSING = 0.6;
/** Of the loss of guessing: above this nothing was learned. */
const NOTHING = 0.85;

/**
 * The outcome in the terms of a prediction; null while it is open.
 * @param {Judged} run
 * @returns {string | null}
 */
export function outcome({ answer, standing, updates }) {
  if (updates.length === 0) return null;
  const newest = updates[updates.length - 1];
  if (isInductive(answer.config.task)) {
    const formed = firstFormed(updates, "induction", answer.formed);
    if (formed) return String(formed.best.layer);
    return isOver(standing) ? "none" : null;
  }
  if (newest.accuracy > LEARNED) return "learned";
  if (!isOver(standing)) return null;
  return newest.accuracy <= GUESSING && newest.loss > NOTHING * answer.chance_loss ? "not" : "partly";
}

/**
 * @param {Judged} run
 * @param {string} guess  "" where nothing was predicted
 * @returns {{isRight: boolean | null, title: string, says: string[]}}
 */
export function verdict(run, guess) {
  const result = outcome(run);
  const says = [...failure(run), ...(result === null ? [] : reasons(run, result))];
  const isRight = result === null || guess === "" ? null : result === guess;
  return { isRight, title: result === null ? waiting(run) : title(run, result), says };
}

/** @param {Judged} run */
function waiting({ standing, updates }) {
  if (updates.length === 0) return isOver(standing) ? t("The run ended before its first step.") : t("Starting …");
  return t("Step {step}: not decided yet.", { step: updates[updates.length - 1].step });
}

/** @param {Judged} run @param {string} result */
function title({ answer, updates }, result) {
  const newest = updates[updates.length - 1];
  const percent = Math.round(100 * newest.accuracy);
  if (result === "learned") return t("Learned: {percent} % of the answers are correct.", { percent });
  if (result === "partly") return t("Partly learned: {percent} % of the answers are correct.", { percent });
  if (result === "not") return t("Not learned: {percent} % of the answers are correct.", { percent });
  const formed = firstFormed(updates, "induction", answer.formed);
  if (!formed) {
    const score = fixed(Math.max(...updates.map((update) => best(update, "induction").score)), 2);
    return t("No induction head: no head's score rose above {score}. {percent} % of the answers are correct.", {
      score,
      percent,
    });
  }
  const now = best(newest, "induction");
  return t("{head} became an induction head at step {step}; {now} now scores {score}.", {
    head: headCode(formed.best.layer, formed.best.head, 0),
    step: formed.update.step,
    now: headCode(now.layer, now.head, 0),
    score: fixed(now.score, 2),
  });
}

/** Of a run that did not end by itself. @param {Judged} run @returns {string[]} */
function failure({ standing, answer, updates }) {
  const { reason, step } = standing;
  if (reason === null) return [];
  const rate = answer.config.learning_rate;
  const [first, newest] = [updates[0], updates[updates.length - 1]];
  const about = { step, rate, before: fixed(first?.loss ?? 0, 2), after: fixed(newest?.loss ?? 0, 1) };
  return [
    {
      diverged:
        newest && newest.loss > first.loss
          ? t(
              "The run failed: after step {step} the loss is {after}, from {before}, because each step overshot. Try a learning rate below {rate}.",
              about,
            )
          : t(
              "The run failed after step {step}: the next loss was too large to be a number, because each step overshot. Try a learning rate below {rate}.",
              about,
            ),
      crashed: t("The training process ended unexpectedly. Run it again."),
      time: t("The run reached this server's time limit. What was recorded is kept."),
      unwatched: t("The connection was lost for too long, so the server stopped the run. What was recorded is kept."),
      asked: t("You stopped the run at step {step}.", { step }),
    }[reason],
  ];
}

/** @param {Judged} run @param {string} result @returns {string[]} */
function reasons(run, result) {
  if (run.standing.reason === "diverged") return [];
  if (!isInductive(run.answer.config.task)) return taskReasons(run, result);
  return result === "none" ? [whyNot(run)] : whyFormed(run);
}

/** Two heads that work together. @param {Judged} run @returns {string[]} */
function whyFormed({ answer, updates }) {
  const newest = updates[updates.length - 1];
  const previous = best(newest, "previous_token");
  const induction = best(newest, "induction");
  const names = {
    head: headCode(previous.layer, previous.head, 0),
    score: fixed(previous.score, 2),
    other: headCode(induction.layer, induction.head, 0),
  };
  const scores = newest.scores.induction.flat();
  const formed = scores.filter((score) => score > answer.formed).length;
  const everyHead = newest.scores.induction[induction.layer].every((score) => score > answer.formed);
  const first =
    previous.score > answer.formed && previous.layer < induction.layer
      ? t(
          "{head} attends to the previous token ({score}), and so writes into every position which token preceded it.",
          names,
        )
      : t(
          "No lower head attends only to the previous token (the highest is {score}, {head}): here several heads together carry what came before.",
          names,
        );
  return [
    first,
    t(
      "Head {other} looks for a position whose previous token equals its own current token, and copies the token there: heads in two layers, neither of which could do it alone.",
      names,
    ),
    ...(everyHead && formed > 1
      ? [
          t(
            "All {count} heads of layer {layer} end up with this job. They started apart only by chance: nothing rewards them for differing where one job is all there is to do.",
            { count: newest.scores.induction[induction.layer].length, layer: induction.layer },
          ),
        ]
      : []),
  ];
}

/** @param {Judged} run */
function whyNot({ answer, updates }) {
  const { num_layers: layers, positions, steps } = answer.config;
  if (layers === 1)
    return t(
      "With one layer it cannot: a head can find an earlier position with the same token, but the answer is one position further on, and that position does not say which token preceded it. Some head in a layer below would first have to write that there.",
    );
  if (positions === "none")
    return t(
      "Without positions no head can pick out the previous token directly: earlier tokens differ only in what they are. Still {percent} % of the answers are correct, because the causal mask gives away some of the order: a token that comes later has more to attend to. That hint is enough for a vague match, not for a sharp one.",
      { percent: Math.round(100 * updates[updates.length - 1].accuracy) },
    );
  const { loss } = updates[updates.length - 1];
  return loss > NOTHING * answer.chance_loss
    ? t(
        "The loss stays near chance ({loss}): the learning rate is too large or too small for anything to be learned in {steps} steps.",
        {
          loss: fixed(answer.chance_loss, 2),
          steps,
        },
      )
    : t(
        "Something was learned, but no head puts more than half of its attention after the last occurrence. More steps or another seed may help.",
      );
}

/** @param {Judged} run @param {string} result @returns {string[]} */
function taskReasons({ answer, updates }, result) {
  const { task, positions } = answer.config;
  if (result === "not") return [t("Try a learning rate near 0.01, or more steps.")];
  const newest = updates[updates.length - 1];
  const most = best(newest, "answer");
  const where = t("{head} puts {score} of its attention on the answer position.", {
    head: headCode(most.layer, most.head, 0),
    score: fixed(most.score, 2),
  });
  if (task === "reverse")
    return [
      t(
        "To go backwards a head finds its own token's earlier position and needs what preceded it there: again a lower head must have written that, so the maps show positions that do not hold the answer themselves.",
      ),
    ];
  if (task === "sort")
    return [
      positions === "none"
        ? t("Sorting needs no positions: the next answer is the smallest number above the last one, wherever it is.")
        : t(
            "The next answer is the smallest number above the last one: it depends on what tokens are, not on where they are.",
          ),
      where,
    ];
  return [
    t(
      "The bracket to close is the last one still open, however many were opened and closed in between: heads have to track depth, not just attend to what is near.",
    ),
    where,
  ];
}
