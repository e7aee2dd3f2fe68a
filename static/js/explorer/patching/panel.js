/** Panel of patching: what of the clean run, put into the corrupt one, brings its answer back; and by which paths. */

import { recordedAt } from "../../requests/recorded_answers.js";
import { say } from "../../base/dom.js";
import { CORRUPT_ANALYSIS } from "../state/saved_view.js";
import { createPanel } from "../widgets/panel.js";
import { noticeOn } from "./examples.js";
import { layOut } from "./layout.js";
import { obstacleTo } from "./questions.js";
import { createStudy } from "./study.js";
import { introductionOf } from "./words.js";

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
 * @param {import("./study.js").StudiedImage} [image]
 * @returns {import("../widgets/panel.js").Panel}
 */
export function patchingPanel(element, bench, image = RECORDED_IMAGE) {
  const boxes = layOut();
  const study = createStudy(boxes, bench, image);
  return createPanel(element, {
    stands: [
      boxes.obstacle,
      boxes.inputs,
      boxes.waiting,
      study.problem,
      boxes.results,
      boxes.notice,
      study.table,
      boxes.meaning,
    ],
    views: study.views,
    asks: study.asks,
    draw(scene) {
      const { value, analysis } = scene;
      const why = obstacleTo(value, analysis);
      say(boxes.obstacle, why || introductionOf(value, analysis));
      boxes.inputs.hidden = why !== "";
      if (why !== "") study.drawNone();
      const isThere = why === "" && study.draw(scene);
      say(boxes.notice, noticeOn(value));
      for (const box of [boxes.results, study.table, boxes.meaning]) box.hidden = !isThere;
    },
    forget: study.forget,
  });
}
