/** Circuits from the weights alone: what a head would attend to and write, its copying score, and what it composes with. */

import { el, fill, svg } from "../../../base/dom.js";
import { fixed, grouped } from "../../../base/numbers.js";
import { drawnView, mount } from "../../../base/mount.js";
import { t } from "../../../base/i18n.js";
import { failureView } from "../../../page/failure.js";
import { textName } from "../../../wording/token_name.js";
import { headCode } from "../../../wording/labels.js";
import { createShown } from "../redrawing.js";
import { picking } from "../tables.js";

/** @typedef {import("../state.js").AtlasData} AtlasData */
/** @typedef {import("../state.js").AtlasView} AtlasView */
/** @typedef {import("../../../api/atlases.js").Circuits} Circuits */
/** @typedef {import("../../../api/atlases.js").Composition} Composition */

const SIZE = 190;
const PAIRS = 8;
const COMPOSED = 8;

/** @type {AtlasView} */
export const circuitsView = (element, data, { set }) => {
  const problem = el("div", { class: "failure" });
  const place = el("div", { class: "atlas-circuits" });
  const showProblem = mount(problem, failureView, {});
  fill(element, problem, place);
  const isShown = createShown();

  /** @param {AtlasData} next */
  function update({ state, answer }) {
    if (state.view !== "weights") return;
    const { facts, at, circuits, composition, failure } = answer;
    const isDecoder = facts?.kind === "decoder";
    showProblem(failure("circuits") ?? failure("composition"));
    if (isShown(facts, circuits, composition, at?.layer, at?.head)) return;
    if (!facts || !at) return place.replaceChildren();
    if (!isDecoder) {
      const words = t(
        "Circuits on the vocabulary are read from a decoder's weights: its input and output share one space. This model is no decoder.",
      );
      return fill(place, el("p", { class: "note" }, words));
    }
    if (!circuits) {
      const isLost = failure("circuits")?.kind === "failed";
      return fill(place, !isLost && el("p", { class: "note", role: "status" }, t("Computing …")));
    }
    const pick = (/** @type {number} */ layer, /** @type {number} */ head) =>
      set({ part: at.part, layer, head }, "pick");
    fill(
      place,
      ...copying(circuits, composition),
      ...rows(circuits),
      ...pairs(circuits),
      ...composed(composition, at, pick),
      treatment(circuits),
    );
  }

  return drawnView(element, data, update, () => showProblem(null));
};

/** @param {Circuits} circuits @param {Composition | null} composition */
function copying({ layer, head, copying_score: score, eigenvalues, vocabulary }, composition) {
  const scores = composition?.copying.flat() ?? [];
  const rank = 1 + scores.filter((other) => other > (composition?.copying[layer][head] ?? score)).length;
  return [
    el("h3", {}, t("Copying score")),
    el(
      "div",
      { class: "atlas-copying" },
      eigenvaluePlot(eigenvalues),
      el(
        "div",
        {},
        el(
          "p",
          {},
          el("strong", { class: "atlas-large" }, fixed(score, 3)),
          " ",
          scores.length > 0 &&
            el("span", { class: "note" }, t("no. {rank} of {count}", { rank, count: scores.length })),
        ),
        el(
          "p",
          { class: "note" },
          t(
            "The sum of the eigenvalues of the OV circuit over the sum of their magnitudes: 1 if attending to any of {count} tokens raises that token and its like, −1 if it suppresses them.",
            { count: grouped(vocabulary) },
          ),
        ),
        el("p", { class: "note" }, t("Source: {source}", { source: "Elhage et al. (2021)" })),
      ),
    ),
  ];
}

/** Eigenvalues in the complex plane: right of the axis they copy. @param {readonly (readonly number[])[]} eigenvalues */
function eigenvaluePlot(eigenvalues) {
  const most = Math.max(...eigenvalues.map(([re, im]) => Math.hypot(re, im)), 1e-9);
  const place = (/** @type {number} */ value) => SIZE / 2 + (value / most) * (SIZE / 2 - 10);
  const middle = SIZE / 2;
  return svg(
    "svg",
    {
      class: "mark atlas-eigenvalues",
      viewBox: `0 0 ${SIZE} ${SIZE}`,
      role: "img",
      "aria-label": t("{count} eigenvalues of the OV circuit, {right} of them with a positive real part", {
        count: eigenvalues.length,
        right: eigenvalues.filter(([re]) => re > 0).length,
      }),
    },
    svg("line", { class: "mark-axis", x1: 4, x2: SIZE - 4, y1: middle, y2: middle }),
    svg("line", { class: "mark-axis", x1: middle, x2: middle, y1: 4, y2: SIZE - 4 }),
    ...eigenvalues.map(([re, im]) =>
      svg("circle", {
        class: `atlas-eigenvalue ${re > 0 ? "series-0" : "series-1"}`,
        cx: place(re),
        cy: SIZE - place(im),
        r: 3.5,
      }),
    ),
    svg("text", { x: SIZE - 4, y: SIZE - 6, "text-anchor": "end" }, t("copies")),
    svg("text", { x: 4, y: SIZE - 6, "text-anchor": "start" }, t("suppresses")),
  );
}

