/** Add records to a saved file: its view, and the answers about the chosen output or vectors. */

import { fetchJson } from "../../requests/api_request.js";
import { withRecords } from "../../requests/packed_records.js";
import { requestName } from "../../requests/recorded_answers.js";
import { isUploaded, vectorsPath } from "../../api/analyses.js";
import { informationFlowPath } from "../../api/information_flow.js";
import { outputPath } from "../../api/output.js";
import { PATCHING, postPatching, postPathPatching, postPromptPair } from "../../api/patching.js";
import {
  hasCorrupt,
  obstacleTo,
  pairRequest,
  patchingRequest,
  pathHeadOf,
  pathsRequest,
} from "../patching/questions.js";
import { corruptAnalysis } from "./patching_files.js";
import { choose, furtherTokens, outputAt, questionOf, withChosen } from "../state/chosen_output.js";
import { CORRUPT_ANALYSIS, SAVED_VIEW } from "../state/saved_view.js";
import { partOf } from "../state/selection.js";
import { writeState } from "../state/view_state.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("../../requests/recorded_answers.js").Recorded} Recorded */

/**
 * @param {Blob} file  from the server
 * @param {{session: import("../data/session.js").Session, post: import("./patching_files.js").Post}} page
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @param {AbortSignal} signal
 * @returns {Promise<Blob>}
 */
export async function withView(file, { session, post }, value, analysis, signal) {
  const isOf = { output: outputRecords, vectors: vectorsRecords, flow: flowRecords, patching: patchingRecords(post) };
  const records = Object.hasOwn(isOf, value.view) ? isOf[/** @type {keyof typeof isOf} */ (value.view)] : null;
  const answers = records ? await session.ask(analysis.id, (id) => records(id, value, analysis, signal)) : [];
  const view = { request: SAVED_VIEW, answer: writeState({ ...value, ...fixedHead(value, analysis), theme: "" }) };
  return new Blob([await withRecords(await file.text(), [view, ...answers])], { type: file.type });
}

/** @param {string} request @returns {Promise<Recorded>} */
async function record(request) {
  return { request, answer: await fetchJson(request, {}) };
}

/**
 * The vectors behind the chosen cell.
 * @param {string} id
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @returns {Promise<Recorded[]>}
 */
async function vectorsRecords(id, { part: name, layer, head, query, key }, analysis) {
  const part = partOf(analysis, name);
  if (query === null || key === null || !part.stages.includes("raw_scores")) return [];
  return [await record(vectorsPath(id, { part: part.name, layer, head, query, key }))];
}

/**
 * The graph of the chosen output, at every threshold.
 * @param {string} id
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @returns {Promise<Recorded[]>}
 */
async function flowRecords(id, value, analysis) {
  if (isUploaded(analysis.id)) return [];
  return [await record(informationFlowPath(id, { position: outputAt(value, analysis, partOf(analysis, value.part)) }))];
}

/**
 * All studies of the chosen output, so that the file can switch between them.
 * @param {string} id
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @returns {Promise<Recorded[]>}
 */
async function outputRecords(id, value, analysis) {
  if (isUploaded(analysis.id)) return [];
  const part = partOf(analysis, value.part);
  /** @type {(name: string, question: import("../../api/output.js").Question) => Promise<Recorded>} */
  const ask = (name, question) => record(outputPath(id, name, question));
  const first = await ask("output", { position: outputAt(value, analysis, part) });
  const output = /** @type {import("../../api/output.js").Output} */ (first.answer);
  const further = withChosen(furtherTokens(analysis, output), output, value, new Map());
  const place = { part: part.name, layer: value.layer, head: value.head };
  const question = questionOf(output, choose(output, value, further), place);
  const { position, token, against } = question;
  const questions = {
    logit_lens: { position, token },
    direct_effect: { position, token, against },
    attribution: question,
  };
  const isToken = position !== null && token !== null;
  const looks = output.looks.filter((look) => isToken || look === "attribution");
  return [first, ...(await Promise.all(looks.map((look) => ask(look, questions[look]))))];
}

/**
 * Whether there is a study of patching on screen.
 * @param {ViewState} value
 * @param {Analysis} analysis
 */
export function hasStudy(value, analysis) {
  return value.view === "patching" && hasCorrupt(value, analysis) && obstacleTo(value, analysis) === "";
}

/**
 * The head at the end of all paths by name: in the file another may be chosen, of which there are no paths.
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @returns {Partial<ViewState>}
 */
function fixedHead(value, analysis) {
  if (!hasStudy(value, analysis) || (value.paths !== "sender" && value.paths !== "receiver")) return {};
  const { layer, head } = pathHeadOf(value, analysis);
  return { pathHead: `${layer}.${head}` };
}

/**
 * The study on screen and the tokens of both prompts. The server keeps a study, so that asking again is quick.
 * @param {import("./patching_files.js").Post} postImage
 * @returns {(id: string, value: ViewState, analysis: Analysis, signal: AbortSignal) => Promise<Recorded[]>}
 */
function patchingRecords(postImage) {
  return async (_id, value, analysis, signal) => {
    if (!hasStudy(value, analysis)) return [];
    const other = await corruptAnalysis(postImage, value, analysis, signal);
    /** @type {<Q extends object>(path: string, request: Q | null, post: (request: Q, signal: AbortSignal) => Promise<unknown>) => Promise<Recorded[]>} */
    const posted = async (path, request, post) =>
      request ? [{ request: requestName(path, JSON.stringify(request)), answer: await post(request, signal) }] : [];
    const records = await Promise.all([
      posted(PATCHING.prompts, pairRequest(value, analysis, other), postPromptPair),
      posted(PATCHING.heads, patchingRequest(value, analysis, other), postPatching),
      posted(PATCHING.paths, pathsRequest(value, analysis, other), postPathPatching),
    ]);
    return [...records.flat(), ...(other === "" ? [] : [{ request: CORRUPT_ANALYSIS, answer: other }])];
  };
}
