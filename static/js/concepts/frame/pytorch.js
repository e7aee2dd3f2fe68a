/** The same numbers in PyTorch: code with the current values, to be copied. */

import { copyCode } from "../../page/header_tools.js";
import { need } from "../../base/dom.js";

/**
 * @template {import("./concept.js").Types} T
 * @param {import("./concept.js").Page<T>} page
 * @returns {(data: T["data"]) => void}
 */
export function bindPytorch({ root, concept }) {
  const { pytorch } = concept;
  const place = root.querySelector("#pytorch-code");
  if (!place || !pytorch) return () => {};
  const status = need(root, "#pytorch-status");
  need(root, "#copy-pytorch").addEventListener("click", () => void copyCode(place, status));
  return (data) => {
    const code = pytorch(data).join("\n");
    if (place.textContent !== code) place.textContent = code;
  };
}
