/** Panel of patching: what of the clean run, put into the corrupt one, brings its answer back; and by which paths. */

import { postPatching, postPathPatching } from "../../api/patching.js";
import { createCachedResource } from "../../requests/cached_resource.js";
import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { mount } from "../../base/mount.js";
import { headCode } from "../../wording/labels.js";
import { headSharesView } from "../widgets/head_shares.js";
import { largest } from "../widgets/signed_shares.js";
import { numberTable, tableDisclosure } from "../widgets/number_table.js";
import { createPanel, createProblem } from "../widgets/panel.js";
import { noticeOn } from "./examples.js";
import { answersOfRuns, inputsView } from "./inputs.js";
import { positionsView } from "./positions.js";
import { promptsView } from "./prompts.js";
import { obstacleTo, patchingRequest, pathHeadOf, pathsRequest } from "./questions.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("../../api/patching.js").AnyPatching} AnyPatching */

/** It may take minutes, and goes on only while it is wanted. */
const LONG = { kept: 32, limit: null };

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function patchingPanel(element, bench) {
  const { state, schedule } = bench;
  const obstacle = el("p", { class: "note patching-notice" });
  const boxes = {
    inputs: el("div", { class: "patching-inputs" }),
    prompts: el("div", { class: "patching-prompts" }),
    heads: el("div", { class: "shares" }),
    positions: el("div", { class: "shares" }),
    legend: el("div", { class: "legend patching-legend" }),
  };
  const notice = el("p", { class: "note patching-notice" });
  const title = el("h3", { class: "output-title patching-title" });
  const status = el("span", { role: "status" });
  const cancel = el("button", { type: "button", class: "button is-small", onclick: stop }, t("Cancel"));
  const waiting = el("p", { class: "note patching-waiting" }, status, " ", cancel);
  const meaning = el("ul", { class: "patching-meaning note" });
  const results = el(
    "div",
    { class: "patching-results" },
    boxes.prompts,
    title,
    boxes.heads,
    boxes.positions,
    boxes.legend,
  );
  const patches = createCachedResource({
    ...{ lane: "patching", onChange: schedule, ...LONG },
    read: (/** @type {import("../../api/patching.js").PatchingRequest} */ asked, signal) => postPatching(asked, signal),
  });
  const paths = createCachedResource({
    ...{ lane: "patching/paths", onChange: schedule, ...LONG },
    read: (/** @type {import("../../api/patching.js").PathPatchingRequest} */ asked, signal) =>
      postPathPatching(asked, signal),
  });
  const problem = createProblem(patches, paths);
  /** @type {{found: AnyPatching, isByHead: boolean, numbering: 0 | 1} | null} */
  let shown = null;
  /** What was cancelled, until something else is asked for. */
  let stopped = "";
  let asked = "";
  const table = tableDisclosure({ label: t("Effect of every patch"), make: () => shown && effectTable(shown) });
  const perColumn = () => shown?.found.query_heads_per_column ?? 1;
  const views = {
    inputs: mount(boxes.inputs, inputsView, {
      onSet: (patch) => {
        stopped = "";
        state.set(patch, "pick");
        schedule();
      },
    }),
    prompts: mount(boxes.prompts, promptsView, {}),
    heads: mount(boxes.heads, headSharesView, {
      onPick: ({ layer, head }, origin) => state.set({ layer, head: head * perColumn() }, origin),
    }),
    legend: mount(boxes.legend, legendView, {}),
    positions: mount(boxes.positions, positionsView, { onPick: (at, origin) => state.set(at, origin) }),
  };

  function stop() {
    stopped = asked;
    patches.clear();
    paths.clear();
    schedule();
  }

  /** @param {Scene} scene @returns {AnyPatching | null} */
  function take({ value, analysis }) {
    const [patching, path] = [patchingRequest(value, analysis), pathsRequest(value, analysis)];
    asked = JSON.stringify([patching, path]);
    if (asked === stopped) return (patching && patches.peek(patching)) ?? (path && paths.peek(path)) ?? null;
    const [one] = patches.take(patching ? [patching] : []);
    const [other] = paths.take(path ? [path] : []);
    return one ?? other ?? null;
  }

  /** @param {Scene} scene @param {AnyPatching} found */
  function drawResults({ value, queries, palette }, found) {
    const { layer, head, numbering } = value;
    const isByHead = !("by" in found) || found.by === "head";
    shown = { found, isByHead, numbering };
    const said = titleOf(found, numbering);
    say(title, said);
    views.prompts({ found, numbering });
    const common = { title: said, values: found.effects, layer, numbering, palette };
    views.heads(isByHead ? { ...common, head: Math.floor(head / found.query_heads_per_column) } : null);
    const isOfTokens = found.effects[0].length === found.clean.tokens.length;
    views.positions(isByHead ? null : { ...common, tokens: isOfTokens ? queries : [], query: value.query });
    const most = largest(found.effects.flat()) || 1;
    views.legend({ scale: "signed", limits: [-most, most], faint: false, hasMasked: false });
    fill(meaning, ...found.caveats.map((one) => el("li", {}, one)));
    table.draw();
  }

  return createPanel(element, {
    stands: [obstacle, boxes.inputs, waiting, problem.box, results, notice, table.element, meaningBox(meaning)],
    views,
    asks: [patches, paths, problem],
    draw(scene) {
      const { value, analysis, queries } = scene;
      const why = obstacleTo(value, analysis);
      say(obstacle, why || (value.corrupt.trim() === "" ? introduction() : ""));
      boxes.inputs.hidden = why !== "";
      const found = why === "" ? take(scene) : null;
      const failed = problem.show()?.kind === "failed";
      const isRunning = asked !== "[null,null]" && why === "" && !found && !failed;
      if (found) drawResults(scene, found);
      const answers = answersOfRuns(found ?? shown?.found ?? null);
      views.inputs(
        why === ""
          ? {
              value,
              tokens: queries,
              predicting: analysis.target_tokens ?? analysis.tokens,
              answers,
              pathHead: pathHeadOf(value, analysis),
            }
          : null,
      );
      say(notice, noticeOn(value));
      waiting.hidden = !isRunning;
      cancel.hidden = asked === stopped;
      say(status, isRunning ? (asked === stopped ? t("Cancelled.") : t("Running the model on patched prompts …")) : "");
      const isEmpty = !found && (!isRunning || shown === null);
      results.hidden = table.element.hidden = isEmpty;
      results.setAttribute("aria-busy", String(isRunning));
      /** @type {HTMLElement} */ (meaning.parentElement).hidden = isEmpty;
    },
    forget: () => (shown = null),
  });
}

