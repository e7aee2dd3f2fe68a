/** Where what is shown stands: a line over it, its look, and what is barred until it is of what is asked for again. */

import { need } from "../../base/dom.js";
import { FRESH, isHeld, isStale, outOfDate, standingOf } from "../state/freshness.js";
import { createStore } from "../../base/store.js";
import { mount } from "../../base/mount.js";
import { standingView } from "./freshness_banner.js";
import { requestOf } from "../state/draft.js";

/** @typedef {import("../state/freshness.js").Standing} Standing */
/** @typedef {import("../../base/store.js").Store<Standing>} StandingStore */

/** What one picks in; files, links and what is said about them stay within reach. */
const PICKED_IN = "#bench > section:not(.one-head), .one-head > :not(.section-head, #lecture), #views";

/**
 * @param {Document} root
 * @param {object} page
 * @param {import("../../base/store.js").Store<import("../../api/types.js").ViewState>} page.state
 * @param {import("../state/draft.js").Wanted} page.wanted
 * @param {ReturnType<typeof import("../data/analyses.js").createAnalyst>} page.analyst
 * @returns {StandingStore}  true at any moment, so that nothing stale leaves the page between two frames
 */
export function bindStanding(root, { state, wanted, analyst }) {
  const bench = need(root, "#bench");
  const share = /** @type {HTMLButtonElement | null} */ (root.querySelector("#share")); // not in a frame
  const standing = createStore(/** @type {Standing} */ ({ ...FRESH, kind: "none" }));
  const show = mount(need(root, "#standing"), standingView, {
    onBack: analyst.letGo,
  });
  state.subscribe(update);
  wanted.subscribe(update);
  analyst.session.progress.subscribe(update);
  standing.subscribe(draw);
  update();

  function update() {
    const { request, analysis, phase, error } = analyst.session.progress.get();
    const message = error?.message ?? "";
    const asked = analyst.asked();
    standing.set(
      standingOf({ shown: request, wanted: requestOf(wanted.get()), asked, phase, message, analysis }),
      "settle",
    );
    const isBusy = phase === "running" || phase === "waiting";
    bench.setAttribute("aria-busy", String(analysis === null || isBusy));
    draw();
  }

  function draw() {
    const now = standing.get();
    bench.dataset.standing = now.kind;
    if (share) share.disabled = isStale(now);
    if (share) share.title = isStale(now) ? outOfDate(now) : "";
    for (const one of root.querySelectorAll(PICKED_IN)) one.toggleAttribute("inert", isHeld(now));
    show(isStale(now) ? { standing: now } : null);
  }

  return standing;
}
