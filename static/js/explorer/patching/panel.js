/** Panel of patching: what of the clean run, put into the corrupt one, brings its answer back; and by which paths. */

import { isRecorded, recordedAt } from "../../requests/recorded_answers.js";
import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { mount } from "../../base/mount.js";
import { CORRUPT_ANALYSIS } from "../state/saved_view.js";
import { headSharesView } from "../widgets/head_shares.js";
import { tableDisclosure } from "../widgets/number_table.js";
import { createPanel, createProblem } from "../widgets/panel.js";
import { waitingView } from "../widgets/waiting.js";
import { noticeOn } from "./examples.js";
import { imagesView } from "./images.js";
import { answersOfRuns, inputsOf, inputsView } from "./inputs.js";
import { createGrids } from "./grids.js";
import { layOut } from "./layout.js";
import { patchEffectsView } from "./patch_effects.js";
import { positionsView } from "./positions.js";
import { promptsView, runsView } from "./prompts.js";
import { obstacleTo, patchingRequest, pathsRequest } from "./questions.js";
import { effectTable, resultsOf } from "./results.js";
import { createTypedPair } from "./typed_pair.js";
import { introductionOf, isOfToken, refusalOf, waitingWords } from "./words.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("../../api/patching.js").AnyPatching} AnyPatching */

/** The corrupt image in a file: what is known of it is in the answers. */
const RECORDED_IMAGE = {
  take: () => recordedAt(CORRUPT_ANALYSIS) ?? "",
  /** @template T @param {() => Promise<T>} question */
  ask: (question) => question(),
  failure: () => null,
  clear() {},
  mount: () => () => {},
};

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @param {Pick<import("./corrupt_image.js").CorruptImage, "take" | "ask" | "failure" | "clear" | "mount">} [image]
 * @returns {import("../widgets/panel.js").Panel}
 */
export function patchingPanel(element, bench, image = RECORDED_IMAGE) {
  const { state, schedule } = bench;
  const boxes = layOut();
  const grids = createGrids(schedule, image.ask);
  const pair = createTypedPair(schedule, image.ask);
  const refusal = () => refusalOf(grids.failure());
  /** Whether it only takes long, and its progress says so. */
  const isCounted = () => grids.failure()?.kind === "slow" && typeof grids.progress()?.total === "number";
  const problem = createProblem(
    { failure: () => (isOfToken(refusal()) || isCounted() ? null : grids.failure()) },
    { failure: () => image.failure() },
  );
  const views = mountViews(boxes, state, {
    image: image.mount(boxes.image, () => grids.isStopped() && grids.goOn()),
    grids,
    perColumn: () => results.found()?.query_heads_per_column ?? 1,
    onTyped(text) {
      pair.type(text);
      schedule();
    },
    onSet(patch) {
      pair.type(null);
      if (grids.isStopped()) grids.goOn();
      state.set(patch, "pick");
      schedule();
    },
  });

  const results = createResults(boxes, views);

  /** What can be patched, with what has been found. @param {Scene} scene @returns {AnyPatching | null} */
  function drawStudy(scene) {
    const { value, analysis } = scene;
    const other = image.take(value, analysis);
    const patching = patchingRequest(value, analysis, other);
    const paths = pathsRequest(value, analysis, other);
    const found = grids.take({ patching, paths });
    problem.show();
    const isRunning = (patching ?? paths) !== null && !found && grids.failure()?.kind !== "failed";
    const { prompts, images } = pair.take(scene, other);
    if (prompts !== undefined) views.prompts(prompts);
    if (images !== undefined) views.images(images);
    if (found) results.draw(scene, found, pair.images());
    const studied = found ?? (isRunning ? results.found() : null);
    views.inputs({
      ...inputsOf(scene),
      answers: answersOfRuns(found ?? results.found()),
      hasStudy: studied !== null && pair.isSent(value.corrupt),
      refused: refusal(),
    });
    views.image(analysis.image ? value : null);
    views.waiting(isRunning ? waitingWords(grids.progress(), grids.isStopped()) : null);
    boxes.results.setAttribute("aria-busy", String(isRunning && !grids.isStopped()));
    return studied;
  }

  /** @param {Scene} scene */
  function draw(scene) {
    const { value, analysis } = scene;
    const why = obstacleTo(value, analysis);
    say(boxes.obstacle, why || introductionOf(value, analysis));
    boxes.inputs.hidden = why !== "";
    const isEmpty = why === "" ? drawStudy(scene) === null : drawNone() === null;
    say(boxes.notice, noticeOn(value));
    for (const box of [boxes.results, results.table, boxes.meaning]) box.hidden = isEmpty;
  }

  /** Nothing can be patched. */
  function drawNone() {
    grids.take({ patching: null, paths: null });
    problem.show();
    for (const show of [views.inputs, views.image, views.waiting]) show(null);
    boxes.results.setAttribute("aria-busy", "false");
    return null;
  }

  return createPanel(element, {
    stands: [
      boxes.obstacle,
      boxes.inputs,
      boxes.waiting,
      problem.box,
      boxes.results,
      boxes.notice,
      results.table,
      boxes.meaning,
    ],
    views,
    asks: [grids, pair, image, problem],
    draw,
    forget() {
      results.forget();
      pair.forget();
    },
  });
}