/** The rows of one token. @param {Circuits} circuits */
function rows({ token_text: token, attends_to: reads, writes }) {
  if (token === null || !reads || !writes) return [];
  const list = (/** @type {string} */ title, /** @type {{text: string, score: number}[]} */ tokens) =>
    scores(
      title,
      tokens.map(({ text, score }) => ({ name: [tokenOf(text)], score })),
    );
  return [
    el("h3", {}, t("The token"), " “", tokenOf(token), "”"),
    el(
      "div",
      { class: "atlas-columns" },
      list(t("It attends to (QK)"), reads.highest),
      list(t("Attended to, it raises (OV)"), writes.highest),
      list(t("and lowers"), writes.lowest),
    ),
  ];
}

/** @param {Circuits} circuits */
function pairs({ attention_pairs: reads, writing_pairs: writes, pair_tokens: count }) {
  const list = (
    /** @type {string} */ title,
    /** @type {Circuits["writing_pairs"]} */ pairs,
    /** @type {string} */ sign,
  ) =>
    scores(
      title,
      pairs
        .slice(0, PAIRS)
        .map((pair) => ({ name: [tokenOf(pair.text), ` ${sign} `, tokenOf(pair.other_text)], score: pair.score })),
    );
  return [
    el("h3", {}, t("Strongest pairs among {count} frequent tokens", { count: grouped(count) })),
    el("div", { class: "atlas-columns" }, list(t("Attends to (QK)"), reads, "→"), list(t("Raises (OV)"), writes, "⇒")),
  ];
}

/** @param {string} text */
const tokenOf = (text) => textName(text, { translate: "no" });

/** Names with their scores, under a title. @param {string} title @param {{name: (Node | string)[], score: number}[]} entries */
function scores(title, entries) {
  const items = entries.map(({ name, score }) =>
    el("li", {}, el("span", {}, ...name), el("span", { class: "note" }, fixed(score, 2))),
  );
  return el("div", {}, el("h4", {}, title), el("ol", { class: "atlas-tokens" }, ...items));
}

/**
 * @param {Composition | null} composition
 * @param {import("../../../api/atlases.js").HeadAt} chosen
 * @param {(layer: number, head: number) => void} pick
 */
function composed(composition, chosen, pick) {
  if (!composition) return [];
  const partners = composedWith(composition, chosen).slice(0, COMPOSED);
  const names = { query: t("into the queries"), key: t("into the keys"), value: t("into the values") };
  const items = partners.map(({ by, layer, head, isWriter, score }) =>
    el(
      "li",
      {},
      el(
        "span",
        {},
        isWriter ? t("writes for") : t("reads from"),
        " ",
        picking(headCode(layer, head, 0), () => pick(layer, head)),
        ` ${names[by]}`,
      ),
      el("span", { class: "note" }, fixed(score, 3)),
    ),
  );
  const note = t(
    "Composition scores between heads of different layers; matrices of random numbers score {mean} ± {deviation}.",
    { mean: fixed(composition.random_mean, 3), deviation: fixed(composition.random_deviation, 3) },
  );
  return [
    el("h3", {}, t("Composition")),
    el("p", { class: "note" }, note),
    el("ol", { class: "atlas-tokens" }, ...items),
  ];
}

/**
 * The heads with which a head composes most, in any way.
 * @param {Composition} composition
 * @param {{layer: number, head: number}} at
 */
export function composedWith({ layers, heads, ...scores }, { layer, head }) {
  const own = layer * heads + head;
  const partners = /** @type {const} */ (["query", "key", "value"]).flatMap((by) =>
    Array.from({ length: layers * heads }, (_, other) => {
      const otherLayer = Math.floor(other / heads);
      const isWriter = otherLayer > layer;
      const matrix = /** @type {number[][]} */ (scores[by]);
      const score = otherLayer === layer ? 0 : isWriter ? matrix[own][other] : matrix[other][own];
      return { by, layer: otherLayer, head: other % heads, isWriter, score };
    }),
  );
  return partners.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
}

/** @param {Circuits} circuits */
function treatment({ treatment: words }) {
  return el(
    "details",
    { class: "atlas-definition" },
    el("summary", {}, t("How norms, positions and biases are treated")),
    ...words.map((text) => el("p", {}, text)),
  );
}
