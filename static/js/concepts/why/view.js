/** Why attention: three rows of bars, influence against distance, and what each way takes. */

import { el, fill } from "../../base/dom.js";
import { drawnView, switchedView } from "../frame/views.js";
import { linePlot } from "../../charts/plots/line_plot.js";
import { mount } from "../../base/mount.js";
import { GAINS, textOf, typedWords } from "./state.js";
import { asymmetryPicture, translationPicture } from "./japanese_view.js";
import { fixed } from "../../base/numbers.js";
import { t } from "../../base/i18n.js";
import { waysMark } from "./ways.js";

/** @typedef {import("./state.js").WhyData} WhyData */
/** @typedef {import("../frame/concept.js").ConceptView<WhyData>} View */

/** Smaller is nothing: the curve's axis ends here. */
const LEAST = 1e-6;

/** @type {View} */
export const whyView = switchedView({
  ways,
  distance,
  translation: translationPicture,
  asymmetry: asymmetryPicture,
});

/**
 * @param {HTMLElement} element
 * @param {import("../frame/concept.js").Tools<import("./state.js").WhyState>} tools
 * @returns {(data: WhyData) => void}
 */
function ways(element, { set, latest }) {
  const box = el("div", { class: "why-box" });
  fill(element, box);
  const mark = mount(box, waysMark, {
    onPick: (index) => {
      const state = latest();
      const reader = typedWords(state).findIndex((_, position) => textOf(state).place(position) === index);
      if (reader >= 0) set({ reader }, "switch");
    },
  });
  return ({ answer }) => {
    const { words, reader, asks, wanted } = answer;
    const [network] = answer.recurrent;
    const named = { word: words[reader], wanted: words[wanted] };
    mark({
      words,
      reader,
      wanted,
      rows: [
        { title: t("Average: the same for every reader"), shares: answer.average },
        {
          title: t("Recurrent network: what it still holds after “{word}”", named),
          shares: network.shares,
          read: reader + 1,
        },
        {
          title:
            reader === asks
              ? t("Attention: “{word}” asks for “{wanted}”", named)
              : t("Attention: “{word}” asks at random", named),
          shares: answer.weights[reader],
        },
      ],
    });
  };
}

/**
 * @param {HTMLElement} element
 * @returns {(data: WhyData) => void}
 */
function distance(element) {
  const box = el("div", { class: "why-box" });
  fill(element, box);
  const mark = mount(box, linePlot, {});
  return ({ state, answer }) => {
    const { words, reader, wanted } = answer;
    const curve = (/** @type {readonly number[]} */ values) => {
      const read = values.slice(0, reader + 1);
      const most = Math.max(...read);
      return read
        .map((value, position) => /** @type {[number, number]} */ ([reader - position, value / most]))
        .reverse();
    };
    const networks = [...answer.recurrent].sort((a, b) => a.gain - b.gain);
    mark({
      title: t("How much of a word still reaches “{word}”, by its distance", { word: words[reader] }),
      series: [
        ...networks.map(({ gain, influences }) => ({
          name: t("gain {gain}", { gain: fixed(gain, 1) }),
          points: curve(influences).filter(([, value]) => value >= LEAST),
          strong: gain === state.gain,
          colour: GAINS.includes(gain) ? GAINS.indexOf(gain) : 6,
        })),
        { name: t("average"), points: curve(answer.average), dashed: true, colour: 4 },
        {
          name: t("attention"),
          points: curve(answer.weights[reader]).filter(([, value]) => value >= LEAST),
          dots: true,
          colour: 5,
        },
      ],
      x: { name: t("words before the reader") },
      y: { name: t("influence, the largest being 1"), log: true, least: LEAST, most: 1.3 },
      verticals: wanted < reader ? [{ x: reader - wanted, name: words[wanted] }] : [],
      height: 340,
    });
  };
}

/** What each way takes, as a table. @type {View} */
export const effortView = drawnView((element) => ({ state, answer }) => {
  if (state.view === "translation" || state.view === "asymmetry") return fill(element);
  const { words, asks, wanted, effort } = answer;
  const rows = [
    [t("steps that wait for one another"), "1", String(effort.recurrent_steps), "1"],
    [
      t("steps from “{wanted}” to “{word}”", { wanted: words[wanted], word: words[asks] }),
      "1",
      String(effort.recurrent_path),
      "1",
    ],
    [t("pairs of words compared"), "0", "0", String(effort.compared_pairs)],
    [t("work for n words of d numbers grows with"), "n · d", "n · d²", "n² · d"],
  ];
  const names = ["", t("average"), t("recurrent network"), t("attention")];
  fill(
    element,
    el(
      "table",
      { class: "why-effort" },
      el("thead", {}, el("tr", {}, ...names.map((name) => (name ? el("th", { scope: "col" }, name) : el("td"))))),
      el(
        "tbody",
        {},
        ...rows.map(([name, ...cells]) =>
          el("tr", {}, el("th", { scope: "row" }, name), ...cells.map((cell) => el("td", {}, cell))),
        ),
      ),
    ),
  );
});
