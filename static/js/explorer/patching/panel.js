/** Panel of patching: what of the clean run, put into the corrupt one, brings its answer back; and by which paths. */

import { postPromptPair } from "../../api/patching.js";
import { createCachedResource } from "../../requests/cached_resource.js";
import { isRecorded, recordedAt } from "../../requests/recorded_answers.js";
import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { mount } from "../../base/mount.js";
import { remembering } from "../../base/memoise.js";
import { headCode } from "../../wording/labels.js";
import { numberedLabel } from "../../wording/token_apart.js";
import { CORRUPT_ANALYSIS } from "../state/saved_view.js";
import { headSharesView } from "../widgets/head_shares.js";
import { largest } from "../widgets/signed_shares.js";
import { numberTable, tableDisclosure } from "../widgets/number_table.js";
import { createPanel, createProblem } from "../widgets/panel.js";
import { noticeOn } from "./examples.js";
import { imagesView } from "./images.js";
import { answersOfRuns, inputsView } from "./inputs.js";
import { createGrids } from "./grids.js";
import { patchEffectsView } from "./patch_effects.js";
import { positionsView } from "./positions.js";
import { promptsView, runsView } from "./prompts.js";
import {
  hasCorrupt,
  obstacleTo,
  pairRequest,
  patchingRequest,
  pathHeadOf,
  pathsRequest,
  planOf,
  predictsClasses,
} from "./questions.js";
import { waitingView } from "./waiting.js";
import { introductionOf, isOfToken, refusalOf, whatName } from "./words.js";

/** @typedef {import("../widgets/panel.js").Scene} Scene */
/** @typedef {import("../../api/patching.js").AnyPatching} AnyPatching */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} ShownEffects
 * @property {AnyPatching} found
 * @property {boolean} isByHead
 * @property {Token[]} tokens  by position; none where the columns are no tokens
 * @property {0 | 1} numbering
 */

const NOTHING = { patching: null, paths: null };

/** The corrupt image in a file: what is known of it is in the answers. */
const RECORDED_IMAGE = {
  take: () => recordedAt(CORRUPT_ANALYSIS) ?? "",
  /** @template T @param {() => Promise<T>} question */
  ask: (question) => question(),
  failure: () => null,
  clear() {},
  mount: () => () => {},
};

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @param {Pick<import("./corrupt_image.js").CorruptImage, "take" | "ask" | "failure" | "clear" | "mount">} [image]
 * @returns {import("../widgets/panel.js").Panel}
 */
