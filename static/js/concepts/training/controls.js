/** The controls of a run: predict, run, pause, step, stop, scrub; keep one to compare; take the network along. */

import { placed } from "../../base/place.js";
import { drawnView } from "../frame/views.js";
import { el, fill } from "../../base/dom.js";
import { guesses, request } from "./state.js";
import { isOver } from "./run.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./run_source.js").TrainingData} TrainingData */
/** @typedef {import("../frame/concept.js").ConceptView<TrainingData>} View */
/** @typedef {import("../frame/concept.js").Tools<import("./state.js").TrainingState>} Tools */

/** The choice not to predict. */
export const WATCH = "watch";

/**
 * A button whose label is its current action.
 * @param {(data: TrainingData) => {text?: string, isOff: boolean}} look
 * @param {(data: TrainingData, tools: Tools) => void} press
 * @returns {View}
 */
function buttonView(look, press) {
  return drawnView((element, tools) => {
    const button = /** @type {HTMLButtonElement} */ (element);
    /** @type {TrainingData} */
    let shown;
    button.addEventListener("click", () => press(shown, tools));
    return (data) => {
      shown = data;
      const { text = button.textContent, isOff } = look(data);
      button.disabled = isOff;
      if (button.textContent !== text) button.textContent = text;
    };
  });
}

export const beginButton = buttonView(
  ({ state, answer: { run, leading } }) => ({
    text: run ? t("Run again") : t("Run"),
    isOff: state.guess === "" || leading.isBeginning(),
  }),
  ({ answer: { leading, look } }, { latest }) => {
    look(null);
    void leading.begin(request(latest()), latest().guess);
  },
);

/** @param {TrainingData} data */
const stands = ({ answer: { run } }) => run?.standing.state ?? "";
/** @param {TrainingData} data */
const isActive = ({ answer: { run } }) => run !== null && !isOver(run.standing);
/** Only who has begun a run may command it. @param {TrainingData} data */
const isMine = ({ answer: { run } }) => run?.answer.yours === true;
/** @param {TrainingData} data */
const canPause = (data) => isActive(data) && isMine(data) && stands(data) !== "starting";

/** @type {Record<string, View>} */
export const commandButtons = {
  "#pause": buttonView(
    (data) => ({ text: stands(data) === "paused" ? t("Resume") : t("Pause"), isOff: !canPause(data) }),
    (data) => void data.answer.leading.command(stands(data) === "paused" ? "resume" : "pause"),
  ),
  "#step": buttonView(
    (data) => ({ isOff: !canPause(data) }),
    ({ answer }) => void answer.leading.command("step"),
  ),
  "#stop": buttonView(
    (data) => ({ isOff: !isActive(data) || !isMine(data) }),
    ({ answer }) => void answer.leading.command("stop"),
  ),
  "#keep": buttonView(
    ({ answer: { run, kept } }) => ({
      text: kept ? t("Discard the saved run") : t("Save this run to compare"),
      isOff: !run?.record.newest() && !kept,
    }),
    ({ answer: { leading } }) => (leading.kept() ? leading.forget() : leading.keep()),
  ),
  "#open-explorer": buttonView(
    (data) => ({ isOff: !data.answer.leading.hasWeights() || !isMine(data) }),
    ({ answer }) => void answer.leading.publish().then((address) => address && location.assign(address)),
  ),
};

/** The network as a file, as soon as there is one. */
export const downloadView = drawnView((element) => (/** @type {TrainingData} */ { answer: { run, leading } }) => {
  const isThere = run !== null && leading.hasWeights();
  element.toggleAttribute("data-off", !isThere);
  if (isThere) {
    element.setAttribute("href", placed(`/api/training/${run.answer.id}/model`));
    element.removeAttribute("aria-disabled");
  } else {
    element.removeAttribute("href");
    element.setAttribute("aria-disabled", "true");
  }
});

/** The updates so far as a slider; at its end it follows the newest. */
export const scrubView = drawnView((element) => {
  const scrub = /** @type {HTMLInputElement} */ (element);
  /** @type {import("./run_source.js").Runs | null} */
  let runs = null;
  scrub.addEventListener("input", () => {
    const isNewest = scrub.value === scrub.max;
    runs?.look(isNewest ? null : (runs.drawn?.record.mapped()[Number(scrub.value)]?.step ?? null));
  });
  return (/** @type {TrainingData} */ { answer }) => {
    runs = answer;
    const count = answer.drawn?.record.mapped().length ?? 0;
    scrub.disabled = count < 2;
    scrub.max = String(Math.max(count - 1, 1));
    scrub.value = String(Math.max(answer.index, 0));
    const { update } = answer;
    scrub.setAttribute("aria-valuetext", update ? t("step {step}", { step: update.step }) : "");
  };
});

/** What may be predicted, as radio buttons. @type {import("../frame/concept.js").ConceptView<Pick<TrainingData, "state">>} */
export const guessesControl = drawnView((element, { set }) => {
  let known = "";
  return ({ state }) => {
    const offered = [...guesses(state), [WATCH, t("Just watch")]];
    const key = offered.map(([value, words]) => value + words).join();
    if (key !== known) {
      known = key;
      const choices = offered.map(([value, words]) => {
        const onchange = () => set({ guess: value }, "switch");
        return el("label", { class: "check" }, el("input", { type: "radio", name: "guess", value, onchange }), words);
      });
      fill(element, ...choices);
    }
    for (const input of element.querySelectorAll("input")) input.checked = input.value === state.guess;
  };
});
