/** Measures of heads for one output: direct effect on its logit, and gradient × attention. */

import { isUploaded, isWeightsOnly } from "../../../api/analyses.js";
import { ApiError } from "../../../requests/api_request.js";
import { isRecorded } from "../../../requests/recorded_answers.js";
import { getAttributionJson, getDirectEffect, getOutput } from "../../../api/output.js";
import { choose, furtherTokens, noteOn, outputAt, saying, withChosen } from "../chosen_output.js";
import { t } from "../../../base/i18n.js";
import { apartLabel } from "../../../wording/token_apart.js";

/** @typedef {import("../../../api/output.js").Look} Look */
/** @typedef {import("../../../api/output.js").Output} Output */
/** @typedef {import("../chosen_output.js").Chosen} Chosen */
/** @typedef {import("./measure_groups.js").Found} Found */
/** @typedef {import("./measure_groups.js").MeasureGroup} MeasureGroup */
/** @typedef {import("./measure_groups.js").Question} Question */

/** @type {readonly MeasureGroup[]} */
export const OUTPUT_GROUPS = [
  {
    name: "direct-effect",
    fits: ({ id, model, image }, part) =>
      !isRecorded() &&
      !isWeightsOnly({ model }) &&
      typeof model !== "string" &&
      model.kind === "decoder" &&
      !image &&
      !isUploaded(id) &&
      part.query_side === part.key_side,
    of: outputOf,
    read: (question, signal) =>
      ofOutput(question, "direct_effect", signal, async (id, output, { followed, against }) => {
        const asked = { position: output.position ?? 0, token: followed ?? 0, against };
        const { heads } = await getDirectEffect(id, asked, signal);
        return [{ name: question.part.name, heads }];
      }),
    words: () => ({
      title: t("Direct effect"),
      action: t("Measure direct effect"),
      cost: t("on the logit of the output at the query"),
      running: t("Measuring direct effect …"),
    }),
    titles: () => ({ direct_effect: t("Direct effect") }),
    info: () => ({
      title: t("Direct effect"),
      definition: t(
        "What the head adds directly to the logit: its output through the final norm, whose scale is held fixed, and the token's row of the output matrix.",
      ),
      source: t("Elhage et al. (2021)"),
      unit: t("logit"),
    }),
  },
  {
    name: "attribution",
    fits: ({ id, model }) =>
      !isRecorded() && typeof model !== "string" && model.kind !== null && !isUploaded(id) && !isWeightsOnly({ model }),
    of: outputOf,
    read: (question, signal) =>
      ofOutput(question, "attribution", signal, async (id, { position }, { followed, against }) => {
        const json = await getAttributionJson(id, { position, token: followed, against }, signal);
        return json.parts;
      }),
    words: () => ({
      title: t("Gradient × attention"),
      action: t("Measure gradient × attention"),
      cost: t("of the output at the query"),
      running: t("Measuring gradient × attention …"),
    }),
    titles: () => ({ attribution: t("Gradient × attention") }),
    info: () => ({
      title: t("Gradient × attention"),
      definition: t(
        "The head's weights times the gradients of the output with respect to them, summed: its contribution to first order.",
      ),
      source: t("Serrano & Smith (2019); Barkan et al. (2021)"),
      unit: t("for the output"),
    }),
  },
];

/** @param {Question} question */
function outputOf({ analysis, part, value }) {
  return JSON.stringify([analysis.id, outputAt(value, analysis, part), value.answer, value.against, value.numbering]);
}

/**
 * One measure of one output, all of it asked about the same analysis. Rejects where the model has no such thing.
 * @param {Question} question
 * @param {Look & keyof ReturnType<MeasureGroup["titles"]>} look  the measure's name, too
 * @param {AbortSignal} signal
 * @param {(id: string, output: Output, chosen: Chosen) => Promise<{name: string, heads: number[][]}[]>} read
 * @returns {Promise<Found>}
 */
function ofOutput({ analysis, part, value, ask }, look, signal, read) {
  const info = OUTPUT_GROUPS.find(({ titles }) => Object.hasOwn(titles(), look))?.info?.();
  return ask(analysis.id, async (id) => {
    const output = await getOutput(id, { position: outputAt(value, analysis, part) }, signal);
    if (!output.looks.includes(look)) throw new ApiError(noteOn(output), { code: "not_measured" });
    const further = withChosen(furtherTokens(analysis, output), output, value, new Map());
    const chosen = choose(output, value, further);
    const parts = await read(id, output, chosen);
    const tokens = saying(analysis);
    const token = output.position === null ? null : tokens[output.position];
    const name = token && apartLabel(tokens, token, value.numbering);
    const where = name && t("{output}, at “{token}”", { output: chosen.words, token: name });
    return {
      parts: parts.map(({ name, heads }) => ({ name, scores: { [look]: heads } })),
      info: info ? { [look]: info } : {},
      how: where ?? chosen.words,
      isOfModel: false,
    };
  });
}
