/**
 * Images and sounds given to models. A link cannot hold one: it names one of the page's samples, or the id of an analysis,
 * which the server knows for a while. Files given in this visit are kept here.
 */

import { createMemory } from "../../base/recent_values.js";
import { analysisOf, isSound, SOUND } from "../state/given_names.js";

/** Names of sample images. */
export const SAMPLES = Object.freeze(["shapes", "face", "night", "checks"]);
/** Prefix of names of images that are not yet analysed. */
const GIVEN = "given-";
/** Number of images kept, the most recently used. */
const KEPT = 12;

/** @typedef {ReturnType<typeof createGivenImages>} GivenImages */

/** Only models that read images need them. */
const loadSamples = () => import("./sample_images.js");

/** Only models that read sounds need them. */
const loadSounds = () => import("./sample_sounds.js");

export function createGivenImages() {
  const known = /** @type {ReturnType<typeof createMemory<Blob>>} */ (createMemory(KEPT));
  let count = 0;

  return {
    keep: known.set,
    /**
     * @param {Blob} file
     * @returns {string}  its name for now
     */
    give(file) {
      count += 1;
      const name = `${file.type.startsWith("audio/") ? SOUND : ""}${GIVEN}${count}`;
      known.set(name, file);
      return name;
    },
    /**
     * The image of a name, or null for one that only the server may know.
     * @param {string} name
     * @returns {Promise<Blob | null>}
     */
    async find(name) {
      const kept = known.get(name);
      if (!kept && isSound(name)) {
        const { SOUND_SAMPLES, sampleSound } = await loadSounds();
        return SOUND_SAMPLES.includes(name) ? sampleSound(name) : null;
      }
      if (kept || !SAMPLES.includes(name)) return kept ?? null;
      const { sampleCanvas } = await loadSamples();
      const drawn = await new Promise((/** @type {BlobCallback} */ resolve) => sampleCanvas(name).toBlob(resolve));
      if (!drawn) throw new Error("this browser writes no PNG");
      known.set(name, drawn);
      return drawn;
    },
    /**
     * Renames an image after its analysis; a sample keeps its name. Returns the name.
     * @param {string} name
     * @param {string} id  of its analysis
     * @returns {string}
     */
    settle(name, id) {
      const file = known.get(name);
      if (!analysisOf(name).startsWith(GIVEN) || !file) return name;
      const lasting = isSound(name) ? SOUND + id : id;
      known.set(lasting, file);
      return lasting;
    },
  };
}

/**
 * @param {Blob} file
 * @returns {Promise<string>}
 */
export function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result).replace(/^[^,]*,/, "")));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });
}

/**
 * @param {string} png  in base64
 * @returns {Blob}
 */
export function blobOf(png) {
  return new Blob([Uint8Array.from(atob(png), (sign) => sign.charCodeAt(0))], { type: "image/png" });
}
