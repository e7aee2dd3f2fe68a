/** What the view of outputs shows, put into an exported page. */

import { isUploaded } from "../../api/analyses.js";
import { getAttributionJson, getDirectEffect, getLogitLens, getOutput } from "../../api/output.js";
import { choose, furtherTokens, learn, placeOf, questionOf, saying, withChosen } from "../state/chosen_output.js";
import { partOf } from "../state/selection.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").ViewState} ViewState */

/**
 * @typedef {object} SavedOutput
 * @property {import("../../api/output.js").Output} output
 * @property {import("../../api/types.js").Token | null} token
 * @property {import("../output/output.js").Choice[]} further
 * @property {import("../state/chosen_output.js").Chosen} chosen
 * @property {ViewState["look"]} look
 * @property {string} cell
 * @property {{part: string, layer: number, head: number}} at
 * @property {import("../../api/output.js").LogitLens | null} logit_lens
 * @property {import("../../api/output.js").DirectEffect | null} direct_effect
 * @property {import("../../api/output.js").AttributionJson | null} attribution  as the server sent it, with the matrix of this head; null where it has none
 */

/**
 * Every look at the chosen output goes along, so that one can be changed for another in the file.
 * @param {Blob} file  an exported page
 * @param {import("../data/session.js").Session} session
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @returns {Promise<Blob>}
 */
export async function withOutput(file, session, value, analysis) {
  if (isUploaded(analysis.id)) return file;
  const saved = await session.ask((id) => readOutput(id, value, analysis));
  const json = JSON.stringify(saved).replace(/</g, "\\u003c");
  const page = await file.text();
  const end = page.lastIndexOf("</body>"); // scripts in the page may say the same word
  const script = `<script type="application/json" id="output-data">${json}</script>`;
  return new Blob([`${page.slice(0, end)}${script}\n  ${page.slice(end)}`], { type: file.type });
}

/**
 * @param {string} id
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @returns {Promise<SavedOutput>}
 */
async function readOutput(id, value, analysis) {
  const part = partOf(analysis, value.part);
  const output = await getOutput(id, { position: placeOf(value, analysis, part) });
  const ofText = furtherTokens(analysis, output);
  const first = choose(output, value, withChosen(ofText, output, value, new Map()));
  const at = { part: part.name, layer: value.layer, head: value.head };
  const question = questionOf(output, first, at);
  const { position, token, against } = question;
  const has = (/** @type {import("../../api/output.js").Look} */ look) => output.looks.includes(look);
  const isToken = position !== null && token !== null;
  const answers = {
    logit_lens: isToken && has("logit_lens") ? await getLogitLens(id, { position, token }) : null,
    direct_effect: isToken && has("direct_effect") ? await getDirectEffect(id, { position, token, against }) : null,
    attribution: has("attribution") ? await getAttributionJson(id, question) : null,
  };
  /** @type {Map<number, string>} */
  const seen = new Map();
  for (const answer of Object.values(answers)) learn(seen, answer);
  const further = withChosen(ofText, output, value, seen);
  return {
    ...{ output, further, chosen: choose(output, value, further), look: value.look, cell: value.cell, at, ...answers },
    token: position === null ? null : saying(analysis)[position],
  };
}
