/** Mark outdated charts: a banner, faded colours, and no picking, export or sharing until they are current again. */

import { need } from "../../../base/dom.js";
import { FRESH, isHeld, isStale, outOfDate, freshnessOf } from "../../state/freshness.js";
import { createStore } from "../../../base/store.js";
import { mount } from "../../../base/mount.js";
import { freshnessView } from "./freshness_banner.js";
import { requestOf } from "../../state/draft.js";

/** @typedef {import("../../state/freshness.js").Freshness} Freshness */
/** @typedef {import("../../state/freshness.js").FreshnessStore} FreshnessStore */

/** Where users pick heads, tokens and cells; export and sharing explain themselves instead. */
const PICKED_IN = ".strip, .all-heads, .this-head, .card, .one-head > :not(#lecture, #changed), #views";

/**
 * @param {Document} root
 * @param {object} page
 * @param {import("../../../base/store.js").Store<import("../../state/view_state.js").ViewState>} page.state
 * @param {import("../../state/draft.js").DraftStore} page.draftStore
 * @param {ReturnType<typeof import("../../data/analyses.js").createAnalyst>} page.analyst
 * @returns {FreshnessStore}  updated synchronously, so that nothing stale is exported between two frames
 */
export function bindFreshness(root, { state, draftStore, analyst }) {
  const bench = need(root, "#bench");
  const share = /** @type {HTMLButtonElement | null} */ (root.querySelector("#share")); // not in a frame
  const freshness = createStore(/** @type {Freshness} */ ({ ...FRESH, kind: "none" }));
  const show = mount(need(root, "#freshness"), freshnessView, {
    onBack: analyst.letGo,
  });
  state.subscribe(update);
  draftStore.subscribe(update);
  analyst.session.progress.subscribe(update);
  freshness.subscribe(draw);
  update();

  function update() {
    const { request, analysis, phase, error } = analyst.session.progress.get();
    const message = error?.message ?? "";
    const asked = analyst.asked();
    freshness.set(
      freshnessOf({ shown: request, wanted: requestOf(draftStore.get()), asked, phase, message, analysis }),
      "settle",
    );
    const isBusy = phase === "running" || phase === "waiting";
    bench.setAttribute("aria-busy", String(analysis === null || isBusy));
    draw();
  }

  function draw() {
    const now = freshness.get();
    bench.dataset.freshness = now.kind;
    if (share) share.disabled = isStale(now);
    if (share) share.title = isStale(now) ? outOfDate(now) : "";
    for (const element of root.querySelectorAll(PICKED_IN)) element.toggleAttribute("inert", isHeld(now));
    show(isStale(now) ? { freshness: now } : null);
  }

  return freshness;
}