export function patchingPanel(element, bench, image = RECORDED_IMAGE) {
  const { state, schedule } = bench;
  const obstacle = el("p", { class: "note patching-notice" });
  const boxes = {
    inputs: el("div", { class: "patching-inputs" }),
    image: el("div", { class: "patching-image" }),
    prompts: el("div", { class: "patching-prompts" }),
    images: el("div", { class: "patching-prompts" }),
    waiting: el("div", { class: "patching-waiting" }),
    runs: el("p", { class: "patching-runs" }),
    heads: el("div", { class: "shares" }),
    positions: el("div", { class: "shares" }),
    patches: el("div", { class: "patching-patches" }),
    legend: el("div", { class: "legend patching-legend" }),
  };
  const notice = el("p", { class: "note patching-notice" });
  const title = el("h3", { class: "output-title patching-title" });
  const meaning = el("ul", { class: "patching-meaning note" });
  const results = el(
    "div",
    { class: "patching-results" },
    boxes.runs,
    el("div", { class: "patching-heading" }, title, boxes.legend),
    boxes.heads,
    boxes.patches,
    boxes.positions,
  );
  const grids = createGrids(schedule, image.ask);
  const aloneOf = remembering(alone);
  const pairs = createCachedResource({
    ...{ lane: "patching/prompts", onChange: schedule, kept: 8 },
    read: (/** @type {import("../../api/patching.js").PromptPairRequest} */ asked, signal) =>
      image.ask(() => postPromptPair(asked, signal)),
  });
  const refusal = () => refusalOf(grids.failure());
  /** Whether it only takes long, and its progress says so. */
  const isCounted = () => grids.failure()?.kind === "slow" && typeof grids.progress()?.total === "number";
  const problem = createProblem(
    { failure: () => (isOfToken(refusal()) || isCounted() ? null : grids.failure()) },
    { failure: () => image.failure() },
  );
  /** The corrupt prompt as it is typed; null once it is sent. */
  let typed = /** @type {string | null} */ (null);
  let sent = "";
  /** @type {ShownEffects | null} */
  let shown = null;
  /** The clean image and the corrupt one. @type {import("../../api/types.js").Picture[]} */
  let shownImages = [];
  /** @type {number[]} */
  let differing = [];
  const table = tableDisclosure({ label: t("Effect of every patch"), make: () => shown && effectTable(shown) });
  const perColumn = () => shown?.found.query_heads_per_column ?? 1;
  const views = {
    inputs: mount(boxes.inputs, inputsView, {
      tokens: el("div", {}, boxes.prompts, boxes.images),
      image: boxes.image,
      reason: isRecorded() ? t("This file holds one patching study. For another, open the live page.") : "",
      onTyped(text) {
        typed = text;
        schedule();
      },
      onSet(patch) {
        typed = null;
        if (grids.isStopped()) grids.goOn();
        state.set(patch, "pick");
        schedule();
      },
    }),
    image: image.mount(boxes.image, () => grids.isStopped() && grids.goOn()),
    prompts: mount(boxes.prompts, promptsView, {}),
    images: mount(boxes.images, imagesView, {}),
    waiting: mount(boxes.waiting, waitingView, { onStop: grids.stop, onGoOn: grids.goOn }),
    runs: mount(boxes.runs, runsView, {}),
    heads: mount(boxes.heads, headSharesView, {
      onPick: ({ layer, head }, origin) => state.set({ layer, head: head * perColumn() }, origin),
    }),
    legend: mount(boxes.legend, legendView, {}),
    positions: mount(boxes.positions, positionsView, { onPick: (at, origin) => state.set(at, origin) }),
    patches: mount(boxes.patches, patchEffectsView, { onPick: (query) => state.set({ query }, "pick") }),
  };

  /** Tokens of both prompts as they stand in their fields. @param {Scene} scene @param {string} other */
  function drawPrompts({ value, analysis, queries, part }, other) {
    if (value.corrupt !== sent) [sent, typed] = [value.corrupt, null];
    const asked = pairRequest({ ...value, corrupt: typed ?? value.corrupt }, analysis, other);
    const [pair] = pairs.take(asked ? [asked] : []);
    const { numbering } = value;
    const clean = analysis.image;
    if (clean) {
      views.prompts(null);
      [shownImages, differing] = pair?.images ? [pair.images, pair.differing] : [asked ? shownImages : [clean], []];
      const plan = hasCorrupt(value, analysis) ? "" : planOf(value, part);
      if (pair || !asked) views.images({ images: shownImages, tokens: queries, differing, plan });
      return;
    }
    views.images(null);
    if (pair) return views.prompts({ pair, numbering });
    if (!asked) return views.prompts({ pair: aloneOf(queries), numbering, plan: planOf(value, part) });
    if (pairs.failure()) views.prompts(null);
  }

  /** @param {Scene} scene @param {AnyPatching} found */
  function drawResults({ value, analysis, queries, palette }, found) {
    const { layer, head, numbering } = value;
    const isByHead = !("by" in found) || found.by === "head";
    const isOfTokens = !isByHead && found.effects[0].length === found.clean.tokens.length;
    shown = { found, isByHead, numbering, tokens: isOfTokens ? queries : [] };
    const said = titleOf(found, numbering);
    say(title, said);
    views.runs({ found, numbering, predicting: analysis.target_tokens ?? analysis.tokens });
    const common = { title: said, values: found.effects, layer, numbering, palette };
    views.heads(isByHead ? { ...common, head: Math.floor(head / found.query_heads_per_column) } : null);
    views.positions(isByHead ? null : { ...common, tokens: shown.tokens, query: value.query });
    const most = largest(found.effects.flat()) || 1;
    const patched = shownImages[found.direction === "denoising" ? 1 : 0];
    views.patches(
      isOfTokens && patched
        ? {
            image: patched,
            effects: found.effects[layer],
            most,
            tokens: queries,
            layer,
            query: value.query,
            numbering,
            palette,
          }
        : null,
    );
    views.legend({ scale: "signed", limits: [-most, most], faint: false, hasMasked: false });
    fill(meaning, ...found.caveats.map((one) => el("li", {}, one)));
    table.draw();
  }

  return createPanel(element, {
    stands: [obstacle, boxes.inputs, boxes.waiting, problem.box, results, notice, table.element, meaningBox(meaning)],
    views,
    asks: [grids, pairs, image, problem],
    draw(scene) {
      const { value, analysis, queries } = scene;
      const why = obstacleTo(value, analysis);
      say(obstacle, why || introductionOf(value, analysis));
      boxes.inputs.hidden = why !== "";
      const other = why === "" ? image.take(value, analysis) : "";
      const asked =
        why === ""
          ? { patching: patchingRequest(value, analysis, other), paths: pathsRequest(value, analysis, other) }
          : NOTHING;
      const found = grids.take(asked);
      const failed = grids.failure()?.kind === "failed";
      problem.show();
      const isRunning = (asked.patching ?? asked.paths) !== null && !found && !failed;
      if (why === "") drawPrompts(scene, other);
      if (found) drawResults(scene, found);
      const isStudied = (found ?? (isRunning ? shown : null)) !== null;
      const answers = answersOfRuns(found ?? shown?.found ?? null);
      views.inputs(
        why === ""
          ? {
              value,
              tokens: queries,
              isOfImages: Boolean(analysis.image),
              predicting: predictsClasses(analysis) ? [] : (analysis.target_tokens ?? analysis.tokens),
              answers,
              pathHead: pathHeadOf(value, analysis),
              hasStudy: isStudied && (typed ?? value.corrupt) === value.corrupt,
              refused: refusal(),
            }
          : null,
      );
      views.image(why === "" && analysis.image ? value : null);
      say(notice, noticeOn(value));
      views.waiting(isRunning ? { progress: grids.progress(), isStopped: grids.isStopped() } : null);
      const isEmpty = !found && (!isRunning || shown === null);
      results.hidden = table.element.hidden = isEmpty;
      results.setAttribute("aria-busy", String(isRunning && !grids.isStopped()));
      /** @type {HTMLElement} */ (meaning.parentElement).hidden = isEmpty;
    },
    forget: () => ([shown, typed, shownImages] = [null, null, []]),
  });
}

