/** Two runs side by side, and what is between them: two texts, two models, or a model before and after a change. */

import { getModels } from "../../api/analyses.js";
import { createBetween } from "./difference_loader.js";
import { createCachedResource } from "../../requests/cached_resource.js";
import { createCloser } from "../data/head_loader.js";
import { rivalOf } from "./comparison.js";
import { isComparable, subtract } from "./difference.js";
import { headName } from "../../wording/labels.js";
import { createPosting } from "../data/analysis_request.js";
import { remembering } from "../../base/memoise.js";
import { commonLimits, isUnsigned, limitsOf } from "../../charts/heat_map/scales.js";
import { formatRange, parseRange, partOf, placesIn, sidesOf } from "../state/selection.js";
import { createSession } from "../data/session.js";
import { axesVerb } from "../../wording/stage_words.js";
import { failureView } from "../../page/failure.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { matrixView } from "../../charts/heat_map/heat_map.js";
import { mostChangedView } from "./most_changed.js";
import { mount } from "../../base/mount.js";
import { predictionPairsView } from "./prediction_pairs.js";
import { rivalView } from "./comparison_input.js";
import { isSame } from "../state/draft.js";
import { layOut } from "./layout.js";
import { createPairing } from "./pairing.js";
import { createPlaces, noSuchHead, notPooled, questionOf } from "./positions.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../api/types.js").Pointed} Pointed */
/** @typedef {import("../../api/types.js").Range} Range */
/** @typedef {import("../../api/types.js").Scene} Scene */

/**
 * @typedef {object} Run  one of the two
 * @property {Analysis} analysis
 * @property {Part} part
 * @property {number} layer  inside what this run has
 * @property {number} head
 * @property {ReturnType<typeof createCloser>} closer
 * @property {string} name
 */

/** @type {import("../../api/types.js").Model[]} */
const NONE = [];

/**
 * @param {HTMLElement} element
 * @param {import("../../api/types.js").Bench} bench
 * @returns {import("../../api/types.js").Panel}
 */
