/** Buttons that save a set of prompts as a file, and open one. */

import { el, plainButton } from "../../../base/dom.js";
import { t } from "../../../base/i18n.js";
import { bytes } from "../../../base/numbers.js";
import { download } from "../../../base/picture_files.js";
import { KINDS, MOST_BYTES, SetFileError, readSetFile, writeSet } from "./set_files.js";

/** @typedef {import("../../state/prompt_set.js").SetText} SetText */

/** @param {() => SetText} wanted  the set that is saved */
export function saveButton(wanted) {
  const onclick = () => download(new Blob([writeSet(wanted())], { type: "application/json" }), "prompts.json");
  return plainButton(t("Save the set"), onclick);
}

/**
 * @param {number} most  prompts
 * @param {{onSet: (set: SetText) => void, onRefused: (why: string) => void}} options
 */
export function openButton(most, { onSet, onRefused }) {
  const input = el("input", {
    type: "file",
    id: "prompts-file",
    accept: KINDS.map((kind) => `.${kind}`).join(","),
    class: "visually-hidden",
    async onchange() {
      const [file] = input.files ?? [];
      input.value = ""; // so that the same file, mended, can be chosen again
      const opened = file && (await openSet(file, most));
      if (typeof opened === "string") onRefused(opened);
      else if (opened) onSet(opened);
    },
  });
  const kinds = el("span", { class: "note" }, ` ${KINDS.join(", ")}`);
  return el(
    "span",
    { class: "prompts-file" },
    input,
    el("label", { class: "button", for: input.id }, t("Open a set")),
    kinds,
  );
}

/**
 * @param {Pick<File, "name" | "size" | "text">} file
 * @param {number} most  prompts
 * @returns {Promise<SetText | string>}  or what is wrong with the file
 */
export async function openSet(file, most) {
  const limit = { size: bytes(file.size), most: bytes(MOST_BYTES) };
  if (file.size > MOST_BYTES) return t("The file has {size}; at most {most} are read.", limit);
  try {
    return readSetFile(file.name, await file.text(), most);
  } catch (error) {
    if (!(error instanceof SetFileError)) throw error;
    return `${file.name}: ${error.message}`;
  }
}
