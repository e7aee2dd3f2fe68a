/** The button that opens a file with a set of prompts. */

import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { KINDS } from "./set_files.js";

/** @param {(file: File) => void} onFile */
export function fileButton(onFile) {
  const input = el("input", {
    type: "file",
    id: "prompts-file",
    accept: KINDS.map((kind) => `.${kind}`).join(","),
    class: "visually-hidden",
  });
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file) onFile(file);
    input.value = ""; // so that the same file, mended, can be chosen again
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
