/** Export of a patching study: its effects as CSV, and question and answer as JSON. */

import { postPatching, postPathPatching } from "../../api/patching.js";
import { t } from "../../base/i18n.js";
import { download } from "../../base/picture_files.js";
import { effectsCsv, effectsJson } from "../patching/effects_file.js";
import { hasCorrupt, obstacleTo, patchingRequest, pathsRequest } from "../patching/questions.js";
import { fileName } from "./captions.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/** @typedef {(request: import("../../api/types.js").AnalysisRequest, signal: AbortSignal) => Promise<Analysis>} Post */

/**
 * The id of the analysis of the corrupt image, which the server keeps; "" where there is none.
 * @param {Post} post
 * @param {ViewState} value
 * @param {Analysis} analysis  of the clean one
 * @param {AbortSignal} signal
 */
export async function corruptAnalysis(post, value, analysis, signal) {
  if (!analysis.image || !hasCorrupt(value, analysis)) return "";
  return (await post({ model: analysis.model.id, text: "", picture: value.corruptPicture }, signal)).id;
}

/**
 * The server keeps a study, so that asking again is quick.
 * @param {ViewState} value
 * @param {Analysis} analysis
 * @param {Post} post
 * @returns {import("./export_menu.js").ExportGroup}
 */
export function patchingFiles(value, analysis, post) {
  const title = t("Effects of this study");
  const stem = fileName(value, analysis);

  /** @param {AbortSignal} signal */
  async function found(signal) {
    const other = await corruptAnalysis(post, value, analysis, signal);
    const patches = patchingRequest(value, analysis, other);
    const paths = pathsRequest(value, analysis, other);
    if (patches) return { request: patches, answer: await postPatching(patches, signal) };
    if (paths) return { request: paths, answer: await postPathPatching(paths, signal) };
    throw new Error(t("There is nothing to save yet."));
  }

  return {
    title,
    note: t("One effect for each head or position; in JSON with both prompts and the question."),
    obstacle: obstacleTo(value, analysis) || (hasCorrupt(value, analysis) ? "" : withoutStudy(analysis)),
    choices: [
      {
        name: "CSV",
        spoken: title,
        run: async ({ signal }) => {
          const { answer } = await found(signal);
          download(new Blob([effectsCsv(answer)], { type: "text/csv" }), `${stem}-effects.csv`);
        },
      },
      {
        name: "JSON",
        spoken: title,
        run: async ({ signal }) => {
          const { request, answer } = await found(signal);
          download(new Blob([effectsJson(answer, request)], { type: "application/json" }), `${stem}-effects.json`);
        },
      },
    ],
  };
}

/** @param {Analysis} analysis */
function withoutStudy({ image }) {
  return image
    ? t("There is no study yet: choose the corrupt image.")
    : t("There is no study yet: write the corrupt prompt.");
}
