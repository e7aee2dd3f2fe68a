/** The portrait of a head: offsets it attends to, which tokens attend to which, each measure's distribution, nearest heads. */

import { el, fill } from "../../../base/dom.js";
import { grouped, fixed } from "../../../base/numbers.js";
import { t } from "../../../base/i18n.js";
import { readout, short } from "../../../charts/axes.js";
import { textName } from "../../../wording/token_name.js";
import { binsChart, drawnBins } from "./bins_chart.js";
import { rankSays } from "./head_card.js";
import { orDash, rankOf, said, signed } from "../quantities.js";
import { createShown } from "../redrawing.js";
import { barOf, dataTable } from "../tables.js";
import { drawnView } from "../../../base/mount.js";

/** @typedef {import("../state.js").AtlasData} AtlasData */
/** @typedef {import("../state.js").AtlasView} AtlasView */
/** @typedef {import("../../../api/atlases.js").Portrait} Portrait */

const NEAREST = 8;
const PAIRS = 20;
const WIDTHS = { least: 260, most: 560 };

/** Offsets, with the farthest at both ends. @type {AtlasView} */
export const offsetsView = drawnFor(({ portrait, element }) => {
  const { offsets } = portrait;
  if (offsets.length === 0) return [];
  const sorted = [...offsets].sort((a, b) => a.offset - b.offset);
  const far = Math.max(...sorted.map(({ offset }) => Math.abs(offset)));
  const most = sorted.reduce((best, offset) => ((offset.weight ?? 0) > (best.weight ?? 0) ? offset : best));
  const isEnd = (/** @type {number} */ offset) => Math.abs(offset) === far;
  const says = sorted.map(({ offset, weight, strongest }) =>
    t(
      isEnd(offset)
        ? "offset {offset} and beyond: mean weight {weight}; strongest for {count} queries"
        : "offset {offset}: mean weight {weight}; strongest for {count} queries",
      {
        offset: signed(offset),
        weight: orDash(weight, 4),
        count: grouped(strongest),
      },
    ),
  );
  const sentence = t("Most weight, {weight} of each query's on average, lies at offset {offset}.", {
    weight: orDash(most.weight),
    offset: signed(most.offset),
  });
  return [
    el(
      "p",
      { class: "note" },
      sentence,
      " ",
      t("An offset is the key's position minus the query's; the ends hold all that is farther away."),
    ),
    binsChart({
      title: `${t("Offsets")}. ${sentence}`,
      edges: [...sorted.map(({ offset }) => offset - 0.5), sorted[sorted.length - 1].offset + 0.5],
      heights: sorted.map(({ weight }) => weight ?? 0),
      says,
      mean: null,
      height: 104,
      width: fitting(element),
      marked: sorted.indexOf(most),
      ticks: [sorted[0].offset, 0, sorted[sorted.length - 1].offset].filter(
        (tick, index, ticks) => ticks.indexOf(tick) === index,
      ),
      tickSays: (value) => (isEnd(value) ? `${value < 0 ? "≤ " : "≥ "}${signed(value)}` : signed(value)),
    }),
  ];
});

/** Pixels of a chart as wide as its place. @param {HTMLElement} element */
function fitting({ clientWidth }) {
  return Math.min(Math.max(clientWidth || WIDTHS.most, WIDTHS.least), WIDTHS.most);
}

/** Each measure's distribution over the queries of the corpus. @type {AtlasView} */
export const distributionsView = drawnFor(({ portrait, answer: { table, index } }) =>
  Object.entries(portrait.histograms).map(([name, { edges, counts, mean }]) => {
    const quantity = table.quantity(name);
    const title = quantity?.title ?? name;
    const place = quantity && rankOf(quantity, index);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const says = counts.map((count, bin) =>
      t("{least}–{most}: {count} queries, {share} %", {
        least: readout(edges[bin]),
        most: readout(edges[bin + 1]),
        count: grouped(count),
        share: fixed((100 * count) / Math.max(total, 1), 1),
      }),
    );
    const { first, last, isEven } = drawnBins(edges, counts);
    const axis = isEven
      ? { edges, mean, tickSays: short }
      : // Each bin has the same width, so places are their numbers.
        {
          edges: Array.from({ length: last - first + 2 }, (_, index) => index),
          mean: mean === null ? null : placeAmong(edges, mean) - first,
          tickSays: (/** @type {number} */ position) =>
            short(Number((edges[first + Math.round(position)] ?? 0).toPrecision(2))),
        };
    const value = quantity ? said(quantity, mean) : mean === null ? "–" : fixed(mean, 3);
    return el(
      "figure",
      { class: "atlas-figure" },
      el(
        "figcaption",
        {},
        el("span", { class: "atlas-figure-title" }, title),
        " ",
        el("strong", {}, value),
        " ",
        el("span", { class: "note" }, place ? rankSays(place) : ""),
      ),
      binsChart({
        title: t("{measure}: distribution over {count} queries, mean {mean}", {
          measure: title,
          count: grouped(total),
          mean: value,
        }),
        ...axis,
        says: says.slice(first, last + 1),
        height: 68,
        meanSays: value,
        heights: counts.slice(first, last + 1).map((count) => Math.sqrt(count)),
      }),
      quantity &&
        el(
          "details",
          { class: "atlas-definition" },
          el("summary", {}, t("Definition")),
          el("p", {}, quantity.definition),
          el("p", {}, t("Unit: {unit}. Source: {source}", { unit: quantity.unit, source: quantity.source })),
        ),
    );
  }),
);

