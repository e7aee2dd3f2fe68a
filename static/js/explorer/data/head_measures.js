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

/** @typedef {{key: string, question: Question}} Run */

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
 * One group: what is asked for, and what is offered; the same offer stays the same object.
 * @param {MeasureGroup} group
 * @param {() => void} onChange
 */
function createRuns(group, onChange) {
  /** @type {Offer | null} */
  let last = null;
  const runs = createCachedResource({
    lane: `measure ${group.name}`,
    onChange,
    kept: KEPT,
    limit: null,
    keyOf: (/** @type {Run} */ { key }) => key,
    read: ({ question }, signal) => group.read(question, signal),
  });

  return {
    group,
    runs,
    /**
     * @param {Offer["phase"]} phase
     * @param {string} [said]
     * @param {Offer["failure"]} [failure]
     * @returns {Offer}
     */
    offer(phase, said = "", failure = null) {
      const isSame = last?.phase === phase && last.said === said && !(failure && differs(last.failure ?? {}, failure));
      if (!last || !isSame) last = { group, phase, said, failure };
      return last;
    },
  };
}

/**
 * @param {import("../../base/store.js").Store<ViewState>} state
 * @param {Pick<import("../data/session.js").Session, "ask">} session
 * @param {() => void} onChange  something was found, or could not be
 */
export function createHeadMeasures(state, session, onChange) {
  const groups = GROUPS.map((group) => createRuns(group, onChange));
  const extend = remembering(withFound);

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
      const isChanged = analysis.interventions.length > 0;
      /** @type {Found[]} */
      const results = [];
      const fitting = groups.filter(({ group, runs }) => {
        const isFitting = group.fits(analysis, part);
        if (!isFitting || !isWanted(value, group)) runs.clear();
        return isFitting;
      });
      const offers = fitting.map(({ group, runs, offer }) => {
        if (!isWanted(value, group)) return offer("idle");
        const [kept] = runs.take([{ key: group.of(question), question }]);
        const failure = runs.failure();
        if (kept) {
          results.push(kept);
          return offer("done", remark(kept, isChanged));
        }
        return failure?.kind === "failed" ? offer("failed", "", failure) : offer("running");
      });
      return { ...extend(part, analysis.metric_info, results, isChanged), offers };
    },
    /** What people can do about it. @type {{onMeasure: (group: MeasureGroup) => void, onLeave: (group: MeasureGroup) => void}} */
    choices: {
      onMeasure: (group) => state.set(wanting(state.get(), group), "pick"),
      onLeave: (group) => state.set(leaving(state.get(), group), "pick"),
    },
  };
}
