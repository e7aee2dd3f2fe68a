/** Sample sounds, computed from formulas, so that a link needs only their names; and WAV files of any sound. */

/** @typedef {(time: number) => number} Wave  from −1 to 1, at a time in seconds */

/** Samples a second: what audio models read. */
export const SAMPLE_RATE = 16_000;
const SECONDS = 1.8;
/** Hertz of the voice, and of the first two resonances of each vowel: a, i, u, e, o. */
const VOICE = 130;
const VOWELS = [
  [730, 1090],
  [270, 2290],
  [300, 870],
  [530, 1840],
  [570, 840],
];
const PITCHES = [262, 330, 392, 523, 392, 330];

const turn = (/** @type {number} */ hertz, /** @type {number} */ time) => Math.sin(2 * Math.PI * hertz * time);

/** @type {Record<string, Wave>} */
const WAVES = {
  "sound-vowels"(time) {
    const duration = SECONDS / VOWELS.length;
    const [first, second] = VOWELS[Math.min(VOWELS.length - 1, Math.floor(time / duration))];
    let sum = 0;
    for (let tone = 1; tone * VOICE < 3500; tone++) {
      const near = (/** @type {number} */ peak) => 1 / (1 + ((tone * VOICE - peak) / 90) ** 2);
      sum += (near(first) + 0.5 * near(second)) * turn(tone * VOICE, time);
    }
    return 0.4 * sum * fade((time % duration) / duration);
  },
  "sound-tones"(time) {
    const duration = SECONDS / PITCHES.length;
    const pitch = PITCHES[Math.min(PITCHES.length - 1, Math.floor(time / duration))];
    return 0.5 * turn(pitch, time) * fade((time % duration) / duration);
  },
  "sound-knocks": (time) => 0.9 * turn(180, time) * Math.exp(-60 * (time % 0.45)),
};

export const SOUND_SAMPLES = Object.freeze(Object.keys(WAVES));

/** @param {number} share  of a note's length that has passed */
function fade(share) {
  return Math.min(1, 12 * share, 12 * (1 - share));
}

/**
 * @param {string} name  one of SOUND_SAMPLES
 * @returns {Blob}  a WAV file
 */
export function sampleSound(name) {
  const wave = WAVES[name];
  return wavFile(Float32Array.from({ length: SAMPLE_RATE * SECONDS }, (_, index) => wave(index / SAMPLE_RATE)));
}

/**
 * One channel as a WAV file of 16 bits.
 * @param {Float32Array} samples  from −1 to 1
 * @param {number} [rate]
 * @returns {Blob}
 */
export function wavFile(samples, rate = SAMPLE_RATE) {
  const view = new DataView(new ArrayBuffer(44 + 2 * samples.length));
  const write = (/** @type {number} */ offset, /** @type {string} */ word) =>
    [...word].forEach((sign, index) => view.setUint8(offset + index, sign.charCodeAt(0)));
  write(0, "RIFF");
  view.setUint32(4, 36 + 2 * samples.length, true);
  write(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, 2 * rate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, "data");
  view.setUint32(40, 2 * samples.length, true);
  samples.forEach((value, index) => view.setInt16(44 + 2 * index, Math.max(-1, Math.min(1, value)) * 0x7fff, true));
  return new Blob([view], { type: "audio/wav" });
}

/**
 * Any sound that this browser can decode, as a WAV file; one that is a WAV file already, as it is.
 * @param {Blob} file
 * @returns {Promise<Blob>}  rejects where the browser cannot decode it
 */
export async function asWav(file) {
  const bytes = await file.arrayBuffer();
  if (String.fromCharCode(...new Uint8Array(bytes.slice(0, 4))) === "RIFF") return file;
  const decoded = await new OfflineAudioContext(1, 1, SAMPLE_RATE).decodeAudioData(bytes);
  const channels = Array.from({ length: decoded.numberOfChannels }, (_, index) => decoded.getChannelData(index));
  const mean = channels[0].map(
    (_, index) => channels.reduce((sum, channel) => sum + channel[index], 0) / channels.length,
  );
  return wavFile(mean, decoded.sampleRate);
}
