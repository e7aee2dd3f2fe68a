/** Requests about who somebody is to the server. Errors are those of `requests/api_request.js`. */

import { fetchJson } from "../requests/api_request.js";

/** Gives up what was uploaded or started from this browser: its secret is kept at two addresses, each with its own route. */
export async function deleteOwner() {
  await fetchJson("/api/owner", { method: "DELETE" });
  await fetchJson("/api/models/owner", { method: "DELETE" });
}
