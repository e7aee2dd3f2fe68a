/** The page of live training: a run on the server, its curves, its maps and what became of it. */

import { startConcept } from "../frame/concept.js";
import { el, fill, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { calculation } from "./steps.js";
import { trainingCharts } from "./charts.js";
import { bindTrainingControls, bindVerdict } from "./controls.js";
import { createLeading } from "./run_control.js";
import { best, firstFormed } from "./run.js";
import { FIELDS, presets, read, request, write } from "./state.js";
import { mount } from "../../base/mount.js";
import { trainingView } from "./view.js";

/** @typedef {import("./state.js").TrainingState} TrainingState */
/** @typedef {import("./run_control.js").Run} Run */

/** Curves are drawn anew no more often than this. */
const CHARTS_EVERY_MS = 160;

startConcept(document, () => ({ stem: "training", fields: FIELDS, read, write, request, presets, build }));

/**
 * @param {import("../frame/concept.js").Desk<TrainingState>} desk
 * @returns {import("../frame/concept.js").Instrument<TrainingState>}
 */
function build({ root, state, schedule }) {
  const leading = createLeading(schedule);
  const compare = root.querySelector("#compare");
  if (compare instanceof HTMLElement) compare.hidden = true; // asking again would be another run
  /** Step that is looked at; null follows the newest. @type {number | null} */
  let looked = null;
  let drawnAt = 0;
  let isWaiting = false;
  const look = (/** @type {number | null} */ step) => {
    looked = step;
    drawnAt = 0;
    schedule();
  };
  const controls = bindTrainingControls(root, leading, {
    onGuess: (guess) => state.set({ guess }, "switch"),
    onBegin: () => {
      looked = null;
      const value = state.get();
      void leading.begin(request(value), value.guess);
    },
    onScrub: (index, isNewest) => look(isNewest ? null : (leading.run()?.record.all()[index]?.step ?? null)),
  });
  const charts = trainingCharts(need(root, "#charts"), { onRead: () => undefined });
  const maps = mount(need(root, "#maps"), trainingView, {
    onPick: (layer, head) => state.set({ layer, head }, "switch"),
  });
  const says = bindVerdict(root);
  const table = bindComparison(root);

  return {
    show(value) {
      const run = leading.run();
      const kept = leading.kept();
      const update = run && (looked === null ? run.record.newest() : run.record.at(looked));
      const index = update && run ? run.record.all().indexOf(update) : -1;
      controls(value, index);
      says(run);
      table(run, kept);
      drawCharts(value, run, kept, looked === null || !update ? null : update.step);
      maps(run && update ? mapsOf(value, run, kept, update) : null);
      need(root, "#maps-empty").hidden = Boolean(update);
      return calculation(run, update);
    },
    pictures: () => [.../** @type {NodeListOf<SVGSVGElement>} */ (root.querySelectorAll("#charts svg.mark"))],
  };

  /** @param {Readonly<TrainingState>} value @param {Run | null} run @param {Run | null} kept @param {number | null} shown */
  function drawCharts(value, run, kept, shown) {
    const now = performance.now();
    if (now - drawnAt < CHARTS_EVERY_MS) {
      if (!isWaiting) setTimeout(later, CHARTS_EVERY_MS);
      isWaiting = true;
      return;
    }
    drawnAt = now;
    const steps = run?.answer.config.steps ?? value.steps;
    charts({ run, kept: kept === run ? null : kept, steps, shown, chosen: { layer: value.layer, head: value.head } });
  }

  function later() {
    isWaiting = false;
    schedule();
  }
}

/**
 * @param {Readonly<TrainingState>} value
 * @param {Run} run
 * @param {Run | null} kept
 * @param {import("./run.js").Update} update
 * @returns {import("./view.js").TrainingData}
 */
function mapsOf(value, { answer }, kept, update) {
  const { num_layers: layers, num_heads: heads } = answer.config;
  const isAlike = kept !== null && kept.answer.config.num_layers === layers && kept.answer.config.num_heads === heads;
  return {
    update,
    kept: isAlike && kept.answer.id !== answer.id ? kept.record.at(update.step) : null,
    layers,
    heads,
    layer: Math.min(value.layer, layers - 1),
    head: Math.min(value.head, heads - 1),
    example: answer.example,
    formed: answer.formed,
    theme: value.theme + String(matchMedia("(prefers-color-scheme: dark)").matches),
  };
}

/**
 * Two runs side by side: what differs between them, and what came of it.
 * @param {Document} root
 */
function bindComparison(root) {
  const place = need(root, "#comparison");
  let known = "";
  return (/** @type {Run | null} */ run, /** @type {Run | null} */ kept) => {
    const isTwo = run !== null && kept !== null && run !== kept;
    place.hidden = !isTwo;
    if (!isTwo) return;
    const lines = [...differences(kept, run), ...results(kept, run)];
    const key = JSON.stringify(lines);
    if (key === known) return;
    known = key;
    const head = el("tr", {}, ...["", t("kept run"), t("this run")].map((name) => el("th", { scope: "col" }, name)));
    const rows = lines.map(([name, ...cells]) =>
      el("tr", {}, el("th", { scope: "row" }, name), ...cells.map((cell) => el("td", {}, cell))),
    );
    fill(place, el("caption", {}, t("Two runs side by side")), el("thead", {}, head), el("tbody", {}, ...rows));
  };
}

/** @param {Run} kept @param {Run} run @returns {string[][]} */
function differences(kept, run) {
  const settings = Object.keys(run.answer.config);
  const said = (/** @type {unknown} */ value) => (value === null ? "–" : String(value));
  return settings
    .map((name) => [name, said(kept.answer.config[name]), said(run.answer.config[name])])
    .filter(([, one, other]) => one !== other);
}

/** @param {Run} kept @param {Run} run @returns {string[][]} */
function results(kept, run) {
  /** @param {(run: Run) => string} of */
  const both = (of) => [of(kept), of(run)];
  return [
    [t("Step"), ...both((one) => String(one.record.newest()?.step ?? "–"))],
    [t("Loss"), ...both((one) => number(one, (update) => update.loss, 3))],
    [t("Right"), ...both((one) => percent(one))],
    [
      t("Previous token, best head"),
      ...both((one) => number(one, (update) => best(update, "previous_token").score, 2)),
    ],
    [t("Induction, best head"), ...both((one) => number(one, (update) => best(update, "induction").score, 2))],
    [t("Induction formed at step"), ...both(formedAt)],
  ];
}

/** @param {Run} run @param {(update: import("./run.js").Update) => number} of @param {number} digits */
function number(run, of, digits) {
  const newest = run.record.newest();
  return newest ? fixed(of(newest), digits) : "–";
}

/** @param {Run} run */
function percent(run) {
  const newest = run.record.newest();
  return newest ? `${Math.round(100 * newest.accuracy)} %` : "–";
}

/** @param {Run} run */
function formedAt({ record, answer }) {
  return String(firstFormed(record.all(), "induction", answer.formed)?.update.step ?? "–");
}
