/** What of the Explorer's views scrolls sideways where it is too wide. */
export const SIDEWAYS =
  ":is(.token-scroller, .flow-scroller, .lens-scroller, .shares-picture, .rollout-table, .effect-layers > div)";
