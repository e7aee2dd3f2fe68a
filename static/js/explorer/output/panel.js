/** Panel of one output of the model and its studies. */

import { createOutputMap } from "./map.js";
import { LOOKS, createOutputQuestions } from "./questions.js";
import { noteOn, saying } from "../state/chosen_output.js";
import { isUploaded, isWeightsOnly } from "../../api/analyses.js";
import { isRecorded } from "../../requests/recorded_answers.js";
import { el } from "../../base/dom.js";
import { formatHeads } from "../state/head_list.js";
import { headName } from "../../wording/labels.js";
import { t } from "../../base/i18n.js";
import { attributionView } from "./attribution.js";
import { directEffectView } from "./direct_effect.js";
import { logitLensView } from "./logit_lens.js";
import { mount } from "../../base/mount.js";
import { outputView } from "./output.js";
import { createPanel, createProblem } from "../widgets/panel.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */

/** @typedef {{layer: number, head: number}} HeadAt */

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function outputPanel(element, bench) {
  const { state } = bench;
  const boxes = {
    logit_lens: el("div", { class: "lens" }),
    direct_effect: el("div", { class: "effect" }),
    attribution: el("div", { class: "attribution" }),
    map: el("div", { class: "attribution-weights" }),
  };
  const chooser = el("div", { class: "output-chooser" });
  const note = el("p", { class: "note output-note" });
  const results = el("div", { class: "output-results" }, ...Object.values(boxes));
  const questions = createOutputQuestions(bench);
  const problem = createProblem(questions);
  const map = createOutputMap(boxes.map, bench);
  const onPick = (/** @type {HeadAt} */ head, /** @type {string} */ origin) => state.set(head, origin);
  const onTogether = (/** @type {HeadAt[]} */ [first, ...others]) =>
    state.set({ ...first, heads: formatHeads(others), view: "lines" }, "pick");
  const onFollow = (/** @type {number} */ answer) => state.set({ answer }, "pick");
  const isAsked = !isRecorded(); // a file holds one output, and no other can be chosen
  const views = {
    chooser: mount(chooser, outputView, {
      onLook: (look) => state.set({ look }, "pick"),
      ...(isAsked && {
        onFollow,
        onAgainst: (against) => state.set({ against }, "pick"),
        onAim: (query) => state.set({ query, key: null, output: null }, "pick"),
      }),
    }),
    logit_lens: mount(boxes.logit_lens, logitLensView, isAsked ? { onPick: onFollow } : {}),
    direct_effect: mount(boxes.direct_effect, directEffectView, { onPick, onTogether }),
    attribution: mount(boxes.attribution, attributionView, { onPick, onTogether }),
  };
  /** The analysis whose results are shown. */
  let drawn = "";

  /** @param {Scene} scene @returns {boolean}  whether there is nothing more to wait for */
  function draw(scene) {
    const { value, palette, part } = scene;
    const { layer, head, numbering } = value;
    const asked = questions.output(scene);
    if (!asked) return questions.failure()?.kind === "failed";
    const { output, chosen, look } = asked;
    note.textContent = noteOn(output);
    views.chooser(chooserData(scene, asked));
    for (const name of LOOKS) boxes[name].hidden = name !== look;
    boxes.map.hidden = look !== "attribution";
    const answers = questions.look(scene, asked);
    const common = { layer, head, numbering, output: chosen.words, palette };
    if (answers?.lens) views.logit_lens({ lens: answers.lens, numbering });
    if (answers?.effect) views.direct_effect({ ...common, effect: answers.effect });
    if (answers?.attribution) {
      const heads = answers.attribution.parts.find(({ name }) => name === part.name)?.heads;
      if (heads) views.attribution({ ...common, value: answers.attribution.output, heads });
      const { matrix, heldFor } = answers.attribution;
      if (matrix) map.show(scene, matrix);
      else {
        map.hide();
        if (heldFor) note.textContent = sumsAlone(heldFor, numbering);
      }
    }
    return answers !== null || questions.failure()?.kind === "failed";
  }

  const panel = createPanel(element, {
    stands: [chooser, note, problem.box, results],
    views,
    asks: [questions, problem, { clear: map.hide }],
    draw(scene) {
      // Nothing of another analysis stays.
      if (scene.analysis.id !== drawn) panel.clear();
      drawn = scene.analysis.id;
      if (isUploaded(drawn)) {
        note.textContent = t("No model ran here on these tensors, so there is no output to explain.");
        return;
      }
      if (isWeightsOnly(scene.analysis)) {
        note.textContent = t("Weights only: this model's output cannot be traced to them.");
        return;
      }
      const isDone = draw(scene);
      results.setAttribute("aria-busy", String(!isDone));
      results.hidden = problem.show()?.kind === "failed";
    },
    point: (place) => map.point(place),
    forget() {
      drawn = "";
      note.textContent = "";
      results.setAttribute("aria-busy", "false");
    },
  });
  return panel;
}

/**
 * A file holds the weights × gradients of one head, of the others their sums.
 * @param {HeadAt} of
 * @param {0 | 1} numbering
 */
function sumsAlone({ layer, head }, numbering) {
  const of = { head: headName(layer, head, numbering) };
  return t("This file holds one output, and only the weights of {head}. For others, open the live page.", of);
}

/**
 * @param {Scene} scene
 * @param {import("./questions.js").Asked} asked
 */
function chooserData({ value, analysis }, { output, further, chosen, look }) {
  const { followed, against } = chosen;
  const { position } = output;
  const aims = analysis.predictions.map((prediction) => prediction.index);
  return {
    output,
    further,
    followed,
    against,
    look: look ?? /** @type {const} */ ("attribution"),
    token: position === null ? null : saying(analysis)[position],
    aim: position === null || aims.length === 0 || aims.includes(position) ? null : aims[0],
    numbering: value.numbering,
  };
}
