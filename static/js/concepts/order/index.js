/** The page of order: the same words in two orders, in the frame of a concept. */

import { startConcept } from "../frame/concept.js";
import { need } from "../../base/dom.js";
import { fillSelect, linkToExplorer } from "../../page/model_choice.js";
import { calculation } from "./steps.js";
import { exercises } from "./exercises.js";
import { fields, moved, orderOf, presets, read, request, wordsOf, write } from "./state.js";
import { orderView, orderWeightsView } from "./view.js";
import { barsMark } from "../../charts/bars.js";
import { mount } from "../../base/mount.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./state.js").OrderState} OrderState */

startConcept(document, () => ({
  stem: "order",
  fields,
  read,
  write,
  served: true,
  request,
  presets,
  exercises,
  build,
}));

/**
 * @param {import("../frame/concept.js").Desk<OrderState>} desk
 * @returns {import("../frame/concept.js").Instrument<OrderState>}
 */
function build({ root, state }) {
  const word = /** @type {HTMLSelectElement} */ (need(root, "#word"));
  const [left, right] = ["#left", "#right"].map((one) => /** @type {HTMLButtonElement} */ (need(root, one)));
  const place = () => orderOf(state.get()).indexOf(chosen(state.get()));
  const go = (/** @type {number} */ to, /** @type {"pick" | "move"} */ origin = "pick") =>
    state.set({ order: moved(orderOf(state.get()), place(), to) }, origin);
  word.addEventListener("change", () => state.set({ word: Number(word.value) }, "switch"));
  left.addEventListener("click", () => go(place() - 1));
  right.addEventListener("click", () => go(place() + 1));
  need(root, "#reverse").addEventListener("click", () => {
    state.set({ order: wordsOf(state.get()).map((_, index, all) => all.length - 1 - index) }, "pick");
  });
  need(root, "#restore").addEventListener("click", () => {
    state.set({ order: wordsOf(state.get()).map((_, index) => index) }, "pick");
  });
  const picture = mount(need(root, "#picture"), orderView, {
    onPick: (index) => state.set({ word: index }, "switch"),
    onMove: (to) => go(to, "move"),
  });
  const weights = mount(need(root, "#weights"), orderWeightsView, {
    onPick: (index) => state.set({ word: index }, "switch"),
  });
  const bars = mount(need(root, "#ways"), barsMark, {
    onPick: (index) => state.set({ way: fields.way.parse(ways[index]) ?? "none" }, "pick"),
  });
  /** @type {string[]} */
  let ways = [];

  return {
    show(value, answer) {
      const data = { state: value, answer };
      ways = answer.outcomes.map((/** @type {{way: string}} */ one) => one.way);
      /** @type {[string, string][]} */
      const options = answer.words.map((/** @type {string} */ one, /** @type {number} */ index) => [
        String(index),
        `${index} ${one}`,
      ]);
      fillSelect(word, options);
      const index = Math.min(value.word, answer.words.length - 1);
      word.value = String(index);
      const at = answer.permutation.indexOf(index);
      left.disabled = at === 0;
      right.disabled = at === answer.words.length - 1;
      picture(data);
      weights(data);
      bars({
        title: t("How far the outputs are from having only moved"),
        names: ways.map(nameOf),
        series: [
          {
            name: t("largest difference"),
            values: answer.outcomes.map((/** @type {{largest_difference: number}} */ one) => one.largest_difference),
          },
        ],
        chosen: ways.indexOf(value.way),
        height: 150,
      });
      linkToExplorer(root, {
        view: "compare",
        text: answer.words.join(" "),
        other_text: answer.permuted_words.join(" "),
      });
      return calculation(data);
    },
    pictures: () => [...root.querySelectorAll("#picture svg, #weights svg")].map((one) => /** @type {any} */ (one)),
  };
}

/** @param {Readonly<OrderState>} state */
function chosen(state) {
  return Math.min(state.word, wordsOf(state).length - 1);
}

/** @param {string} way */
function nameOf(way) {
  const names = {
    none: t("nothing"),
    causal: t("causal"),
    sinusoidal: t("sinusoidal"),
    rope: "RoPE",
    alibi: "ALiBi",
  };
  return names[/** @type {keyof typeof names} */ (way)];
}
