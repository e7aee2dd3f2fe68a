/** A talk as a PowerPoint file: every slide's view is shown, drawn as it stands on the page, and sent to be packed. */

import { postTalk } from "../../api/export_files.js";
import { t } from "../../base/i18n.js";
import { base64Of, pngFile } from "../../base/picture_files.js";

/**
 * @typedef {object} Slide  before it is drawn
 * @property {string} title
 * @property {string} described  its picture in words
 * @property {string} notes
 * @property {string} address  absolute, of the live view
 *
 * @typedef {import("../../api/types.js").Schemas["Slide"]} SentSlide
 */

/** Across, in pixels: sharp on a projector of 1920, and thirty of them are a request that the server takes. */
const WIDE = 1600;
/** PowerPoint opens no longer address. */
const LONGEST_LINK = 2_000;
const LONGEST_TITLE = 400;
const LONGEST_NOTE = 4_000;

/**
 * @param {readonly Slide[]} slides
 * @param {object} how
 * @param {(slide: Slide) => Promise<SVGSVGElement>} how.draw  shows its view, and draws it
 * @param {(done: number) => void} how.onSlide
 * @param {AbortSignal} how.signal
 * @returns {Promise<Blob>}
 */
export async function talkFile(slides, { draw, onSlide, signal }) {
  /** @type {SentSlide[]} */
  const drawn = [];
  for (const slide of slides) {
    onSlide(drawn.length);
    const view = await draw(slide).catch((error) => {
      signal.throwIfAborted();
      throw new Error(refused(drawn.length + 1, slide, error));
    });
    const picture = await pngFile(view, WIDE);
    signal.throwIfAborted();
    drawn.push(sentSlide(slide, await base64Of(picture)));
  }
  return postTalk({ title: drawn[0]?.title ?? "", slides: drawn }, signal);
}

/** @param {number} number @param {Slide} slide @param {unknown} error */
function refused(number, { title }, error) {
  const problem = error instanceof Error ? error.message : String(error);
  return t("Slide {number}, “{title}”: {problem}", { number, title, problem });
}

/**
 * @param {Slide} slide
 * @param {string} picture  a PNG file in base64
 * @returns {SentSlide}
 */
export function sentSlide({ title, described, notes, address }, picture) {
  return {
    picture,
    title: title.slice(0, LONGEST_TITLE),
    described: described.slice(0, LONGEST_NOTE),
    notes: notes.slice(0, LONGEST_NOTE),
    source: t("Attention Observatory: open this view"),
    link: address.length <= LONGEST_LINK ? address : "",
  };
}
