/** Panel of one output of the model and its studies. */

import { createLooks } from "./looks.js";
import { createOutputQuestions } from "./questions.js";
import { noteOn, saying } from "../state/chosen_output.js";
import { isUploaded, isWeightsOnly } from "../../api/analyses.js";
import { isRecorded } from "../../requests/recorded_answers.js";
import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { mount } from "../../base/mount.js";
import { outputView } from "./output.js";
import { createPanel, createProblem } from "../widgets/panel.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function outputPanel(element, bench) {
  const { state } = bench;
  const chooser = el("div", { class: "output-chooser" });
  const note = el("p", { class: "note output-note" });
  const questions = createOutputQuestions(bench);
  const problem = createProblem(questions);
  const onFollow = (/** @type {number} */ answer) => state.set({ answer }, "pick");
  const isAsked = !isRecorded(); // a file holds one output, and no other can be chosen
  const looks = createLooks(bench, isAsked ? onFollow : null);
  const results = el("div", { class: "output-results" }, ...looks.elements);
  const showChooser = mount(chooser, outputView, {
    onLook: (look) => state.set({ look }, "pick"),
    ...(isAsked && {
      onFollow,
      onAgainst: (against) => state.set({ against }, "pick"),
      onAim: (query) => state.set({ query, key: null, output: null }, "pick"),
    }),
  });
  /** The analysis whose results are shown. */
  let drawn = "";

  /** @param {Scene} scene @returns {boolean}  whether there is nothing more to wait for */
  function draw(scene) {
    const asked = questions.output(scene);
    if (!asked) return questions.failure()?.kind === "failed";
    showChooser(chooserData(scene, asked));
    looks.choose(asked.look);
    const found = questions.look(scene, asked);
    const missing = found && looks.draw(scene, asked.chosen.words, found);
    note.textContent = missing || noteOn(asked.output);
    return found !== null || questions.failure()?.kind === "failed";
  }

  const panel = createPanel(element, {
    stands: [chooser, note, problem.box, results],
    views: { chooser: showChooser, ...looks.views },
    asks: [questions, problem, { clear: looks.map.hide }],
    draw(scene) {
      // Nothing of another analysis stays.
      if (scene.analysis.id !== drawn) panel.clear();
      drawn = scene.analysis.id;
      const why = obstacleTo(scene.analysis);
      if (why !== "") {
        note.textContent = why;
        return;
      }
      const isDone = draw(scene);
      results.setAttribute("aria-busy", String(!isDone));
      results.hidden = problem.show()?.kind === "failed";
    },
    point: (place) => looks.map.point(place),
    forget() {
      drawn = "";
      note.textContent = "";
      results.setAttribute("aria-busy", "false");
    },
  });
  return panel;
}

/**
 * Why no output can be explained; "" where one can.
 * @param {Scene["analysis"]} analysis
 * @returns {string}
 */
function obstacleTo(analysis) {
  if (isUploaded(analysis.id)) return t("No model ran here on these tensors, so there is no output to explain.");
  return isWeightsOnly(analysis) ? t("Weights only: this model's output cannot be traced to them.") : "";
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
