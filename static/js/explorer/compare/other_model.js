/** Choosing the model that is compared with, in the model picker, among those that take the same input. */

import { t } from "../../base/i18n.js";
import { createModelLoading } from "../data/model_loading.js";

/** @typedef {import("../../api/types.js").Model} Model */

/**
 * @typedef {object} Models  that the server lists, and the dialog to choose one
 * @property {() => Model[]} listed
 * @property {() => Promise<void>} relist
 * @property {(purpose: import("../data/model_loading.js").ModelPurpose) => void} chooseModel
 */

/**
 * @param {Pick<import("../widgets/panel.js").Bench, "session" | "state" | "schedule"> & Models} bench
 * @param {import("../data/session.js").Session} other  the session of the other run
 */
export function createOtherModel({ session, state, schedule, listed, relist, chooseModel }, other) {
  const shownModel = () => session.progress.get().request?.model ?? "";
  const loading = createModelLoading({
    session: other,
    model: () => state.get().otherModel || shownModel(),
    onChange: schedule,
    onLoaded: () => void relist(),
  });

  return {
    /** Opens the model picker. */
    choose() {
      const { otherModel: before } = state.get();
      const shown = { model: shownModel(), analysis: session.progress.get().analysis };
      const reads = shown.analysis ? inputOf(shown.analysis) : "text";
      chooseModel({
        title: t("Choose a model to compare with"),
        refusalOf: (model) => refusalOf(model, shown.model, reads),
        now() {
          const progress = other.progress.get();
          const problem = progress.phase === "failed" ? (progress.error?.message ?? "") : "";
          return {
            model: state.get().otherModel,
            progress: { progress, loading: loading.now(), summary: "", problem },
          };
        },
        onChoose(model) {
          if (model === state.get().otherModel) other.failure()?.retry();
          else state.set({ otherModel: model }, "pick");
        },
        onCancel() {
          other.cancel();
          state.set({ otherModel: before }, "pick");
        },
        onRetry: () => other.failure()?.retry(),
      });
    },
    /**
     * What the list says of a model.
     * @param {string} id
     */
    known(id) {
      const model = listed().find((model) => model.id === id);
      return { isBare: !model?.has_chat_template, isKnown: listed().length > 0, title: model?.title ?? id };
    },
  };
}

/**
 * Why a model cannot be compared with; "" where it can, or where it is not known yet what it takes.
 * @param {Partial<Model> & {id: string}} model
 * @param {string} shown  the model that is shown
 * @param {Model["reads"]} reads  what that takes
 * @returns {string}
 */
export function refusalOf({ id, reads: takes }, shown, reads) {
  if (id === shown) return t("This is the model that is shown.");
  return takes === undefined || takes === reads
    ? ""
    : t("It takes another kind of input than the model that is shown.");
}

/**
 * What the model of an analysis takes.
 * @param {Pick<import("../../api/types.js").Analysis, "image" | "sound">} analysis
 * @returns {Model["reads"]}
 */
export function inputOf({ image, sound }) {
  return image ? "image" : sound ? "sound" : "text";
}