export function comparePanel(element, bench) {
  const { state, pointed, session, closer, pictures, remember, schedule } = bench;
  const rival = createSession(createPosting(pictures));
  const rivalCloser = createCloser(rival, schedule);
  const listing = createCachedResource({
    lane: "models",
    read: (_, signal) => getModels(signal),
    onChange: schedule,
    kept: 1,
  });
  let asked = "";
  /** @type {Part | null} */
  let part = null;
  const subtracted = remembering(subtract);
  const pairing = createPairing(bench, rival);
  /** @type {import("./positions.js").Paired | null} */
  let paired = null;
  const { toOwn, toMap, rangesToOwn, rangesOf } = createPlaces(() => paired);
  const boxes = layOut(element);
  const between = createBetween(session, rival, schedule);
  const options = (/** @type {0 | 1 | 2} */ map) => ({
    onPick: (/** @type {Pointed} */ at, /** @type {string} */ origin) => {
      const own = toOwn(map, at);
      if (own.query !== null) state.set(own, origin);
    },
    onPoint: (/** @type {Pointed} */ at) => pointed.set(toOwn(map, at)),
    onZoom: (/** @type {Range} */ rows, /** @type {Range} */ cols) => zoom(...rangesToOwn(map, rows, cols)),
  });
  const show = {
    rival: mount(boxes.rival, rivalView, {
      onAsk: ({ text, model }) => state.set({ otherText: text, otherModel: model }, "pick"),
    }),
    first: mount(boxes.maps[0].map, matrixView, options(0)),
    second: mount(boxes.maps[1].map, matrixView, options(1)),
    difference: mount(boxes.maps[2].map, matrixView, options(2)),
    legend: mount(boxes.legend, legendView, {}),
    signed: mount(boxes.signed, legendView, {}),
    pairs: mount(boxes.pairs, predictionPairsView, {}),
    problem: mount(boxes.problem, failureView, {}),
    firstProblem: mount(boxes.maps[0].problem, failureView, {}),
    secondProblem: mount(boxes.maps[1].problem, failureView, {}),
    differenceProblem: mount(boxes.maps[2].problem, failureView, {}),
    changed: mount(boxes.changed, mostChangedView, { onPick: (head) => state.set(head, "pick") }),
  };
  rival.progress.subscribe(schedule);

  /** @type {(rows: Range, cols: Range) => void} */
  function zoom(rows, cols) {
    if (!part) return;
    state.set({ rows: formatRange(rows, part.query_tokens), cols: formatRange(cols, part.key_tokens) }, "move");
  }

  /** @param {Scene} scene */
  function draw(scene) {
    const { value } = scene;
    const request = session.progress.get().request;
    const wanted = request && rivalOf(request, value);
    ask(wanted);
    const { phase, analysis, request: of } = rival.progress.get();
    // Of another text, or of a change taken back, the answer says nothing beside what is shown now.
    const isBehind = wanted !== null && (of === null || !isSame(of, wanted.request));
    const { otherText: text, otherModel: model } = value;
    const failure = wanted ? rival.failure() : null;
    const isBusy = phase === "running";
    const models = listing.take([""])[0]?.models ?? NONE;
    show.rival({ text, model, models, hasChanges: value.changes !== "", isBusy });
    show.problem(failure);
    const isThere = failure?.kind !== "failed";
    boxes.results.hidden = !wanted || !analysis || !isThere;
    boxes.results.setAttribute("aria-busy", String(isBusy || isBehind));
    if (wanted && analysis && isThere && !isBehind) drawRuns(scene, analysis, wanted);
  }

  /** @param {import("./comparison.js").Rival | null} wanted */
  function ask(wanted) {
    const name = wanted ? JSON.stringify(wanted.request) : "";
    if (name === asked) return;
    asked = name;
    if (wanted) void rival.run(wanted.request);
    else rival.cancel();
  }

  /**
   * @param {Scene} scene
   * @param {Analysis} analysis  the rival's
   * @param {import("./comparison.js").Rival} wanted
   */
  function drawRuns(scene, analysis, { isFirst, names }) {
    const { value } = scene;
    const own = { analysis: scene.analysis, part: scene.part, layer: value.layer, head: value.head, closer, name: "" };
    const rivalPart = partOf(analysis, scene.part.name);
    const layer = Math.min(value.layer, rivalPart.layers - 1);
    const head = Math.min(value.head, rivalPart.heads - 1);
    const other = { analysis, part: rivalPart, layer, head, closer: rivalCloser, name: "" };
    const [first, second] = isFirst ? [other, own] : [own, other];
    first.name = names[0];
    second.name = names[1];
    boxes.verb.textContent = axesVerb(value.stage);
    boxes.maps.forEach(({ title }, index) => (title.textContent = names[index]));
    const side = isFirst ? "second" : "first";
    const of = { own: /** @type {"first" | "second"} */ (side), ...value };
    const found = pairing.take(first, second, of);
    paired = { pairing: found, own: isFirst ? 1 : 0 };
    const windows = [first, second].map((run, map) => run.closer.matrix(lookOf(run, scene, map === 0 ? 0 : 1)));
    const limits = commonLimits(value.stage, windows);
    show.first(mapOf(first, scene, 0, windows[0], limits));
    show.second(mapOf(second, scene, 1, windows[1], limits));
    show.firstProblem(first.closer.failure());
    show.secondProblem(second.closer.failure());
    const scale = isUnsigned(value.stage) ? "weight" : "signed";
    show.legend({ scale, limits, faint: value.faint && scale === "weight", hasMasked: false });
    drawDifference(scene, first, second, windows, found);
    show.pairs({
      first: first.analysis.predictions,
      second: second.analysis.predictions,
      firstTokens: predicted(first.analysis),
      secondTokens: predicted(second.analysis),
      firstName: names[0],
      secondName: names[1],
      isSameModel: !value.otherModel,
    });
  }

  /**
   * @param {Scene} scene
   * @param {Run} first
   * @param {Run} second
   * @param {(Matrix | null)[]} windows
   * @param {import("./pairing.js").Pairing} found
   */
  function drawDifference(scene, first, second, [one, two], found) {
    const { value } = scene;
    const { layer, head, numbering } = value;
    const { isIdentity, queries, keys } = found;
    const isExact = one !== null && one.cellRows === 1 && one.cellCols === 1;
    const isAsked = isIdentity && isComparable(first.part, second.part);
    const reason =
      noSuchHead(first, second) || found.reason || (isIdentity && one && !isExact && !isAsked ? notPooled() : "");
    const { note, map } = boxes.maps[2];
    note.textContent = reason || found.note;
    note.hidden = note.textContent === "";
    map.hidden = reason !== "";
    const asked = between.take(isAsked ? questionOf(first, second, scene) : null);
    show.differenceProblem(between.failure() ?? pairing.failure());
    show.changed(asked.largest ? { largest: asked.largest, layer, head, numbering } : null);
    if (reason !== "" || !queries || !keys) {
      show.difference(null);
      return show.signed(null);
    }
    // Largest cells subtracted are no largest difference: where cells are pooled, the server subtracts first.
    if (isIdentity) pairing.clear();
    const cells = isExact ? one && two && subtracted(one, two) : asked.matrix;
    const joined = () => pairing.difference(found, first, second, paired?.own === 0 ? "first" : "second", value.stage);
    const matrix = isIdentity ? cells : joined();
    const limits = limitsOf("scaled_scores", matrix);
    const units = (/** @type {Pointed} */ at) => ({
      query: queries.across.unitOf(at.query),
      key: keys.across.unitOf(at.key),
    });
    show.difference({
      ...mapOf(second, scene, 1, matrix, limits),
      ...{ queries: queries.tokens, keys: keys.tokens, ...units(value), pointed: units(scene.pointed) },
      rows: queries.across.unitsIn(parseRange(value.rows, scene.part.query_tokens)),
      cols: keys.across.unitsIn(parseRange(value.cols, scene.part.key_tokens)),
      missing: [],
      stage: "difference",
      paint: scene.palette.scores,
      sheet: null,
    });
    show.signed(matrix && { scale: "signed", limits, faint: false, hasMasked: matrix.values.includes(-Infinity) });
  }

  /**
   * @param {Run} run
   * @param {Scene} scene
   * @param {0 | 1} map
   * @returns {import("../data/head_loader.js").Look}
   */
  function lookOf({ analysis, part, layer, head }, scene, map) {
    const { stage } = scene.value;
    return { id: analysis.id, part, layer, head, stage, ...rangesOf(part, scene, map), query: null };
  }

  /**
   * @param {Run} run
   * @param {Scene} scene
   * @param {0 | 1} map
   * @param {Matrix | null} matrix
   * @param {[number, number]} limits
   * @returns {import("../../charts/heat_map/heat_map.js").MatrixData}
   */
  function mapOf(run, scene, map, matrix, limits) {
    const { analysis, part, layer, head, name, closer } = run;
    const { value, pointed, palette } = scene;
    const { stage, numbering, faint } = value;
    const { queries, keys } = sidesOf(analysis, part, numbering);
    const isWhole = value.rows === "" && value.cols === "";
    const kind = faint ? "faint" : "plain";
    return {
      ...{ queries, keys, stage, layer, head, numbering, matrix, limits },
      name: `${name}, ${headName(layer, head, numbering)}`,
      ...rangesOf(part, scene, map),
      missing: closer.tiles(lookOf(run, scene, map)).missing,
      ...placesIn({ queries, keys }, toMap(map, value)),
      pointed: placesIn({ queries, keys }, toMap(map, pointed)),
      chosenValue: null,
      paint: isUnsigned(stage) ? palette.weights[kind] : palette.scores,
      pictures: remember(part).pictures,
      sheet: stage === "weights" && isWhole ? remember(part).sheet(palette.bytes[kind]) : null,
    };
  }

  return {
    show(scene) {
      part = scene.part;
      draw(scene);
    },
    point(at) {
      [show.first, show.second, show.difference].forEach((map, index) => {
        const place = toMap(/** @type {0 | 1 | 2} */ (index), at);
        map.patch((shown) => ({ pointed: placesIn(shown, place) }));
      });
    },
    hide() {
      for (const update of Object.values(show)) update(null);
      for (const one of [closer, rivalCloser, between, listing, pairing]) one.clear();
      paired = null;
      boxes.results.hidden = true;
      boxes.results.setAttribute("aria-busy", "false");
    },
  };
}

/**
 * The tokens from which a run's predictions are read.
 * @param {Analysis} analysis
 */
function predicted(analysis) {
  return analysis.target_tokens ?? analysis.tokens;
}
