/** Effects of the patches of one layer, each in its place over the image that is patched. */

import { cssColor, mix } from "../../base/theme/color.js";
import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";
import { signed } from "../widgets/signed_shares.js";
import { numberedLabel } from "../../wording/token_apart.js";
import { imageOf, outline } from "./images.js";

/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} PatchEffectsData
 * @property {import("../../api/types.js").Picture} image  of the run that is patched
 * @property {number[]} effects  by token
 * @property {number} most  at the end of the scale
 * @property {Token[]} tokens
 * @property {number} layer
 * @property {number | null} query
 * @property {0 | 1} numbering
 * @property {ReturnType<typeof import("../../charts/heat_map/scales.js").createPalette>} palette
 */

/**
 * @param {HTMLElement} element
 * @param {PatchEffectsData} data
 * @param {{onPick: (query: number) => void}} options  by a click; by keys, positions are chosen in the chart beside it
 * @returns {import("../../base/mount.js").View<PatchEffectsData>}
 */
export function patchEffectsView(element, data, { onPick }) {
  const picture = svg("svg", { class: "patching-board", role: "img" });
  const caption = el("figcaption", {});
  fill(element, el("figure", {}, picture, caption));
  picture.addEventListener("click", (event) => {
    const patch = /** @type {Element} */ (event.target).closest("[data-index]");
    if (patch instanceof SVGElement) onPick(Number(patch.dataset.index));
  });
  return drawnView(element, data, ({ image, effects, most, tokens, layer, query, numbering, palette }) => {
    const { stops } = palette.scores;
    const patches = tokens.filter((token) => token.box);
    const name = t("Effect of each patch in layer {layer}", { layer: layer + numbering });
    picture.setAttribute("viewBox", `0 0 ${image.width} ${image.height}`);
    picture.setAttribute("aria-label", name);
    fill(
      picture,
      svg("g", { class: "patching-ground" }, imageOf(image)),
      ...patches.map((token) => {
        const effect = effects[token.index] ?? 0;
        const share = most > 0 ? effect / most : 0;
        return svg(
          "path",
          {
            d: outline(token),
            "data-index": token.index,
            class: token.index === query ? "is-chosen" : "",
            fill: cssColor(mix(stops, (1 + share) / 2)),
            "fill-opacity": Math.min(0.9, 0.25 + Math.abs(share)),
          },
          svg("title", {}, `${numberedLabel(token, numbering)}: ${signed(effect, 3)}`),
        );
      }),
    );
    const others = tokens.filter((token) => !token.box);
    const said = others.map((token) => `${numberedLabel(token, numbering)} ${signed(effects[token.index] ?? 0, 2)}`);
    caption.textContent = [name, ...said].join(" · ");
  });
}