/** The place of a value among edges, in bins. @param {readonly number[]} edges @param {number} value */
function placeAmong(edges, value) {
  const above = edges.findIndex((edge) => edge > value);
  if (above <= 0) return above === 0 ? 0 : edges.length - 1;
  return above - 1 + (value - edges[above - 1]) / (edges[above] - edges[above - 1]);
}

/** Which tokens attend to which. @type {AtlasView} */
export const pairsView = drawnFor(({ portrait, state }) => {
  const chosen = portrait.pairs
    .filter((pair) => pair.kind === state.pairs && pair.without_sinks === state.aside)
    .slice(0, PAIRS);
  if (chosen.length === 0) return [el("p", { class: "note" }, noPairs(portrait, state.pairs))];
  const most = Math.max(...chosen.map(({ count }) => count));
  const rows = chosen.map(({ query, key, count, weight }) => {
    return el(
      "tr",
      {},
      el(
        "th",
        { scope: "row" },
        textName(query, { class: "is-query", translate: "no" }),
        " → ",
        textName(key, { class: "is-key", translate: "no" }),
      ),
      el("td", {}, barOf(count / most), grouped(count)),
      el("td", {}, orDash(weight)),
    );
  });
  return [dataTable([t("Query → strongest key"), t("Queries"), t("Mean weight")], rows)];
});

/** @param {Portrait} portrait @param {string} kind */
function noPairs({ pairs }, kind) {
  return kind === "upos" && !pairs.some((pair) => pair.kind === "upos")
    ? t("This corpus has no parts of speech. A corpus in CoNLL-U format has them.")
    : t("Nothing is left: all strongest keys are sinks.");
}

/** The heads that distribute their attention most alike. @type {AtlasView} */
export const neighboursView = drawnFor(({ portrait, answer: { table }, set }) => {
  const near = portrait.neighbours.slice(0, NEAREST);
  if (near.length === 0) return [];
  const most = Math.max(...near.map(({ divergence }) => divergence), 1e-9);
  return near.map((neighbour) => {
    const index = table.index(neighbour);
    const headAt = { part: neighbour.part, layer: neighbour.layer, head: neighbour.head };
    return el(
      "li",
      {},
      el(
        "button",
        { type: "button", class: "atlas-neighbour", onclick: () => set(headAt, "pick") },
        el("span", {}, index >= 0 ? table.title(index) : ""),
        barOf(1 - neighbour.divergence / (1.05 * most)),
        el("span", { class: "note" }, fixed(neighbour.divergence, 3)),
      ),
    );
  });
});

/**
 * A view that is drawn anew for another portrait or another choice.
 * @param {(data: {element: HTMLElement, portrait: Portrait, state: AtlasData["state"], answer: AtlasData["answer"] & {table: NonNullable<AtlasData["answer"]["table"]>}, set: (patch: Partial<AtlasData["state"]>, origin?: string) => void}) => (Node | false | null)[]} content
 * @returns {AtlasView}
 */
export function drawnFor(content) {
  return (element, data, { set }) => {
    const isShown = createShown();
    /** @param {AtlasData} next */
    function update({ state, answer }) {
      const { portrait, table } = answer;
      if (!portrait || !table) return; // the last one stays until the next is there
      if (isShown(portrait, table, state.aside, state.pairs, state.sample, state.lang)) return;
      fill(element, ...content({ portrait, state, answer: { ...answer, table }, set, element }));
    }
    return drawnView(element, data, update);
  };
}
