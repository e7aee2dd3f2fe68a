/** Code that gives the numbers on screen: with transformers alone, with the client for Python, and from the API. */

import { isUploaded } from "../../api/analyses.js";
import { literal } from "../../base/code/python_code.js";
import { postCommand } from "../../base/code/shell_code.js";
import { t } from "../../base/i18n.js";
import { weightsCode } from "../../base/code/transformers_code.js";
import { headsDrawn, headsShown } from "../state/head_list.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {{value: ViewState, analysis: Analysis, part: Part}} Shown */
/** @typedef {{layer: number, head: number}[]} Heads */
/** @typedef {"transformers" | "client" | "api"} CodeKind */
/** @typedef {{code: string, note: string}} SameCode  `code` is "" where there is none; then the note says why */

/** @type {readonly CodeKind[]} */
export const CODE_KINDS = ["transformers", "client", "api"];

/**
 * @param {CodeKind} kind
 * @param {Shown} shown
 * @param {string} origin  of the server
 * @returns {SameCode}
 */
export function sameCode(kind, shown, origin) {
  if (kind === "client") return { code: clientCode(shown, origin).join("\n"), note: "" };
  if (kind === "api") return { code: apiCalls(shown, origin).join("\n"), note: "" };
  const obstacle = obstacleTo(shown);
  return obstacle
    ? { code: "", note: obstacle }
    : { code: libraryCode(shown).join("\n"), note: arrangementNote(shown) };
}

/**
 * Why transformers alone gives other numbers than the page; "" where it gives the same.
 * @param {Shown} shown
 * @returns {string}
 */
function obstacleTo({ value, analysis }) {
  const { id, model, interventions, image } = analysis;
  if (isUploaded(id)) return t("These tensors were uploaded: there is no model for transformers to run.");
  if (image) return t("The input is an image, which this code cannot contain.");
  if (interventions.length > 0) {
    return t("Transformers has no switch for changes inside the model: take them back to see the code.");
  }
  if (stageOf(value) !== "weights") return t("Transformers returns weights only: choose the stage “weights”.");
  if (typeof model === "string") return "";
  if (model.source === "training") return t("This model was trained on this server; transformers cannot load it.");
  const isSilent = model.self_check !== null && model.self_check.weights === null;
  return isSilent ? t("The library's own attention in this model returns no weights.") : "";
}

/** @param {Shown} shown @returns {string} */
function arrangementNote({ value: { hide, words } }) {
  return hide || words ? t("The code has a row and a column for every token: it hides and merges none.") : "";
}

/**
 * The stage drawn; the other views than the matrix draw weights.
 * @param {ViewState} value
 */
function stageOf({ view, stage }) {
  return view === "matrix" ? stage : "weights";
}

/**
 * @param {Shown} shown
 * @returns {{heads: Heads, isMean: boolean}}
 */
function headsOf({ value, part }) {
  const mean = headsShown(value, part);
  if (mean.length > 1) return { heads: mean, isMean: true };
  return { heads: value.view === "lines" ? headsDrawn(value, part) : mean, isMean: false };
}

/** @param {Shown} shown @returns {string[]} */
function libraryCode(shown) {
  const { value, analysis, part } = shown;
  const { model, text, pair, query, system } = value;
  const targets = analysis.parts.length > 1 ? (analysis.target_tokens ?? []).map(({ id }) => id ?? 0) : null;
  const texts = pair ? [text, pair] : [text];
  const chat = value.chat ? { system } : null;
  return weightsCode({ model, dtype: analysis.dtype, texts, chat, targets, part: part.name, ...headsOf(shown), query });
}

/**
 * The body of `POST /api/analyses`; null for what a call cannot contain.
 * @param {Shown} shown
 * @returns {Record<string, import("../../base/code/python_code.js").Literal> | null}
 */
function bodyOf({ value: { model, text, pair, target, chat, system }, analysis: { id, image, interventions } }) {
  if (isUploaded(id) || image) return null;
  const texts = { text, ...(pair && { text_pair: pair }), ...(target && { target_text: target }) };
  const asChat = chat ? { chat, ...(system && { system_text: system }) } : {};
  const changes = /** @type {import("../../base/code/python_code.js").Literal} */ (
    /** @type {unknown} */ (interventions)
  );
  return { model, ...texts, ...asChat, ...(interventions.length > 0 && { interventions: changes }) };
}

/** @param {Shown} shown @param {string} origin @returns {string[]} */
function clientCode(shown, origin) {
  const { value, analysis, part } = shown;
  const body = bodyOf(shown);
  const { text = "", model = "", ...more } = body ?? {};
  const rest = Object.entries(more).map(([name, value]) => `, ${name}=${literal(value, { whole: true })}`);
  const stage = stageOf(value);
  const options = [
    ...(stage === "weights" ? [] : [`, stage=${literal(stage)}`]),
    ...(analysis.parts.length > 1 ? [`, part=${literal(part.name)}`] : []),
  ].join("");
  const { heads, isMean } = headsOf(shown);
  const weights = heads.map(({ layer, head }) => `analysis.weights(${layer}, ${head}${options})`);
  return [
    "from attention_observatory import Observatory",
    "",
    `observatory = Observatory(${literal(origin)})`,
    body
      ? `analysis = observatory.analyse(${literal(text)}, model=${literal(model)}${rest.join("")})`
      : `analysis = observatory.get(${literal(analysis.id)})`,
    ...(isMean
      ? [
          "weights = (",
          ...weights.map((weight, index) => `    ${index > 0 ? "+ " : ""}${weight}`),
          `) / ${heads.length}`,
        ]
      : [`weights = ${weights.length === 1 ? weights[0] : `[${weights.join(", ")}]`}`]),
    "print(weights)",
    ...(value.query === null || (heads.length > 1 && !isMean) ? [] : [`print(weights[${value.query}])`]),
  ];
}

/** @param {Shown} shown @param {string} origin @returns {string[]} */
function apiCalls(shown, origin) {
  const { value, analysis, part } = shown;
  const body = bodyOf(shown);
  const posted = body ? [postCommand(`${origin}/api/analyses`, body)] : [];
  const windows = headsOf(shown).heads.map(({ layer, head }) => {
    const query = { layer: String(layer), head: String(head), stage: stageOf(value), encoding: "json" };
    const address = new URLSearchParams(analysis.parts.length > 1 ? { part: part.name, ...query } : query);
    return `curl -s '${origin}/api/analyses/${analysis.id}/weights?${address}'`;
  });
  return [...posted, ...windows];
}
