/** The image that a model was given, in place of a text. */

import { getWindow } from "../../api/analyses.js";
import { meanMatrix } from "../state/arrangement.js";
import { fill, need } from "../../base/dom.js";
import { headsDrawn } from "../state/head_list.js";
import { t } from "../../base/i18n.js";
import { remembering } from "../../base/memoise.js";
import { failureView } from "../../page/failure.js";
import { mount } from "../../base/mount.js";
import { lateView } from "../widgets/late_view.js";
import { answersOf } from "../widgets/panel.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */

/** Tokens up to which a whole head is fetched, so that moving the query asks for nothing. */
const WHOLE = 600;

/**
 * @param {Pick<import("../widgets/panel.js").Bench, "root" | "state" | "pointed" | "session" | "schedule">} bench
 */
export function picturePanel(bench) {
  const { root, state, pointed } = bench;
  const frame = need(root, "#bench");
  const title = need(root, "#tokens-title");
  const words = [...title.childNodes];
  const windows = answersOf(bench, "weights", getWindow);
  const showProblem = mount(need(root, "#picture-problem"), failureView, {});
  const rowOf = remembering((/** @type {Matrix[]} */ matrices, /** @type {number} */ query) => {
    const { values, rows, width } = meanMatrix(matrices);
    return values.subarray((query - rows[0]) * width, (query - rows[0] + 1) * width);
  });
  /** Only models that read images need it. @type {import("../../base/mount.js").Mounted<import("./image.js").PictureData> | null} */
  let view = null;
  const show = lateView(
    () => import("./image.js"),
    ({ pictureView }) =>
      (view = mount(need(root, "#picture"), pictureView, {
        onQuery: (query) => state.set({ query, key: null }, "move"),
        onKey: (key) => state.set({ key }, "pick"),
        onPoint: (key) => pointed.set({ query: key === null ? null : state.get().query, key }),
        onShade: (shade) => state.set({ shade }, "move"),
      })),
    bench.schedule,
  );
  let isShown = false;

  /** @param {boolean} next */
  function turn(next) {
    if (next === isShown) return;
    isShown = next;
    frame.classList.toggle("has-picture", next);
    const note = document.createElement("span");
    note.className = "note";
    note.textContent = t("choose the query patch");
    fill(title, ...(next ? [t("Image"), " ", note] : words));
  }

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
    const found = windows.take(
      analysis.id,
      heads.map(({ layer, head }) => ({
        part: part.name,
        layer,
        head,
        stage: /** @type {const} */ ("weights"),
        ...rows,
      })),
    );
    const known = found.filter((matrix) => matrix !== null);
    return known.length === heads.length ? rowOf(known, query) : null;
  }

  return {
    /**
     * @param {import("../widgets/panel.js").Scene} scene
     * @returns {boolean}  whether there is a picture
     */
    show(scene) {
      const { value, analysis, queries, palette } = scene;
      const { image } = analysis;
      turn(Boolean(image));
      if (!image) {
        windows.clear();
        showProblem(null);
        show(null);
        return false;
      }
      const paint = palette.weights[value.faint === "1" ? "faint" : "plain"];
      const { query, key, shade } = value;
      const at = { query, key, pointed: scene.pointed };
      show({ picture: image, tokens: queries, weights: weightsOf(scene), shade, paint, ...at });
      showProblem(windows.failure());
      return true;
    },
    /** @param {import("../../charts/heat_map/cells.js").Pointed} at */
    point: (at) => view?.patch(() => ({ pointed: at })),
  };
}
