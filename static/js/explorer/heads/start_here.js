/** “Start here”: the heads that stand out on this text, each with one sentence, and why the chosen one is open. */

import { el, fill, keepingFocus } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";
import { fixed } from "../../base/numbers.js";
import { headCode, metricTitle } from "../../wording/labels.js";
import { numberedLabel } from "../../wording/token_apart.js";
import { remembering } from "../../base/memoise.js";
import { mostExtreme, standouts, tellingCell } from "./standouts.js";

/** @typedef {import("./standouts.js").Standout} Standout */

/**
 * @typedef {object} StartHereData
 * @property {Standout[]} found
 * @property {import("../../api/types.js").Metrics} metrics
 * @property {Record<string, import("../../api/types.js").MetricInfo>} info
 * @property {import("../../api/types.js").Token[]} queries
 * @property {import("../../api/types.js").Token[]} keys
 * @property {number} layer  of the chosen head
 * @property {number} head
 * @property {{query: number, key: number, value: number, others: number | null} | null} cell  the chosen one, where it tells something
 * @property {0 | 1} numbering
 */

/** As many as have their place on the first screen. */
const MOST = 5;

/**
 * @param {HTMLElement} element
 * @param {StartHereData} data
 * @param {{onPick: (standout: Standout) => void}} options
 * @returns {import("../../base/mount.js").View<StartHereData>}
 */
export function startHereView(element, data, { onPick }) {
  const why = el("p", { class: "note start-why" });
  const list = el("ul", { class: "start-list" });
  fill(element, why, list);
  return drawnView(element, data, (next) => {
    why.textContent = whyShown(next);
    const line = (/** @type {Standout} */ standout) => {
      const isChosen = standout.layer === next.layer && standout.head === next.head;
      return el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            class: "start-head",
            "aria-pressed": String(isChosen),
            onclick: () => onPick(standout),
            "data-key": `${standout.layer}.${standout.head}`,
          },
          el("span", { class: "start-name" }, headCode(standout.layer, standout.head, next.numbering)),
          " ",
          el("span", {}, reasonOf(standout, next)),
        ),
      );
    };
    keepingFocus(list, () => fill(list, ...next.found.slice(0, MOST).map(line)));
    if (next.found.length === 0) fill(list, el("li", { class: "note" }, t("No head stands out on this text.")));
  });
}

/**
 * @param {Standout} one
 * @param {Pick<StartHereData, "queries" | "keys" | "numbering">} data
 * @returns {string}
 */
export function reasonOf({ reason, value, query = 0, key = 0, others = null }, { queries, keys, numbering }) {
  const share = fixed(value, 2);
  const tokens = {
    query: queries[query] ? numberedLabel(queries[query], numbering) : "",
    key: keys[key] ? numberedLabel(keys[key], numbering) : "",
  };
  return {
    link:
      others === null
        ? t("the strongest link between words apart: “{query}” attends to “{key}” with {share}", {
            ...tokens,
            share,
          })
        : t(
            "the strongest link between words apart: “{query}” attends to “{key}” with {share}, the other tokens with {others} on average",
            { ...tokens, share, others: fixed(others, 2) },
          ),
    induction: t("continues repetitions: attends to what followed the same token before, with {share} on average", {
      share,
    }),
    previous_token: t("attends to the previous token, with {share} on average", { share }),
    next_token: t("attends to the next token, with {share} on average", { share }),
    same_token: t("attends to the token itself, with {share} on average", { share }),
    first_token: t("rests on the first token, with {share} on average: an attention sink", { share }),
    separator: t("rests on separators, with {share} on average", { share }),
    focused: t("the most focused: almost all weight on one token"),
    even: t("the most even: attends to nearly all tokens alike"),
  }[reason];
}

/**
 * Why the chosen head is worth being open, in one sentence.
 * @param {StartHereData} data
 * @returns {string}
 */
export function whyShown({ found, metrics, info, layer, head, cell, numbering, ...sides }) {
  const name = headCode(layer, head, numbering);
  const known = found.find((standout) => standout.layer === layer && standout.head === head);
  if (known) return t("Open now, {head}: {reason}.", { head: name, reason: reasonOf(known, { ...sides, numbering }) });
  if (cell) {
    const tokens = {
      query: numberedLabel(sides.queries[cell.query], numbering),
      key: numberedLabel(sides.keys[cell.key], numbering),
    };
    const values = { head: name, ...tokens, share: fixed(cell.value, 2) };
    return cell.others === null
      ? t("Open now, {head}: here “{query}” attends to “{key}” with {share}.", values)
      : t(
          "Open now, {head}: here “{query}” attends to “{key}” with {share}, the other tokens with {others} on average.",
          { ...values, others: fixed(cell.others, 2) },
        );
  }
  const most = mostExtreme(metrics, { layer, head });
  if (!most) return t("Open now, {head}.", { head: name });
  const { rank, count, value, isLargest } = most;
  const values = {
    head: name,
    rank,
    count,
    value: fixed(value, 2),
    metric: metricTitle(most.metric, info[most.metric]),
  };
  if (rank === 1) {
    return isLargest
      ? t("Open now, {head}: of all {count} heads it has the highest “{metric}”, {value}.", values)
      : t("Open now, {head}: of all {count} heads it has the lowest “{metric}”, {value}.", values);
  }
  return isLargest
    ? t("Open now, {head}: its “{metric}” of {value} ranks {rank} of {count}, counted from the highest.", values)
    : t("Open now, {head}: its “{metric}” of {value} ranks {rank} of {count}, counted from the lowest.", values);
}

/**
 * What stands out, found once for each part.
 * @param {import("../widgets/panel.js").Bench["remember"]} remember
 * @returns {(scene: import("../widgets/panel.js").Scene) => StartHereData}
 */
export function createStandouts(remember) {
  const find = remembering(
    (
      /** @type {import("../../api/types.js").Part} */ part,
      /** @type {import("../../base/decode.js").Thumbnails} */ thumbnails,
      /** @type {import("../../api/types.js").Token[]} */ queries,
      /** @type {import("../../api/types.js").Token[]} */ keys,
    ) => standouts({ part, thumbnails, queries, keys }),
  );
  return ({ value, analysis, part, queries, keys }) => {
    const { thumbnails } = remember(part);
    const { layer, head, numbering } = value;
    return {
      found: find(part, thumbnails, queries, keys),
      cell: tellingCell({ part, thumbnails, queries, keys }, value),
      metrics: part.metrics,
      info: analysis.metric_info,
      queries,
      keys,
      layer,
      head,
      numbering,
    };
  };
}