/** @param {HTMLElement} list */
function meaningBox(list) {
  return el("section", {}, el("h3", { class: "output-title" }, t("What an effect means")), list);
}

/**
 * The clean prompt, while there is no corrupt one.
 * @param {import("./prompts.js").Token[]} tokens
 * @returns {import("./side_by_side.js").Prompts}
 */
function alone(tokens) {
  return { clean: tokens, corrupt: [], differing: [], extra_clean: [], extra_corrupt: [] };
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
  const via = whatName(/** @type {import("./words.js").What} */ (found.via)); // only the logits have none
  const to = found.to_logits === null ? "" : fixed(found.to_logits, 2);
  return found.fixed === "receiver"
    ? t("Effect of the paths from other heads to {head}, through its {via}", { head, via })
    : t("Effect of the paths from {head} to other heads, through their {via} (straight to the logits: {effect})", {
        ...{ head, via, effect: to },
      });
}

/** @param {ShownEffects} shown */
function effectTable({ found, isByHead, tokens, numbering }) {
  const columns = found.effects[0].map((_, index) => {
    if (isByHead) return t("head {head}", { head: index + numbering });
    return tokens[index] ? numberedLabel(tokens[index], numbering) : String(index + numbering);
  });
  const rows = found.effects.map((row, layer) => [layer + numbering, ...row.map((effect) => fixed(effect, 3))]);
  return [numberTable([t("layer"), ...columns], rows)];
}
