/** The composer with progress, errors, and the what-if changes. */

import { need, say } from "../../../base/dom.js";
import { t } from "../../../base/i18n.js";
import { mount } from "../../../base/mount.js";
import { summary } from "../../../wording/labels.js";
import { isUploaded } from "../../../api/analyses.js";
import { composerView, formField } from "../../composer/composer.js";
import { createAsking, ofPicture } from "../../composer/inputs.js";
import { progressView, waitingWords } from "../../composer/progress.js";
import { saidOf, truncationLabel } from "../../composer/text_truncation.js";
import { fit } from "../../state/selection.js";
import { lateView } from "../../widgets/late_view.js";
import { createWhatIf } from "../../what_if/what_if.js";

/** @typedef {import("../../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../state/view_state.js").ViewState} ViewState */

/** Positions in the previous text mean nothing in a new one. */
const NOWHERE = Object.freeze({ query: null, key: null, rows: "", cols: "" });

/**
 * @param {Document} root
 * @param {object} page
 * @param {import("../../widgets/panel.js").Config} page.config
 * @param {import("../../../base/store.js").Store<ViewState>} page.state
 * @param {import("../../state/draft.js").DraftStore} page.draftStore
 * @param {import("../../data/analyses.js").Analyst} page.analyst
 * @param {import("../../data/images.js").GivenImages} page.images
 * @param {() => void} page.onCompare  the model before and after its changes, side by side
 * @param {() => void} page.schedule
 */
export function createComposerSection(root, page) {
  const { config, draftStore, analyst } = page;
  const asking = createAsking(root, page);
  const whatIf = createWhatIf(root, { ...page, onAsk: () => void analyst.run() });
  const showProgress = mount(need(root, "#progress"), progressView, {
    onCancel: () => analyst.session.cancel(),
    onRetry: analyst.retry,
  });
  const picker = createLatePicker(root, page);
  const show = mount(need(root, "#composer"), composerView, {
    onType: (fields) => draftStore.put(fields, "type"),
    onRun() {
      if (analyst.isEdited()) draftStore.put(NOWHERE, "settle");
      void analyst.run();
    },
    onCancel: () => analyst.session.cancel(),
    onShorten: () => void loadTruncation().then(({ truncateText }) => truncateText(draftStore, analyst)),
    onInstead: (model) => asking.ask({ model }),
  });

  /**
   * @param {ViewState} value
   * @param {Analysis | null} analysis
   */
  function draw(value, analysis) {
    const asked = draftStore.get();
    const progress = analyst.session.progress.get();
    const problem = analyst.problem();
    const field = problem && formField(problem.field);
    const isBusy = progress.phase === "running" || progress.phase === "waiting";
    const isOfChanges = problem?.field?.startsWith("interventions") ?? false;
    const isElsewhere = field || isOfChanges || ofPicture(problem?.field ?? null);
    show({
      models: analyst.models(),
      model: asked.model,
      text: asked.text,
      pair: asked.pair,
      target: asked.target,
      chat: asked.chat,
      system: asked.system,
      isBusy,
      isEdited: analyst.isEdited(),
      errorField: field,
      errorMessage: field ? saidOf(problem, asked.model) : "",
      shorter: truncationLabel(problem, config.limits),
      instead: isUploaded(asked.model) || field === "model" ? analyst.readsText() : null,
    });
    asking.show(asked, isBusy, problem);
    const shown = { progress, loading: analyst.loading(), summary: summary(analysis) };
    showProgress({ ...shown, problem: isElsewhere ? "" : (problem?.message ?? "") });
    picker.show({ model: asked.model, progress: { ...shown, problem: saidOf(problem, asked.model) } });
    const isListed = analyst.models().length > 0;
    if (!analysis && isBusy) sayWaiting(root, waitingWords(analyst.loading()));
    else if (!analysis) sayWaiting(root, isListed || problem ? "" : t("Loading the list of models …"));
    whatIf.show(analysis ? { ...value, ...fit(analysis, value) } : value, analysis, isOfChanges ? problem : null);
  }

  return { show: draw, chooseModel: picker.open, switchOff: whatIf.switchOff };
}

/**
 * The dialog behind the button with the model, loaded once the page is idle; a click before that opens it then.
 * @param {Document} root
 * @param {Parameters<typeof import("../../composer/model_choice.js").createModelPicker>[1]} page
 */
function createLatePicker(root, page) {
  /** @typedef {import("../../data/model_loading.js").ModelPurpose | null} Purpose */
  /** @type {{purpose: Purpose} | null} */
  let wanted = null;
  /** @type {(purpose: Purpose) => void} */
  let open = (purpose) => void (wanted = { purpose });
  need(root, "#choose-model").addEventListener("click", () => open(null));
  const show = lateView(
    () => import("../../composer/model_choice.js"),
    ({ createModelPicker }) => {
      const picker = createModelPicker(root, page);
      open = picker.open;
      return (/** @type {import("../../composer/model_choice.js").ChosenModel} */ data) => {
        picker.show(data);
        if (wanted) open(wanted.purpose);
        wanted = null;
      };
    },
    page.schedule,
  );
  return { show, open: (/** @type {Purpose} */ purpose) => open(purpose) };
}

/**
 * What is waited for, in the places of what is not drawn yet; "" for nothing, which leaves the places blank.
 * @param {Document} root
 * @param {string} words
 */
function sayWaiting(root, words) {
  need(root, "#bench").classList.toggle("is-idle", words === "");
  for (const note of root.querySelectorAll("[data-waiting]")) say(note, words);
}

const loadTruncation = () => import("../../composer/truncate_text.js");
