/** One patching study: its inputs, how far it is, and its effects. */

import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { mount } from "../../base/mount.js";
import { isRecorded } from "../../requests/recorded_answers.js";
import { createProblem } from "../widgets/panel.js";
import { waitingView } from "../widgets/waiting.js";
import { createEffects } from "./effects.js";
import { createGrids } from "./grids.js";
import { imagesView } from "./images.js";
import { answersOfRuns, inputsOf, inputsView } from "./inputs.js";
import { promptsView } from "./prompts.js";
import { patchingRequest, pathsRequest } from "./questions.js";
import { createTypedPair } from "./typed_pair.js";
import { isOfToken, refusalOf, waitingWords } from "./words.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {ReturnType<typeof createGrids>} Grids */
/** @typedef {Pick<import("./corrupt_image.js").CorruptImage, "take" | "ask" | "failure" | "clear" | "mount">} StudiedImage */

/**
 * @param {ReturnType<typeof import("./layout.js").layOut>} boxes
 * @param {import("../widgets/panel.js").Bench} bench
 * @param {StudiedImage} image
 */
export function createStudy(boxes, { state, schedule }, image) {
  const grids = createGrids(schedule, image.ask);
  const pair = createTypedPair(schedule, image.ask);
  const effects = createEffects(boxes, state);
  const problem = createGridProblem(grids, image);
  const views = {
    ...mountInputs(boxes, grids, {
      onTyped: pair.type,
      onSet(patch) {
        pair.type(null);
        if (grids.isStopped()) grids.goOn();
        state.set(patch, "pick");
      },
    }),
    image: image.mount(boxes.image, () => grids.isStopped() && grids.goOn()),
  };

  return {
    problem: problem.box,
    table: effects.table,
    views: { ...views, ...effects.views },
    asks: [grids, pair, image, problem],
    /** What can be patched, with what has been found. @param {Scene} scene @returns {boolean}  whether effects are shown */
    draw(scene) {
      const { value, analysis } = scene;
      const other = image.take(value, analysis);
      const asked = { patching: patchingRequest(value, analysis, other), paths: pathsRequest(value, analysis, other) };
      const found = grids.take(asked);
      problem.show();
      const isAsked = asked.patching !== null || asked.paths !== null;
      const isRunning = isAsked && !found && grids.failure()?.kind !== "failed";
      const { prompts, images } = pair.take(scene, other);
      if (prompts !== undefined) views.prompts(prompts);
      if (images !== undefined) views.images(images);
      if (found) effects.draw(scene, found, pair.images());
      const isThere = found !== null || (isRunning && effects.found() !== null);
      views.inputs({
        ...inputsOf(scene),
        answers: answersOfRuns(effects.found()),
        hasStudy: isThere && pair.isSent(value.corrupt),
        refused: refusalOf(grids.failure()),
      });
      views.image(analysis.image ? value : null);
      views.waiting(isRunning ? waitingWords(grids.progress(), grids.isStopped()) : null);
      boxes.results.setAttribute("aria-busy", String(isRunning && !grids.isStopped()));
      return isThere;
    },
    /** Nothing can be patched. */
    drawNone() {
      grids.take({ patching: null, paths: null });
      problem.show();
      for (const show of [views.inputs, views.image, views.waiting]) show(null);
      boxes.results.setAttribute("aria-busy", "false");
    },
    forget() {
      effects.forget();
      pair.forget();
    },
  };
}

/**
 * Failures that neither the field of a token nor the progress tells.
 * @param {Grids} grids
 * @param {StudiedImage} image
 */
function createGridProblem(grids, image) {
  /** Whether it only takes long, and its progress says so. */
  const isCounted = () => grids.failure()?.kind === "slow" && typeof grids.progress()?.total === "number";
  const isToldElsewhere = () => isOfToken(refusalOf(grids.failure())) || isCounted();
  return createProblem(
    { failure: () => (isToldElsewhere() ? null : grids.failure()) },
    { failure: () => image.failure() },
  );
}

/**
 * @param {ReturnType<typeof import("./layout.js").layOut>} boxes
 * @param {Grids} grids
 * @param {Pick<Parameters<typeof inputsView>[2], "onTyped" | "onSet">} options
 */
function mountInputs(boxes, grids, options) {
  return {
    inputs: mount(boxes.inputs, inputsView, {
      tokens: el("div", {}, boxes.prompts, boxes.images),
      image: boxes.image,
      reason: isRecorded() ? t("This file holds one patching study. For another, open the live page.") : "",
      ...options,
    }),
    prompts: mount(boxes.prompts, promptsView, {}),
    images: mount(boxes.images, imagesView, {}),
    waiting: mount(boxes.waiting, waitingView, {
      names: { stop: t("Cancel"), goOn: t("Patch again") },
      ...grids,
    }),
  };
}
