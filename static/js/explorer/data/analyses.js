/** Load the list of models and run analyses. */

import { createLibraryComparison } from "./library_comparison.js";
import { createModelList } from "./model_list.js";
import { createModelLoading } from "./model_loading.js";
import { createPosting } from "./analysis_request.js";
import { createSession } from "./session.js";
import { createShownAnalysis } from "./shown_analysis.js";
import { isUploaded } from "../../api/analyses.js";
import { exampleState } from "../state/examples.js";
import { DEFAULT_TEXT } from "../state/view_state.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("../state/draft.js").Waiting} Waiting */
/** @typedef {ReturnType<typeof createAnalyst>} Analyst */

/**
 * @param {import("../../base/store.js").Store<ViewState>} state  what is shown; before there is anything, what the address asks for
 * @param {import("../state/draft.js").DraftStore} draftStore
 * @param {import("./images.js").GivenImages} images
 * @param {() => void} onChange
 * @param {import("./shown_analysis.js").Suggest} [suggest]
 */
export function createAnalyst(state, draftStore, images, onChange, suggest) {
  const post = createPosting(images);
  const session = createSession(post);
  const list = createModelList({
    onChange,
    onDefault: (model) => state.get().model === "" && state.set({ model }, "settle"),
  });
  const library = createLibraryComparison(post, onChange);
  const { models } = list;
  const shown = createShownAnalysis({ state, draftStore, session, images, models, onAsk: library.forget, suggest });
  const relist = () => list.load();
  const model = () => draftStore.get().model;
  const loading = createModelLoading({ session, onChange, model, onLoaded: () => void relist() });
  session.progress.subscribe(onChange);

  return {
    ...shown,
    session,
    post,
    models,
    relist,
    letGo: () => shown.letGo(),
    /**
     * Runs an example and shows it at one stage.
     * @param {import("../state/examples.js").Example} example
     * @param {import("../../api/types.js").Stage} [stage]
     */
    open(example, stage = "weights") {
      draftStore.put(exampleState(example, draftStore.get(), stage), "pick");
      void shown.run();
    },
    /**
     * Starts, and restores the draft that was typed before a reload.
     * @param {Partial<Waiting> | null} left
     */
    async start(left) {
      await begin(list, shown, draftStore);
      const isFree = Object.keys(draftStore.waiting().draft).length === 0;
      if (left?.draft && isFree && session.progress.get().analysis) draftStore.put(left.draft, "return");
    },
    compare: () => library.compare(session.progress.get().request),
    comparison: library.now,
    /** A model that reads text: the one a page opens with. */
    readsText: list.opening,
    known: list.known,
    loading: loading.now,
    /** The error of the analysis, or of the list of models. */
    problem: () => (session.progress.get().phase === "failed" ? session.progress.get().error : list.problem()),
    retry() {
      const failure = list.failure();
      if (failure) failure.retry();
      else void shown.run();
    },
  };
}

/**
 * Loads the list, and requests what the address asks for.
 * @param {ReturnType<typeof createModelList>} list
 * @param {ReturnType<typeof createShownAnalysis>} shown
 * @param {import("../state/draft.js").DraftStore} draftStore
 */
async function begin(list, shown, draftStore) {
  const listing = list.load().then(list.loadAgain);
  // A link names its model and what it is to read, so its analysis need not wait for the list. Without an input of
  // its own, only the list tells whether the model reads texts.
  const { model, text, picture } = draftStore.get();
  const isGiven = text !== DEFAULT_TEXT || picture !== "" || isUploaded(model);
  const first = model !== "" && isGiven ? shown.askFirst() : null;
  await listing;
  if (shown.matchPicture()) await shown.ask();
  else if (!shown.asked()?.model && draftStore.get().model !== "")
    await (shown.asked() ? shown.ask() : shown.askFirst());
  await first;
}
