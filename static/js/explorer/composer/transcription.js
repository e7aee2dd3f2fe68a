/** What a model itself writes down of the sound that it is given. */

import { getSound, postSound } from "../../api/analyses.js";
import { base64 } from "../data/images.js";

/**
 * @param {{model: string, picture: string}} asked  `picture`: the sound, as in the URL
 * @param {Pick<import("./inputs.js").AskingPage, "analyst" | "images">} page
 * @returns {Promise<string | null>}  null where the sound is not at hand
 */
export async function transcription({ model, picture }, { analyst, images }) {
  const file = await images.find(picture);
  const known = analyst.session.progress.get().analysis;
  const wav = file ?? (known ? await getSound(known.id) : null);
  if (!wav) return null;
  const written = await postSound({ model, sound: await base64(wav), transcribe: true });
  return written.sound?.target_text ?? "";
}
