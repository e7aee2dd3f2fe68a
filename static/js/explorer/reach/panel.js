/** Panel of reach: which token really influences which position, beside what masks allow and heads look at. */

import { isUploaded, isWeightsOnly } from "../../api/analyses.js";
import { MOST_PATCHES, MOST_TOKENS, getReach, getReachProgress } from "../../api/reach.js";
import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { mount } from "../../base/mount.js";
import { placed } from "../../base/place.js";
import { createStopping } from "../../requests/stopping.js";
import { watchedProgress } from "../../requests/watched_progress.js";
import { waitingView } from "../widgets/waiting.js";
import { answersOf, createPanel, createProblem } from "../widgets/panel.js";
import { writeChanges } from "../state/changes/changes.js";
import { writeState } from "../state/view_state.js";
import { reachView } from "./reach.js";
import { caseControls, caseOf } from "./case_controls.js";
import { waitingWords } from "./words.js";

/** Answers kept: each holds three maps of every layer. */
const KEPT = 4;

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function reachPanel(element, bench) {
  const { state, pointed } = bench;
  const box = el("div", { class: "reach" });
  const obstacle = el("p", { class: "note" });
  const waiting = el("div", {});
  const measuring = createMeasuring(bench);
  const controls = caseControls((change) => state.set(change, "pick"));
  const leak = leakOffer();
  const note = reachNote();
  const showWaiting = mount(waiting, waitingView, measuring.choices);
  const show = mount(box, reachView, {
    onPick: (cell, origin) => state.set(cell, origin),
    onPoint: (place) => pointed.set(place),
  });
  return createPanel(element, {
    stands: [obstacle, controls.element, measuring.problem, waiting, box, leak.element, note.element],
    views: [show, showWaiting],
    asks: measuring.asks,
    draw({ value, analysis, part, queries, keys, pointed: place, palette }) {
      const { layer, numbering, query, key } = value;
      const why = obstacleTo(analysis, part);
      obstacle.textContent = why;
      obstacle.hidden = why === "";
      const { parts, interventions } = analysis;
      const now = caseOf(value, {
        isChanged: interventions.length > 0,
        isImage: Boolean(analysis.image),
        parts,
        count: part.query_tokens,
      });
      const asked = { part: part.name, case: now.case, start: now.start };
      const { reach, isShown, words } = measuring.take(analysis.id, asked, why === "");
      showWaiting(words);
      controls.show(now, queries, numbering);
      if (why !== "") controls.element.hidden = true;
      leak.show(reach && now.cases.includes("cached") ? value : null);
      note.show(value);
      const layers = part.layers;
      const shown = { reach, queries, keys, layer, layers, numbering, query, key, pointed: place, palette };
      show(why === "" ? shown : null);
      box.hidden = !isShown;
    },
    point: (place) => show.patch(() => ({ pointed: place })),
  });
}

/**
 * The measurement: asked for, followed, stopped and gone on with.
 * @param {import("../widgets/panel.js").Bench} bench
 */
function createMeasuring(bench) {
  const reaches = answersOf(bench, "reach", getReach, { kept: KEPT, limit: null });
  const problem = createProblem(reaches);
  const progress = watchedProgress(getReachProgress, bench.schedule);
  const stopping = createStopping(bench.schedule);
  return {
    problem: problem.box,
    asks: [reaches, problem, { clear: () => progress.watch(null) }],
    choices: stopping.choices,
    /**
     * @param {string} id  of the analysis
     * @param {Parameters<typeof getReach>[1]} asked
     * @param {boolean} isPossible
     */
    take(id, asked, isPossible) {
      const isStopped = stopping.holds([id, asked]);
      const isAsked = isPossible && !isStopped;
      const [reach = null] = reaches.take(id, isAsked ? [asked] : []);
      const isFailed = problem.show()?.kind === "failed";
      const isWaiting = isAsked && !reach && !isFailed;
      progress.watch(isWaiting ? { id, asked } : null);
      const words = isWaiting || isStopped ? waitingWords(progress.now(), isStopped) : null;
      return { reach, isShown: !isFailed && !isStopped, words };
    },
  };
}

/**
 * Why nothing can be measured; "" where it can.
 * @param {import("../../api/types.js").Analysis} analysis
 * @param {import("../../api/types.js").Part} part
 * @returns {string}
 */
function obstacleTo(analysis, part) {
  if (isUploaded(analysis.id) || analysis.sound)
    return t(
      "Reach is measured by replacing tokens of a text or patches of an image, so it needs these and their model.",
    );
  if (isWeightsOnly(analysis)) return t("Weights only: this model cannot be run again here.");
  const patches = analysis.tokens.filter(({ box }) => box).length;
  if (patches > MOST_PATCHES)
    return t("Reach is measured in images of up to {most} patches; this one has {count}.", {
      most: MOST_PATCHES,
      count: patches,
    });
  if (patches > 0) return "";
  const count = Math.max(part.query_tokens, part.key_tokens);
  if (count <= MOST_TOKENS) return "";
  return t("Reach is measured in texts of up to {most} tokens; this one has {count}.", { most: MOST_TOKENS, count });
}

/** A leak to look at: a head that passes on the same mean of all positions to each. */
function leakOffer() {
  const make = el("a", { class: "button is-small" });
  const about = t("What a leak looks like: a head that passes on its mean over all positions carries the future.");
  const element = el("p", { class: "note reach-leak", hidden: true }, about, " ", make);
  return {
    element,
    /** @param {import("../state/view_state.js").ViewState | null} value  null where there is nothing to change */
    show(value) {
      element.hidden = value === null;
      if (!value) return;
      const { layer, head, numbering } = value;
      make.href = writeState({ ...value, changes: writeChanges([{ kind: "mean", part: "", layer, head }]) });
      make.textContent = t("Replace layer {layer}, head {head} by its mean", {
        layer: layer + numbering,
        head: head + numbering,
      });
    },
  };
}

function reachNote() {
  const page = el("a", {}, t("Draw a mask and watch reach close over the layers of a small model"));
  const element = el(
    "p",
    { class: "note" },
    t(
      "Each token of a text is replaced in turn, by two others, or each patch of an image, and the model runs again, with the library's own attention unless you have changed it here. A position whose state stays the same bit for bit is not reached. What reaches without any weight that leads there comes by another way: a convolution, a recurrence, a norm over positions.",
    ),
    " ",
    page,
  );
  return {
    element,
    /** @param {import("../state/view_state.js").ViewState} value */
    show({ lang }) {
      page.href = placed(lang ? `/reach?lang=${encodeURIComponent(lang)}` : "/reach");
    },
  };
}
