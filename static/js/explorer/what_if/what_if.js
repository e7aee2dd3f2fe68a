/** What if: the changes in the state, the controls that make them, and the banner. */

import { isUploaded, isWeightsOnly } from "../../api/analyses.js";
import { hasChange, readChanges, toggled, writeChanges } from "../state/changes/changes.js";
import { need, say } from "../../base/dom.js";
import { headsShown } from "../state/head_list.js";
import { t } from "../../base/i18n.js";
import { fit, partOf, sidesOf } from "../state/selection.js";
import { headActionsView } from "./head_actions.js";
import { mount } from "../../base/mount.js";
import { lateView } from "../widgets/late_view.js";
import { createPastChanges } from "./past_changes.js";
import { chosenTogether, offChanges, quickChanges } from "./quick_changes.js";

/** @typedef {import("../state/changes/changes.js").Change} Change */
/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("./quick_changes.js").QuickKind} QuickKind */

/**
 * @param {Document} root
 * @param {object} page
 * @param {import("../../base/store.js").Store<ViewState>} page.state
 * @param {import("../state/draft.js").DraftStore} page.draftStore
 * @param {Pick<import("../data/analyses.js").Analyst, "session" | "post">} page.analyst
 * @param {() => void} page.onAsk  requests another analysis
 * @param {() => void} page.onCompare  the model before and after the changes, side by side
 * @param {() => void} page.schedule
 */
export function createWhatIf(root, { state, draftStore, analyst, onAsk, onCompare, schedule }) {
  const panel = /** @type {HTMLDetailsElement} */ (need(root, "#what-if"));
  const past = createPastChanges();
  let read = { written: "", changes: /** @type {Change[]} */ ([]) };
  /** @type {{analysis: Analysis | null, numbering: 0 | 1, sides: import("../state/changes/change_names.js").Named["sides"]}} */
  let named = { analysis: null, numbering: 0, sides: (name) => sidesIn(null, name) };
  /** @type {(shown: import("./changed_card.js").Shown | null) => void} */
  const card = lateView(
    () => import("./changed_card.js"),
    ({ createChangedCard }) =>
      createChangedCard(need(root, "#changed"), {
        ...analyst,
        onChange: change,
        onCompare,
        schedule,
        onUndo: () => put({ changes: past.take(draftStore.get().model), baseline: false }),
        onSide: (/** @type {boolean} */ baseline) => put({ baseline }),
      }),
    schedule,
  );
  const controls = lateView(
    () => import("./changes.js"),
    ({ changesView }) => mount(need(panel, "#changes"), changesView, { onChange: change }),
    schedule,
  );
  const grid = need(root, "#grid");
  const actions = mount(need(root, "#head-actions"), headActionsView, { grid, onChange: change });
  const quick = createQuickButtons(root, (kind) => {
    const value = state.get();
    const { analysis } = named;
    // A state that has just come back with another text may name a head that this model has not.
    if (!analysis) return toggle(quickChanges(kind, value, null));
    const fitting = { ...value, ...fit(analysis, value) };
    toggle(quickChanges(kind, fitting, partOf(analysis, fitting.part)));
  });

  /** @param {Partial<ViewState>} patch */
  function put(patch) {
    draftStore.put(patch, "pick");
    onAsk();
  }

  /** Ignores clicks while another model is loading: they belong to the previous charts. @param {Change[]} changes */
  function change(changes) {
    const { model, changes: made } = draftStore.get();
    const { model: shown } = named.analysis ?? { model };
    if ((typeof shown === "string" ? shown : shown.id) !== model) return;
    past.add(model, made);
    put({ changes: writeChanges(changes), baseline: false });
  }

  /** Makes all of them in one step, or takes all back where they are made. @param {Change[]} these */
  function toggle(these) {
    if (these.length > 0) change(toggled(read.changes, these));
  }

  /**
   * @param {ViewState} value
   * @param {Analysis | null} analysis
   * @param {import("../../requests/api_request.js").ApiError | null} refusal  of the changes
   */
  function render(value, analysis, refusal) {
    const { part, layer, head, query, key, numbering } = value;
    const { model, changes: written, baseline } = draftStore.get();
    if (written !== read.written) read = { written, changes: readChanges(written) };
    const { changes } = read;
    if (analysis !== named.analysis || numbering !== named.numbering)
      named = { analysis, numbering, sides: (name) => sidesIn(analysis, name, numbering) };
    const { sides } = named;
    const canUndo = past.has(model);
    const isBehind = !analysis || written !== value.changes || baseline !== value.baseline;
    const made = { written, changes, sides, numbering, baseline, canUndo, isBehind };
    card(changes.length > 0 ? { ...made, analysis, refusal } : null);
    const obstacle = analysis ? obstacleTo(analysis) : "";
    controls(analysis && { obstacle, written, changes, part, layer, head, query, key, numbering, ...sides(part) });
    const drawn = analysis && partOf(analysis, part);
    const heads = drawn?.heads ?? 0;
    const shown = drawn ? headsShown(value, drawn) : [];
    const together = drawn ? chosenTogether(value, drawn) : [];
    actions(analysis && { obstacle, written, changes, part, layer, head, shown, together, heads, numbering });
    quick(obstacle, (kind) => {
      const these = quickChanges(kind, value, drawn);
      return { count: these.length, isMade: these.length > 0 && these.every((change) => hasChange(changes, change)) };
    });
  }

  return {
    show: render,
    /** Switches heads off in one step, or on again where all of them are off. @param {HeadAt[]} heads */
    switchOff: (heads) => toggle(offChanges(state.get().part, heads)),
  };
}

/**
 * The buttons under the matrix.
 * @param {Document} root
 * @param {(kind: QuickKind) => void} onPress
 */
function createQuickButtons(root, onPress) {
  const kinds = /** @type {const} */ (["off", "chosen", "cut"]);
  const buttons = kinds.map((kind) => {
    const button = /** @type {HTMLButtonElement} */ (need(root, `#quick-${kind}`));
    button.addEventListener("click", () => onPress(kind));
    return { kind, button };
  });
  const together = (/** @type {number} */ count) => t("Switch these {count} heads off", { count });
  /**
   * @param {string} obstacle
   * @param {(kind: QuickKind) => {count: number, isMade: boolean}} of
   */
  return function show(obstacle, of) {
    for (const { kind, button } of buttons) {
      const { count, isMade } = of(kind);
      if (kind === "off") say(button, count > 1 ? together(count) : t("Switch this head off"));
      if (kind === "chosen") {
        button.hidden = count === 0;
        say(button, together(count));
      }
      button.disabled = count === 0 || obstacle !== "";
      button.title = obstacle;
      button.setAttribute("aria-pressed", String(isMade));
    }
  };
}

/** Why nothing can be changed; "" if something can. @param {Analysis} analysis */
function obstacleTo(analysis) {
  if (isUploaded(analysis.id)) return t("No model ran here on uploaded tensors, so nothing can be changed inside it.");
  return isWeightsOnly(analysis) ? t("Weights only: nothing can be changed inside this model.") : "";
}

/**
 * @param {Analysis | null} analysis
 * @param {string} name  of a part
 * @param {0 | 1} [numbering]
 */
function sidesIn(analysis, name, numbering = 0) {
  return analysis ? sidesOf(analysis, partOf(analysis, name), numbering) : { queries: [], keys: [] };
}
