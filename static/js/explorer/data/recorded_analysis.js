/**
 * One analysis in a file: answers to closer looks that nobody recorded and that follow from what was. Routes and answers
 * are the API's, so that the page need not know.
 */

import { completeParts } from "../../api/analyses.js";
import { decodeThumbnails } from "../../base/decode.js";
import { remembering } from "../../base/memoise.js";
import { sentences, t } from "../../base/i18n.js";
import { headName } from "../../wording/labels.js";
import { mayAttend } from "../state/allowed_keys.js";
import { parseRange, partOf } from "../state/selection.js";
import { STAGES } from "../state/view_state.js";
import { chained, distributionOf, meanOf } from "./recorded_studies.js";
import { tokenReads } from "./recorded_token_reads.js";
import { createRecordedWindows, isExact, thumbnailMatrix } from "./recorded_windows.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../api/query_key_plane.js").Plane} Plane */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../requests/recorded_answers.js").Recorded} Recorded */
/** @typedef {import("./recorded_windows.js").WindowJson} WindowJson */
/** @typedef {{answer: unknown} | {missing: string} | null} Found */

/** Of an analysis: what is asked, and with which parameters. */
const ROUTE = /^\/api\/analyses\/[^/?]+\/([^?]+)(?:\?(.*))?$/;
const ANALYSIS = /^\/api\/analyses\/[^/?]+$/;
/** A grid of effects, by a patch or by a path. */
const STUDY = /^\/api\/patching(?:\/paths)? /;
const BINS = 64;

/**
 * @param {Recorded[]} records  one of them an analysis
 * @param {0 | 1} numbering  in what is said of heads
 * @param {{hasServer?: boolean}} [options]  whether what is not in the file can be asked for: then nothing coarser is made
 */
export function createRecordedAnalysis(records, numbering, { hasServer = false } = {}) {
  const record = records.find(({ request }) => ANALYSIS.test(request));
  if (!record) throw new Error("the file holds no analysis");
  const analysis = completeParts(/** @type {import("../../api/types.js").AnalysisJson} */ (record.answer));
  const ofRoute = (/** @type {string} */ name) => records.filter(({ request }) => ROUTE.exec(request)?.[1] === name);
  const recorded = ofRoute("weights").map(({ answer }) => /** @type {WindowJson} */ (answer));
  const windows = createRecordedWindows(recorded);
  const planes = ofRoute("query_key_plane").map(({ answer }) => /** @type {Plane} */ (answer));
  const derivations = {
    ...windowRoutes(analysis, windows, numbering, hasServer),
    ...studyRoutes(analysis, windows),
    ...outputRoutes(ofRoute("attribution")),
    query_key_plane: planeRoute(planes, numbering),
    vectors: () => ({ missing: t("The vectors behind this weight are not in this file; the live page has them.") }),
  };

  return {
    analysis,
    windows: recorded,
    /** Whether there is anything of a route. @param {string} name */
    has: (name) => ofRoute(name).length > 0,
    /** Whether there is a study of patching. */
    hasPatching: records.some(({ request }) => STUDY.test(request)),
    /** Whether every head's weights are there. */
    isComplete: analysis.parts.every((part) =>
      headsOf(part).every(({ layer, head }) => windows.has({ part: part.name, layer, head, stage: "weights" })),
    ),
    /**
     * @param {string} request
     * @returns {Found}
     */
    derive(request) {
      if (STUDY.test(request) && !hasServer)
        return { missing: t("This file holds one patching study. For another, open the live page.") };
      const [, route = "", query = ""] = ROUTE.exec(request) ?? [];
      const name = /** @type {keyof typeof derivations} */ (route.replace(/^tokens\/(\d+)$/, "tokens"));
      const params = new URLSearchParams(query);
      const index = /^tokens\/(\d+)$/.exec(route)?.[1];
      if (index) params.set("index", index);
      return Object.hasOwn(derivations, name) ? derivations[name](params) : null;
    },
    /**
     * The stages of a head that can be shown; its weights always, be it as a thumbnail.
     * @param {Part} part
     * @param {{layer: number, head: number}} at
     * @returns {string[]}
     */
    stagesOf: ({ name: part }, { layer, head }) =>
      STAGES.filter((stage) => stage === "weights" || windows.has({ part, layer, head, stage })),
  };
}

