/** Two runs side by side, and what is between them: two texts, two models, or a model before and after a change. */

import { getPredictionDifference } from "../../api/analyses.js";
import { sentences } from "../../base/i18n.js";
import { createCachedResource } from "../../requests/cached_resource.js";
import { createPosting } from "../data/analysis_request.js";
import { createHeadLoader } from "../data/head_loader.js";
import { createSession } from "../data/session.js";
import { thumbnailMaxima } from "../../charts/heat_map/auto_scale.js";
import { isUnsigned } from "../../charts/heat_map/scales.js";
import { formatHeads } from "../state/head_list.js";
import { changedHeads, markOf } from "../state/changes/changed_heads.js";
import { headName } from "../../wording/labels.js";
import { partOf, placesIn, writeWindow } from "../state/selection.js";
import { axesVerb } from "../../wording/stage_words.js";
import { failureView } from "../../page/failure.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { matrixView } from "../../charts/heat_map/heat_map.js";
import { mostChangedView } from "./most_changed.js";
import { mount } from "../../base/mount.js";
import { predictionPairsView } from "./prediction_pairs.js";
import { comparisonInputView } from "./comparison_input.js";
import { layOut } from "./layout.js";
import { createOtherModel, inputOf } from "./other_model.js";
import { createPairing } from "./pairing.js";
import { createPanel } from "../widgets/panel.js";
import { createPlaces } from "./positions.js";
import { createRunDifference, differenceMap } from "./run_difference.js";
import { coloursOf, createRunMaps, otherHeadOf, predictionsOf, runsOf } from "./run_maps.js";
import { createSecondRun } from "./second_run.js";
import { headToOpen, unchangedNote } from "./unchanged_head.js";

/** @typedef {import("../widgets/panel.js").Bench} Bench */
/** @typedef {import("../../charts/heat_map/cells.js").Pointed} Pointed */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("./run_maps.js").Run} Run */
/**
 * @typedef {Bench & import("./other_model.js").Models & {images: import("../data/images.js").GivenImages,
 *   beside: import("../state/beside.js").Beside}} ComparisonBench
 */

/** The left map, the right one, and that of the difference. */
const MAPS = /** @type {const} */ ([0, 1, 2]);

/**
 * @param {HTMLElement} element
 * @param {ComparisonBench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function comparePanel(element, bench) {
  const { headLoader, schedule, session } = bench;
  const other = createSession(createPosting(bench.images));
  other.progress.subscribe(schedule);
  const second = createSecondRun(session, other);
  const otherLoader = createHeadLoader(other, schedule);
  const { choose, known } = createOtherModel(bench, other);
  const boxes = layOut(element);
  const maps = createMaps(bench, other, boxes, choose);
  const { views } = maps;

  /** @param {Scene} scene */
  function draw(scene) {
    const { value, part } = scene;
    const { otherText: text, otherModel: model, numbering } = value;
    const { isBare, isKnown, title } = known(model);
    const { wanted, analysis, isBusy, isBehind, failure } = second.take(value, isBare);
    const isThere = wanted !== null && analysis !== null && failure?.kind !== "failed";
    const { layers, heads } = (isThere && !isBehind && partOf(analysis, part.name)) || part;
    const input = { text, model, head: otherHeadOf(value) };
    const isPlain = value.chat && model !== "" && isBare && isKnown;
    const isText = inputOf(scene.analysis) === "text";
    const hasChanges = value.changes !== "";
    views.input({ ...input, title, layers, heads, numbering, hasChanges, isBusy, isText, isPlain });
    views.problem(failure);
    boxes.results.hidden = !isThere;
    boxes.results.setAttribute("aria-busy", String(isBusy || isBehind));
    if (!isThere) for (const map of views.maps) map(null); // what they waited for is not asked for any more
    if (!isThere || isBehind) return;
    boxes.maps.forEach(({ name }, index) => (name.textContent = wanted.names[index]));
    maps.draw(scene, runsOf(scene, analysis, wanted, { own: headLoader, other: otherLoader }));
  }

  return createPanel(element, {
    views: Object.values(views).flat(),
    asks: [headLoader, otherLoader, ...maps.asks],
    draw,
    point: maps.point,
    forget() {
      maps.forget();
      boxes.results.hidden = true;
      boxes.results.setAttribute("aria-busy", "false");
    },
  });
}

