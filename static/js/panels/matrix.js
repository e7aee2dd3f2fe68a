/** The matrix of the chosen head with what belongs to it: legend, table, and what the chosen query reads. */

import { need } from "../dom.js";
import { stageMeaning } from "../labels.js";
import { limitsOf } from "../scales.js";
import { formatRange, parseRange } from "../selection.js";
import { legendView } from "../views/legend.js";
import { matrixView } from "../views/matrix.js";
import { matrixTableView } from "../views/matrix_table.js";
import { mount } from "../views/mount.js";
import { readsView } from "../views/reads.js";

/** @typedef {import("../types.js").Scene} Scene */

/**
 * @param {HTMLElement} element
 * @param {import("../types.js").Bench} bench
 * @returns {import("../types.js").Panel}
 */
export function matrixPanel(element, { config, state, pointed, closer, remember, schedule }) {
  const at = (/** @type {string} */ id) => need(element, `#${id}`);
  const details = /** @type {HTMLDetailsElement} */ (at("numbers"));
  details.ontoggle = schedule;
  /** @type {Scene["part"] | null} */
  let part = null;
  const show = {
    matrix: mount(at("matrix"), matrixView, {
      plotlyUrl: config.plotlyUrl,
      onPick: (place, origin) => state.set(place, origin),
      onPoint: (place) => pointed.set(place),
      onZoom: (rows, cols) => {
        const { query_tokens: queries, key_tokens: keys } = part ?? { query_tokens: 0, key_tokens: 0 };
        state.set({ rows: formatRange(rows, queries), cols: formatRange(cols, keys) }, "move");
      },
    }),
    legend: mount(at("legend"), legendView, {}),
    table: mount(at("table"), matrixTableView, {}),
    reads: mount(at("reads"), readsView, {
      onPick: (key) => state.set({ key }, "pick"),
      onPoint: (key) => pointed.set({ key, query: key === null ? null : state.get().query }),
    }),
  };

  /** @param {Scene} scene */
  function draw({ value, analysis, part, queries, keys, name, pointed, palette }) {
    const { layer, head, stage, query, key, numbering, faint } = value;
    const rows = parseRange(value.rows, part.query_tokens);
    const cols = parseRange(value.cols, part.key_tokens);
    const look = { id: analysis.id, part, layer, head, stage, rows, cols, query };
    const matrix = closer.matrix(look);
    const row = closer.row(look);
    const isWeights = stage === "weights";
    const limits = limitsOf(stage, matrix);
    const paint = isWeights ? palette.weights[faint ? "faint" : "plain"] : palette.scores;
    const isWhole = value.rows === "" && value.cols === "";
    show.matrix({
      ...{ queries, keys, stage, name, layer, head, rows, cols, query, key, numbering, matrix, paint, limits, pointed },
      chosenValue: isWeights && row && key !== null ? row[key] : null,
      pictures: remember(part).pictures,
      sheet: isWeights && isWhole ? remember(part).sheet(palette.bytes[faint ? "faint" : "plain"]) : null,
    });
    const hasMasked = matrix !== null && matrix.values.includes(-Infinity);
    show.legend({ scale: isWeights ? "weight" : "signed", limits, faint: isWeights && faint, hasMasked });
    const isExact = matrix !== null && matrix.cellRows === 1 && matrix.cellCols === 1;
    show.table(isExact && details.open ? { matrix, queries, keys, stage, query, numbering } : null);
    show.reads(row && query !== null ? { query: queries[query], keys, weights: row, key, numbering } : null);
    at("stage-meaning").textContent = stageMeaning(stage);
    const problem = closer.problem();
    const line = at("matrix-problem");
    line.hidden = !(problem instanceof Error);
    line.textContent = problem instanceof Error ? problem.message : "";
  }

  return {
    show(scene) {
      part = scene.part;
      draw(scene);
    },
    hide() {
      for (const update of Object.values(show)) update(null);
    },
  };
}