/**
 * @param {Analysis} analysis
 * @param {ReturnType<typeof createRecordedWindows>} windows
 * @param {0 | 1} numbering
 * @param {boolean} hasServer
 */
function windowRoutes(analysis, windows, numbering, hasServer) {
  const thumbnailsOf = remembering(decodeThumbnails);

  /** @param {URLSearchParams} params @returns {Found} */
  function weights(params) {
    const { part, place } = placeIn(analysis, params);
    const rows = rangeIn(params.get("rows"), part.query_tokens);
    const cols = rangeIn(params.get("cols"), part.key_tokens);
    const most = Number(params.get("max_size") ?? Infinity);
    const side = ([first, end] = /** @type {Range} */ ([0, 0])) => Math.max(1, Math.ceil((end - first) / most));
    const cell = { cellRows: side(rows), cellCols: side(cols) };
    const isWeights = place.stage === "weights";
    const thumbnail = () => thumbnailMatrix(thumbnailsOf(part.overview), part, place.layer, place.head);
    const stored = windows.find(place, { rows, cols }, cell);
    if (hasServer && !(stored && stored.cellRows <= cell.cellRows && stored.cellCols <= cell.cellCols)) return null;
    const matrix = stored ?? (isWeights ? thumbnail() : null);
    if (matrix === null) return { missing: t("This file has only the weights of this head.") };
    if (params.has("max_size") || isExact(matrix)) return { answer: windowJson(place, matrix) };
    const rounded = windows.has(place) ? "" : t("Weights are rounded to 1/255.");
    const name = headName(place.layer, place.head, numbering);
    const { cellRows: down, cellCols: across } = matrix;
    const coarse = t("Each cell is the maximum over {down} × {across} tokens.", { down, across });
    return { missing: sentences([t("This file has no exact weights for {head}.", { head: name }), coarse, rounded]) };
  }

  /** @param {URLSearchParams} params @returns {Found} */
  function distribution(params) {
    const { part, place } = placeIn(analysis, params);
    const whole = wholeOf(part);
    const of = (/** @type {string} */ stage) => exactly(windows.find({ ...place, stage }, whole));
    const [values, weights] = [of(place.stage), of("weights")];
    if (!values || !weights)
      return { missing: t("The distribution needs exact weights, which this file does not have for this head.") };
    const may = mayAttend(part, [place]);
    const isVisible = (/** @type {number} */ cell) => {
      const [query, key] = [Math.floor(cell / part.key_tokens), cell % part.key_tokens];
      return may?.([query, query + 1], [key, key + 1]) ?? true;
    };
    const head = { values: values.values, isVisible, weights: weights.values };
    return { answer: distributionOf(head, part.key_tokens, Number(params.get("bins") ?? BINS)) };
  }

  return { weights, distribution };
}

/**
 * What takes the weights of every head.
 * @param {Analysis} analysis
 * @param {ReturnType<typeof createRecordedWindows>} windows
 */
function studyRoutes(analysis, windows) {
  /** Of each head of each layer; null where the file has not all of them. */
  const allOf = remembering((/** @type {Part} */ part) => {
    const layers = Array.from({ length: part.layers }, (_, layer) =>
      Array.from({ length: part.heads }, (_, head) => {
        const place = { part: part.name, layer, head, stage: "weights" };
        return exactly(windows.find(place, wholeOf(part)))?.values ?? null;
      }),
    );
    const isComplete = layers.every((heads) => heads.every((weights) => weights !== null));
    return isComplete ? /** @type {Float32Array[][]} */ (layers) : null;
  });
  const meansOf = remembering((/** @type {Float32Array[][]} */ layers) => layers.map(meanOf));
  const productsOf = remembering(chained);

  /** @param {URLSearchParams} params */
  function chainOf(params) {
    const part = partOf(analysis, params.get("part") ?? "");
    const layers = allOf(part);
    if (layers === null) return null;
    const means = meansOf(layers);
    return { size: part.query_tokens, means, products: productsOf(means, part.query_tokens) };
  }

  /** @returns {Found} */
  const noChain = () => ({
    missing: t("Rollout needs the weights of all heads, which are too many for this file: open the live page."),
  });

  /** @type {(params: URLSearchParams) => Found} */
  const rollout = (params) => {
    const chain = chainOf(params);
    if (!chain) return noChain();
    return { answer: { matrix: rowsOf(chain.products[Number(params.get("layer"))], chain.size) } };
  };

  /** @type {(params: URLSearchParams) => Found} */
  const layers = (params) => {
    const chain = chainOf(params);
    if (!chain) return noChain();
    const query = Number(params.get("query"));
    const ofQuery = (/** @type {Float32Array[]} */ squares) =>
      squares.map((square) => [...square.subarray(query * chain.size, (query + 1) * chain.size)]);
    const [products, mean_weights] = [ofQuery(chain.products), ofQuery(chain.means)];
    const limits = { max_whole_tokens: chain.size, max_flow_tokens: chain.size };
    return { answer: { rollout: products, mean_weights, ...limits } };
  };

  /** @type {(params: URLSearchParams) => Found} */
  const tokens = (params) => {
    const answer = tokenReads(analysis, params, allOf);
    const missing = t("This needs the weights of all heads, which are too many for this file: open the live page.");
    return answer ? { answer } : { missing };
  };

  const flow = () => ({ missing: t("The flow is not in this file: the live page computes it.") });
  return { rollout, "rollout/layers": layers, flow, tokens };
}

