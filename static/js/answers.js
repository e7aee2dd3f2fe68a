/**
 * Answers to a page's calls while its state moves: one question at a time, the newest next, the last answer until then.
 * An answer always comes with the state it was asked for, so that a picture never mixes two.
 */

import { postConcept } from "./api.js";
import { createMemory } from "./latest.js";

/** @typedef {{stem: string, body: object}} Call  of `POST /api/<stem>` */

/**
 * @template S
 * @typedef {object} Told  what is known now
 * @property {Readonly<S> | null} state  that the answers are for; null before the first
 * @property {any[]} answers  one for each call
 * @property {boolean} isPending  whether newer ones are on their way
 * @property {unknown} problem  why the newest question has no answer
 */

const APART_MS = 60;
/** So long an older question may hold up a newer one. */
const PATIENCE_MS = 300;
const REMEMBERED = 48;

/**
 * @template S
 * @param {() => void} onChange  something arrived
 * @param {(stem: string, body: object, signal: AbortSignal) => Promise<any>} [post]
 */
export function createAnswers(onChange, post = postConcept) {
  const memory = /** @type {ReturnType<typeof createMemory<any[]>>} */ (createMemory(REMEMBERED));
  /** @type {{key: string, calls: Call[], state: Readonly<S>} | null} */
  let wanted = null;
  /** @type {{key: string, stop: AbortController} | null} */
  let flight = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let sentAt = -Infinity;
  let known = "";
  /** @type {Told<S>} */
  let told = { state: null, answers: [], isPending: false, problem: null };

  /**
   * @param {Call[]} calls
   * @param {Readonly<S>} state
   * @returns {Told<S>}
   */
  function ask(calls, state) {
    const key = JSON.stringify(calls);
    const isNew = key !== wanted?.key;
    wanted = { key, calls, state };
    if (key === known) told = { ...told, state, isPending: false, problem: null };
    if (!isNew) return told;
    const answers = memory.get(key);
    clearTimeout(timer);
    if (answers) {
      flight?.stop.abort();
      flight = null;
      arrive(key, state, answers);
    } else {
      told = { ...told, isPending: true, problem: null };
      timer = setTimeout(send, flight ? PATIENCE_MS : Math.max(0, sentAt + APART_MS - performance.now()));
    }
    return told;
  }

  function send() {
    if (!wanted || wanted.key === known) return;
    const { key, calls, state } = wanted;
    flight?.stop.abort();
    const mine = { key, stop: new AbortController() };
    flight = mine;
    sentAt = performance.now();
    Promise.all(calls.map(({ stem, body }) => post(stem, body, mine.stop.signal))).then(
      (answers) => {
        memory.set(key, answers);
        if (flight !== mine) return;
        flight = null;
        arrive(key, state, answers);
        next();
      },
      (problem) => {
        if (flight !== mine) return;
        flight = null;
        if (wanted?.key === key) told = { ...told, isPending: false, problem };
        next();
      },
    );
  }

  /** Tells, and sends what was wanted meanwhile. */
  function next() {
    onChange();
    if (told.isPending) {
      clearTimeout(timer);
      timer = setTimeout(send, Math.max(0, sentAt + APART_MS - performance.now()));
    }
  }

  /**
   * @param {string} key
   * @param {Readonly<S>} state
   * @param {any[]} answers
   */
  function arrive(key, state, answers) {
    const isNewest = wanted?.key === key;
    known = key;
    const now = isNewest && wanted ? wanted.state : state;
    told = { state: now, answers, isPending: !isNewest, problem: null };
  }

  return {
    ask,
    /** Asks the same once more, after a problem. */
    again() {
      told = { ...told, isPending: true, problem: null };
      onChange();
      send();
    },
  };
}
