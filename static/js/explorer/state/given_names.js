/** Names of what is given to a model in place of a text. */

/** Prefix of names of sounds: a sample, one given, or an analysis. */
export const SOUND = "sound-";

/** @param {string} name */
export function isSound(name) {
  return name.startsWith(SOUND);
}

/**
 * The id of the analysis that a name stands for.
 * @param {string} name
 */
export function analysisOf(name) {
  return isSound(name) ? name.slice(SOUND.length) : name;
}