/** @param {HTMLElement} list */
function meaningBox(list) {
  return el("section", {}, el("h3", { class: "output-title" }, t("What an effect means")), list);
}

function introduction() {
  return t(
    "Two prompts of equally many tokens: the text above is the clean one. One activation at a time is taken from the one run and put into the other; the effect is how far that moves the answer.",
  );
}

/**
 * @param {AnyPatching} found
 * @param {0 | 1} numbering
 */
function titleOf(found, numbering) {
  if ("what" in found)
    return found.by === "head"
      ? t("Effect of patching each head: {what}", { what: whatName(found.what) })
      : t("Effect of patching each position: {what}", { what: whatName(found.what) });
  if (found.fixed === "logits") return t("Effect of the paths from each head to the logits");
  const head = headCode(found.layer ?? 0, found.head ?? 0, numbering);
  const to = found.to_logits === null ? "" : fixed(found.to_logits, 2);
  return found.fixed === "receiver"
    ? t("Effect of the paths from other heads to {head}, through its {via}", { head, via: whatName(found.via ?? "") })
    : t("Effect of the paths from {head} to other heads, through their {via} (straight to the logits: {effect})", {
        ...{ head, via: whatName(found.via ?? ""), effect: to },
      });
}

/** @param {string} what */
function whatName(what) {
  return {
    output: t("head output"),
    queries: t("queries"),
    keys: t("keys"),
    values: t("values"),
    pattern: t("pattern (weights)"),
    residual: t("residual stream"),
  }[what];
}

/** @param {{found: AnyPatching, isByHead: boolean, numbering: 0 | 1}} shown */
function effectTable({ found, isByHead, numbering }) {
  const columns = found.effects[0].map((_, index) =>
    isByHead ? t("head {head}", { head: index + numbering }) : t("token {index}", { index: index + numbering }),
  );
  const rows = found.effects.map((row, layer) => [layer + numbering, ...row.map((effect) => fixed(effect, 3))]);
  return [numberTable([t("layer"), ...columns], rows)];
}
