/** Chart colours of the current theme, renewed when it changes. */

import { applyTheme, onSystemTheme } from "../../base/theme/theme.js";
import { createPalette } from "../../charts/heat_map/scales.js";

/**
 * @param {import("../../base/store.js").Store<import("../state/view_state.js").ViewState>} state
 * @param {() => void} onChange
 * @returns {() => ReturnType<typeof createPalette>}
 */
export function bindTheme(state, onChange) {
  let palette = createPalette();
  const renew = () => {
    palette = createPalette();
    onChange();
  };
  state.subscribe(({ theme }, changed) => {
    if (!changed.has("theme")) return;
    applyTheme(theme);
    renew();
  });
  onSystemTheme(renew);
  return () => palette;
}
