/** Leading runs on the server: begin, follow, pause, step, stop; and the run that is kept beside to compare. */

import { getRun, postConcept } from "../../api/analyses.js";
import { followEvents, sayLeaving } from "../../api/server_events.js";
import { ApiError } from "../../requests/api_request.js";
import { t } from "../../base/i18n.js";
import { createRecord, decodeUpdate, isOver } from "./run.js";

/** @typedef {import("./run.js").RunAnswer} RunAnswer */
/** @typedef {import("./run.js").RunState} RunState */

/**
 * @typedef {object} Run
 * @property {RunAnswer} answer
 * @property {RunState} standing
 * @property {ReturnType<typeof createRecord>} record
 * @property {boolean} isLost  whether the connection is broken right now
 * @property {string} guess  what was predicted for it
 */

/** @param {() => void} onChange */
export function createLeading(onChange) {
  /** @type {Run | null} */
  let run = null;
  /** @type {Run | null} */
  let kept = null;
  let problem = "";
  let isBeginning = false;
  let stopFollowing = () => undefined;
  addEventListener("pagehide", () => {
    if (run && !isOver(run.standing)) sayLeaving(`training/${run.answer.id}/stop`);
  });

  /** @param {unknown} error */
  function complain(error) {
    problem = error instanceof Error ? error.message : String(error);
    onChange();
  }

  /** @param {Run} mine */
  function follow(mine) {
    const stop = followEvents(`training/${mine.answer.id}/events`, {
      on: {
        update(data) {
          mine.record.add(decodeUpdate(data));
          onChange();
        },
        state(data) {
          mine.standing = data;
          if (isOver(data)) stop();
          onChange();
        },
      },
      onOpen() {
        mine.isLost = false;
        onChange();
      },
      last: () => mine.record.newest()?.step ?? -1,
      onLost(retryAt) {
        if (isOver(mine.standing)) return;
        mine.isLost = true;
        onChange();
        if (retryAt !== null) void ask();
      },
    });
    /** Whether the run is still there: an event stream that is refused does not say why. */
    async function ask() {
      try {
        await getRun(mine.answer.id);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404 || isOver(mine.standing)) return;
        mine.standing = { ...mine.standing, state: "failed", reason: "unwatched" };
        stop();
        onChange();
      }
    }
    stopFollowing = () => void stop();
  }

  return {
    run: () => run,
    kept: () => kept,
    problem: () => problem,
    isBeginning: () => isBeginning,
    /** @param {object} request @param {string} guess */
    async begin(request, guess) {
      if (isBeginning) return;
      isBeginning = true;
      problem = "";
      onChange();
      try {
        if (run && !isOver(run.standing)) await postConcept(`training/${run.answer.id}/stop`, {}).catch(() => null);
        stopFollowing();
        const answer = await postConcept("training", request);
        const { state, reason, message, step } = answer;
        run = { answer, standing: { state, reason, message, step }, record: createRecord(), isLost: false, guess };
        follow(run);
      } catch (error) {
        complain(error);
      } finally {
        isBeginning = false;
        onChange();
      }
    },
    /** @param {"pause" | "resume" | "step" | "stop"} command */
    async command(command) {
      if (!run) return;
      problem = "";
      await postConcept(`training/${run.answer.id}/${command}`, {}).catch(complain);
    },
    /** The address of the network in the Explorer. @returns {Promise<string | null>} */
    async publish() {
      if (!run) return null;
      try {
        const { model, text } = await postConcept(`training/${run.answer.id}/model`, {});
        return `/?${new URLSearchParams({ model, text })}`;
      } catch (error) {
        complain(error);
        return null;
      }
    },
    /** Whether the server holds the weights of a run that stands still. */
    hasWeights() {
      if (!run || run.answer.not_exportable !== null) return false;
      const { state, reason } = run.standing;
      return state === "paused" || state === "finished" || (state === "stopped" && reason === "asked");
    },
    keep() {
      kept = run;
      onChange();
    },
    forget() {
      kept = null;
      onChange();
    },
  };
}

/**
 * How a run stands, in words.
 * @param {Run} run
 * @returns {string}
 */
export function standingText({ standing, isLost, answer, record }) {
  if (isLost && !isOver(standing)) return t("The connection is lost; it is being taken up again …");
  const step = record.newest()?.step ?? 0;
  const steps = answer.config.steps;
  switch (standing.state) {
    case "starting":
      return t("Starting …");
    case "running":
      return t("Learning: step {step} of {steps}", { step, steps });
    case "paused":
      return t("Paused at step {step} of {steps}", { step, steps });
    case "finished":
      return t("Finished after {steps} steps", { steps });
    case "stopped":
      return t("Stopped at step {step}", { step });
    default:
      return t("Failed at step {step}", { step });
  }
}
