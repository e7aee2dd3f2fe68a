/** The tokens, or the patches of an image, where the query is picked. */

import { fill, need } from "../../../base/dom.js";
import { t } from "../../../base/i18n.js";
import { mount } from "../../../base/mount.js";
import { tokensView } from "../../tokens/strip.js";
import { viewOnDemand } from "../../widgets/late_view.js";

/** @typedef {import("../../../api/types.js").Part} Part */
/** @typedef {import("../../../charts/heat_map/cells.js").Pointed} Pointed */

/** Up to this many tokens are visible at once and need no search field. */
const FEW_TOKENS = 64;

/**
 * @param {import("../../widgets/panel.js").Bench} bench
 */
export function createTokensSection(bench) {
  const { root, state, pointed, selected, schedule } = bench;
  const onPick = (/** @type {number} */ query) => state.set({ query, key: null }, "pick");
  const turn = pictureTurn(root);
  /** @type {ReturnType<typeof import("../../tokens/image_panel.js").picturePanel> | null} */
  let picture = null;
  const showPicture = viewOnDemand(
    () => import("../../tokens/image_panel.js"),
    ({ picturePanel }) => {
      picture = picturePanel(bench);
      return picture.show;
    },
    schedule,
  );
  const goToToken = viewOnDemand(
    () => import("../../tokens/go_to_token.js"),
    ({ goToTokenView }) => mount(need(root, "#go-to"), goToTokenView, { onPick }),
    schedule,
  );
  const show = mount(need(root, "#tokens"), tokensView, {
    onPick,
    onPoint: (query) => pointed.set({ query, key: null }),
  });

  return {
    /** @param {import("../../widgets/panel.js").Scene} scene */
    show(scene) {
      const { value, part, queries } = scene;
      const { query, numbering } = value;
      const isImage = Boolean(scene.analysis.image);
      turn(isImage);
      showPicture(isImage ? scene : null);
      const { key } = among(part, value);
      const marked = selectedAmong(part, selected.get());
      const place = among(part, scene.pointed);
      show(isImage ? null : { tokens: queries, query, key, pointed: place, selected: marked, numbering });
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
      picture?.point(place);
    },
  };
}

/**
 * Gives the place of the tokens to a picture, and back.
 * @param {Document} root
 */
function pictureTurn(root) {
  const frame = need(root, "#bench");
  const title = need(root, "#tokens-title");
  const words = [...title.childNodes];
  let isShown = false;
  return (/** @type {boolean} */ next) => {
    if (next === isShown) return;
    isShown = next;
    frame.classList.toggle("has-picture", next);
    const note = document.createElement("span");
    note.className = "note";
    note.textContent = t("choose the query patch");
    fill(title, ...(next ? [t("Image"), " ", note] : words));
  };
}

/**
 * Selected queries, and keys if they are of the same tokens.
 * @param {Part} part
 * @param {Readonly<import("../../widgets/panel.js").Selected>} selected
 * @returns {Readonly<import("../../widgets/panel.js").Selected>}
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
