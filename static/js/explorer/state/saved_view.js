/** What a saved page holds beside answers. */

/** Its view, as the query of an address. */
export const SAVED_VIEW = "view";
/** The id of the analysis of the corrupt image in a study of patching. */
export const CORRUPT_ANALYSIS = "corrupt_analysis";
