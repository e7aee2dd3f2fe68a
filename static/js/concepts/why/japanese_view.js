/** 吾輩は猫である: translated through one vector and by cross-attention, and who attends to whom in it. */

import { el, fill, say } from "../../base/dom.js";
import { drawnView, queriesByKeys, titledPlaces } from "../frame/views.js";
import { asymmetryOf, translationOf } from "./state.js";
import { featureName, glossed } from "./names.js";
import { fixed } from "../../base/numbers.js";
import { matrixMark } from "../../charts/matrix.js";
import { mount } from "../../base/mount.js";
import { plainMaths, sayMaths } from "../../base/maths/maths_text.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./state.js").WhyData} WhyData */
/** @typedef {import("../frame/concept.js").ConceptView<WhyData>} View */
/** @typedef {import("../frame/concept.js").Tools<import("./state.js").WhyState>} Tools */

/**
 * @param {HTMLElement} element
 * @param {Tools} tools
 * @returns {(data: WhyData) => void}
 */
export function translationPicture(element, { set }) {
  const titles = [t("Through one vector"), t("Cross-attention")];
  const places = titledPlaces(element, titles, "why-box", [1, 2]);
  const onPick = (/** @type {{row: number}} */ { row }) => set({ target: row }, "switch");
  const marks = places.map((place) => mount(place, matrixMark, { onPick, mostHeight: 200 }));
  return (data) => {
    const translation = translationOf(data);
    if (!translation) return;
    const shared = {
      axes: t("written ↓ read →"),
      rowRole: /** @type {const} */ ("query"),
      columnRole: /** @type {const} */ ("key"),
      rows: translation.target,
      columns: translation.source.map(glossed),
      scale: /** @type {const} */ ("weight"),
      chosen: { row: data.state.target, column: -1 },
    };
    marks[0]({ ...shared, title: titles[0], values: translation.through_one_vector });
    marks[1]({ ...shared, title: titles[1], values: translation.weights });
  };
}

/**
 * @param {HTMLElement} element
 * @param {Tools} tools
 * @returns {(data: WhyData) => void}
 */
export function asymmetryPicture(element, { set }) {
  const titles = [t("Scores with one matrix: W_q = W_k"), t("Scores with W_q and W_k")];
  const places = titledPlaces(element, titles, "why-box", [1, 2]);
  const notes = places.map((place) => {
    const [pair, whole] = [el("p", { class: "why-pair" }), el("p", { class: "why-pair" })];
    place.before(pair, whole);
    return { pair, all: whole };
  });
  const onPick = (/** @type {{row: number, column: number}} */ { row, column }) =>
    set({ query: row, key: column }, "switch");
  const marks = places.map((place) => mount(place, matrixMark, { onPick, mostHeight: 290 }));
  return (data) => {
    const asymmetry = asymmetryOf(data);
    if (!asymmetry) return;
    const { query, key } = data.state;
    const { tokens } = asymmetry;
    const most = Math.max(...[asymmetry.shared, asymmetry.own].flatMap((side) => side.scores.flat().map(Math.abs)));
    [asymmetry.shared, asymmetry.own].forEach((side, index) => {
      say(
        notes[index].pair,
        t("“{word}” → “{other}”: {there}, “{other}” → “{word}”: {back}", {
          word: tokens[query],
          other: tokens[key],
          there: fixed(side.scores[query][key], 2),
          back: fixed(side.scores[key][query], 2),
        }),
      );
      sayMaths(notes[index].all, `‖S − Sᵀ‖ / ‖S‖ = ${fixed(side.asymmetry, 2)}`);
      marks[index]({
        ...queriesByKeys(),
        title: plainMaths(titles[index]),
        rows: tokens.map(glossed),
        columns: tokens,
        values: side.scores,
        scale: "signed",
        most,
        digits: 1,
        chosen: { row: query, column: key },
      });
    });
  };
}

/** What was written by hand: the features of the words, and the matrices that look for them. @type {View} */
export const designView = drawnView((element) => (data) => {
  const [translation, asymmetry] = [translationOf(data), asymmetryOf(data)];
  const matrices = translation
    ? [
        {
          title: t("Features of the source: the keys"),
          values: translation.source_features,
          rows: translation.source.map(glossed),
          columns: translation.meanings,
        },
        {
          title: t("Features of the target: the queries, before × {sharpness}", { sharpness: translation.sharpness }),
          values: translation.target_features,
          rows: translation.target,
          columns: translation.meanings,
        },
      ]
    : asymmetry
      ? [
          {
            title: t("Features of the words"),
            values: asymmetry.vectors,
            rows: asymmetry.tokens.map(glossed),
            columns: asymmetry.features,
          },
          { title: "W_q", values: asymmetry.own.query_weight, rows: ["0", "1"], columns: asymmetry.features },
          { title: "W_k", values: asymmetry.own.key_weight, rows: ["0", "1"], columns: asymmetry.features },
        ]
      : [];
  const places = titledPlaces(
    element,
    matrices.map(({ title }) => title),
    "why-box",
  );
  if (matrices.length === 0) fill(element);
  matrices.forEach(({ title, values, rows, columns }, index) => {
    const shown = {
      title: plainMaths(title),
      values,
      rows,
      columns: columns.map(featureName),
      scale: /** @type {const} */ ("signed"),
    };
    mount(places[index], matrixMark, { isFitted: false })({ ...shown, digits: 1 });
  });
});
