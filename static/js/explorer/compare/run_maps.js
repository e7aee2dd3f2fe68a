/** The two runs that are compared, and what the map of each shows. */

import { remembering } from "../../base/memoise.js";
import { maskedIn, mayAttend } from "../state/allowed_keys.js";
import { headName } from "../../wording/labels.js";
import { scaleFor, scaleNote } from "../../charts/heat_map/auto_scale.js";
import { commonLimits, isUnsigned } from "../../charts/heat_map/scales.js";
import { parseHeads } from "../state/head_list.js";
import { partOf, placesIn, sidesOf } from "../state/selection.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("../data/head_loader.js").HeadLoader} HeadLoader */

/**
 * @typedef {object} Run  one of the two
 * @property {Analysis} analysis
 * @property {Part} part
 * @property {number} layer  inside what this run has
 * @property {number} head
 * @property {boolean} isNearest  whether it stands in for a head that this run does not have
 * @property {HeadLoader} headLoader
 * @property {string} name
 */

/**
 * @param {Scene} scene
 * @param {Analysis} analysis  of the other run
 * @param {import("./comparison.js").Comparison} comparison
 * @param {{own: HeadLoader, other: HeadLoader}} loaders
 * @returns {[Run, Run]}  as they stand side by side
 */
export function runsOf({ value, analysis: shown, part }, analysis, { isFirst, names }, loaders) {
  const otherPart = partOf(analysis, part.name);
  const wanted = otherHeadOf(value) ?? value;
  const layer = Math.min(wanted.layer, otherPart.layers - 1);
  const head = Math.min(wanted.head, otherPart.heads - 1);
  const isNearest = layer !== wanted.layer || head !== wanted.head;
  const [ownName, otherName] = isFirst ? [names[1], names[0]] : names;
  const ownHead = { layer: value.layer, head: value.head, isNearest: false };
  const own = { analysis: shown, part, ...ownHead, headLoader: loaders.own, name: ownName };
  const other = { analysis, part: otherPart, layer, head, isNearest, headLoader: loaders.other, name: otherName };
  return isFirst ? [other, own] : [own, other];
}

/**
 * The head that is compared with, where it is not the same one.
 * @param {Pick<Scene["value"], "otherHead">} value
 * @returns {import("../state/head_list.js").HeadAt | null}
 */
export function otherHeadOf({ otherHead }) {
  return parseHeads(otherHead, { layers: Infinity, heads: Infinity })[0] ?? null;
}

/**
 * The scale that both maps share.
 * @param {Pick<Scene["value"], "stage" | "faint">} value
 * @param {(Matrix | null)[]} windows  of both
 * @param {() => number[]} maximaOf  largest weights of both
 */
export function coloursOf({ stage, faint }, windows, maximaOf) {
  const scale = stage === "weights" ? scaleFor(faint, maximaOf()) : null;
  const limits = scale ? /** @type {[number, number]} */ ([0, scale.end]) : commonLimits(stage, windows);
  const isFaint = isUnsigned(stage) && (scale?.isFaint ?? faint === "1");
  return { limits, isFaint, note: faint === "" ? scaleNote(scale) : "" };
}

/**
 * @param {import("../widgets/panel.js").Bench} bench
 * @param {ReturnType<typeof import("./positions.js").createPlaces>} places
 */
export function createRunMaps({ remember }, { toMap, rangesOf }) {
  const masking = [0, 1].map(() =>
    remembering((/** @type {Part} */ part, /** @type {number} */ layer, /** @type {number} */ head) =>
      maskedIn(mayAttend(part, [{ layer, head }])),
    ),
  );

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
   * @param {{limits: [number, number], isFaint: boolean}} colours  of both maps
   * @returns {import("../../charts/heat_map/heat_map.js").MatrixData}
   */
  function mapOf(run, scene, map, matrix, { limits, isFaint }) {
    const { analysis, part, layer, head, name, headLoader } = run;
    const { value, pointed, palette } = scene;
    const { stage, numbering } = value;
    const { queries, keys } = sidesOf(analysis, part, numbering);
    const isWhole = value.rows === "" && value.cols === "";
    const kind = isFaint ? "faint" : "plain";
    return {
      queries,
      keys,
      stage,
      layer,
      head,
      numbering,
      matrix,
      limits,
      name: `${name}, ${headName(layer, head, numbering)}`,
      ...rangesOf(part, scene, map),
      isMasked: isUnsigned(stage) ? masking[map](part, layer, head) : undefined,
      missing: headLoader.tiles(lookOf(run, scene, map)).missing,
      ...placesIn({ queries, keys }, toMap(map, value)),
      pointed: placesIn({ queries, keys }, toMap(map, pointed)),
      chosenValue: null,
      paint: isUnsigned(stage) ? palette.weights[kind] : palette.scores,
      thumbnails: remember(part).thumbnails,
      sheet: stage === "weights" && isWhole && limits[1] === 1 ? remember(part).sheet(palette.bytes[kind]) : null,
    };
  }

  return { lookOf, mapOf };
}

/**
 * What both runs predict.
 * @param {[Run, Run]} runs
 * @param {{isSameModel: boolean, numbering: 0 | 1}} how
 * @param {import("../../api/analyses.js").PredictionDifference | null} found  null while it is fetched
 * @returns {import("./prediction_pairs.js").PairsData}
 */
export function predictionsOf([first, second], { isSameModel, numbering }, found) {
  const tokens = (/** @type {Run} */ { analysis }) => analysis.target_tokens ?? analysis.tokens;
  return {
    first: first.analysis.predictions,
    firstTokens: tokens(first),
    firstName: first.name,
    second: second.analysis.predictions,
    secondTokens: tokens(second),
    secondName: second.name,
    isSameModel,
    found,
    numbering,
  };
}
