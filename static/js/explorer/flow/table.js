/** The edges of the graph as a table, also for screen readers. */

import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { spokenName } from "../../wording/token_name.js";
import { kindName, shareText, stationName } from "./words.js";

/** Edges written out at most. */
const MOST = 300;

/**
 * @param {import("./flow.js").FlowData} data
 * @returns {import("../../base/dom.js").Child[]}
 */
export function flowTable({ flow, graph, tokens, numbering }) {
  const titles = [t("part"), t("layer"), t("head"), t("from token"), t("to token"), t("part of"), t("importance")];
  const rows = graph.edges.slice(0, MOST).map(({ kind, layer, head, source, target, importance }) => {
    const name = (/** @type {number} */ node) => spokenName(tokens[flow.nodes[node].position], numbering);
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, kindName(kind)),
      el("td", {}, layer + numbering),
      el("td", {}, head === null ? "–" : head + numbering),
      el("td", { class: "is-key" }, ...name(source)),
      el("td", { class: "is-query" }, ...name(target)),
      el("td", {}, stationName(flow.nodes[target], numbering)),
      el("td", {}, shareText(importance)),
    );
  });
  const said = { most: MOST, count: graph.edges.length };
  return [
    el(
      "table",
      { class: "numbers flow-table" },
      el("caption", {}, t("All edges, those first that stay longest as the threshold rises")),
      el("thead", {}, el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)))),
      el("tbody", {}, ...rows),
    ),
    graph.edges.length > MOST && el("p", { class: "note" }, t("The first {most} of {count} edges are listed.", said)),
  ];
}