/**
 * The effects of the last study.
 * @param {ReturnType<typeof layOut>} boxes
 * @param {Pick<ReturnType<typeof mountViews>, "runs" | "heads" | "positions" | "patches" | "legend">} views
 */
function createResults(boxes, views) {
  /** @type {ReturnType<typeof resultsOf> | null} */
  let shown = null;
  const table = tableDisclosure({ label: t("Effect of every patch"), make: () => shown && effectTable(shown) });
  return {
    table: table.element,
    found: () => shown?.found ?? null,
    /** @param {Scene} scene @param {AnyPatching} found @param {import("./results.js").Picture[]} images */
    draw(scene, found, images) {
      const { analysis, value } = scene;
      shown = resultsOf(scene, found, images);
      const { title, most, heads, positions, patches } = shown;
      say(boxes.title, title);
      views.runs({ found, numbering: value.numbering, predicting: analysis.target_tokens ?? analysis.tokens });
      views.heads(heads);
      views.positions(positions);
      views.patches(patches);
      views.legend({ scale: "signed", limits: [-most, most], faint: false, hasMasked: false });
      fill(boxes.caveats, ...found.caveats.map((caveat) => el("li", {}, caveat)));
      table.draw();
    },
    forget() {
      shown = null;
    },
  };
}

/**
 * @param {ReturnType<typeof layOut>} boxes
 * @param {import("../widgets/panel.js").Bench["state"]} state
 * @param {object} options
 * @param {ReturnType<import("./corrupt_image.js").CorruptImage["mount"]>} options.image
 * @param {ReturnType<typeof createGrids>} options.grids
 * @param {() => number} options.perColumn  query heads
 * @param {Parameters<typeof inputsView>[2]["onTyped"]} options.onTyped
 * @param {Parameters<typeof inputsView>[2]["onSet"]} options.onSet
 */
function mountViews(boxes, state, { image, grids, perColumn, onTyped, onSet }) {
  return {
    inputs: mount(boxes.inputs, inputsView, {
      tokens: el("div", {}, boxes.prompts, boxes.images),
      image: boxes.image,
      reason: isRecorded() ? t("This file holds one patching study. For another, open the live page.") : "",
      onTyped,
      onSet,
    }),
    image,
    prompts: mount(boxes.prompts, promptsView, {}),
    images: mount(boxes.images, imagesView, {}),
    waiting: mount(boxes.waiting, waitingView, {
      names: { stop: t("Cancel"), goOn: t("Patch again") },
      onStop: grids.stop,
      onGoOn: grids.goOn,
    }),
    runs: mount(boxes.runs, runsView, {}),
    heads: mount(boxes.heads, headSharesView, {
      onPick: ({ layer, head }, origin) => state.set({ layer, head: head * perColumn() }, origin),
    }),
    legend: mount(boxes.legend, legendView, {}),
    positions: mount(boxes.positions, positionsView, { onPick: (cell, origin) => state.set(cell, origin) }),
    patches: mount(boxes.patches, patchEffectsView, { onPick: (query) => state.set({ query }, "pick") }),
  };
}
