/** How one output of the model came about. */

import { getAttribution, getDirectEffect, getLogitLens, getOutput } from "../../api/output.js";
import { isUploaded } from "../../api/analyses.js";
import { createAnalysisResource } from "../../requests/cached_resource.js";
import {
  choose,
  furtherTokens,
  learn,
  noteOn,
  placeOf,
  questionOf,
  saying,
  withChosen,
} from "../state/chosen_output.js";
import { el, fill } from "../../base/dom.js";
import { formatHeads } from "../state/head_list.js";
import { t } from "../../base/i18n.js";
import { remembering } from "../../base/memoise.js";
import { attributionView } from "./attribution.js";
import { directEffectView } from "./direct_effect.js";
import { failureView } from "../../page/failure.js";
import { logitLensView } from "./logit_lens.js";
import { mount } from "../../base/mount.js";
import { outputView } from "./output.js";
import { createOutputMap } from "./map.js";

/** @typedef {import("../../api/output.js").Look} Look */
/** @typedef {import("../../api/output.js").Output} Output */
/** @typedef {import("../../api/types.js").Scene} Scene */

const KEPT = 16;

/**
 * @param {HTMLElement} element
 * @param {import("../../api/types.js").Bench} bench
 * @returns {import("../../api/types.js").Panel}
 */
export function outputPanel(element, bench) {
  const { state, session, schedule } = bench;
  const boxes = {
    chooser: el("div", { class: "output-chooser" }),
    logit_lens: el("div", { class: "lens" }),
    direct_effect: el("div", { class: "effect" }),
    attribution: el("div", { class: "attribution" }),
    map: el("div", { class: "attribution-weights" }),
  };
  const note = el("p", { class: "note output-note" });
  const problem = el("div", { class: "failure" });
  const results = el("div", { class: "output-results" }, ...Object.values(boxes).slice(1));
  const options = { onChange: schedule, kept: KEPT };
  const outputs = createAnalysisResource(session, getOutput, { lane: "output", ...options });
  const looks = {
    logit_lens: createAnalysisResource(session, getLogitLens, { lane: "logit_lens", ...options, limit: null }),
    direct_effect: createAnalysisResource(session, getDirectEffect, { lane: "direct_effect", ...options, limit: null }),
    attribution: createAnalysisResource(session, getAttribution, { lane: "attribution", ...options, limit: null }),
  };
  const showProblem = mount(problem, failureView, {});
  const onPick = (/** @type {{layer: number, head: number}} */ head, /** @type {string} */ origin) =>
    state.set(head, origin);
  const onTogether = (/** @type {{layer: number, head: number}[]} */ [first, ...others]) =>
    state.set({ ...first, heads: formatHeads(others), view: "lines" }, "pick");
  const onFollow = (/** @type {number} */ answer) => state.set({ answer }, "pick");
  const show = {
    chooser: mount(boxes.chooser, outputView, {
      onFollow,
      onAgainst: (against) => state.set({ against }, "pick"),
      onLook: (look) => state.set({ look }, "pick"),
      onAim: (query) => state.set({ query, key: null }, "pick"),
    }),
    logit_lens: mount(boxes.logit_lens, logitLensView, { onPick: onFollow }),
    direct_effect: mount(boxes.direct_effect, directEffectView, { onPick, onTogether }),
    attribution: mount(boxes.attribution, attributionView, { onPick, onTogether }),
  };
  const map = createOutputMap(boxes.map, bench);
  const furtherOf = remembering(furtherTokens);
  /** Texts of tokens, by id. @type {Map<number, string>} */
  const seen = new Map();
  /** The analysis whose output stands at no position: the same wherever one looks. */
  let everywhere = "";
  /** The analysis whose results stand here. */
  let drawn = "";

  /** @param {Scene} scene */
  function draw(scene) {
    const { value, analysis, part } = scene;
    const position = everywhere === analysis.id ? 0 : placeOf(value, analysis, part);
    const [output] = outputs.take(analysis.id, [{ position }]);
    if (!output) return outputs.failure()?.kind === "failed";
    if (output.position === null) everywhere = analysis.id;
    const further = withChosen(furtherOf(analysis, output), output, value, seen);
    const chosen = choose(output, value, further);
    const look = output.looks.find((one) => one === value.look) ?? output.looks[0] ?? null;
    const { followed, against } = chosen;
    note.textContent = noteOn(output);
    const aims = analysis.predictions.map((one) => one.index);
    show.chooser({
      ...{ output, further, followed, against, look: look ?? "attribution" },
      token: output.position === null ? null : saying(analysis)[output.position],
      aim: output.position === null || aims.length === 0 || aims.includes(output.position) ? null : aims[0],
      numbering: value.numbering,
    });
    for (const one of /** @type {Look[]} */ (Object.keys(looks))) {
      boxes[one].hidden = one !== look;
      if (one !== look) looks[one].clear();
    }
    boxes.map.hidden = look !== "attribution";
    return look === null || drawLook(look, output, chosen, scene);
  }

  /**
   * @param {Look} look
   * @param {Output} output
   * @param {import("../state/chosen_output.js").Chosen} chosen
   * @param {Scene} scene
   * @returns {boolean}  whether there is no more to wait for
   */
  function drawLook(look, output, chosen, scene) {
    const { value, analysis, part, palette } = scene;
    const { layer, head, numbering } = value;
    const { followed, against, words } = chosen;
    const at = { layer, head, numbering, output: words, palette };
    if (look === "attribution") {
      const asked = questionOf(output, chosen, { part: part.name, layer, head });
      const [found] = looks.attribution.take(analysis.id, [asked]);
      const heads = found?.parts.find(({ name }) => name === part.name)?.heads;
      if (learn(seen, found)) schedule();
      if (found && heads) show.attribution({ ...at, value: found.output, heads });
      if (found) map.show(scene, found.matrix);
      return found !== null || looks.attribution.failure()?.kind === "failed";
    }
    if (output.position === null || followed === null) return true;
    const asked = { position: output.position, token: followed };
    if (look === "logit_lens") {
      const [lens] = looks.logit_lens.take(analysis.id, [asked]);
      if (learn(seen, lens)) schedule();
      if (lens) show.logit_lens({ lens, numbering });
      return lens !== null || looks.logit_lens.failure()?.kind === "failed";
    }
    const [effect] = looks.direct_effect.take(analysis.id, [{ ...asked, against }]);
    if (learn(seen, effect)) schedule();
    if (effect) show.direct_effect({ ...at, effect });
    return effect !== null || looks.direct_effect.failure()?.kind === "failed";
  }

  /** Nothing of another analysis stays. */
  function clear() {
    for (const one of [outputs, ...Object.values(looks)]) one.clear();
    for (const update of Object.values(show)) update(null);
    map.hide();
    seen.clear();
    note.textContent = "";
    showProblem(null);
  }

  return {
    show(scene) {
      if (!results.isConnected) fill(element, boxes.chooser, note, problem, results);
      if (scene.analysis.id !== drawn) clear();
      drawn = scene.analysis.id;
      if (isUploaded(drawn)) {
        note.textContent = t("No model ran here on these tensors, so there is no output whose origin could be shown.");
        return;
      }
      const isDone = draw(scene);
      results.setAttribute("aria-busy", String(!isDone));
      const failure = [outputs, ...Object.values(looks)].map((one) => one.failure()).find((one) => one !== null);
      showProblem(failure ?? null);
      results.hidden = failure?.kind === "failed";
    },
    point(at) {
      map.point(at);
    },
    hide() {
      clear();
      drawn = "";
      results.setAttribute("aria-busy", "false");
      element.replaceChildren();
    },
  };
}
