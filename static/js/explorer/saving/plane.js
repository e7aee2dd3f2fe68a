/** The plane of queries and keys in an exported file, which holds that of the head it was saved for. */

import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { headName } from "../../wording/labels.js";
import { mount } from "../../base/mount.js";
import { queryKeyPlaneView } from "../vectors/plane.js";

/**
 * @param {Document} root
 * @param {import("./windows.js").Saved} saved
 * @param {{onPick: (at: {query: number, key: null} | {key: number}) => void, onPoint: (at: import("../../api/types.js").Pointed) => void}} options
 */
export function createOfflinePlane(root, { plane, chosen }, { onPick, onPoint }) {
  const { part, layer, head, numbering } = chosen;
  const elsewhere = need(root, "#plane-elsewhere");
  const show = mount(need(root, "#plane"), queryKeyPlaneView, {
    onPick: (role, token) => onPick(role === "query" ? { query: token, key: null } : { key: token }),
    onPoint: (at) => onPoint({ query: null, key: null, ...(at && { [at.role]: at.token }) }),
  });
  need(root, "#plane-section").hidden = plane === null;
  const name = headName(layer, head, numbering);
  elsewhere.textContent = t("The plane of all queries and keys is in this file for {head} alone.", { head: name });

  return {
    /**
     * @param {{part: import("../../api/types.js").Part, layer: number, head: number, query: number | null, key: number | null}} at
     * @param {{queries: import("../../api/types.js").Token[], keys: import("../../api/types.js").Token[]}} sides
     * @param {import("../../api/types.js").Pointed} pointed
     */
    show(at, { queries, keys }, pointed) {
      const isSaved = at.part.name === part && at.layer === layer && at.head === head;
      elsewhere.hidden = isSaved;
      const marked = { query: at.query, key: at.key, pointedQuery: pointed.query, pointedKey: pointed.key };
      show(plane && isSaved ? { plane, queries, keys, ...marked, weight: null, numbering } : null);
    },
    /** @param {import("../../api/types.js").Pointed} pointed  which alone has changed */
    point: (pointed) => show.patch(() => ({ pointedQuery: pointed.query, pointedKey: pointed.key })),
  };
}