/**
 * The map of each run and that of their difference, with what is said of them.
 * @param {ComparisonBench} bench
 * @param {import("../data/session.js").Session} other
 * @param {ReturnType<typeof layOut>} boxes
 * @param {() => void} choose  another model
 */
function createMaps(bench, other, boxes, choose) {
  const { headLoader, schedule, state } = bench;
  const pairing = createPairing(bench, other);
  const difference = createRunDifference(bench, other, pairing);
  /** @type {import("./positions.js").Paired | null} */
  let paired = null;
  /** @type {Scene["part"] | null} */
  let part = null;
  const places = createPlaces(() => paired);
  const { lookOf, mapOf } = createRunMaps(bench, places);
  const zoom = (/** @type {Range} */ rows, /** @type {Range} */ cols) => {
    if (part) state.set(writeWindow({ rows, cols }, part), "move");
  };
  const views = mountViews(boxes, bench, places, { zoom, choose });
  const answers = createAnswers(boxes, views, schedule);
  const maximaOf = (/** @type {Run} */ run) => thumbnailMaxima(bench.remember(run.part).thumbnails, run);

  /** @param {Scene} scene @param {[Run, Run]} runs */
  function draw(scene, runs) {
    const { value } = scene;
    const { stage, numbering } = value;
    part = scene.part;
    const own = runs[0].headLoader === headLoader ? 0 : 1;
    paired = { own, pairing: pairing.take(...runs, { own: own === 0 ? "first" : "second", numbering, stage }) };
    const windows = runs.map((run, map) => run.headLoader.matrix(lookOf(run, scene, map === 0 ? 0 : 1)));
    const { limits, isFaint, note } = coloursOf(value, windows, () => runs.flatMap(maximaOf));
    const left = mapOf(runs[0], scene, 0, windows[0], { limits, isFaint });
    const right = mapOf(runs[1], scene, 1, windows[1], { limits, isFaint });
    const change = difference.take(scene, runs, windows, paired);
    const { queries, keys } = paired.pairing;
    const isThere = change.reason === "" && queries && keys;
    const third = isThere ? differenceMap([left, right], scene, change.matrix, { queries, keys }) : null;
    [left, right, third].forEach((map, index) => views.maps[index](map));
    const loaders = [runs[0].headLoader, runs[1].headLoader, difference];
    loaders.forEach((loader, index) => views.problems[index](loader.failure()));
    views.legend({ scale: isUnsigned(stage) ? "weight" : "signed", limits, faint: isFaint, hasMasked: false, note });
    views.signed(third && signedLegend(third));
    const unchanged = isOneHead(value) && change.largest ? keptWeights(bench, change.largest, value, runs[1]) : "";
    showNote(boxes.maps[2], { ...change, note: sentences([unchanged, change.note]) });
    runs.forEach(({ layer, head }, index) => (boxes.maps[index].head.textContent = headName(layer, head, numbering)));
    answers.draw(value, runs, change.largest);
    boxes.verb.textContent = axesVerb(stage);
  }

  return {
    views,
    draw,
    asks: [difference, answers],
    /** @param {Pointed} place */
    point(place) {
      for (const map of MAPS)
        views.maps[map].patch((shown) => ({ pointed: placesIn(shown, places.toMap(map, place)) }));
    },
    forget: () => (paired = null),
  };
}

/**
 * What a change of the model leaves as it was. Who asked to see what changes, gets another head where this one does not.
 * @param {Pick<ComparisonBench, "beside" | "state">} bench
 * @param {number[][]} largest
 * @param {Scene["value"]} value
 * @param {Run} after
 */
