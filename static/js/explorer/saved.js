/** Start the Explorer in a saved file, whose answers are in the page; in a notebook, Python is asked for all others. */

import { need } from "../base/dom.js";
import { returnToKept } from "../page/frame_state.js";
import { hostOf } from "../base/host.js";
import { setMessages } from "../base/i18n.js";
import { createStore } from "../base/store.js";
import { chosenTheme } from "../base/theme/theme.js";
import { recordsIn } from "../requests/packed_records.js";
import { startExplorer } from "./shell/explorer.js";
import { withThumbnails } from "./data/recorded_thumbnails.js";
import { connectRecords } from "./shell/recorded_source.js";
import { SAVED_VIEW } from "./state/saved_view.js";
import { readState } from "./state/view_state.js";

/** @param {string} id */
const readJson = (id) => JSON.parse(need(document, `#${id}`).textContent ?? "null");

const isKept = returnToKept();
setMessages(readJson("messages"));
const config = readJson("config");
void recordsIn(document).then((found) => {
  const records = withThumbnails(found);
  const view = records.find(({ request }) => request === SAVED_VIEW)?.answer ?? config.search;
  const [search, hash = ""] = view.split("#");
  // What was set in a slide goes before what the file was saved with.
  const beginning = isKept ? location : { search, hash };
  const state = createStore({ ...readState(beginning), theme: chosenTheme() });
  startExplorer(document, config, state, connectRecords(records, hostOf(document)));
});
