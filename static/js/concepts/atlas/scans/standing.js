/** What stands in place of the map while there is none: a failure, a scan on its way, or the offer to scan. */

import { el, fill, plainButton, say } from "../../../base/dom.js";
import { drawnView, mount } from "../../../base/mount.js";
import { t } from "../../../base/i18n.js";
import { failureView } from "../../../page/failure.js";
import { scanItem } from "./scanning.js";

/** @typedef {import("../state.js").AtlasData} AtlasData */
/** @typedef {import("../state.js").AtlasView} AtlasView */

/** Failures of what every view needs. @type {AtlasView} */
export const problemView = (element, data) => {
  const show = mount(element, failureView, {});
  const update = (/** @type {AtlasData} */ { answer: { failure } }) =>
    show(failure("list") ?? failure("heads") ?? failure("portrait"));
  update(data);
  return { update, destroy: () => show(null) };
};

/**
 * Whether there is no atlas to show; as long as that is not known, the map keeps its place.
 * @param {AtlasData["answer"]} answer
 */
export const isMissing = ({ list, facts }) => list !== null && facts === null;

/** @type {AtlasView} */
export const standingView = (element, data, { set }) => {
  const words = el("p", {});
  const offer = plainButton(t("Scan a corpus …"), () => set({ view: "corpus" }, "pick"), { class: "button is-main" });
  const item = scanItem();
  fill(element, words, item.element, offer);

  /** @param {AtlasData} next */
  function update({ state, answer }) {
    const { list, facts, scan, scans } = answer;
    element.hidden = !isMissing(answer);
    item.element.hidden = true;
    offer.hidden = true;
    if (!list || facts) return;
    if (scan) {
      item.element.hidden = false;
      say(words, t("This atlas is being made:"));
      return item.draw(scan, {
        title: list.models.find(({ id }) => id === scan.model)?.title ?? scan.model,
        onRemove: () => void scans.remove(scan.id),
        onResume: () => void scans.resume(scan),
      });
    }
    offer.hidden = false;
    say(words, noneSays(state, list));
  }

  return drawnView(element, data, update);
};

/** @param {AtlasData["state"]} state @param {NonNullable<AtlasData["answer"]["list"]>} list */
function noneSays({ atlas, model }, { models, damaged }) {
  const reason = damaged.find(({ id }) => id === atlas)?.reason;
  if (reason) return `${t("This atlas is damaged.")} ${reason}`;
  if (atlas) return t("There is no such atlas on this server.");
  if (!model) return t("There is no atlas yet.");
  const { title } = models.find(({ id }) => id === model) ?? { title: model };
  return t("There is no atlas of {model} yet. A scan makes one.", { model: title });
}
