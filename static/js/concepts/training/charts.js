/** Loss and scores over the steps: a line for each head, and what was kept of another run dashed behind. */

import { drawnView } from "../frame/views.js";
import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { linePlot } from "../../charts/plots/line_plot.js";
import { best } from "./run.js";
import { mount } from "../../base/mount.js";
import { COLOURS } from "./view.js";
import { headCode } from "../../wording/labels.js";

/** @typedef {import("./run_control.js").Run} Run */
/** @typedef {import("./run_source.js").TrainingData} TrainingData */
/** @typedef {import("../frame/concept.js").ConceptView<TrainingData>} View */
/** @typedef {import("./run.js").Role} Role */
/** @typedef {import("../../charts/lines.js").Series} Series */
/** @typedef {import("./run.js").Measured} Measured */

const NAMES = /** @type {const} */ (["loss", "previous_token", "induction", "answer"]);
/** Minimum milliseconds between redraws of the curves. */
const EVERY_MS = 160;
const MOST_POINTS = 200;
/** Colour index of the run kept for comparison, and of chance. */
const GREY = COLOURS;

/** @param {Role} role */
function roleName(role) {
  return {
    previous_token: t("Previous token"),
    induction: t("Induction"),
    answer: t("Answer position"),
  }[role];
}

/** @type {View} */
export const chartsView = drawnView((element) => {
  const charts = NAMES.map((name) => ({ name, draw: mount(need(element, `[data-chart="${name}"]`), linePlot, {}) }));
  let drawnAt = -EVERY_MS;
  /** @type {number | null} */
  let looked = null;
  /** @type {ReturnType<typeof setTimeout> | null} */
  let timer = null;
  /** @type {TrainingData} */
  let latest;

  return (data) => {
    latest = data;
    if (data.answer.looked !== looked) drawnAt = -EVERY_MS;
    looked = data.answer.looked;
    const wait = drawnAt + EVERY_MS - performance.now();
    if (wait <= 0) draw();
    else timer ??= setTimeout(draw, wait);
  };

  function draw() {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    drawnAt = performance.now();
    element.toggleAttribute("data-recorded", latest.answer.isRecorded);
    for (const chart of charts) chart.draw(chartOf(chart.name, latest));
  }
});

/**
 * @param {"loss" | Role} name
 * @param {TrainingData} data
 * @returns {import("../../charts/lines.js").LinesMark}
 */
function chartOf(name, { state, answer: { drawn: run, isRecorded, kept: other, looked, update } }) {
  const kept = other === run ? null : other;
  const steps = Math.max(run?.answer.config.steps ?? state.steps, kept?.answer.config.steps ?? 0);
  const shown = looked === null || !update ? null : update.step;
  return {
    title: name === "loss" ? t("Loss over the steps, in nats") : roleName(name),
    series: name === "loss" ? lossSeries(run, kept, isRecorded) : roleSeries(name, run, kept, state),
    x: { name: t("step"), least: 0, most: steps },
    y: { least: 0, most: name === "loss" ? lossTop(run, kept) : 1 },
    verticals: shown === null ? [] : [{ x: shown, name: t("step {step}", { step: shown }) }],
    height: null,
  };
}

/** @param {Run | null} run @param {Run | null} kept */
function lossTop(run, kept) {
  const losses = [run, kept].flatMap((source) => source?.record.all().map((update) => update.loss) ?? []);
  const chance = Math.max(run?.answer.chance_loss ?? 0, kept?.answer.chance_loss ?? 0);
  return Math.max(1.15 * chance, ...losses, 1);
}

/** @param {Run | null} run @param {Run | null} kept @param {boolean} isRecorded @returns {Series[]} */
function lossSeries(run, kept, isRecorded) {
  const name = isRecorded ? t("recorded run") : t("this run");
  const chance = run ?? kept;
  const guess = chance && { name: t("guessing"), points: level(chance, chance.answer.chance_loss), colour: GREY };
  return [
    ...(run ? [{ name, points: over(run, (update) => update.loss), colour: 0 }] : []),
    ...(kept ? [{ name: t("saved run"), points: over(kept, (update) => update.loss), colour: 1, dashed: true }] : []),
    ...(guess ? [{ ...guess, dashed: true }] : []),
  ];
}

/**
 * @param {Role} role
 * @param {Run | null} run
 * @param {Run | null} kept
 * @param {{layer: number, head: number}} chosen
 * @returns {Series[]}
 */
function roleSeries(role, run, kept, chosen) {
  const heads = run ? headsOf(run) : [];
  const mine = heads.map(({ layer, head }, index) => ({
    name: headCode(layer, head, 0),
    points: over(/** @type {Run} */ (run), (update) => update.scores[role][layer][head]),
    colour: index % COLOURS,
    strong: layer === chosen.layer && head === chosen.head,
  }));
  const theirs = kept && {
    name: t("saved run, best head"),
    points: over(kept, (update) => best(update, role).score),
    colour: GREY,
    dashed: true,
  };
  return theirs ? [theirs, ...mine] : mine;
}

/** @param {Run} run */
function headsOf({ answer }) {
  const { num_layers: layers, num_heads: heads } = answer.config;
  return Array.from({ length: layers * heads }, (_, index) => ({
    layer: Math.floor(index / heads),
    head: index % heads,
  }));
}

/** @param {Run} run @param {number} value @returns {[number, number][]} */
function level(run, value) {
  return [
    [0, value],
    [run.answer.config.steps, value],
  ];
}

/**
 * @param {Run} run
 * @param {(update: Measured) => number} value
 * @returns {[number, number][]}
 */
function over(run, value) {
  const updates = run.record.all();
  const every = Math.max(1, Math.ceil(updates.length / MOST_POINTS));
  return updates
    .filter((_, index) => index % every === 0 || index === updates.length - 1)
    .map((update) => [update.step, value(update)]);
}