/**
 * One output was recorded, with the weights × gradients of one head: of the others it has the sums.
 * @param {Recorded[]} attributions
 */
function outputRoutes(attributions) {
  const missing = () => ({
    missing: t("This file holds one output. For another token or position, open the live page."),
  });
  const outputOf = (/** @type {URLSearchParams} */ params) =>
    ["position", "token", "against"].map((name) => params.get(name)).join(" ");
  /** @type {(params: URLSearchParams) => Found} */
  const attribution = (params) => {
    const recorded = attributions.find(
      ({ request }) => outputOf(new URLSearchParams(request.split("?")[1])) === outputOf(params),
    );
    if (!recorded) return missing();
    const held = new URLSearchParams(recorded.request.split("?")[1]);
    const heldFor = { layer: Number(held.get("layer")), head: Number(held.get("head")) };
    return { answer: { .../** @type {object} */ (recorded.answer), matrix: null, heldFor } };
  };
  return { output: missing, logit_lens: missing, direct_effect: missing, information_flow: missing, attribution };
}

/**
 * Of a long text a plane holds a sample of tokens, which is not drawn anew for others.
 * @param {Plane[]} planes
 * @param {0 | 1} numbering
 * @returns {(params: URLSearchParams) => Found}
 */
function planeRoute(planes, numbering) {
  return (params) => {
    const names = /** @type {const} */ (["part", "layer", "head"]);
    const isOf = (/** @type {Plane} */ plane) => names.every((name) => params.get(name) === String(plane[name]));
    const recorded = params.get("hide_special") === "true" ? null : planes.find(isOf);
    if (recorded) return { answer: recorded };
    if (planes.length === 0) return null;
    const head = headName(planes[0].layer, planes[0].head, numbering);
    return { missing: t("This file holds the plane of queries and keys only for {head}.", { head }) };
  };
}

/** @param {Part} part */
function headsOf({ layers, heads }) {
  return Array.from({ length: layers * heads }, (_, index) => ({
    layer: Math.floor(index / heads),
    head: index % heads,
  }));
}

/**
 * @param {Analysis} analysis
 * @param {URLSearchParams} params
 */
function placeIn(analysis, params) {
  const part = partOf(analysis, params.get("part") ?? "");
  const [layer, head] = [Number(params.get("layer")), Number(params.get("head"))];
  return { part, place: { part: part.name, layer, head, stage: params.get("stage") ?? "weights" } };
}

/**
 * @param {string | null} text
 * @param {number} count
 */
function rangeIn(text, count) {
  return parseRange(text ?? "", count);
}

/** @param {Part} part */
function wholeOf(part) {
  return { rows: rangeIn("", part.query_tokens), cols: rangeIn("", part.key_tokens) };
}

/** @param {Matrix | null} matrix */
function exactly(matrix) {
  return matrix && isExact(matrix) ? matrix : null;
}

/**
 * @param {{part: string, layer: number, head: number, stage: string}} place
 * @param {Matrix} matrix
 */
function windowJson(place, { values, width, rows, cols }) {
  return { ...place, rows, cols, matrix: rowsOf(values, width) };
}

/**
 * @param {Float32Array} values
 * @param {number} width
 * @returns {number[][]}
 */
function rowsOf(values, width) {
  return Array.from({ length: values.length / width }, (_, row) => [
    ...values.subarray(row * width, (row + 1) * width),
  ]);
}
