/** The view of a saved page, stored in the file as the query of an address. */

export const SAVED_VIEW = "view";