function keptWeights({ beside, state }, largest, value, { analysis, part }) {
  const head = beside.take() ? headToOpen(largest, value) : null;
  if (head) state.set(head, "settle");
  return unchangedNote(largest, value, markOf(changedHeads(analysis, part), value) === "off");
}

/** Whether both maps are of the same head of the same text and model. @param {Scene["value"]} value */
function isOneHead({ otherText, otherModel, otherHead }) {
  return !otherText && !otherModel && !otherHead;
}

/**
 * What both runs predict, and the heads that changed most; nothing where both maps are of one run.
 * @param {ReturnType<typeof layOut>} boxes
 * @param {Pick<ReturnType<typeof mountViews>, "pairs" | "changed">} views
 * @param {() => void} schedule
 */
function createAnswers(boxes, views, schedule) {
  const differences = createCachedResource({
    lane: "difference",
    onChange: schedule,
    kept: 4,
    read: (/** @type {[string, string]} */ [firstId, secondId], signal) =>
      getPredictionDifference(firstId, secondId, signal),
  });
  return {
    clear: differences.clear,
    /** @param {Scene["value"]} value @param {[Run, Run]} runs @param {number[][] | null} largest */
    draw({ layer, head, numbering, otherModel }, runs, largest) {
      const [first, second] = runs.map(({ analysis }) => analysis);
      const isOneRun = first.id === second.id;
      boxes.answers.hidden = isOneRun;
      const isAsked = !isOneRun && first.predictions.length > 0 && second.predictions.length > 0;
      const [predicted] = differences.take(isAsked ? [[first.id, second.id]] : []);
      views.pairs(predictionsOf(runs, { isSameModel: !otherModel, numbering }, predicted ?? null));
      views.changed(isOneRun ? null : largest && { largest, layer, head, numbering });
    },
  };
}

/**
 * What is said of the difference, or why there is none.
 * @param {Pick<ReturnType<typeof layOut>["maps"][number], "note" | "map">} box
 * @param {Pick<import("./run_difference.js").RunDifference, "note" | "reason">} found
 */
function showNote(box, { note, reason }) {
  box.note.textContent = note;
  box.note.hidden = note === "";
  box.map.hidden = reason !== "";
}

/**
 * @param {import("../../charts/heat_map/heat_map.js").MatrixData} difference
 * @returns {import("../../charts/heat_map/legend.js").LegendData | null}
 */
function signedLegend({ matrix, limits }) {
  return matrix && { scale: "signed", limits, faint: false, hasMasked: matrix.values.includes(-Infinity) };
}

/**
 * @param {ReturnType<typeof layOut>} boxes
 * @param {Bench} bench
 * @param {ReturnType<typeof createPlaces>} places
 * @param {object} how
 * @param {(rows: Range, cols: Range) => void} how.zoom  in the tokens of the run that is shown
 * @param {() => void} how.choose  another model
 */
function mountViews(boxes, { state, pointed }, { toOwn, rangesToOwn }, { zoom, choose }) {
  const maps = MAPS.map((map) =>
    mount(boxes.maps[map].map, matrixView, {
      onPick: (place, origin) => {
        const own = toOwn(map, place);
        if (own.query !== null) state.set(own, origin);
      },
      onPoint: (place) => pointed.set(toOwn(map, place)),
      onZoom: (rows, cols) => zoom(...rangesToOwn(map, rows, cols)),
    }),
  );
  const problems = MAPS.map((map) => mount(boxes.maps[map].problem, failureView, {}));
  return {
    maps,
    problems,
    input: mount(boxes.input, comparisonInputView, {
      onChooseModel: choose,
      onAsk: ({ text, model, head }) =>
        state.set({ otherText: text, otherModel: model, otherHead: head ? formatHeads([head]) : "" }, "pick"),
    }),
    problem: mount(boxes.problem, failureView, {}),
    legend: mount(boxes.legend, legendView, {}),
    signed: mount(boxes.signed, legendView, {}),
    pairs: mount(boxes.pairs, predictionPairsView, {}),
    changed: mount(boxes.changed, mostChangedView, { onPick: (head) => state.set(head, "pick") }),
  };
}
