/**
 * Measures of heads that cost a run of their own: asked for when the URL wants them, then shown beside the metrics.
 * What one run gives is kept, by what it is of. Which measures there are says `measure_groups.js`.
 */

import { ApiError } from "./api.js";
import { t } from "./i18n.js";
import { createMemory } from "./latest.js";
import { GROUPS, fromScores, isWanted, leaving, wanting } from "./measure_groups.js";
import { remembering } from "./remembering.js";
import { delay } from "./session.js";

/** @typedef {import("./measure_groups.js").Found} Found */
/** @typedef {import("./measure_groups.js").MeasureGroup} MeasureGroup */
/** @typedef {import("./measure_groups.js").Measuring} Measuring */
/** @typedef {import("./measure_groups.js").Question} Question */
/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").MetricInfo} MetricInfo */
/** @typedef {import("./types.js").Part} Part */
/** @typedef {import("./types.js").ViewState} ViewState */

/**
 * @typedef {object} Offer  a group that can be had for what is shown
 * @property {MeasureGroup} group
 * @property {"idle" | "running" | "failed" | "done"} phase  idle: nobody asked for it
 * @property {string} said  why it failed, or how it was measured
 */

/**
 * @typedef {object} Measured  a part with what was measured of it
 * @property {Part} part  its metrics, and those measured
 * @property {Record<string, MetricInfo>} info
 * @property {Offer[]} offers
 */

const KEPT = 16;
const BUSY_WAIT_S = 2;

/**
 * A part, and what metrics mean, with what was found.
 * @param {Part} part
 * @param {Record<string, MetricInfo>} info
 * @param {Found[]} found
 * @param {boolean} isChanged  whether the analysis is of a changed model
 * @returns {{part: Part, info: Record<string, MetricInfo>}}
 */
function withFound(part, info, found, isChanged) {
  const known = found.flatMap(({ parts, ...rest }) => {
    const scores = parts.find(({ name }) => name === part.name)?.scores;
    return scores ? [{ scores, ...rest }] : [];
  });
  if (known.length === 0) return { part, info };
  const remarked = known.flatMap(({ info: own, how, isOfModel }) =>
    Object.entries(own).map(([name, one]) => [name, { ...one, remark: remark({ how, isOfModel }, isChanged) }]),
  );
  return {
    part: { ...part, metrics: Object.assign({}, part.metrics, ...known.map(({ scores }) => scores)) },
    info: { ...info, ...Object.fromEntries(remarked) },
  };
}

/**
 * An analysis with what was measured of its model.
 * @param {Analysis} analysis
 * @param {import("./types.js").HeadScores | null} scores
 * @returns {Analysis}
 */
export function withScores(analysis, scores) {
  if (!scores) return analysis;
  const all = analysis.parts.map((part) =>
    withFound(part, analysis.metric_info, [fromScores(scores)], analysis.interventions.length > 0),
  );
  return {
    ...analysis,
    parts: all.map(({ part }) => part),
    metric_info: Object.assign({}, ...all.map(({ info }) => info)),
  };
}

/**
 * How something was measured, and of what.
 * @param {Pick<Found, "how" | "isOfModel">} found
 * @param {boolean} isChanged
 */
function remark({ how, isOfModel }, isChanged) {
  if (!isOfModel) return how;
  return `${how} ${isChanged ? t("Of the model without the changes, whatever the text.") : t("Of the model, whatever the text.")}`;
}

/**
 * @param {import("./store.js").Store<ViewState>} state
 * @param {Pick<import("./session.js").Session, "ask">} session
 * @param {() => void} onChange  something was found, or could not be
 */
export function createHeadMeasures(state, session, onChange) {
  /** @type {ReturnType<typeof createMemory<Found>>} */
  const memory = createMemory(KEPT);
  /** @type {Map<string, AbortController>} */
  const underway = new Map();
  /** @type {Map<string, string>} */
  const failed = new Map();
  const extend = remembering(withFound);
  /** @type {Map<string, Offer>} the same offer stays the same object */
  const offers = new Map();

  /**
   * @param {MeasureGroup} group
   * @param {Offer["phase"]} phase
   * @param {string} said
   */
  function offer(group, phase, said) {
    const key = JSON.stringify([group.name, phase, said]);
    const known = offers.get(key) ?? { group, phase, said };
    offers.set(key, known);
    return known;
  }

  /**
   * @param {string} key
   * @param {MeasureGroup} group
   * @param {Question} question
   */
  async function measure(key, group, question) {
    const mine = new AbortController();
    underway.set(key, mine);
    try {
      memory.set(key, await readUntilFree(group, question, mine.signal));
    } catch (error) {
      if (underway.get(key) !== mine) return;
      if (!(error instanceof ApiError)) throw error;
      failed.set(key, error.message);
    }
    if (underway.get(key) === mine) underway.delete(key);
    onChange();
  }

  /** @param {Set<string>} wanted  what nobody wants any more is forgotten, except what was found */
  function keep(wanted) {
    for (const [key, controller] of underway) {
      if (wanted.has(key)) continue;
      underway.delete(key);
      controller.abort();
    }
    for (const key of failed.keys()) if (!wanted.has(key)) failed.delete(key);
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
      const keyOf = (/** @type {MeasureGroup} */ group) => JSON.stringify([group.name, group.of(question)]);
      const wanted = fitting.filter((group) => isWanted(value, group));
      keep(new Set(wanted.map(keyOf)));
      /** @type {Found[]} */
      const found = [];
      const isChanged = analysis.interventions.length > 0;
      const given = fitting.map((group) => {
        const key = keyOf(group);
        if (!wanted.includes(group)) return offer(group, "idle", "");
        const kept = memory.get(key);
        if (kept) {
          found.push(kept);
          return offer(group, "done", remark(kept, isChanged));
        }
        if (failed.has(key)) return offer(group, "failed", failed.get(key) ?? "");
        if (!underway.has(key)) void measure(key, group, question);
        return offer(group, "running", "");
      });
      return { ...extend(part, analysis.metric_info, found, isChanged), offers: given };
    },
    /** What people can do about it. @type {import("./views/measures.js").MeasuresOptions} */
    choices: {
      onMeasure: (group) => state.set(wanting(state.get(), group), "pick"),
      onLeave: (group) => state.set(leaving(state.get(), group), "pick"),
      onRetry() {
        failed.clear();
        onChange();
      },
    },
  };
}

/**
 * A busy server is asked again.
 * @param {MeasureGroup} group
 * @param {Question} question
 * @param {AbortSignal} signal
 * @returns {Promise<Found>}
 */
async function readUntilFree(group, question, signal) {
  for (;;) {
    try {
      return await group.read(question, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "server_busy") throw error;
      await delay(1000 * (error.retryAfter ?? BUSY_WAIT_S), signal);
    }
  }
}
