/** Scans on their way: progress, speed, time left; cancel them and take them up again. */

import { el, fill, say, smallButton } from "../../../base/dom.js";
import { duration, grouped } from "../../../base/numbers.js";
import { t } from "../../../base/i18n.js";
import { isRecorded } from "../../../requests/recorded_answers.js";
import { isGoingOn } from "./scans.js";
import { drawnView } from "../../../base/mount.js";

/** @typedef {import("../state.js").AtlasData} AtlasData */
/** @typedef {import("../state.js").AtlasView} AtlasView */
/** @typedef {import("../../../api/atlases.js").ScanState} ScanState */

/** Scans that go on or were cancelled, with their progress. @type {AtlasView} */
export const scansView = (element, data) => {
  /** @type {Map<string, ReturnType<typeof scanItem>>} */
  const items = new Map();

  /** @param {AtlasData} next */
  function update({ answer }) {
    const { list, scans } = answer;
    const shown = scans.all().filter(({ state }) => state !== "finished");
    for (const [id, item] of items) {
      if (shown.some((scan) => scan.id === id)) continue;
      item.element.remove();
      items.delete(id);
    }
    for (const scan of shown) {
      const known = items.get(scan.id);
      const item = known ?? scanItem();
      if (!known) element.append(item.element);
      items.set(scan.id, item);
      item.draw(scan, {
        title: `${titleOf(list?.models ?? [], scan.model)} · ${nameOf(list?.corpora ?? [], scan.corpus)}`,
        onRemove: () => void scans.remove(scan.id),
        onResume: () => void scans.resume(scan),
      });
    }
    element.hidden = shown.length === 0;
  }

  return drawnView(element, data, update);
};

/** Folders that cannot be read, each with the way to delete it. @type {AtlasView} */
export const damagedView = (element, data) => {
  /** @type {unknown} */
  let drawn = null;

  /** @param {AtlasData} next */
  function update({ answer: { list, scans } }) {
    const damaged = list?.damaged ?? [];
    element.hidden = damaged.length === 0 || isRecorded();
    if (drawn === list) return;
    drawn = list;
    const items = damaged.map(({ id, reason, deletable }) =>
      el(
        "li",
        {},
        el("span", {}, el("code", { translate: "no" }, id), ` ${reason} `),
        deletable && smallButton(t("Delete"), () => void scans.remove(id), { "data-damaged": id }),
      ),
    );
    const words = t("To make one anew, start the same scan again; it takes the place of the damaged one.");
    fill(element, el("h3", {}, t("Damaged atlases")), el("ul", {}, ...items), el("p", { class: "note" }, words));
  }

  return drawnView(element, data, update);
};

/** @param {readonly {id: string, title: string}[]} models @param {string} id */
const titleOf = (models, id) => models.find((model) => model.id === id)?.title ?? id;

/** @param {readonly {id: string, name: string}[]} corpora @param {string} id */
const nameOf = (corpora, id) => corpora.find((corpus) => corpus.id === id)?.name ?? id;

/** One scan: what it is of, a bar, speed and time left. */
export function scanItem() {
  const title = el("span", { class: "atlas-scan-title" });
  const bar = el("progress", { max: 1, value: 0 });
  const says = el("span", { class: "note" });
  const heard = el("span", { class: "visually-hidden", role: "status" });
  const act = smallButton(null);
  const drop = smallButton(t("Delete"), null, { hidden: true });
  const acts = el("span", { class: "buttons" }, act, drop);
  const problem = el("p", { class: "field-error", role: "alert", hidden: true });
  const element = el("div", { class: "atlas-scan" }, title, bar, says, acts, heard, problem);
  /** @type {() => void} */
  let onAct = () => undefined;
  /** @type {() => void} */
  let onDrop = () => undefined;
  act.addEventListener("click", () => onAct());
  drop.addEventListener("click", () => onDrop());
  return {
    element,
    /** @param {ScanState} scan @param {{title: string, onRemove: () => void, onResume: () => void}} given */
    draw(scan, { title: name, onRemove, onResume }) {
      const isOn = isGoingOn(scan);
      say(title, name);
      bar.setAttribute("aria-label", name);
      bar.value = shareDone(scan);
      say(says, progressSays(scan));
      say(heard, stateSays(scan));
      onAct = isOn ? onRemove : onResume;
      onDrop = onRemove;
      say(act, isOn ? t("Cancel") : t("Resume"));
      act.hidden = isOn && !scan.yours;
      drop.hidden = isOn || !scan.yours || scan.state === "finished";
      problem.hidden = scan.state !== "failed";
      say(problem, scan.state === "failed" ? (scan.message ?? t("The scan failed.")) : "");
    },
  };
}

/** @param {ScanState} scan */
function stateSays({ state }) {
  return {
    waiting: t("waiting"),
    running: t("scanning"),
    finished: t("finished"),
    cancelled: t("cancelled"),
    failed: t("failed"),
  }[state];
}

/**
 * The share of a scan that is done: of its tokens, once its speed is known, else of its parts.
 *
 * @param {ScanState} scan
 */
export function shareDone({ shards, shards_done: done, tokens, tokens_per_second: speed, seconds_left: left }) {
  if (speed && left !== null) return tokens / (tokens + speed * left);
  return shards > 0 ? done / shards : 0;
}

/** @param {ScanState} scan */
export function progressSays(scan) {
  const { shards, shards_done: done, tokens, tokens_per_second: speed, seconds_left: left } = scan;
  const parts = [
    (scan.state === "waiting" && scan.message) || stateSays(scan),
    shards > 0 && t("{done} of {count} parts", { done, count: shards }),
    tokens > 0 && t("{count} tokens", { count: grouped(tokens) }),
    speed && isGoingOn(scan) && t("{count} tokens/s", { count: grouped(Math.round(speed)) }),
    left !== null && isGoingOn(scan) && t("about {time} left", { time: duration(1000 * left) }),
    isGoingOn(scan) && !scan.yours && t("started by somebody else"),
  ];
  return parts.filter(Boolean).join(" · ");
}
