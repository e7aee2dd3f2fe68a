/** The page of the modern decoder block, in the frame of a concept. */

import { startConcept } from "../frame/concept.js";
import { calculation } from "./steps.js";
import { exercises } from "./exercises.js";
import { fields, presets, read, request, stationsOf, write } from "./state.js";
import { el, fill, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { grouped, small } from "../../base/numbers.js";
import { decoderStagesView, decoderView } from "./view.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./state.js").DecoderState} DecoderState */

startConcept(document, () => ({
  stem: "decoder",
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
 * @param {import("../frame/concept.js").Desk<DecoderState>} desk
 * @returns {import("../frame/concept.js").Instrument<DecoderState>}
 */
function build({ root, state }) {
  const flow = mount(need(root, "#flow"), decoderView, {
    onStation: (index) => state.set({ step: index + 1 }, "switch"),
  });
  const stages = mount(need(root, "#stages"), decoderStagesView, { onCell: (at) => state.set(at, "pick") });
  return {
    show(value, answer) {
      const stations = stationsOf(answer);
      const scene = calculation({ state: value, answer });
      const step = Math.min(value.step, stations.length) - 1;
      const data = { state: value, answer, station: stations[step] };
      flow(data);
      stages(data);
      need(root, "#stage-title").textContent = scene.steps[step].name;
      fill(need(root, "#facts"), ...factsOf(answer));
      return scene;
    },
    pictures: () => [.../** @type {NodeListOf<SVGSVGElement>} */ (root.querySelectorAll("#flow svg, #stages svg"))],
  };
}

/** @param {any} answer */
function factsOf(answer) {
  const { parameters, config } = answer;
  const [next] = answer.generated;
  const facts = [
    [t("Biases"), config.bias ? t("yes") : t("none")],
    [t("Learned numbers, of which in attention"), `${grouped(parameters.total)}, ${grouped(parameters.attention)}`],
    [t("Cache, bytes a token"), grouped(answer.kv_cache_bytes_per_token)],
    [t("With the cache, logits differ by"), small(answer.cached_difference)],
    [t("Likeliest next token"), answer.vocabulary[next]],
  ];
  return facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)));
}
