/** The tokens, or the patches of an image, where the query is picked. */

import { need } from "../../base/dom.js";
import { mount } from "../../base/mount.js";
import { goToTokenView } from "../tokens/go_to_token.js";
import { picturePanel } from "../tokens/image_panel.js";
import { tokensView } from "../tokens/strip.js";

/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../charts/heat_map/cells.js").Pointed} Pointed */

/** Up to this many tokens are visible at once and need no search field. */
const FEW_TOKENS = 64;

/**
 * @param {import("../widgets/panel.js").Bench} bench
 */
export function createTokensSection(bench) {
  const { root, state, pointed, selected } = bench;
  const onPick = (/** @type {number} */ query) => state.set({ query, key: null }, "pick");
  const image = picturePanel(bench);
  const goToToken = mount(need(root, "#go-to"), goToTokenView, { onPick });
  const show = mount(need(root, "#tokens"), tokensView, {
    onPick,
    onPoint: (query) => pointed.set({ query, key: null }),
  });

  return {
    /** @param {import("../widgets/panel.js").Scene} scene */
    show(scene) {
      const { value, part, queries } = scene;
      const { query, numbering } = value;
      const isImage = image.show(scene);
      const { key } = among(part, value);
      const marked = selectedAmong(part, selected.get());
      const at = among(part, scene.pointed);
      show(isImage ? null : { tokens: queries, query, key, pointed: at, selected: marked, numbering });
      const isLong = queries.length > FEW_TOKENS && !isImage;
      goToToken(isLong ? { tokens: queries, query, numbering } : null);
    },
    /**
     * Only the pointed-at cell has changed.
     * @param {Pointed} place
     * @param {Part} part
     */
    point(place, part) {
      show.patch(() => ({ pointed: among(part, place) }));
      image.point(place);
    },
  };
}

/**
 * Selected queries, and keys if they are of the same tokens.
 * @param {Part} part
 * @param {Readonly<import("../widgets/panel.js").Selected>} selected
 * @returns {Readonly<import("../widgets/panel.js").Selected>}
 */
function selectedAmong({ query_side: queries, key_side: keys }, selected) {
  return queries === keys || selected.keys.length === 0 ? selected : { ...selected, keys: [] };
}

/**
 * The query, and the key if it is one of the same tokens.
 * @param {Part} part
 * @param {Pointed} place
 * @returns {Pointed}
 */
function among({ query_side: queries, key_side: keys }, { query, key }) {
  return { query, key: queries === keys ? key : null };
}
