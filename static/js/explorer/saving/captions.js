/** Names of exported files, and the caption over an exported chart. */

import { isUploaded, isWeightsOnly } from "../../api/analyses.js";
import { changeName, placeName } from "../state/changes/change_names.js";
import { readChanges } from "../state/changes/changes.js";
import { labelled, t } from "../../base/i18n.js";
import { headName, partName } from "../../wording/labels.js";
import { parseHeads } from "../state/head_list.js";
import { linesOf } from "../state/prompt_set.js";
import { partOf, sidesOf } from "../state/selection.js";
import { drawsOneHead } from "../state/view_names.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */

const EXCERPT = 90;
/** Most characters of a list of changes in a file's name; a longer list is replaced by its length and a hash. */
const READABLE = 40;

/**
 * Model, part if it has several, text, and what was changed in the model, or that nothing was yet. Patching runs both
 * of its prompts through the unchanged model.
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @returns {string}
 */
export function captionOf(value, analysis) {
  const { title } = modelOf(analysis);
  const model = isWeightsOnly(analysis) ? t("{model} (weights only, from its own attention)", { model: title }) : title;
  const part = analysis.parts.length > 1 ? partName(partOf(analysis, value.part).name) : "";
  // Without texts for the decoder, prompts are averaged in the first part, whichever is chosen.
  const averaged = part !== "" && value.targets === "" ? partName(analysis.parts[0].name) : part;
  if (value.view === "prompts") return [model, averaged, promptsOf(value)].filter(Boolean).join(" · ");
  const text = isUploaded(value.model) ? t("own tensors") : textsOf(value);
  const run = value.view === "patching" ? [corruptOf(value)] : [changesOf(value, analysis), comparedOf(value)];
  const said = [model, part, text, ...run];
  return said.filter(Boolean).join(" · ").replace(/\s+/g, " ");
}

/**
 * The set of prompts, which runs through the unchanged model.
 * @param {ViewState} value
 */
function promptsOf({ prompts, template }) {
  if (template !== "") return excerpt(template);
  const [first, ...others] = linesOf(prompts);
  if (first === undefined) return "";
  const text = excerpt(first);
  return others.length === 0 ? text : t("{text} and {count} more prompts", { text, count: others.length });
}

/** @param {ViewState} value */
function textsOf({ picture, text, pair, target }) {
  if (picture) return "";
  return [text, pair, target].filter(Boolean).map(excerpt).join(" / ");
}

/** @param {ViewState} value */
function corruptOf({ corrupt, picture }) {
  return picture !== "" || corrupt.trim() === "" ? "" : t("corrupt: {text}", { text: excerpt(corrupt) });
}

/**
 * @param {ViewState} value
 * @param {Analysis} analysis
 */
function changesOf({ changes, baseline, view, numbering, otherText, otherModel, otherHead }, analysis) {
  if (changes === "") return "";
  const sides = (/** @type {string} */ part) => sidesOf(analysis, partOf(analysis, part), numbering);
  const said = readChanges(changes)
    .map((change) => labelled(placeName(change, numbering), changeName(change, { sides, numbering })))
    .join("; ");
  if (view === "compare" && !otherText && !otherModel && !otherHead)
    return t("before and after changes: {changes}", { changes: said });
  return baseline
    ? t("before the changes (unchanged model)")
    : t("with changes inside the model: {changes}", { changes: said });
}

/** @param {ViewState} value */
function comparedOf({ view, otherText, otherModel, otherHead, numbering }) {
  if (view !== "compare" || (!otherText && !otherModel && !otherHead)) return "";
  const [place] = parseHeads(otherHead, { layers: Infinity, heads: Infinity });
  const run = otherModel && otherText ? labelled(otherModel, excerpt(otherText)) : otherModel || excerpt(otherText);
  const other = [run, place && headName(place.layer, place.head, numbering)].filter(Boolean).join(", ");
  return t("compared with {other}", { other });
}

/** @param {string} text */
function excerpt(text) {
  const signs = [...text];
  return signs.length > EXCERPT ? `${signs.slice(0, EXCERPT).join("")} …` : text;
}

/** @param {Analysis} analysis */
export function modelOf({ model }) {
  return typeof model === "string" ? { id: model, title: model } : model;
}

/**
 * Over the picture of all heads, which is of the text above the views, whichever view is open.
 * @param {ViewState} value
 * @param {Analysis} analysis
 */
export function gridCaptionOf(value, analysis) {
  return captionOf({ ...value, view: "matrix" }, analysis);
}

/**
 * The server's scheme: model, part, layer and head where the picture is of that head, stage, window, and whether before
 * or after which changes, unless the view is of the unchanged model.
 * @param {ViewState} value
 * @param {Analysis} analysis
 */
export function fileName(value, analysis) {
  const { layer, head, view, stage, part, rows, cols, look } = value;
  const what = view === "matrix" ? stage : view === "output" && look ? `output-${look}` : view;
  const isWindow = view === "matrix" || view === "compare";
  const window = isWindow ? [rows && `queries${rows}`, cols && `keys${cols}`] : [];
  const ofHead = drawsOneHead(view) ? [`layer${layer}`, `head${head}`] : [];
  const names = [modelOf(analysis).id.split("/").at(-1) ?? "", part, ...ofHead, what, ...window];
  const name = slug(names.filter(Boolean).join("-"));
  return view === "patching" || view === "prompts" ? name : withSide(name, value);
}

/**
 * @param {ViewState} value
 * @param {Analysis} analysis
 */
export function gridFileName(value, analysis) {
  const names = [modelOf(analysis).id.split("/").at(-1) ?? "", value.part, "every-head"];
  return withSide(slug(names.filter(Boolean).join("-")), value);
}

/**
 * A name, with or without an ending such as ".csv", that tells before from after.
 * @param {string} name
 * @param {Pick<ViewState, "changes" | "baseline" | "view">} value
 * @returns {string}
 */
export function withSide(name, { changes, baseline, view }) {
  const [, stem, ending] = /^(.*?)(\.[a-z]{3,4})?$/s.exec(name) ?? ["", name, ""];
  const side = changes === "" ? "" : baseline && view !== "compare" ? "-before" : `-after-${brief(changes)}`;
  return stem.replace(/-changed$/, "") + side + (ending ?? "");
}

/** @param {string} changes */
function brief(changes) {
  const said = slug(changes);
  if (said.length <= READABLE) return said;
  let sum = 0;
  for (const sign of changes) sum = (31 * sum + (sign.codePointAt(0) ?? 0)) % 0xffffff;
  return `${readChanges(changes).length}-changes-${sum.toString(16)}`;
}

/** @param {string} name */
function slug(name) {
  return name.replace(/[^A-Za-z0-9.]+/g, "-").replace(/^[-.]+|[-.]+$/g, "");
}
