/** The image that a model was given, in place of a text. */

import { getWindow } from "../../api/analyses.js";
import { meanMatrix } from "../state/arrangement.js";
import { need } from "../../base/dom.js";
import { headsDrawn } from "../state/head_list.js";
import { remembering } from "../../base/memoise.js";
import { failureView } from "../../page/failure.js";
import { mount } from "../../base/mount.js";
import { answersOf } from "../widgets/panel.js";
import { pictureView } from "./image.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */

/** Tokens up to which a whole head is fetched, so that moving the query asks for nothing. */
const WHOLE = 600;

/**
 * @param {Pick<import("../widgets/panel.js").Bench, "root" | "state" | "pointed" | "session" | "schedule">} bench
 */
export function picturePanel(bench) {
  const { root, state, pointed } = bench;
  const windows = answersOf(bench, "weights", getWindow);
  const showProblem = mount(need(root, "#picture-problem"), failureView, {});
  const rowOf = remembering((/** @type {Matrix[]} */ matrices, /** @type {number} */ query) => {
    const { values, rows, width } = meanMatrix(matrices);
    return values.subarray((query - rows[0]) * width, (query - rows[0] + 1) * width);
  });
  const show = mount(need(root, "#picture"), pictureView, {
    onQuery: (query) => state.set({ query, key: null }, "move"),
    onKey: (key) => state.set({ key }, "pick"),
    onPoint: (key) => pointed.set({ query: key === null ? null : state.get().query, key }),
    onShade: (shade) => state.set({ shade }, "move"),
  });

  /** @param {import("../widgets/panel.js").Scene} scene */
  function weightsOf({ value, analysis, part }) {
    const { query, mean } = value;
    if (query === null) {
      windows.clear();
      return null;
    }
    const chosen = headsDrawn(value, part);
    const heads = mean ? chosen : chosen.slice(0, 1);
    const rows = part.query_tokens <= WHOLE ? {} : { rows: /** @type {[number, number]} */ ([query, query + 1]) };
    const matrices = windows.take(
      analysis.id,
      heads.map(({ layer, head }) => ({
        part: part.name,
        layer,
        head,
        stage: /** @type {const} */ ("weights"),
        ...rows,
      })),
    );
    const known = matrices.filter((matrix) => matrix !== null);
    return known.length === heads.length ? rowOf(known, query) : null;
  }

  return {
    /** @param {import("../widgets/panel.js").Scene | null} scene  null where there is no picture */
    show(scene) {
      const image = scene?.analysis.image;
      if (!scene || !image) {
        windows.clear();
        showProblem(null);
        return show(null);
      }
      const { value, queries, palette, pointed } = scene;
      const paint = palette.weights[value.faint === "1" ? "faint" : "plain"];
      const { query, key, shade } = value;
      show({ picture: image, tokens: queries, weights: weightsOf(scene), shade, paint, query, key, pointed });
      showProblem(windows.failure());
    },
    /** @param {import("../../charts/heat_map/cells.js").Pointed} place */
    point: (place) => show.patch(() => ({ pointed: place })),
  };
}
