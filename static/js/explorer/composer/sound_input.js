/** Choose the sound for a model: a sample, or a file; hear it as the model does, and have it written down. */

import { el, fill, say, smallButton, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";
import { fixed } from "../../base/numbers.js";
import { placed } from "../../base/place.js";
import { SOUND_SAMPLES } from "../data/sample_sounds.js";

/**
 * @typedef {object} SoundInputData
 * @property {string} picture  as in the URL
 * @property {boolean} isBusy
 * @property {boolean} canTranscribe  whether the model has a decoder
 * @property {string} problem
 * @property {string} id  of the shown analysis
 * @property {import("../../api/types.js").Analysis["sound"]} sound  as the model heard it; null before
 */

const WIDE = 600;
const HIGH = 40;

/**
 * @param {HTMLElement} element
 * @param {SoundInputData} data
 * @param {{limits: Record<string, number>, onGive: (file: File) => void, onSample: (name: string) => void,
 *   onTranscribe: () => void}} options
 * @returns {import("../../base/mount.js").View<SoundInputData>}
 */
export function soundInputView(element, data, { limits, onGive, onSample, onTranscribe }) {
  const input = el("input", {
    type: "file",
    id: "sound-file",
    accept: "audio/*",
    "aria-describedby": "sound-hint sound-error",
  });
  const hint = t("WAV, or any format that this browser can decode, up to {seconds} s.", {
    seconds: fixed(limits.max_sound_seconds, 0),
  });
  const samples = sampleButtons(onSample);
  const player = el("audio", { controls: true, preload: "none", "aria-label": t("The sound as the model hears it") });
  const outline = el("div", { class: "sound-outline" });
  const length = el("p", { class: "note" });
  const problem = el("p", { id: "sound-error", class: "field-error", role: "alert", hidden: true });
  const transcribe = smallButton(t("Have the model write what it hears"), onTranscribe);
  let drawn = "";
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    input.value = ""; // so that the same file can be chosen again
    if (file) onGive(file);
  });
  const buttons = samples.map(({ button }) => button);
  fill(
    element,
    el("div", { class: "image-samples", role: "group", "aria-label": t("Sample sounds") }, ...buttons, transcribe),
    el(
      "div",
      { class: "image-own" },
      el("label", { for: "sound-file" }, t("Your own sound")),
      el("div", { class: "image-line" }, input),
      el("p", { id: "sound-hint", class: "note" }, hint),
      problem,
    ),
    el("div", { class: "sound-heard" }, outline, player, length),
  );

  /** @param {SoundInputData} next */
  function draw({ picture, isBusy, canTranscribe, problem: message, id, sound }) {
    for (const { name, button } of samples) button.setAttribute("aria-pressed", String(name === picture));
    transcribe.hidden = !canTranscribe;
    transcribe.disabled = isBusy;
    problem.hidden = message === "";
    say(problem, message);
    player.hidden = !sound;
    if (!sound || id === drawn) return;
    drawn = id;
    player.src = placed(`/api/analyses/${encodeURIComponent(id)}/sound`);
    fill(outline, drawing(sound));
    length.textContent = lengthOf(sound);
  }

  return drawnView(element, data, draw);
}

/** @param {(name: string) => void} onSample */
function sampleButtons(onSample) {
  const names = { "sound-vowels": t("Vowels"), "sound-tones": t("A melody"), "sound-knocks": t("Knocks") };
  return SOUND_SAMPLES.map((name) => {
    const words = names[/** @type {keyof typeof names} */ (name)];
    return {
      name,
      button: smallButton(words, () => onSample(name)),
    };
  });
}

/** @param {NonNullable<SoundInputData["sound"]>} sound */
function lengthOf({ seconds, heard_seconds: heard, hop }) {
  const said = { seconds: fixed(seconds, 2), heard: fixed(heard, 2), hop: fixed(hop * 1000, 0) };
  return heard - seconds > 2 * hop
    ? t("{seconds} s; the model fills it up with silence to {heard} s. A position is {hop} ms.", said)
    : t("{seconds} s. A position is {hop} ms.", said);
}

/** @param {NonNullable<SoundInputData["sound"]>} sound */
function drawing({ outline }) {
  const step = WIDE / outline.length;
  const path = outline.map((value, index) => {
    const half = Math.max(0.5, (Number(value) * HIGH) / 2);
    return `M${(index + 0.5) * step} ${HIGH / 2 - half}v${2 * half}`;
  });
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("path", { d: path.join(""), "stroke-width": step }),
  );
}
