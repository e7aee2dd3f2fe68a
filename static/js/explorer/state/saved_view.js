/** How the page that saves a file writes its view into it, beside the answers of the API: as the query of an address. */

export const SAVED_VIEW = "view";
