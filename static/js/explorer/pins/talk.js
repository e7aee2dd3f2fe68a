/** A talk: the pinned views as slides, one after the other. */

import { titleOf } from "./pins.js";

/** @typedef {import("./pins.js").Pin} Pin */

/**
 * @typedef {object} SpeakerNotes  what a speaker reads beside a slide
 * @property {number} slide  from 1; 0 before the first
 * @property {number} slides
 * @property {string} title  of this slide; "" before the first
 * @property {string} note
 * @property {string} next  title of the next one; "" at the end
 */

/**
 * @param {object} talk
 * @param {() => Pin[]} talk.pins
 * @param {(address: string) => boolean} talk.isShown
 * @param {(address: string) => void} talk.go
 */
export function createTalk({ pins, isShown, go }) {
  /** The slide last shown: whoever shows something else meanwhile, for a question, goes on from it. */
  let last = "";

  function slide() {
    const shown = pins();
    const index = shown.findIndex(({ address }) => isShown(address));
    if (index >= 0) last = shown[index].address;
    return index >= 0 ? index : shown.findIndex(({ address }) => address === last);
  }

  return {
    /** @returns {import("../../page/deck.js").Standing} */
    now() {
      const figures = pins().map((pin) => ({ name: titleOf(pin), notice: "" }));
      return { figures, figure: slide(), steps: 1, step: 1, isTalk: true };
    },
    /** @param {import("../../page/deck.js").Place} place */
    go({ figure }) {
      const pin = pins()[figure ?? slide()];
      if (!pin) return;
      last = pin.address;
      go(pin.address);
    },
    /** @returns {SpeakerNotes} */
    notes() {
      const shown = pins();
      const index = slide();
      const [now, next] = [shown[index], shown[index + 1]];
      const told = { title: now ? titleOf(now) : "", note: now?.note ?? "", next: next ? titleOf(next) : "" };
      return { slide: index + 1, slides: shown.length, ...told };
    },
  };
}
