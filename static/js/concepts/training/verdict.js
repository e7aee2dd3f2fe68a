/** What has become of a run: whether what was predicted has happened, and why. */

import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { best, firstFormed, isOver } from "./run.js";
import { isInductive } from "./state.js";

/** @typedef {import("./run.js").Update} Update */

/**
 * @typedef {object} Judged
 * @property {import("../../api/training.js").RunAnswer} answer
 * @property {import("../../api/training.js").RunState} standing
 * @property {readonly Update[]} updates
 */

/** Shares of right answers above which a task is learned, and up to which it is not. */
const LEARNED = 0.95;
const GUESSING = 0.6;
/** Of the loss of guessing: above this nothing was learned. */
const NOTHING = 0.85;

/**
 * What has happened, as a prediction says it; null while that is open.
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
  const found = outcome(run);
  const says = [...failure(run), ...(found === null ? [] : reasons(run, found))];
  const isRight = found === null || guess === "" ? null : found === guess;
  return { isRight, title: found === null ? waiting(run) : title(run, found), says };
}

/** @param {Judged} run */
function waiting({ standing, updates }) {
  if (updates.length === 0) return isOver(standing) ? t("The run ended before its first step.") : t("Starting …");
  return t("Step {step}: not decided yet.", { step: updates[updates.length - 1].step });
}

/** @param {Judged} run @param {string} found */
function title({ answer, updates }, found) {
  const newest = updates[updates.length - 1];
  const percent = Math.round(100 * newest.accuracy);
  if (found === "learned") return t("Learned: {percent} % of the answers are right.", { percent });
  if (found === "partly") return t("Learned in part: {percent} % of the answers are right.", { percent });
  if (found === "not") return t("Not learned: {percent} % of the answers are right.", { percent });
  const formed = firstFormed(updates, "induction", answer.formed);
  if (!formed) {
    const score = fixed(Math.max(...updates.map((one) => best(one, "induction").score)), 2);
    return t("No induction head: no head's score rose above {score}.", { score });
  }
  const now = best(newest, "induction");
  return t("Head {head} became an induction head at step {step}; head {now} now scores {score}.", {
    head: `${formed.best.layer}.${formed.best.head}`,
    step: formed.update.step,
    now: `${now.layer}.${now.head}`,
    score: fixed(now.score, 2),
  });
}

/** Of a run that did not end by itself. @param {Judged} run @returns {string[]} */
function failure({ standing, answer }) {
  const { reason, step } = standing;
  if (reason === null) return [];
  const rate = answer.config.learning_rate;
  return [
    {
      diverged: t(
        "The run failed after step {step}: the loss went far above that of guessing, because each step overshot. Try a learning rate below {rate}.",
        { step, rate },
      ),
      crashed: t("The process in which the network learned ended unexpectedly. Run it again."),
      time: t("The run used up the time that this server gives a run. What was recorded stays."),
      unwatched: t("The connection was gone for too long, so the server stopped the run. What was recorded stays."),
      asked: t("You stopped the run at step {step}.", { step }),
    }[reason],
  ];
}

/** @param {Judged} run @param {string} found @returns {string[]} */
function reasons(run, found) {
  if (run.standing.reason === "diverged") return [];
  if (!isInductive(run.answer.config.task)) return taskReasons(run, found);
  return found === "none" ? [whyNot(run)] : whyFormed(run);
}

/** Two heads that work together. @param {Judged} run @returns {string[]} */
function whyFormed({ answer, updates }) {
  const newest = updates[updates.length - 1];
  const previous = best(newest, "previous_token");
  const induction = best(newest, "induction");
  const names = {
    head: `${previous.layer}.${previous.head}`,
    score: fixed(previous.score, 2),
    other: `${induction.layer}.${induction.head}`,
  };
  const first =
    previous.score > answer.formed && previous.layer < induction.layer
      ? t(
          "Head {head} reads the token just before ({score}), and so writes into every place which token came before it.",
          names,
        )
      : t(
          "No head below reads the token just before and nothing else (the most is {score}, head {head}): here what came before is told by several heads together.",
          names,
        );
  return [
    first,
    t(
      "Head {other}, above it, looks for a place whose token before is its own token now, and copies what stands there: two heads in two layers, neither of which could do it alone.",
      names,
    ),
  ];
}

/** @param {Judged} run */
function whyNot({ answer, updates }) {
  const { num_layers: layers, positions, steps } = answer.config;
  if (layers === 1)
    return t(
      "With one layer it cannot: a head can find an earlier place with the same token, but the answer stands one place further on, and that place does not say which token came before it. Some head would have to write that there first, a layer below.",
    );
  if (positions === "none")
    return t(
      "Without positions no head can pick out the token just before: all earlier tokens look alike but for what they are. So no place learns what came before it, and there is nothing to match. The loss still falls part of the way: which tokens have occurred is known, and the causal mask gives a faint hint of their order.",
    );
  const { loss } = updates[updates.length - 1];
  return loss > NOTHING * answer.chance_loss
    ? t(
        "The loss stays near that of guessing ({loss}): the learning rate is too large or too small for anything to be learned in {steps} steps.",
        {
          loss: fixed(answer.chance_loss, 2),
          steps,
        },
      )
    : t(
        "Something was learned, but no head looks behind the last occurrence with more than half of its attention. More steps, or another seed, may do.",
      );
}

/** @param {Judged} run @param {string} found @returns {string[]} */
function taskReasons({ answer, updates }, found) {
  const { task, positions } = answer.config;
  if (found === "not") return [t("Try a learning rate near 0.01, or more steps.")];
  const newest = updates[updates.length - 1];
  const most = best(newest, "answer");
  const where = t("Head {head} reads where the answer stands with {score} of its attention.", {
    head: `${most.layer}.${most.head}`,
    score: fixed(most.score, 2),
  });
  if (task === "reverse")
    return [
      t(
        "To go backwards a head finds the place of its own token and needs what came before it there: again a head below must have written that, so the maps show places at which the answer itself does not stand.",
      ),
    ];
  if (task === "sort")
    return [
      positions === "none"
        ? t(
            "Sorting needs no positions: the next answer is the smallest number above the last one, wherever it stands.",
          )
        : t("The next answer is the smallest number above the last one: a matter of what tokens are, not of where."),
      where,
    ];
  return [
    t(
      "The bracket to be closed is the last one that is still open, however many were opened and closed in between: heads have to weigh depths, not only look at what is near.",
    ),
    where,
  ];
}
