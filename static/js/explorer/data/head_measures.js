/**
 * Measures of heads that cost a run of their own: asked for when the URL wants them, then shown beside the metrics.
 * What one run gives is kept, by what it is of. Which measures there are says `state/measure_groups.js`.
 */

import { createCachedResource } from "../../requests/cached_resource.js";
import { t } from "../../base/i18n.js";
import { GROUPS, isWanted, leaving, wanting } from "../state/measures/measure_groups.js";
import { remembering } from "../../base/memoise.js";
import { differs } from "../../base/mount.js";

/** @typedef {import("../state/measures/measure_groups.js").Found} Found */
/** @typedef {import("../state/measures/measure_groups.js").MeasureGroup} MeasureGroup */
/** @typedef {import("../state/measures/measure_groups.js").Measuring} Measuring */
/** @typedef {import("../state/measures/measure_groups.js").Question} Question */
/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").MetricInfo} MetricInfo */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/**
 * @typedef {object} Offer  a group that can be had for what is shown
 * @property {MeasureGroup} group
 * @property {"idle" | "running" | "failed" | "done"} phase  idle: nobody asked for it
 * @property {string} said  how it was measured
 * @property {import("../../requests/request_scheduler.js").Failure | null} failure  why it is not there
 */

/**
 * @typedef {object} Measured  a part with what was measured of it
 * @property {Part} part  its metrics, and those measured
 * @property {Record<string, MetricInfo>} info
 * @property {Offer[]} offers
 */

const KEPT = 16;

/** @typedef {{key: string, group: MeasureGroup, question: Question}} Run */

/**
 * A part, and what metrics mean, with what was found.
 * @param {Part} part
 * @param {Record<string, MetricInfo>} info
 * @param {Found[]} results
 * @param {boolean} isChanged  whether the analysis is of a changed model
 * @returns {{part: Part, info: Record<string, MetricInfo>}}
 */
function withFound(part, info, results, isChanged) {
  const known = results.flatMap(({ parts, ...rest }) => {
    const scores = parts.find(({ name }) => name === part.name)?.scores;
    return scores ? [{ scores, ...rest }] : [];
  });
  if (known.length === 0) return { part, info };
  const remarked = known.flatMap(({ info: own, how, isOfModel }) =>
    Object.entries(own).map(([name, metric]) => [name, { ...metric, remark: remark({ how, isOfModel }, isChanged) }]),
  );
  return {
    part: { ...part, metrics: Object.assign({}, part.metrics, ...known.map(({ scores }) => scores)) },
    info: { ...info, ...Object.fromEntries(remarked) },
  };
}

/**
 * How something was measured, and of what.
 * @param {Pick<Found, "how" | "isOfModel">} found
 * @param {boolean} isChanged
 */
function remark({ how, isOfModel }, isChanged) {
  if (!isOfModel) return how;
  return `${how} ${isChanged ? t("A property of the unchanged model, independent of the text.") : t("A property of the model, independent of the text.")}`;
}

/**
 * @param {import("../../base/store.js").Store<ViewState>} state
 * @param {Pick<import("../data/session.js").Session, "ask">} session
 * @param {() => void} onChange  something was found, or could not be
 */
export function createHeadMeasures(state, session, onChange) {
  const runs = new Map(
    GROUPS.map(({ name }) => [
      name,
      createCachedResource({
        lane: `measure ${name}`,
        onChange,
        kept: KEPT,
        limit: null,
        keyOf: (/** @type {Run} */ { key }) => key,
        read: ({ group, question }, signal) => group.read(question, signal),
      }),
    ]),
  );
  const extend = remembering(withFound);
  /** @type {Map<string, Offer>} the same offer stays the same object */
  const offers = new Map();

  /**
   * @param {MeasureGroup} group
   * @param {Offer["phase"]} phase
   * @param {string} said
   * @param {Offer["failure"]} [failure]
   */
  function offer(group, phase, said, failure = null) {
    const now = { group, phase, said, failure };
    const known = offers.get(group.name);
    const isSame = known?.phase === phase && known.said === said && !(failure && differs(known.failure ?? {}, failure));
    if (known && isSame) return known;
    offers.set(group.name, now);
    return now;
  }

  return {
    /**
     * What is there of what the URL wants; the rest is measured.
     * @param {Analysis} analysis
     * @param {Part} part
     * @param {Measuring} value
     * @returns {Measured}
     */
    take(analysis, part, value) {
      const question = { analysis, part, value, ask: session.ask };
      const fitting = GROUPS.filter((group) => group.fits(analysis, part));
      /** @type {Found[]} */
      const results = [];
      const isChanged = analysis.interventions.length > 0;
      const shownOffers = fitting.map((group) => {
        const run = { key: group.of(question), group, question };
        const own = runs.get(group.name);
        if (!isWanted(value, group)) return offer(group, "idle", "");
        const [kept] = own?.take([run]) ?? [];
        const failure = own?.failure() ?? null;
        if (kept) results.push(kept);
        if (kept) return offer(group, "done", remark(kept, isChanged));
        return failure?.kind === "failed" ? offer(group, "failed", "", failure) : offer(group, "running", "");
      });
      const left = GROUPS.filter((group) => !fitting.includes(group) || !isWanted(value, group));
      for (const { name } of left) runs.get(name)?.clear();
      return { ...extend(part, analysis.metric_info, results, isChanged), offers: shownOffers };
    },
    /** What people can do about it. @type {{onMeasure: (group: MeasureGroup) => void, onLeave: (group: MeasureGroup) => void}} */
    choices: {
      onMeasure: (group) => state.set(wanting(state.get(), group), "pick"),
      onLeave: (group) => state.set(leaving(state.get(), group), "pick"),
    },
  };
}
