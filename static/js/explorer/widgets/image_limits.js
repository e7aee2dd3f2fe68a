/** Which image files the server takes. */

import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";

/** Media types. */
export const IMAGE_TYPES = Object.freeze(["image/png", "image/jpeg", "image/webp"]);
export const MEGA = 1_000_000;

/**
 * Bytes of a file that fit into a request, where it stands in base64.
 * @param {Record<string, number>} limits
 */
export function largestFile({ max_body_bytes: bytes }) {
  return Math.floor((bytes * 3) / 4) - 1000;
}

/**
 * Why a file cannot be sent, before it is; "" where it can.
 * @param {Blob} file
 * @param {Record<string, number>} limits
 * @returns {string}
 */
export function whyNotSent(file, limits) {
  if (!IMAGE_TYPES.includes(file.type)) return t("This is not a PNG, JPEG or WebP file.");
  if (file.size <= largestFile(limits)) return "";
  return t(
    "The file has {bytes} MB; this server accepts up to {limit}. Use a smaller image: the model sees only a few pixels anyway.",
    {
      bytes: fixed(file.size / MEGA, 1),
      limit: fixed(largestFile(limits) / MEGA, 1),
    },
  );
}
